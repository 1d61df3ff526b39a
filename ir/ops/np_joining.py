"""Operators that join, split and repeat arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.facts import Emit, Out
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.ir.ops import bounds, counts, evaluation, rows
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.np_indexing import require_castable
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    array,
    as_tuple,
    axis_index,
    broadcast,
    broadcasts_to,
    dtype_of,
    is_size,
    meta_of,
    product,
    record,
    replace_axis,
    result_type,
    same_sizes,
    violated,
)
from npexport.ir.raising import JOINED, NOTHING, PADDED, ROLLED, SECOND, into_dtype
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_sum
from npexport.symshapes.symint import SymFloat, python_type


def _joined_dtype(arrays: Sequence[TensorMeta], dtype: Any, casting: Any) -> np.dtype[Any]:
    dated = any(item.dtype.kind in "mM" for item in arrays)  # which may have a common dtype to which they are not cast
    if dtype is None and casting == "same_kind" and not dated:
        return result_type(*arrays)
    return dtype_of(_concatenate_empty, *arrays, dtype=dtype, casting=casting)


def _concatenate_empty(*arrays: Any, dtype: Any, casting: Any) -> Any:
    return np.concatenate(arrays, dtype=dtype, casting=casting)


@record(
    np.concatenate,
    raises=JOINED,
    bounds=bounds.joined,
    evaluate=evaluation.moved(np.concatenate),
    traits="quiet c_order by_value",
    loud=into_dtype,
    out=Out(parts="join"),
    rows=rows.joined(new=False),
)
def concatenate(arrays: Any, /, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> TensorMeta:
    """The arrays one after the other along an axis that exists; flattened where it is ``None``."""
    metas = [meta_of(item) for item in arrays]
    if not metas:
        raise Rejected
    if axis is None:
        return array((sym_sum(product(m.shape) for m in metas),), _joined_dtype(metas, dtype, casting))
    first = metas[0].shape
    axis = axis_index(axis, len(first))
    for meta in metas[1:]:
        if len(meta.shape) != len(first) or not same_sizes(_but(meta.shape, axis), _but(first, axis)):
            raise Rejected
    return array(replace_axis(first, axis, sym_sum(m.shape[axis] for m in metas)), _joined_dtype(metas, dtype, casting))


def _but(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


def _is_number(value: Any, dtype: np.dtype[Any]) -> bool:
    if isinstance(value, (TensorMeta, np.generic)):
        return not value.shape and value.dtype == dtype
    return dtype == np.float64 and python_type(value) is float


def _is_vector(dtype: np.dtype[Any], value: Any) -> bool:
    """Whether a value is an array of one axis, of this dtype: it lies in one way only."""
    return isinstance(value, TensorMeta) and not value.scalar and value.ndim == 1 and value.dtype == dtype


def _of_numbers(node: Any) -> Any:
    """What makes an array of numbers of one dtype, of lists of them, or of vectors."""
    values = [value_of(item) for item in leaves_of(node.args[0])]
    dtype = node.meta["val"].dtype
    if len(node.args) > 1 or node.kwargs:
        return None
    if dtype == np.int64 and all(type(value) is np.int64 or python_type(value) is int for value in values):
        return partial(np.array, dtype=dtype)
    alike = all(_is_number(value, dtype) for value in values) or all(map(partial(_is_vector, dtype), values))
    return np.array if alike and dtype.kind in "biufc" and dtype.isnative else None


@record(
    np.stack,
    raises=JOINED,
    emit=Emit(kernel=_of_numbers),
    bounds=bounds.joined,
    evaluate=evaluation.moved(np.stack),
    traits="quiet c_order by_value",
    loud=into_dtype,
    out=Out(parts="stack"),
    rewrite="stacked",
    rows=rows.joined(new=True),
)
def stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> TensorMeta:
    """Arrays of one shape along a new axis."""
    metas = [meta_of(item) for item in arrays]
    if not metas or not all(same_sizes(m.shape, metas[0].shape) for m in metas[1:]):
        raise Rejected
    shape = metas[0].shape
    axis = axis_index(axis, len(shape) + 1)
    return array((*shape[:axis], len(metas), *shape[axis:]), _joined_dtype(metas, dtype, casting))


def _refuse_floats(counts: Sequence[Any]) -> None:
    if any(isinstance(count, SymFloat) for count in counts):
        raise Unsupported("E104", "how often elements are repeated is a float that is known only when the program runs")


@record(np.tile, raises=NOTHING, bounds=bounds.same, evaluate=evaluation.moved(np.tile), traits="quiet c_order", rows=rows.tiled)
def tile(A: Array, reps: Any) -> TensorMeta:
    """The array repeated as a whole along each axis."""
    a, counts = meta_of(A), as_tuple(reps)
    _refuse_floats(counts)
    rank = max(len(a.shape), len(counts))
    shape = (1,) * (rank - len(a.shape)) + a.shape
    counts = (1,) * (rank - len(counts)) + counts
    if any(isinstance(count, (str, bytes, tuple, list)) for count in counts):
        raise Rejected
    sizes = tuple([size * count for size, count in zip(shape, counts, strict=True)])
    empty = any(violated(n != 0) for n in a.shape)  # of nothing NumPy repeats nothing, however often
    if any(violated(n >= 0) for n in (sizes if empty else counts)):
        raise Rejected
    return array(sizes, a.dtype)


@record(
    np.repeat,
    traits="c_order data_dependent_shape",
    raises=SECOND,
    bounds=bounds.same,
    counts=counts.REPEATS,
    emit=Emit(method="repeat"),
    rows=rows.repeated,
)
def repeat(a: Array, repeats: Any, axis: Any = None) -> TensorMeta:
    """Each element repeated; only the data knows the size where the counts are an array."""
    a = meta_of(a)
    shape = (product(a.shape),) if axis is None else a.shape or (1,)
    axis = 0 if axis is None else axis_index(axis, len(shape))
    if isinstance(repeats, TensorMeta):
        if len(repeats.shape) > 1 or (repeats.dtype.kind not in "biu" and not repeats.scalar):
            raise Rejected
        if not broadcasts_to(repeats.shape, (shape[axis],)):
            raise Rejected
        return array(replace_axis(shape, axis, fresh_size(0, None)), a.dtype)
    _refuse_floats((repeats,))
    if isinstance(repeats, (float, np.floating)):
        repeats = int(repeats) if math.isfinite(repeats) else -1  # as NumPy casts scalars
    counts = (repeats,) if is_size(repeats) else as_tuple(repeats)
    if any(violated(count >= 0) for count in counts) and not violated(shape[axis] != 0):
        raise Rejected
    if len(counts) == 1:
        return array(replace_axis(shape, axis, shape[axis] * counts[0]), a.dtype)
    if shape[axis] != len(counts):
        raise Rejected
    return array(replace_axis(shape, axis, sym_sum(counts)), a.dtype)


@record(
    np.roll, raises=ROLLED, bounds=bounds.same, evaluate=evaluation.moved(np.roll), traits="quiet c_order permutation", rows=rows.along()
)
def roll(a: Array, shift: Any, axis: Any = None) -> TensorMeta:
    """The elements moved along axes; those that fall off come back at the other end."""
    a = meta_of(a)
    if isinstance(shift, (str, bytes)):
        raise Rejected
    if any(isinstance(item, (float, np.floating)) for item in as_tuple(shift)):
        np.roll(np.zeros(2), 1.0)  # type: ignore[call-overload]  # raises in versions that take integers only
    if axis is not None:
        for item in as_tuple(axis):
            axis_index(item, len(a.shape))
        broadcast((len(as_tuple(axis)),), (len(as_tuple(shift)),))
        if not a.shape:  # not even along no axes
            raise Rejected
    return array(a.shape, a.dtype)


PAD_MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap", "empty")


@record(kernel="np_joining.pad", see="numpy.pad", raises=PADDED, traits="c_order", rows=rows.padded)
def pad(
    array: Array,
    pad_width: Any,
    mode: Any = "constant",
    *,
    constant_values: Any = 0,
    stat_length: Any = None,
    end_values: Any = 0,
    reflect_type: Any = "even",
) -> TensorMeta:
    """The array with a border; options that the mode does not know are left out."""
    a, ends = meta_of(array), as_tuple(end_values)
    if mode not in PAD_MODES or (mode == "linear_ramp" and any(getattr(end, "dtype", a.dtype).kind in "SUmMV" for end in ends)):
        raise Rejected
    pairs = pad_pairs(pad_width, len(a.shape))
    if stat_length is not None and mode in ("maximum", "mean", "median", "minimum"):
        lengths = pad_pairs(stat_length, len(a.shape))
        if mode in ("maximum", "minimum") and any(violated(length != 0) for pair in lengths for length in pair):
            raise Rejected
    if mode not in ("constant", "empty"):  # the other modes have nothing to fill the border of an empty axis with
        empty = [pair for size, pair in zip(a.shape, pairs, strict=True) if violated(size != 0)]
        if any(violated(width == 0) for pair in empty for width in pair):
            raise Rejected
    if mode == "constant":
        require_castable(a.dtype, constant_values)
    _require_pairs({"constant": constant_values, "linear_ramp": end_values}.get(mode, 0), len(a.shape))
    return TensorMeta(tuple([before + size + after for size, (before, after) in zip(a.shape, pairs, strict=True)]), a.dtype)


def _require_pairs(values: Any, rank: int) -> None:
    """Rejects what does not say what stands before and after every axis."""
    shape = _shape_of(values)
    for_all = len(shape) < 3 and (product(shape) == 1 or (len(shape) == 1 and shape[0] == 2))
    if not for_all and not broadcasts_to(shape, (rank, 2)):
        raise Rejected


def _shape_of(values: Any) -> Shape:
    """The shape of an array, or of one made of nested lists."""
    if not isinstance(values, (tuple, list)):
        return meta_of(values).shape
    items = [_shape_of(item) for item in values]
    if any(not same_sizes(item, items[0]) for item in items[1:]):
        raise Rejected
    return (len(items), *(items[0] if items else ()))


def pad_pairs(width: Any, rank: int) -> list[tuple[Size, Size]]:
    """The widths before and after every axis, from all the forms that ``np.pad`` takes."""
    if isinstance(width, dict):
        given = {axis_index(axis, rank): both for axis, both in width.items()}
        width = [given.get(axis, (0, 0)) for axis in range(rank)]
        pairs = [tuple(both) if isinstance(both, (tuple, list)) else (both, both) for both in width]
    elif not isinstance(width, (tuple, list)):
        pairs = [(width, width)] * rank
    elif all(not isinstance(item, (tuple, list)) for item in width):
        pairs = [(width[0], width[-1])] * rank if len(width) in (1, 2) else []
    else:
        pairs = [(item[0], item[-1]) for item in width if len(item) in (1, 2)]
        pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank or any(violated(size >= 0) for pair in pairs for size in pair):
        raise Rejected
    return pairs
