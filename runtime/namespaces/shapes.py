"""Operators that make, rearrange and reduce arrays, in terms of the array-API standard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.runtime.namespaces.space import Lacks, Space, Values, declare, dtype_of, row

# Made anew


@row("np.zeros", "np.empty", needs="zeros")
def zeros(space: Space, meta: Any, shape: Any, dtype: Any = None) -> Any:
    return space.function("zeros")(_shape(shape), dtype=space.dtype(meta.dtype))


@row("np.ones", needs="ones")
def ones(space: Space, meta: Any, shape: Any, dtype: Any = None) -> Any:
    return space.function("ones")(_shape(shape), dtype=space.dtype(meta.dtype))


@row("np.full", needs="broadcast_to")
def full(space: Space, meta: Any, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    return space.copy(space.function("broadcast_to")(space.array(fill_value, meta.dtype), _shape(shape)))


@row("np.zeros_like", "np.empty_like", needs="zeros_like")
def zeros_like(space: Space, meta: Any, a: Any, dtype: Any = None) -> Any:
    return space.function("zeros_like")(a, dtype=space.dtype(meta.dtype))


@row("np.ones_like", needs="ones_like")
def ones_like(space: Space, meta: Any, a: Any, dtype: Any = None) -> Any:
    return space.function("ones_like")(a, dtype=space.dtype(meta.dtype))


@row("np.arange")
def arange(space: Space, meta: Any, start_or_stop: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    ends = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    made: Any = np.arange  # its stubs know no plain Any
    return space.constant(made(*ends, step, dtype=meta.dtype))


@row("np.eye")
def eye(space: Space, meta: Any, N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    return space.constant(np.eye(N, M, k, meta.dtype))


@row("np.array")
def array(space: Space, meta: Any, object: Any, dtype: Any = None) -> Any:
    if isinstance(object, (list, tuple)):
        return space.function("stack")([array(space, meta, item) for item in object]) if object else space.constant(np.empty(0, meta.dtype))
    return space.copy(space.array(object, meta.dtype))


@row("np.copy", "np.as_contiguous")
def copy(space: Space, meta: Any, a: Any, order: Any = "K") -> Any:
    return a


@row("control.returned")
def returned(space: Space, meta: Any, x: Any, module: Any, index: Any) -> Any:
    return x


# Rearranged


@row("np.reshape", needs="reshape")
def reshape(space: Space, meta: Any, a: Any, /, shape: Any) -> Any:
    return space.function("reshape")(a, _shape(shape))


@row("np.flatten", "np.ravel", needs="reshape")
def flatten(space: Space, meta: Any, a: Any) -> Any:
    return space.function("reshape")(a, (-1,))


@row("np.transpose", needs="permute_dims")
def transpose(space: Space, meta: Any, a: Any, axes: Any = None) -> Any:
    order = tuple(range(a.ndim))[::-1] if axes is None else tuple([axis % a.ndim for axis in axes])
    return space.function("permute_dims")(a, order)


@row("np.swapaxes", needs="permute_dims")
def swapaxes(space: Space, meta: Any, a: Any, axis1: int, axis2: int) -> Any:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return space.function("permute_dims")(a, tuple(order))


@row("np.moveaxis", needs="moveaxis")
def moveaxis(space: Space, meta: Any, a: Any, source: Any, destination: Any) -> Any:
    return space.function("moveaxis")(a, source, destination)


@row("np.broadcast_to", needs="broadcast_to")
def broadcast_to(space: Space, meta: Any, array: Any, shape: Any) -> Any:
    return space.function("broadcast_to")(space.array(array, meta.dtype), _shape(shape))


@row("np.expand_dims", needs="reshape")
def expand_dims(space: Space, meta: Any, a: Any, axis: Any) -> Any:
    places = {place % meta.ndim for place in (axis if isinstance(axis, tuple) else (axis,))}
    sizes = iter(a.shape)
    return space.function("reshape")(a, tuple([1 if place in places else next(sizes) for place in range(meta.ndim)]))


@row("np.squeeze", needs="reshape")
def squeeze(space: Space, meta: Any, a: Any, axis: Any = None) -> Any:
    places = {place % a.ndim for place in (axis if isinstance(axis, tuple) else range(a.ndim) if axis is None else (axis,))}
    kept = [size for place, size in enumerate(a.shape) if not (place in places and (axis is not None or size == 1))]
    return space.function("reshape")(a, tuple(kept))


@row("np.concatenate", needs="concat reshape")
def concatenate(space: Space, meta: Any, arrays: Sequence[Any], /, axis: int | None = 0) -> Any:
    parts = [space.array(part, meta.dtype) for part in arrays]
    if axis is None:
        parts = [space.function("reshape")(part, (-1,)) for part in parts]
    return space.function("concat")(parts, axis=axis or 0)


@row("np.stack", needs="stack")
def stack(space: Space, meta: Any, arrays: Sequence[Any], axis: int = 0) -> Any:
    return space.function("stack")([space.array(part, meta.dtype) for part in arrays], axis=axis)


@row("np.tril", needs="tril broadcast_to")
def tril(space: Space, meta: Any, m: Any, k: int = 0) -> Any:
    return space.function("tril")(space.function("broadcast_to")(m, _matrix(m.shape)), k=k)


@row("np.triu", needs="triu broadcast_to")
def triu(space: Space, meta: Any, m: Any, k: int = 0) -> Any:
    return space.function("triu")(space.function("broadcast_to")(m, _matrix(m.shape)), k=k)


# Reduced


def _axes(axis: Any, ndim: int) -> list[int]:
    """The axes that a reduction goes over."""
    return list(range(ndim)) if axis is None else [each % ndim for each in (axis if isinstance(axis, tuple) else (axis,))]


def _reduction(operator: str) -> None:
    """A reduction that the standard computes in the dtype that it is told."""

    @row(f"np.{operator}", needs=operator, gives="iufc")
    def reduce(space: Space, meta: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
        found = space.array(a, meta.dtype)
        return space.function(operator)(found, axis=axis, dtype=space.dtype(meta.dtype), keepdims=keepdims)


def _choice(operator: str, truths: str, larger: str) -> None:
    """A reduction that gives one of the elements, or ``initial`` if there are none."""

    @row(f"np.{operator}", needs=f"{operator} {truths} {larger}", takes="biuf")
    def reduce(space: Space, meta: Any, a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None) -> Any:
        count = math.prod([a.shape[each] for each in _axes(axis, a.ndim)])
        if count == 0:  # what the standard leaves open
            if initial is None:
                raise ValueError(f"zero-size array to reduction operation {larger} which has no identity")
            gone = _axes(axis, a.ndim)
            sizes = [1 if each in gone else size for each, size in enumerate(a.shape) if keepdims or each not in gone]
            return full(space, meta, sizes, initial)
        if meta.dtype.kind == "b":
            if initial is not None:
                raise Lacks("not with these arguments")
            return space.function(truths)(a, axis=axis, keepdims=keepdims)
        found = space.function(operator)(a, axis=axis, keepdims=keepdims)
        return found if initial is None else space.function(larger)(found, space.array(initial, meta.dtype))


def _test(operator: str) -> None:
    @row(f"np.{operator}", needs=operator)
    def reduce(space: Space, meta: Any, a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        return space.function(operator)(space.cast(a, np.dtype(bool)), axis=axis, keepdims=keepdims)


def _ordered(space: Space, a: Any) -> Any:
    """The array, with truths as numbers: the standard has no order of them."""
    return space.cast(a, np.dtype(np.uint8)) if a.dtype == space.dtype(np.dtype(bool)) else a


def _place(operator: str) -> None:
    @row(f"np.{operator}", needs=operator, takes="biuf")
    def reduce(space: Space, meta: Any, a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        return space.function(operator)(_ordered(space, a), axis=axis, keepdims=keepdims)


@row("np.unique", needs="unique_values sort isnan", takes="iuf")
def unique(space: Space, meta: Any, ar: Any) -> Any:
    found = space.function("unique_values")(ar)
    if meta.dtype.kind != "f":
        return space.function("sort")(found)
    is_nan = space.function("isnan")(found)
    nans = found[is_nan]
    return space.function("concat")([space.function("sort")(found[~is_nan]), nans[: min(1, nans.shape[0])]])


@row("np.unique_values", needs="unique_values", takes="biuf")
def unique_values(space: Space, meta: Any, x: Any) -> Any:
    return space.function("unique_values")(x)  # in any order, as NumPy gives them


def _distinct(operator: str, fields: str) -> None:
    """``fields``: what of ``unique_all`` the operator gives."""

    @row(f"np.{operator}", needs="unique_all argsort take reshape", takes="biuf")
    def distinct(space: Space, meta: Any, x: Any) -> Any:
        found, take = space.function("unique_all")(x), space.function("take")
        order = space.function("argsort")(_ordered(space, found.values))  # the standard leaves it open, NumPy sorts
        rank, flat = space.function("argsort")(order), space.function("reshape")(found.inverse_indices, (-1,))
        inverse = space.function("reshape")(take(rank, flat, axis=0), x.shape)
        parts = [inverse if field == "inverse_indices" else take(getattr(found, field), order, axis=0) for field in fields.split()]
        return tuple([space.cast(part, each.dtype) for part, each in zip(parts, meta, strict=True)])


_distinct("unique_all", "values indices inverse_indices counts")
_distinct("unique_counts", "values counts")
_distinct("unique_inverse", "values inverse_indices")
for _operator in ("sum", "prod"):
    _reduction(_operator)
for _operator in ("any", "all"):
    _test(_operator)
for _operator in ("argmax", "argmin"):
    _place(_operator)
_choice("max", "any", "maximum")
_choice("min", "all", "minimum")


@row("np.mean", needs="sum", gives="fc")
def mean(space: Space, meta: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    found = space.array(a, meta.dtype)
    total = space.function("sum")(found, axis=axis, dtype=space.dtype(meta.dtype), keepdims=keepdims)
    return total / space.constant(np.asarray(math.prod([found.shape[each] for each in _axes(axis, found.ndim)]), meta.dtype))


@row("np.cumsum", needs="cumulative_sum reshape", gives="iufc")
def cumsum(space: Space, meta: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    found = space.array(a, meta.dtype)
    found = space.function("reshape")(found, (-1,)) if axis is None else found
    return space.function("cumulative_sum")(found, axis=axis or 0, dtype=space.dtype(meta.dtype))


@row("np.sort", needs="sort reshape", takes="biuf")
def sort(space: Space, meta: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    found = _ordered(space, a if axis is not None else space.function("reshape")(a, (-1,)))
    return space.function("sort")(found, axis=-1 if axis is None else axis)


@row("np.argsort", needs="argsort reshape", takes="biuf")
def argsort(space: Space, meta: Any, a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    found = _ordered(space, space.function("reshape")(a, (-1,)) if axis is None or a.ndim == 0 else a)
    return space.function("argsort")(found, axis=-1 if axis is None else axis, stable=True)


def _searched(space: Space, node: Node) -> Values:
    if node.kwargs.get("sorter") is not None or len(node.args) > 3:
        raise Lacks("not with these arguments")
    dtype = np.result_type(*map(dtype_of, node.args[:2]))
    if dtype.kind not in "iuf":
        raise Lacks(f"the standard has it not for {dtype}")
    function = space.function("searchsorted")

    def run(a: Any, v: Any, side: str = "left", sorter: None = None) -> Any:
        return function(space.array(a, dtype), space.array(v, dtype), side=side)

    return run


declare({"np.searchsorted": _searched})

# Products


@row("np.matmul", needs="matmul", gives="iufc")
def matmul(space: Space, meta: Any, x1: Any, x2: Any, /) -> Any:
    return space.function("matmul")(space.array(x1, meta.dtype), space.array(x2, meta.dtype))


@row("np.einsum", needs="einsum", gives="iufc")
def einsum(space: Space, meta: Any, subscripts: Any, /, *operands: Any, optimize: Any = False) -> Any:
    if not isinstance(subscripts, str):
        raise Lacks("it takes subscripts as text alone")
    return space.function("einsum")(subscripts, *[space.array(each, meta.dtype) for each in operands])


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple([int(size) for size in shape]) if isinstance(shape, (tuple, list)) else (int(shape),)


def _matrix(shape: Any) -> tuple[int, ...]:
    """The shape of what NumPy makes of a vector where it wants a matrix."""
    return (shape[0], shape[0]) if len(shape) == 1 else tuple(shape)
