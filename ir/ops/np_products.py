"""Products of arrays: the gufuncs, ``dot`` and its relatives, ``einsum``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.meta import MOST_AXES, TensorMeta
from npexport.ir.op import registered
from npexport.ir.ops import flops, rows_products
from npexport.ir.ops.np_scalars import OF_SCALARS
from npexport.ir.ops.rows import Fact
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    array,
    as_tuple,
    axis_index,
    broadcast,
    dtype_of,
    meta_of,
    product,
    record,
    shape_of,
    value,
    violated,
)
from npexport.ir.raising import NOTHING, OF_TEXTS
from npexport.symshapes.broadcasting import must_equal
from npexport.symshapes.errors import Unsupported


def contract(a: Size, b: Size) -> None:
    """The two sizes that are summed over must be equal."""
    if a is not b and not must_equal(a, b):
        raise Rejected


# --- gufuncs


def _gufunc_dtype(ufunc: np.ufunc, x1: Array, x2: Array, dtype: Any) -> np.dtype[Any]:
    return dtype_of(_product_of_empty, meta_of(x1), meta_of(x2), ufunc=ufunc, dtype=dtype)


def _product_of_empty(x1: Any, x2: Any, ufunc: Any, dtype: Any) -> Any:
    """The gufunc of arrays without elements that have just the core axes."""
    ranks = [part.count(",") + 1 for part in ufunc.signature.split("->")[0].split("),(")]
    first, second = (np.empty((0,) * rank, x.dtype) for x, rank in zip((x1, x2), ranks, strict=True))
    return ufunc(first, second, dtype=dtype)


def _matmul_shape(a: Shape, b: Shape) -> Shape:
    if not a or not b:
        raise Rejected
    contract(a[-1], b[-2] if len(b) > 1 else b[0])
    return broadcast(a[:-2], b[:-2]) + a[-2:-1] + (b[-1:] if len(b) > 1 else ())


def _matvec_shape(a: Shape, b: Shape) -> Shape:
    if len(a) < 2 or not b:
        raise Rejected
    contract(a[-1], b[-1])
    return (*broadcast(a[:-2], b[:-1]), a[-2])


def _vecmat_shape(a: Shape, b: Shape) -> Shape:
    if not a or len(b) < 2:
        raise Rejected
    contract(a[-1], b[-2])
    return (*broadcast(a[:-1], b[:-2]), b[-1])


# name: (further models, shape rule, further traits, where rows stand, the rule of fast mathematics)
GUFUNCS: dict[str, tuple[tuple[Any, ...], Callable[[Shape, Shape], Shape], str, Fact, str]] = {
    "matmul": ((np.linalg.matmul,), _matmul_shape, "c_order", rows_products.matmul, "product"),
    "matvec": ((), _matvec_shape, "", rows_products.matrices("ik", "k", "i"), ""),
    "vecmat": ((), _vecmat_shape, "", rows_products.matrices("k", "kj", "j"), ""),
}


def _gufunc_rule(ufunc: np.ufunc, shape: Callable[[Shape, Shape], Shape]) -> Callable[..., Any]:
    def rule(x1: Array, x2: Array, /, *, dtype: Any = None) -> TensorMeta:
        return value(shape(shape_of(x1), shape_of(x2)), _gufunc_dtype(ufunc, x1, x2, dtype))

    return rule


for _name, (_models, _shape, _traits, _rows, _fast) in GUFUNCS.items():
    _ufunc = getattr(np, _name, None)
    if _ufunc is not None:  # matvec and vecmat are younger than the oldest NumPy that is supported
        record(
            _ufunc,
            *_models,
            name=_name,
            traits=f"ufunc sums_products {_traits}",
            doc=f"The product ``np.{_name}`` of the last axes.",
            see=f"numpy.{_name}",
            raises=NOTHING,
            rows=_rows,
            fast=_fast,
            flops=flops.contracted("x1"),
        )(_gufunc_rule(_ufunc, _shape))


@record(np.vecdot, traits="ufunc sums_products", raises=NOTHING, rows=rows_products.vecdot, flops=flops.along)
def vecdot(x1: Array, x2: Array, /, *, axis: Any = -1, dtype: Any = None) -> TensorMeta:
    """The sum of products along an axis, the elements of ``x1`` conjugated."""
    a, b = shape_of(x1), shape_of(x2)
    if not a or not b:
        raise Rejected
    (left, n), (right, m) = (_without(shape, axis_index(axis, len(shape))) for shape in (a, b))
    contract(n, m)
    return value(broadcast(left, right), _gufunc_dtype(np.vecdot, x1, x2, dtype))


# --- dot and its relatives


def _dot_dtype(a: TensorMeta, b: TensorMeta) -> np.dtype[Any]:
    if "V" in (a.dtype.kind, b.dtype.kind):
        raise Unsupported("E122", "a product of records is computed with objects of Python")
    dtype = dtype_of(np.dot, a.with_(shape=(0,)), b.with_(shape=(0,)))
    if "M" in (a.dtype.kind, b.dtype.kind):  # which says of elements that they have no product
        raise Unsupported("E122", "a product of dates is computed with objects of Python")
    return dtype


def _scaled_dtype(a: TensorMeta, b: TensorMeta) -> np.dtype[Any]:
    """The dtype of a product with a single element. NumPy has no such product of times."""
    if not {a.dtype.kind, b.dtype.kind}.isdisjoint("mM"):
        try:
            np.dot(*[np.ones((1,) * bool(operand.shape), operand.dtype) for operand in (a, b)])
        except TypeError:
            raise Rejected from None
        raise Unsupported("E122", "a product of times and floats is computed with objects of Python", hint="Write a * b.")
    return _dot_dtype(a, b)


@record(
    np.dot,
    raises=NOTHING,
    traits="c_order sums_products by_value",
    out=Out(exact=True),
    rows=rows_products.dot,
    flops=flops.contracted("a"),
    emit=Emit(method="dot"),
)
def dot(a: Array, b: Array) -> TensorMeta:
    """The sum of products over the last axis of ``a`` and the second last of ``b``; 0-d operands
    multiply."""
    a, b = meta_of(a), meta_of(b)
    if not a.shape or not b.shape:
        return value(a.shape + b.shape, _scaled_dtype(a, b))
    contract(a.shape[-1], b.shape[-2] if len(b.shape) > 1 else b.shape[0])
    return value(a.shape[:-1] + b.shape[:-2] + (b.shape[-1:] if len(b.shape) > 1 else ()), _dot_dtype(a, b))


@record(
    np.inner,
    raises=NOTHING,
    traits="c_order sums_products by_value",
    out=Out(exact=True),
    rows=rows_products.inner,
    flops=flops.contracted("a"),
)
def inner(a: Array, b: Array, /) -> TensorMeta:
    """The sum of products over the last axes."""
    a, b = meta_of(a), meta_of(b)
    if a.shape and b.shape:
        contract(a.shape[-1], b.shape[-1])
        return value(a.shape[:-1] + b.shape[:-1], _dot_dtype(a, b))
    return value(a.shape + b.shape, _scaled_dtype(a, b))


@record(np.vdot, raises=NOTHING, traits="sums_products by_value", flops=flops.contracted("a"))
def vdot(a: Array, b: Array, /) -> TensorMeta:
    """The sum of products of all elements, those of ``a`` conjugated."""
    a, b = meta_of(a), meta_of(b)
    contract(product(a.shape), product(b.shape))
    return value((), _dot_dtype(a, b))


@record(np.outer, raises=NOTHING, traits="own_source c_order", rows=rows_products.outer)
def outer(a: Array, b: Array) -> TensorMeta:
    """The products of every element of ``a`` with every one of ``b``, both flattened."""
    a, b = meta_of(a), meta_of(b)
    return array((product(a.shape), product(b.shape)), dtype_of(np.multiply, a, b))


@record(
    np.tensordot,
    np.linalg.tensordot,
    raises=NOTHING,
    traits="own_source c_order sums_products",
    rows=rows_products.tensordot,
    flops=flops.over_axes,
)
def tensordot(a: Array, b: Array, axes: Any = 2) -> TensorMeta:
    """The sum of products over pairs of axes; an int means the last axes of ``a`` and the first of
    ``b``."""
    a, b = meta_of(a), meta_of(b)
    if isinstance(axes, (tuple, list)):
        first, second = (as_tuple(side) for side in axes)
    elif axes > MOST_AXES:
        raise Rejected
    else:
        first, second = tuple(range(-axes, 0)), tuple(range(axes))
    if len(first) != len(second):
        raise Rejected
    if len({*first}) + len({*second}) < len(first) + len(second):
        np.tensordot(np.ones((1,) * len(a.shape)), np.ones((1,) * len(b.shape)), axes)  # raises
    left = [axis_index(i, len(a.shape)) for i in first]
    right = [axis_index(i, len(b.shape)) for i in second]
    for i, j in zip(left, right, strict=True):
        contract(a.shape[i], b.shape[j])
    kept = [n for i, n in enumerate(a.shape) if i not in left] + [n for i, n in enumerate(b.shape) if i not in right]
    return array(tuple(kept), _dot_dtype(a, b))


@record(np.kron, raises=NOTHING, traits="own_source c_order")
def kron(a: Array, b: Array) -> TensorMeta:
    """Every element of ``a`` times the whole of ``b``."""
    a, b = meta_of(a), meta_of(b)
    rank = max(len(a.shape), len(b.shape))
    pairs = zip((1,) * (rank - len(a.shape)) + a.shape, (1,) * (rank - len(b.shape)) + b.shape, strict=True)
    return value(tuple([x * y for x, y in pairs]), dtype_of(np.multiply, a, b))


@record(np.cross, traits="own_source", raises=NOTHING, rows=rows_products.cross)
def cross(a: Array, b: Array, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> TensorMeta:
    """The vector product along an axis of 3 elements; of 2 elements where this NumPy still has
    that."""
    a, b = meta_of(a), meta_of(b)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    if not a.shape or not b.shape:
        raise Rejected
    (left, n), (right, m) = (_without(x.shape, axis_index(i, len(x.shape))) for x, i in ((a, axisa), (b, axisb)))
    shape = broadcast(left, right)
    dtype, components = dtype_of(np.cross, a, b, ones=(0, 3)), _cross_components(n, m)
    if not components:
        return array(shape, dtype)
    at = axis_index(axisc, len(shape) + 1)
    return array((*shape[:at], *components, *shape[at:]), dtype)


def _without(shape: Shape, axis: int) -> tuple[Shape, Size]:
    return shape[:axis] + shape[axis + 1 :], shape[axis]


def _cross_components(n: Size, m: Size) -> Shape:
    """The shape of one product of vectors of these lengths, which depends on the version of
    NumPy."""
    if not all(violated(length != 3) or violated(length != 2) for length in (n, m)):
        raise Rejected
    try:
        with warnings.catch_warnings(action="ignore"):
            return np.cross(np.zeros(3 if n == 3 else 2), np.zeros(3 if m == 3 else 2)).shape
    except ValueError:
        raise Rejected from None


# --- einsum


def _einsum_flops(arguments: Mapping[str, Any], result: Any) -> Any:
    """One multiplication or addition of each operand for each combination of indices."""
    inputs, _, metas = _einsum_terms(tuple(arguments["operands"]))
    sizes = {label: size for labels, meta in zip(inputs, metas, strict=True) for label, size in zip(labels, meta.shape, strict=False)}
    return flops.product(sizes.values()) * max(len(metas), 1)


@record(np.einsum, kernel="np_own.einsum", traits="ordered sums_products", raises=OF_TEXTS, rows=rows_products.einsum, flops=_einsum_flops)
def einsum(*operands: Any, optimize: Any = False, dtype: Any = None, order: Any = "K", casting: str = "safe") -> TensorMeta:
    """Einstein's summation: ``einsum("ij,jk->ik", a, b)``, or each array followed by a list of axis
    numbers."""
    inputs, output, metas = _einsum_terms(operands)
    sizes: dict[Any, Size] = {}
    dots: Shape = ()
    for labels, meta in zip(inputs, metas, strict=True):
        middle = len(meta.shape) - sum(label is not Ellipsis for label in labels)
        if middle < 0 or (middle and Ellipsis not in labels) or labels.count(Ellipsis) > 1:
            raise Rejected
        at = labels.index(Ellipsis) if Ellipsis in labels else len(labels)
        dots = broadcast(dots, meta.shape[at : at + middle])
        named = [label for label in labels if label is not Ellipsis]
        own: dict[Any, Size] = {}
        for label, size in zip(named, meta.shape[:at] + meta.shape[at + middle :], strict=True):
            if not own.setdefault(label, size) == size:  # a diagonal is of axes of one size
                raise Rejected
        for label, size in own.items():
            sizes[label] = broadcast((sizes[label],), (size,))[0] if label in sizes else size
    if output is None:
        output = _implied_output(inputs)
    absent = [label for label in output if label is not Ellipsis and label not in sizes]
    if absent or len(set(output)) != len(output) or (dots and Ellipsis not in output):
        raise Rejected
    shape: list[Size] = []
    for label in output:
        shape.extend(dots if label is Ellipsis else (sizes[label],))
    if not any(isinstance(meta, TensorMeta) for meta in metas):
        raise Rejected
    return value(tuple(shape), dtype_of(_einsum_empty, *metas, sums={*output} != {*chain(*inputs)}, dtype=dtype, casting=casting))


def _implied_output(inputs: list[list[Any]]) -> list[Any]:
    """The ellipsis, then every label that occurs once, in order."""
    labels = [label for labels in inputs for label in labels]
    once = sorted(label for label in set(labels) - {Ellipsis} if labels.count(label) == 1)
    return [Ellipsis, *once] if Ellipsis in labels else once


def _einsum_empty(*operands: Any, sums: bool, dtype: Any, casting: Any) -> Any:
    return np.einsum(",".join("i" * len(operands)) + ("->" if sums else "->i"), *operands, dtype=dtype, casting=casting)


def _einsum_terms(operands: tuple[Any, ...]) -> tuple[list[list[Any]], list[Any] | None, list[TensorMeta]]:
    """The labels of every operand and of the result (``None`` where it is implied), from both forms
    of the call."""
    if not operands:
        raise Rejected
    if not isinstance(operands[0], str):
        if not all(isinstance(item, (tuple, list)) for item in operands[1::2]):
            raise Rejected
        arrays, labels = list(operands[::2]), [list(item) for item in operands[1::2]]
        output = list(arrays.pop()) if len(arrays) > len(labels) else None
        return labels, output, [meta_of(item) for item in arrays]
    left, arrow, right = operands[0].replace(" ", "").partition("->")
    terms = [_labels(term) for term in left.split(",")]
    if len(terms) != len(operands) - 1:
        raise Rejected
    return terms, _labels(right) if arrow else None, [meta_of(item) for item in operands[1:]]


def _labels(term: str) -> list[Any]:
    before, dots, after = term.partition("...")
    if not (before + after).isascii() or not (before + after + "a").isalpha():
        raise Rejected
    return [*before, *([Ellipsis] if dots else []), *after]


OPERATORS_OF_ARRAYS = {op: text for op, scalar in OF_SCALARS.items() for text in scalar.emit.templates if op.name != "power"}
OPERATORS_OF_ARRAYS |= {
    registered("np.matmul"): "({0}) @ ({1})", registered("np.negative"): "-({0})", registered("np.invert"): "~({0})",
}  # fmt: skip
"""How operators are written that call a ufunc of arrays as it is: ``x ** 2`` calls others than
``np.power``.
"""
