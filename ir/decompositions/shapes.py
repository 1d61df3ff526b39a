"""Rearranged and newly created arrays, all exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import several
from npexport.symshapes.symint import is_symbolic


@register_decomposition("np.ravel")
def ravel(a: Any, order: Any = "C") -> Any:
    """Exact: one axis of an array that is contiguous, or of a copy, as a new shape alone would be a
    view where there are gaps, too; orders that ask how the array lies stay.
    """
    return np.reshape(np.ascontiguousarray(_in_order(a, order)), (-1,))


@register_decomposition("np.flatten")
def flatten(a: Any, order: Any = "C") -> Any:
    """Exact: one axis; orders that ask how the array lies stay."""
    return np.reshape(_in_order(a, order), (-1,)).copy()


def _in_order(a: Any, order: Any) -> Any:
    """The array whose elements are wanted in C order."""
    if order not in ("C", "F"):
        raise NotImplementedError
    return a if order == "C" else np.transpose(a)


@register_decomposition("np.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Exact: the only index of each squeezed axis."""
    if axis is None:
        axes = {index for index, size in enumerate(a.shape) if size == 1}
    else:
        axes = {index % a.ndim for index in several(axis)}
        if any(a.shape[index] != 1 for index in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a[(*[0 if index in axes else slice(None) for index in range(a.ndim)], ...)]


@register_decomposition("np.swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Exact: a permutation of the axes."""
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return np.transpose(a, order)


@register_decomposition("np.matrix_transpose")
def matrix_transpose(x: Any, /) -> Any:
    """Exact: the last two axes are swapped."""
    return swapaxes(x, -1, -2)


@register_decomposition("np.stack")
def stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Exact: the arrays with a new axis, concatenated."""
    arrays = [np.asanyarray(array) for array in arrays]
    place = (*(slice(None),) * (axis % (arrays[0].ndim + 1)), None)
    return np.concatenate([array[place] for array in arrays], axis=axis, dtype=dtype, casting=casting)


@register_decomposition("np.diag")
def diag(v: Any, k: Any = 0) -> Any:
    """Exact: the diagonal of a matrix, or a matrix of zeros with a diagonal."""
    v = np.asanyarray(v)
    if v.ndim == 2:
        return np.diagonal(v, k).copy()
    size = v.shape[0] + abs(k)
    places = np.arange(v.shape[0])
    out: Any = np.zeros((size, size), v.dtype)
    out[places + max(-k, 0), places + max(k, 0)] = v
    return out


@register_decomposition("np.diagflat")
def diagflat(v: Any, k: Any = 0) -> Any:
    """Exact: ``diag`` of the flattened array."""
    return diag(np.reshape(v, (-1,)), k)


@register_decomposition("np.tri")
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = np.float64) -> Any:
    """Exact: a comparison of row and column numbers."""
    columns = N if M is None else M
    return (np.arange(N)[:, None] >= np.arange(columns) - k).astype(dtype)


@register_decomposition("np.eye")
def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = np.float64) -> Any:
    """Exact: a comparison of row and column numbers."""
    columns = N if M is None else M
    return (np.arange(N)[:, None] == np.arange(columns) - k).astype(dtype)


@register_decomposition("np.identity")
def identity(n: Any, dtype: Any = None) -> Any:
    """Exact: ``eye``."""
    return eye(n, dtype=np.float64 if dtype is None else dtype)


@register_decomposition("np.indices")
def indices(dimensions: Any, dtype: Any = np.int64, sparse: Any = False) -> Any:
    """Exact: one range for each axis, broadcast."""
    rank = len(dimensions)
    ranges = [np.arange(size, dtype=dtype).reshape(*(1,) * axis, -1, *(1,) * (rank - axis - 1)) for axis, size in enumerate(dimensions)]
    if sparse:
        return tuple(ranges)
    if not ranges:
        return np.zeros((0,), dtype)
    return np.stack([np.broadcast_to(one, tuple(dimensions)) for one in ranges])


@register_decomposition("np.ones")
def ones(shape: Any, dtype: Any = None) -> Any:
    """Exact: ``full`` with 1."""
    return np.full(shape, 1, np.float64 if dtype is None else dtype)


@register_decomposition("np.empty")
def empty(shape: Any, dtype: Any = None) -> Any:
    """Exact: zeros; NumPy promises no values."""
    return np.zeros(shape, np.float64 if dtype is None else dtype)


def _shape(a: Any, shape: Any) -> Any:
    return np.shape(a) if shape is None else shape


def _dtype(a: Any, dtype: Any) -> Any:
    return np.asanyarray(a).dtype if dtype is None else dtype


@register_decomposition("np.empty_like")
def empty_like(prototype: Any, /, dtype: Any = None, *, shape: Any = None) -> Any:
    """Exact: zeros of the array's shape and dtype."""
    return np.zeros(_shape(prototype, shape), _dtype(prototype, dtype))


@register_decomposition("np.zeros_like")
def zeros_like(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Exact: zeros of the array's shape and dtype."""
    return np.zeros(_shape(a, shape), _dtype(a, dtype))


@register_decomposition("np.ones_like")
def ones_like(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Exact: ``full`` with 1, of the array's shape and dtype."""
    return np.full(_shape(a, shape), 1, _dtype(a, dtype))


@register_decomposition("np.full_like")
def full_like(a: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Exact: ``full`` with the value, of the array's shape and dtype."""
    return np.full(_shape(a, shape), fill_value, _dtype(a, dtype))


@register_decomposition("np.scalar")
def scalar(x: Any) -> Any:
    """Exact: the only element."""
    return x[()]


@register_decomposition("np.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Exact: elements are moved on one axis after the other."""
    if axis is None:
        return roll(np.reshape(a, (-1,)), shift, 0).reshape(a.shape)
    axes, shifts = several(axis), several(shift)
    count = max(len(axes), len(shifts))
    for one, by in zip(axes * (count // len(axes)), shifts * (count // len(shifts)), strict=True):
        size = a.shape[one]
        a = np.take(a, (np.arange(size) - by) % np.maximum(size, 1), axis=one)
    return a


@register_decomposition("np.tile")
def tile(A: Any, reps: Any) -> Any:
    """Exact: the array broadcast along new axes."""
    counts = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    rank = max(A.ndim, len(counts))
    sizes = (*(1,) * (rank - A.ndim), *A.shape)
    counts = (*(1,) * (rank - len(counts)), *counts)
    pairs = list(zip(counts, sizes, strict=True))
    spread = A.reshape([size for _, own in pairs for size in (1, own)])
    wide = np.broadcast_to(spread, tuple([size for pair in pairs for size in pair]))
    return wide.reshape([count * size for count, size in pairs]).copy()


@register_decomposition("np.linspace")
def linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, *, dtype: Any = None, axis: Any = 0) -> Any:
    """Exact: NumPy's steps; where a step underflows to 0, fractions of the whole range."""
    kind = np.result_type(start * 1.0, stop * 1.0, 1.0)
    start, stop = np.asanyarray(start).astype(kind), np.asanyarray(stop).astype(kind)
    span = np.subtract(stop, start, dtype=kind)
    gaps = num - 1 if endpoint else num
    if is_symbolic(num):
        gaps = max(gaps, 1)  # for one point or none the step does not matter
    counts = np.arange(num, dtype=kind).reshape(-1, *(1,) * span.ndim)
    if gaps > 0:
        step = span / gaps
        points = np.where(np.any(step == 0), counts / gaps * span, counts * step) + start
    else:
        points = counts * span + start
    if endpoint and is_symbolic(num):
        places = np.arange(num).reshape(-1, *(1,) * span.ndim)
        points = np.where((places == num - 1) & (places > 0), stop.astype(points.dtype), points)
    elif endpoint and num > 1:
        points = np.concatenate([points[:-1], np.broadcast_to(stop.astype(points.dtype), span.shape)[None]])
    if axis != 0:
        points = np.moveaxis(points, 0, axis)
    if dtype is not None and np.dtype(dtype).kind in "iu":
        points = np.floor(points)
    return points.astype(kind if dtype is None else dtype)


def _ends(value: Any, rank: int) -> Any:
    """``(before, after)`` for each axis, from any form that ``np.pad`` takes."""
    if type(value) in (tuple, list):
        rows = [tuple(row) if type(row) in (tuple, list) else row for row in value]
        if all(type(row) is tuple for row in rows):
            rows = [row * 2 if len(row) == 1 else row for row in rows]
            return rows * rank if len(rows) == 1 else rows
        return [(rows[0], rows[-1])] * rank
    if hasattr(value, "dtype"):
        raise NotImplementedError
    return [(value, value)] * rank


@register_decomposition("np.pad")
def pad(
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    *,
    constant_values: Any = 0,
    stat_length: Any = None,
    end_values: Any = 0,
    reflect_type: Any = "even",
) -> Any:
    """Exact: constants or other elements around each axis; calls with ramps and statistics stay."""
    x = np.asanyarray(array)
    if type(pad_width) is dict or reflect_type != "even":
        raise NotImplementedError
    widths = _ends(pad_width, x.ndim)
    if mode not in ("constant", "edge", "wrap", "reflect", "symmetric", "empty"):
        raise NotImplementedError
    values = _ends(constant_values if mode == "constant" else 0, x.ndim)
    for axis, (before, after) in enumerate(widths):
        size = x.shape[axis]
        if mode in ("constant", "empty"):
            sides = [
                np.full((*x.shape[:axis], width, *x.shape[axis + 1 :]), value, x.dtype)
                for width, value in zip((before, after), values[axis], strict=True)
            ]
            x = np.concatenate([sides[0], x, sides[1]], axis=axis)
        elif before or after:
            if size == 0:
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
            x = np.take(x, _mirrored(np.arange(-before, size + after), size, mode), axis=axis)
    return x


def _mirrored(at: Any, size: Any, mode: str) -> Any:
    """The elements that reflection or wrapping puts at positions beyond an axis."""
    if mode == "edge":
        return np.minimum(np.maximum(at, 0), size - 1)
    if mode == "wrap":
        return at % size
    period = 2 * size if mode == "symmetric" else 2 * max(size - 1, 1)
    turned = at % period
    back = period - turned - (1 if mode == "symmetric" else 0)
    return np.where(turned < size, turned, back) if mode == "symmetric" else np.where(turned < size, turned, back) % max(size, 1)


@register_decomposition("np.packbits")
def packbits(a: Any, /, axis: Any = None, bitorder: Any = "big") -> Any:
    """Exact: sums of shifted bits."""
    bits = (a != 0).astype(np.uint8)
    bits = bits.reshape(-1) if axis is None else np.moveaxis(bits, axis, -1)
    if bits.ndim == 0:
        bits = bits[None]
    count = -(-bits.shape[-1] // 8)
    rest = np.zeros((*bits.shape[:-1], count * 8 - bits.shape[-1]), np.uint8)
    bits = np.concatenate([bits, rest], axis=-1).reshape(*bits.shape[:-1], count, 8)
    out = np.sum(bits << _bit_places(bitorder), axis=-1, dtype=np.uint8)
    return out if axis is None else np.moveaxis(out, -1, axis)


@register_decomposition("np.unpackbits")
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    """Exact: each bit shifted to the last place."""
    x = a.reshape(-1) if axis is None else np.moveaxis(a, axis, -1)
    bits = (x[..., None] >> _bit_places(bitorder)) & np.uint8(1)
    bits = bits.reshape(*x.shape[:-1], x.shape[-1] * 8)
    if count is not None:
        size = bits.shape[-1]
        kept = size + count if count < 0 else min(size, count)
        bits = bits[..., :kept]
        if count > size:
            bits = np.concatenate([bits, np.zeros((*bits.shape[:-1], count - size), np.uint8)], axis=-1)
    return bits if axis is None else np.moveaxis(bits, -1, axis)


def _bit_places(order: str) -> Any:
    places = np.arange(8, dtype=np.uint8)
    return places if order == "little" else np.uint8(7) - places
