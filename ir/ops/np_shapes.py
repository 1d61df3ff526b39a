"""Operators that show the same elements in another shape: all but ``flatten`` are views."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as _sliding_window_view

from npexport.ir.facts import Emit, View
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import bounds, evaluation, rows, views
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    array,
    as_tuple,
    axis_index,
    axis_indices,
    broadcasts_to,
    is_size,
    larger,
    like,
    meta_of,
    product,
    quotient,
    record,
    replace_axis,
    smaller,
    violated,
)
from npexport.ir.raising import NOTHING
from npexport.symshapes.broadcasting import must_equal
from npexport.symshapes.env import known


@record(
    np.reshape,
    traits="permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.reshape),
    emit=Emit(("{0}.reshape({1})",)),
    view=View(
        inverse=views.reshape_back, strides=views.of_reshape, first=views.at_first, copies="reshape", hides_copy=True, keeps_order=True
    ),
    rows=rows.reshaped,
    rewrite="reshape",
)
def reshape(a: Array, /, shape: Any, order: str = "C") -> TensorMeta:
    """The elements in another shape; one size may be -1 and follows from the others."""
    a = meta_of(a)
    return like(a, reshaped(a.shape, as_tuple(shape)))


def reshaped(shape: Shape, target: Shape) -> Shape:
    """The target with its unknown size found. Sizes that stand in both shapes cancel, so that no
    guard is made of them."""
    unknown = [i for i, size in enumerate(target) if size < 0]
    if len(unknown) > 1:
        raise Rejected
    given = [size for i, size in enumerate(target) if i not in unknown]
    rest, others = _cancel(shape, given)
    if not unknown:
        same = len(rest) == len(others) and all(known(a == b) for a, b in zip(rest, others, strict=True))
        if same or must_equal(product(shape), product(target)):
            return target
        raise Rejected
    if any(violated(size != 0) for size in given):
        raise Rejected
    total, divisor = product(rest), product(others)
    exact = quotient(total, divisor)
    if exact is not None:
        return replace_axis(target, unknown[0], exact)
    if not must_equal(total % divisor, 0):
        raise Rejected
    return replace_axis(target, unknown[0], total // divisor)


def _cancel(shape: Shape, target: list[Size]) -> tuple[list[Size], list[Size]]:
    rest, others = list(shape), []
    for size in target:
        for i, candidate in enumerate(rest):
            if candidate is size or (type(candidate) is int and type(size) is int and candidate == size):
                del rest[i]
                break
        else:
            others.append(size)
    return rest, others


@record(
    kernel="np_views.ravel",
    traits="permutation view",
    see="numpy.ravel",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.ravel),
    emit=Emit(method="ravel"),
    view=View(inverse=views.reshape_back, strides=views.of_reshape, first=views.at_first, copies="ravel", keeps_order=True),
    rows=rows.reshaped,
)
def ravel(a: Array, order: str = "C") -> TensorMeta:
    """The elements as a vector: a view where the memory allows it."""
    a = meta_of(a)
    return array((product(a.shape),), a.dtype)


@record(
    kernel="np_views.as_contiguous",
    traits="view",
    see="numpy.asarray",
    raises=NOTHING,
    view=View(inverse=views.itself_back, strides=views.of_itself, first=views.at_first, copies="order"),
    rows=rows.first,
    rewrite="contiguous",
)
def as_contiguous(a: Array, order: str = "C") -> TensorMeta:
    """The array itself where it is contiguous in this order, elsewhere a copy that is."""
    a = meta_of(a)
    return array(a.shape, a.dtype)


@record(
    kernel="np_views.with_flags",
    traits="view",
    raises=NOTHING,
    view=View(inverse=views.itself_back, strides=views.of_itself, first=views.at_first),
    rows=rows.first,
)
def with_flags(a: Array, writeable: Any) -> TensorMeta:
    """The same memory, writeable (as far as its owner is) or read-only."""
    a = meta_of(a)
    return array(a.shape, a.dtype)


@record(
    kernel="np_views.flatten",
    see="numpy.ndarray.flatten",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.ravel),
    traits="quiet c_order permutation",
    emit=Emit(method="flatten"),
    rows=rows.reshaped,
    rewrite="flattened",
)
def flatten(a: Array, order: str = "C") -> TensorMeta:
    """The elements as a new vector."""
    a = meta_of(a)
    return array((product(a.shape),), a.dtype)


@record(
    np.transpose,
    traits="permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.transpose),
    emit=Emit(("{0}.transpose()", "{0}.transpose({1})")),
    view=View(inverse=views.transpose_back, strides=views.of_permutation, first=views.at_first),
    rows=rows.moved,
)
def transpose(a: Array, axes: Any = None) -> TensorMeta:
    """The axes in another order, by default reversed."""
    a = meta_of(a)
    if axes is None:
        return like(a, a.shape[::-1])
    order = axis_indices(as_tuple(axes), len(a.shape))
    if len(order) != len(a.shape):
        raise Rejected
    return like(a, tuple([a.shape[i] for i in order]))


@record(
    np.matrix_transpose,
    np.linalg.matrix_transpose,
    traits="permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.matrix_transpose),
    view=View(inverse=views.again, strides=views.of_permutation, first=views.at_first),
    rows=rows.moved,
)
def matrix_transpose(x: Array, /) -> TensorMeta:
    """The last two axes exchanged."""
    x = meta_of(x)
    if len(x.shape) < 2:
        raise Rejected
    return array((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


@record(
    np.swapaxes,
    traits="permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.swapaxes),
    emit=Emit(("{0}.swapaxes({1}, {2})",)),
    view=View(inverse=views.again, strides=views.of_permutation, first=views.at_first),
    rows=rows.moved,
)
def swapaxes(a: Array, axis1: Any, axis2: Any) -> TensorMeta:
    """Two axes exchanged."""
    a = meta_of(a)
    first, second = axis_index(axis1, len(a.shape)), axis_index(axis2, len(a.shape))
    shape = list(a.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return array(tuple(shape), a.dtype)


@record(
    np.moveaxis,
    traits="own_source permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.moveaxis),
    view=View(inverse=views.move_back, strides=views.of_permutation, first=views.at_first),
    rows=rows.moved,
)
def moveaxis(a: Array, source: Any, destination: Any) -> TensorMeta:
    """Some axes moved to other places, the others in their old order."""
    a = meta_of(a)
    rank = len(a.shape)
    sources, targets = axis_indices(as_tuple(source), rank), axis_indices(as_tuple(destination), rank)
    if len(sources) != len(targets):
        raise Rejected
    order = [i for i in range(rank) if i not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return like(a, tuple([a.shape[i] for i in order]))


def _is_squeezed(meta: TensorMeta, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return not args and not kwargs and all(size != 1 for size in meta.shape)


@record(
    np.squeeze,
    traits="permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.squeeze),
    emit=Emit(method="squeeze"),
    view=View(inverse=views.same_shape_back, strides=views.of_squeeze, first=views.at_first, returns=_is_squeezed, keeps_order=True),
    rows=rows.squeezed,
)
def squeeze(a: Array, axis: Any = None) -> TensorMeta:
    """Axes of size 1 removed."""
    a = meta_of(a)
    if axis is None:
        return like(a, tuple([size for size in a.shape if size != 1]))
    axes = () if not a.shape and axis in (0, -1) else axis_indices(axis, len(a.shape))
    if any(violated(a.shape[i] == 1) for i in axes):
        raise Rejected
    return like(a, tuple([size for i, size in enumerate(a.shape) if i not in axes]))


@record(
    np.expand_dims,
    traits="own_source permutation view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.expand_dims),
    view=View(inverse=views.same_shape_back, strides=views.of_permutation, first=views.at_first, keeps_order=True),
    rows=rows.moved,
)
def expand_dims(a: Array, axis: Any) -> TensorMeta:
    """New axes of size 1, at the places that they have in the result."""
    a = meta_of(a)
    count = len(as_tuple(axis))
    axes = axis_indices(as_tuple(axis), len(a.shape) + count)
    sizes = iter(a.shape)
    return like(a, tuple([1 if i in axes else next(sizes) for i in range(len(a.shape) + count)]))


@record(
    np.broadcast_to,
    traits="view",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.broadcast_to),
    view=View(inverse=views.set_places, strides=views.of_broadcast, first=views.at_first, read_only=True),
    rows=rows.stretched,
)
def broadcast_to(array: Array, shape: Any) -> TensorMeta:
    """The array stretched to the shape, read-only."""
    a = meta_of(array)
    target = as_tuple(shape)
    if any(violated(size >= 0) for size in target) or not broadcasts_to(a.shape, target):
        raise Rejected
    return TensorMeta(target, a.dtype)


def diagonal_length(rows: Size, columns: Size, offset: Any) -> Size:
    """How many elements the diagonal has; 0 where it lies outside."""
    return larger(0, smaller(rows, columns - offset) if offset >= 0 else smaller(rows + offset, columns))


@record(
    np.diagonal,
    traits="view",
    raises=NOTHING,
    emit=Emit(method="diagonal"),
    bounds=bounds.same,
    evaluate=evaluation.moved(np.diagonal),
    view=View(inverse=views.diagonal_back, strides=views.of_diagonal, read_only=True),
    rows=rows.without("axis1", "axis2"),
)
def diagonal(a: Array, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> TensorMeta:
    """The elements whose indices on the two axes differ by ``offset``, as a new last axis,
    read-only."""
    a = meta_of(a)
    rank = len(a.shape)
    if rank < 2:
        raise Rejected
    first, second = axis_indices((axis1, axis2), rank)
    kept = tuple([size for i, size in enumerate(a.shape) if i not in (first, second)])
    return array((*kept, diagonal_length(a.shape[first], a.shape[second], offset)), a.dtype)


@record(
    _sliding_window_view,
    traits="own_source view",
    see="numpy.lib.stride_tricks.sliding_window_view",
    raises=NOTHING,
    bounds=bounds.same,
    view=View(inverse=views.set_places, strides=views.of_windows, first=views.at_first, read_only=True, held=True),
    rows=rows.windows,
)
def sliding_window_view(x: Array, window_shape: Any, axis: Any = None, *, writeable: Any = False) -> TensorMeta:
    """All windows of this shape, their axes last."""
    x = meta_of(x)
    windows = as_tuple(window_shape)
    axes = tuple(range(len(x.shape))) if axis is None else tuple([axis_index(i, len(x.shape)) for i in as_tuple(axis)])
    if len(axes) != len(windows) or not all(map(is_size, windows)) or any(violated(size >= 0) for size in windows):
        raise Rejected
    shape = list(x.shape)
    for i, size in zip(axes, windows, strict=True):
        if violated(shape[i] >= size):
            raise Rejected
        shape[i] = shape[i] - size + 1
    return array((*shape, *windows), x.dtype)


def _is_real(meta: TensorMeta, *call: Any) -> bool:
    return meta.dtype.kind != "c"


def _part(a: Array) -> TensorMeta:
    a = meta_of(a)
    return like(a, a.shape).with_(dtype=np.empty(0, a.dtype).real.dtype)


def _of_scalar(node: Any, text: str) -> str:
    """The template of a part of a scalar, which needs no function of NumPy's."""
    meta = node.args[0].meta["val"] if hasattr(node.args[0], "meta") else None
    return text if isinstance(meta, TensorMeta) and meta.scalar and meta.dtype.kind in "fc" else ""


