"""Where the rows of a dim are in what an index takes or writes.

An index keeps rows apart if it takes the whole axis of the rows, or takes each row by its own
number, ``x[np.arange(n), places]``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node
from npexport.ir.ops.rows import require_stretched
from npexport.ir.rows import NUMBER, Coupled, RowCall, Rows, State, times
from npexport.symshapes.expr import integer


class Item(NamedTuple):
    """One item of an index and the axes that it takes, from ``axis`` on."""

    value: Any
    axis: int
    width: int

    @property
    def is_array(self) -> bool:
        return isinstance(meta_of_item(self.value), TensorMeta)

    @property
    def is_mask(self) -> bool:
        meta = meta_of_item(self.value)
        return isinstance(meta, TensorMeta) and meta.dtype == np.bool_


class Taken(NamedTuple):
    """What an index takes: ``ndim`` axes; ``places``: where each axis of the array that it takes
    whole stands among them; ``front``: where the axes of its arrays begin, ``depth`` of them."""

    items: list[Item]
    ndim: int
    places: dict[int, int]
    front: int
    depth: int


def meta_of_item(value: Any) -> Any:
    if type(value) is Node:
        return value.meta["val"]
    if isinstance(value, (list, np.ndarray, np.bool_, bool)):
        found = np.asarray(value)
        return TensorMeta(found.shape, found.dtype)
    return value


def _width(value: Any) -> int:
    meta = meta_of_item(value)
    if isinstance(meta, TensorMeta):
        return len(meta.shape) if meta.dtype == np.bool_ else 1
    return 0 if value is None or value is Ellipsis else 1


def _depth(item: Item) -> int:
    return 1 if item.is_mask else len(meta_of_item(item.value).shape)


def taken(index: Any, ndim: int) -> Taken:
    """What an index of an array of ``ndim`` axes takes."""
    values = list(index) if type(index) is tuple else [index]
    if not any(value is Ellipsis for value in values):
        values.append(Ellipsis)
    rest = ndim - sum(map(_width, values))
    items: list[Item] = []
    axis = 0
    for value in values:
        for one in [slice(None)] * rest if value is Ellipsis else [value]:
            items.append(Item(one, axis, _width(one)))
            axis += items[-1].width
        if value is Ellipsis and not rest:
            items.append(Item(None, -1, 0))  # keeps arrays apart, and is no axis
    advanced = any(item.is_array for item in items)
    depth = max((_depth(item) for item in items if item.is_array), default=0)
    picked = [i for i, item in enumerate(items) if advanced and item.value is not None and type(item.value) is not slice]
    together = not picked or picked == list(range(picked[0], picked[-1] + 1))
    places: dict[int, int] = {}
    front = 0
    out = 0 if together else depth
    for i, item in enumerate(items):
        if picked and i == picked[0] and together:
            front = out
            out += depth
        if item.value is None:
            out += item.axis >= 0
        elif type(item.value) is slice:
            places[item.axis] = out
            out += 1
    return Taken(items, out, places, front, depth)


def _is_whole(call: RowCall, item: slice, rows: Rows) -> bool:
    """Whether a slice takes all of the axis along which the rows stand."""
    if item.step not in (None, 1) or item.start not in (None, 0):
        return False
    if type(item.stop) is Node and call.states[item.stop] is NUMBER:
        return times(item.stop.meta["val"], call.name) == rows.each
    return item.stop is None


def _of_arrays(call: RowCall, found: Taken) -> Rows | None:
    """Where rows stand in what the arrays of an index take, by their own rows."""
    place: Rows | None = None
    for item in found.items:
        rows = call.rows(item.value, numbers=True) if type(item.value) is Node else None
        if rows is None:
            continue
        if item.is_mask:
            raise Coupled("how much a mask takes depends on all rows")
        placed = Rows(rows.axis - _depth(item) + found.depth + found.front, rows.each)
        if place is not None and place != placed:
            raise Coupled("the rows of its index stand along different axes")
        place = placed
    return place


def _numbered(call: RowCall, found: Taken, rows: Rows) -> bool:
    """Whether the index takes each row by its number."""
    (item,) = [item for item in found.items if item.axis <= rows.axis < item.axis + item.width]
    own = call.rows(item.value, numbers=True) if type(item.value) is Node else None
    return own is not None and own.numbers and rows.each == integer(1) and not item.is_mask


def _require_no_numbers(call: RowCall, found: Taken, but: int = -1) -> None:
    for item in found.items:
        rows = call.rows(item.value, numbers=True) if type(item.value) is Node else None
        if rows is not None and rows.numbers and item.axis != but:
            raise Coupled("it takes the numbers of the rows")


def of_index(call: RowCall) -> State:
    """``x[index]``."""
    rows = call.rows(call["x"], numbers=True)
    return _rows_taken(call, rows, taken(call["index"], call.ndim(call["x"])))


def _rows_taken(call: RowCall, rows: Rows | None, found: Taken) -> Rows | None:
    for item in found.items:
        bounds = (item.value.start, item.value.stop, item.value.step) if type(item.value) is slice else ()
        if rows is None or item.axis != rows.axis:
            call.same(bounds)
        if type(item.value) is Node and not item.is_array:
            call.same(item.value)
    own = _of_arrays(call, found)
    if rows is None:
        _require_no_numbers(call, found)
        return own
    if rows.axis in found.places:
        (item,) = [item for item in found.items if item.axis == rows.axis and item.width]
        if own is not None:
            raise Coupled("it takes elements of each row by those of all rows")
        if not _is_whole(call, item.value, rows):
            raise Coupled(f"it takes some of axis {rows.axis}, along which the rows stand")
        return rows._replace(axis=found.places[rows.axis])
    if own is None or rows.numbers or not _numbered(call, found, rows):
        raise Coupled(f"it takes elements of axis {rows.axis}, along which the rows stand")
    _require_no_numbers(call, found, but=rows.axis)
    return own


def of_written_index(call: RowCall) -> State:
    """The array with ``x[index] = value`` done."""
    rows = call.rows(call["x"])
    found = taken(call["index"], call.ndim(call["x"]))
    mask = _mask_of_rows(call, found, rows)
    if mask is not None:
        if call.ndim(call["value"]) > found.ndim - found.front - found.depth:
            raise Coupled("which row gets which element depends on how many a mask takes")
        call.same(call["value"])
        return rows
    place = _rows_taken(call, rows, found)
    value = call.rows(call["value"])
    if rows is None and (place is not None or value is not None):
        raise Coupled("rows are written to an array that has none")
    if place is None:
        return rows
    if value is None:
        require_stretched(call, call["value"], place.axis - found.ndim)
    elif value._replace(axis=value.axis - call.ndim(call["value"])) != place._replace(axis=place.axis - found.ndim):
        raise Coupled("rows are written to other rows")
    return rows


def _mask_of_rows(call: RowCall, found: Taken, rows: Rows | None) -> Item | None:
    """The only array of an index, where it is a mask that has the rows where the array has them."""
    arrays = [item for item in found.items if item.is_array]
    if rows is None or len(arrays) != 1 or not arrays[0].is_mask or type(arrays[0].value) is not Node:
        return None
    mask = call.rows(arrays[0].value)
    if mask is None or mask.axis + arrays[0].axis != rows.axis or mask.each != rows.each:
        return None
    call.same([item.value for item in found.items if item is not arrays[0]])
    return arrays[0]
