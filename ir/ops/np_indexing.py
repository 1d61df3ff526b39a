"""``x[index]`` read and written: basic indices give views, advanced ones copies; a write gives the
whole array anew.

An index is one item or a tuple of items: sizes, slices, ``None``, ``Ellipsis``, Python booleans,
integer and boolean arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, View
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import bounds, counts, evaluation, rows_indexing, signs, views
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    broadcast,
    broadcasts_to,
    is_size,
    larger,
    meta_of,
    open_sign,
    plain,
    product,
    record,
    shape_of,
    smaller,
    violated,
)
from npexport.ir.ops.stand_ins import stand_in
from npexport.ir.raising import INDEXED, INDEXED_FLAT, WRITTEN, of_text

# --- slices


def slice_length(part: slice, size: Size, slot: int) -> Size:
    """How many elements ``part``, the item ``slot`` of an index, takes of an axis: Python's
    clamping, for symbolic bounds too."""
    start, stop, step = map(plain, (part.start, part.stop, part.step))
    if type(size) is int and all(bound is None or type(bound) is int for bound in (start, stop, step)):
        if step == 0:
            raise Rejected
        return len(range(*part.indices(size)))
    if start is None and stop is None and (step is None or (type(step) is int and step in (1, -1))):
        return size
    step = 1 if step is None else step
    if any(open_sign(bound) for bound in (start, stop)):
        return fresh_size(0, size, slot)
    if step == 0:
        raise Rejected
    if stop is None and type(start) is type(step) is int and 0 <= start < step:
        return (size - start + step - 1) // step  # not below zero, whatever the size
    if step > 0:
        length = _between(0 if start is None else start, stop, size)
        return length if type(step) is int and step == 1 else -(-length // step)
    first, last = _clamp(start, size, size - 1, -1, size - 1), _clamp(stop, size, -1, -1, size - 1)
    length = -((last - first) // -step)
    return length if start is None or stop is None else larger(0, length)


def _between(start: Any, stop: Any, size: Size) -> Size:
    """How long ``x[start:stop]`` is, as one cut from either end wherever that says the same."""
    if start < 0:
        return smaller(-start, size) if stop is None else larger(_clamp(stop, size, size, 0, size) - larger(start + size, 0), 0)
    if stop is None:
        end = size
    elif stop < 0:
        end = size + stop
    else:
        end = smaller(stop, size)
        if type(start) is int and start == 0:
            return end
    return larger(end - start, 0)


def _clamp(bound: Any, size: Size, default: Size, low: Size, high: Size) -> Size:
    if bound is None:
        return default
    if bound < 0:
        return larger(bound + size, low)
    return smaller(bound, high)


# --- the shape of x[index]


@dataclass(slots=True)
class _Layout:
    """The result's axes so far. ``block`` is where the axes of the advanced items go, ``None``
    while there are none."""

    shape: list[Size] = field(default_factory=list)
    advanced: list[Shape] = field(default_factory=list)
    integers: int = 0
    block: int | None = None
    closed: bool = False  # a basic item came after the block
    split: bool = False  # advanced items stand apart: their axes come first

    def basic(self, *sizes: Size) -> None:
        self.shape.extend(sizes)
        self.closed = self.block is not None

    def item(self) -> None:
        """An advanced item or an integer, which counts as advanced beside arrays."""
        if self.block is None:
            self.block = len(self.shape)
        self.split |= self.closed


def consumed(item: Any) -> int:
    """How many axes of the array an item of an index takes."""
    if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, TensorMeta) and item.dtype == bool:
        return len(item.shape)
    return 1


def _array(x: Array) -> TensorMeta:
    """The meta of what is indexed, which a list of Python's answers in another way."""
    if isinstance(x, (tuple, list)):
        raise Rejected
    return meta_of(x)


def indexed(a: TensorMeta, index: Any) -> tuple[Shape, bool]:
    """The shape of ``a[index]``, and whether NumPy gives a scalar. Raises :class:`Rejected`."""
    items = list(index) if isinstance(index, tuple) else [index]
    rank = len(a.shape)
    missing = rank - sum(map(consumed, items))
    ellipses = sum(item is Ellipsis for item in items)
    if missing < 0 or ellipses > 1:
        raise Rejected
    layout, axis = _Layout(), 0
    for slot, item in enumerate(items):
        if item is Ellipsis:
            layout.basic(*a.shape[axis : axis + missing])
            axis += missing
        elif item is None:
            layout.basic(1)
        elif isinstance(item, slice):
            layout.basic(slice_length(item, a.shape[axis], slot))
            axis += 1
        elif is_size(item):
            if violated(plain(item) < a.shape[axis]) or violated(plain(item) >= -a.shape[axis]):
                raise Rejected
            layout.item()
            layout.integers += 1
            axis += 1
        else:
            _advanced(layout, item, a.shape[axis : axis + consumed(item)], slot)
            axis += consumed(item)
    layout.basic(*a.shape[axis:])
    only_integers = layout.integers == len(items) == rank
    if not layout.advanced:
        return tuple(layout.shape), only_integers
    at = 0 if layout.split else layout.block
    return (*layout.shape[:at], *broadcast(*layout.advanced), *layout.shape[at:]), False


def _advanced(layout: _Layout, item: Any, sizes: Shape, slot: int) -> None:
    layout.item()
    if isinstance(item, (bool, np.bool_)):
        layout.advanced.append((int(item),))
    elif not isinstance(item, TensorMeta):
        raise Rejected
    elif item.dtype == bool:
        if not _covers(item, sizes):
            raise Rejected
        layout.advanced.append((fresh_size(0, product(item.shape), slot),))
    elif item.dtype.kind not in "iu":
        raise Rejected
    elif not item.shape:
        layout.integers += 1
    else:
        layout.advanced.append(item.shape)