@record(
    np.real,
    traits="view",
    raises=NOTHING,
    view=View(inverse=views.set_part("real"), strides=views.of_itself, returns=_is_real, other_elements=True, part="real"),
    rows=rows.first,
    emit=Emit(("{0}.real",), own=lambda node: _of_scalar(node, "({0}.real)")),
)
def real(val: Array) -> TensorMeta:
    """The real part; a real array is its own."""
    return _part(val)


@record(
    np.imag,
    traits="view",
    raises=NOTHING,
    view=View(inverse=views.set_part("imag"), strides=views.of_itself, renews=_is_real, other_elements=True, part="imag"),
    rows=rows.first,
    emit=Emit(("{0}.imag",), own=lambda node: _of_scalar(node, "({0}.imag)")),
)
def imag(val: Array) -> TensorMeta:
    """The imaginary part, read-only zeros for a real array."""
    return _part(val)


def _is_as_wide(one: Any, other: Any) -> bool:
    """Whether the items of two arrays have the same size in bytes."""
    return not one.scalar and not other.scalar and one.dtype.itemsize == other.dtype.itemsize


@record(
    kernel="np_views.view_dtype",
    traits="view",
    see="numpy.ndarray.view",
    raises=NOTHING,
    view=View(inverse=views.dtype_back, strides=views.of_dtype, other_elements=True),
    emit=Emit(own=lambda node: "{0}.view({1})" if _is_as_wide(node.args[0].meta["val"], node.meta["val"]) else ""),
    rows=rows.same_elements,
)
def view_dtype(a: Array, dtype: Any) -> TensorMeta:
    """The same bytes read as another dtype; the last axis grows or shrinks with the item size."""
    a = meta_of(a)
    target = np.dtype(dtype)
    before, after = a.dtype.itemsize, target.itemsize
    if before == after:
        return like(a, a.shape).with_(dtype=target)
    if not a.shape or not before or not after:
        raise Rejected
    total = a.shape[-1] * before
    if total % after != 0:
        raise Rejected
    return array((*a.shape[:-1], total // after), target)