# --- samples


# --- the operators


@record(
    kernel=operator.getitem,
    traits="typed_parameters view asked",
    see="numpy.ndarray.__getitem__",
    raises=INDEXED,
    bounds=bounds.same,
    counts=counts.SLICES,
    evaluate=evaluation.moved(operator.getitem),
    emit=Emit(("{0}[{1}]",)),
    view=View(inverse=views.set_items, strides=views.of_slices, first=views.at_slices),
    rows=rows_indexing.of_index,
    rewrite="part",
    nonnegative=signs.where_first,
)
def getitem(x: Array, index: Any) -> TensorMeta:
    """Basic indexing with integers, slices, ``None`` and ``Ellipsis``: a view, or a scalar where
    integers take every axis."""
    x = _array(x)
    shape, scalar = indexed(x, index)
    return TensorMeta(shape, x.dtype, scalar or (x.scalar and not shape and Ellipsis not in (index if type(index) is tuple else (index,))))


@record(
    kernel=operator.getitem,
    traits="quiet typed_parameters data_dependent_shape asked",
    see="numpy.ndarray.__getitem__",
    raises=INDEXED,
    bounds=bounds.same,
    counts=counts.INDEX,
    evaluate=evaluation.moved(operator.getitem),
    emit=Emit(("{0}[{1}]",)),
    rows=rows_indexing.of_index,
    rewrite="beginning",
)
def index(x: Array, index: Any) -> TensorMeta:
    """Advanced indexing with arrays among the items: a copy. With boolean arrays only the data
    knows the shape."""
    x = _array(x)
    shape, scalar = indexed(x, index)
    return TensorMeta(shape, x.dtype, scalar)


@record(kernel="np_views.flat_index", see="numpy.ndarray.flat", raises=INDEXED_FLAT)
def flat_index(x: Array, index: Any) -> TensorMeta:
    """``x.flat[index]`` for an integer or a vector of integers: elements counted in C order."""
    x = meta_of(x)
    shape, scalar = indexed(TensorMeta((product(x.shape),), x.dtype), index)
    return TensorMeta(shape, x.dtype, scalar)


@record(
    kernel="np_scatter.setitem",
    traits="typed_parameters c_order scatter asked",
    see="numpy.ndarray.__setitem__",
    raises=WRITTEN,
    midway=of_text(2),
    evaluate=evaluation.replaced,
    emit=Emit(in_place="{0}[{1}] = {2}", filling="{0}.fill({2})"),
    rows=rows_indexing.of_written_index,
    rewrite="back",
    step="put",
)
def setitem(x: Array, index: Any, value: Array) -> TensorMeta:
    """``x`` after ``x[index] = value``; indices as for ``getitem`` and ``index``, the value cast
    and stretched."""
    x = meta_of(x)
    if _has_mask(index):
        _require_masks(x, index)
    else:
        target, scalar = indexed(x, index)
        if scalar and shape_of(value):
            np.empty((1,), x.dtype)[0] = stand_in(value)  # whether a 1-element array is a scalar differs between versions of NumPy
        require_assignable(shape_of(value), target)
    require_castable(x.dtype, value, assign_each if is_advanced(index) else _assign)
    return TensorMeta(x.shape, x.dtype)


def _has_mask(index: Any) -> bool:
    """Whether how many elements are written depends on data: then the kernel alone can compare
    sizes."""
    return any(isinstance(item, TensorMeta) and item.dtype == bool for item in (index if isinstance(index, tuple) else (index,)))


def _require_masks(a: TensorMeta, index: Any) -> None:
    """Raises :class:`Rejected` where an index with masks does not fit the array."""
    items = index if isinstance(index, tuple) else (index,)
    missing = len(a.shape) - sum(map(consumed, items))
    if missing < 0:
        raise Rejected
    axis = 0
    for item in items:
        if isinstance(item, TensorMeta) and item.dtype == bool and not _covers(item, a.shape[axis : axis + consumed(item)]):
            raise Rejected
        axis += missing if item is Ellipsis else consumed(item)


def _covers(mask: TensorMeta, sizes: Shape) -> bool:
    return not any(violated(have == want) and not violated(have != 0) for have, want in zip(mask.shape, sizes, strict=True))


def is_advanced(index: Any) -> bool:
    """Whether arrays, or truths, choose elements."""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(item, (TensorMeta, bool, np.bool_)) for item in items)


def require_assignable(shape: Shape, target: Shape) -> None:
    """A value may have more axes than what it is assigned to if the leading ones have size 1."""
    extra = max(len(shape) - len(target), 0)
    if any(violated(size == 1) for size in shape[:extra]) or not broadcasts_to(shape[extra:], target):
        raise Rejected


def _assign(a: Any, value: Any) -> None:
    a[...] = value


def assign_each(a: Any, value: Any) -> None:
    """To elements that arrays choose: NumPy's scalars are cast, not converted as numbers of Python
    are."""
    a[[0]] = value


def copied(a: Any, value: Any) -> None:
    """As functions that cast whatever the dtypes."""
    np.copyto(a, value, casting="unsafe")


def require_castable(dtype: np.dtype[Any], value: Array, write: Callable[[Any, Any], None] = _assign) -> None:
    """Raises what NumPy raises where a Python or NumPy scalar does not fit into the dtype, if it is
    written so; rejects arrays of dtypes that are never cast to it."""
    if isinstance(value, TensorMeta) and not np.can_cast(value.dtype, dtype, "unsafe"):
        raise Rejected
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        write(np.zeros((1,), dtype), value)
