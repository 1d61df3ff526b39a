"""Indexing, for reads and writes, in terms of the array-API standard.

The standard leaves out-of-bounds indices undefined: slices are clipped, and indices are checked
before they are used, because some libraries take the nearest element where NumPy raises
``IndexError``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.runtime.namespaces.space import Lacks, Space, row


def _full(index: Any, ndim: int) -> list[Any]:
    """The items of a basic index, one for each axis besides the new ones."""
    items = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(item, (bool, np.bool)) for item in items):
        raise Lacks("it indexes with no truth that has no axes")
    taken = sum(item is not None and item is not Ellipsis for item in items)
    place = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    return [*items[:place], *[slice(None)] * (ndim - taken), *items[place + 1 :]]


def _bounded(items: list[Any], shape: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The items within the bounds and with positive steps, and the axes of the result that are to
    be turned round.
    """
    found: list[Any] = []
    turned: list[int] = []
    sizes, axis = iter(shape), 0
    for item in items:
        size = 1 if item is None else next(sizes)
        if isinstance(item, slice):
            places = range(*item.indices(size))
            if places.step < 0:
                places = places[::-1]
                turned.append(axis)
            item = slice(places.start, places[-1] + 1, places.step) if len(places) else slice(0, 0, 1)
        elif item is not None:
            item = _within(int(item), size)
        found.append(item)
        axis += not isinstance(item, int)
    return tuple(found), tuple(turned)


def _within(place: int, size: int) -> int:
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for an axis of size {size}")
    return place % size


@row("np.getitem", needs="flip")
def getitem(space: Space, meta: Any, x: Any, index: Any) -> Any:
    items, turned = _bounded(_full(index, x.ndim), x.shape)
    found = x[items]
    return space.function("flip")(found, axis=turned) if turned else found


@row("np.setitem", needs="flip broadcast_to where reshape take")
def setitem(space: Space, meta: Any, x: Any, index: Any, value: Any) -> Any:
    value = space.array(value, meta.dtype)
    if _is_mask(space, index) and index.ndim == x.ndim and value.ndim == 0:
        return space.function("where")(space.array(index, np.dtype(bool)), value, x)
    if any(_is_places(space, item) or isinstance(item, list) for item in (index if isinstance(index, tuple) else (index,))):
        return _put(space, x, index, value)
    items = _full(index, x.ndim)
    inner, turned = _bounded([item for item in items if item is not None], x.shape)
    shape = x[_bounded(items, x.shape)[0]].shape
    if value.ndim > len(shape):  # NumPy leaves out leading axes of one element
        value = space.function("reshape")(value, value.shape[value.ndim - len(shape) :])
    value = space.function("reshape")(space.function("broadcast_to")(value, shape), x[inner].shape)
    value = space.function("flip")(value, axis=turned) if turned else value
    if hasattr(x, "at"):  # arrays of jax are never written to
        return x.at[inner].set(value)
    found = space.copy(x)
    found[inner] = value
    return found


def _put(space: Space, x: Any, index: Any, value: Any) -> Any:
    """``x`` with ``value`` at the places that arrays tell.

    The standard has no such writes. NumPy writes the elements' numbers to an array of its own,
    where of several at one place the last one stays, and each element is then taken by its number.
    """
    numbers = np.full(x.shape, -1, np.intp)
    items = tuple([_host(space, item) for item in (index if isinstance(index, tuple) else (index,))])
    numbers[items] = np.arange(math.prod(value.shape), dtype=np.intp).reshape(value.shape)
    if not (numbers >= 0).any():
        return space.copy(x)
    written = space.function("take")(space.function("reshape")(value, (-1,)), space.constant(np.maximum(numbers, 0).reshape(-1)), axis=0)
    return space.function("where")(space.constant(numbers >= 0), space.function("reshape")(written, x.shape), x)


def _host(space: Space, item: Any) -> Any:
    """An item of an index as NumPy has it; the standard gives elements one by one."""
    if isinstance(item, (np.ndarray, np.generic)) or not space.is_array(item):
        return item
    kind = bool if _is_mask(space, item) else int
    flat = space.function("reshape")(item, (-1,))
    return np.array([kind(flat[place]) for place in range(flat.shape[0])], bool if kind is bool else np.intp).reshape(item.shape)


def _checked(space: Space, places: Any, size: int) -> Any:
    """Places as the standard takes them: within the bounds, counted from the front."""
    outside = space.function("logical_or")(places < -size, places >= size)
    if bool(space.function("any")(outside)):
        raise IndexError(f"index is out of bounds for an axis of size {size}")
    return space.function("where")(places < 0, places + size, places)


def _taken(space: Space, x: Any, places: Any, axis: int) -> Any:
    """The elements at the places along one axis, which is replaced by the axes of ``places``."""
    flat = space.function("reshape")(space.array(places, np.dtype(np.intp)), (-1,))
    found = space.function("take")(x, _checked(space, flat, x.shape[axis]), axis=axis)
    return space.function("reshape")(found, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


@row("np.take", needs="take where any logical_or reshape")
def take(space: Space, meta: Any, a: Any, indices: Any, axis: Any = None) -> Any:
    a = space.function("reshape")(a, (-1,)) if axis is None else a
    places = space.array(indices, np.dtype(np.intp))
    return _taken(space, a, places, 0 if axis is None else axis % a.ndim)


@row("np.index", needs="take where any logical_or reshape nonzero permute_dims broadcast_arrays")
def index(space: Space, meta: Any, x: Any, index: Any) -> Any:
    """The arrays' axes are put in front and become one, along which the elements are taken."""
    items = _places(space, index)
    full = _full(tuple(items), x.ndim)
    axes = [axis for axis, item in enumerate(full) if _is_places(space, item)]
    x = getitem(space, meta, x, tuple([slice(None) if axis in axes else item for axis, item in enumerate(full)]))
    places = space.function("broadcast_arrays")(*[space.array(full[axis], np.dtype(np.intp)) for axis in axes])
    sizes = [x.shape[axis] for axis in axes]
    linear = space.constant(np.zeros((), np.intp))
    for each, size in zip(places, sizes, strict=True):
        linear = linear * size + _checked(space, each, size)
    flat = space.function("permute_dims")(x, (*axes, *[axis for axis in range(x.ndim) if axis not in axes]))
    flat = space.function("reshape")(flat, (math.prod(sizes), *flat.shape[len(axes) :]))
    found = _taken(space, flat, linear, 0)
    first, count = axes[0] if _adjacent(space, items) else 0, linear.ndim
    order = [*range(count, count + first), *range(count), *range(count + first, found.ndim)]
    return space.function("permute_dims")(found, tuple(order))


@row("np.nonzero", needs="nonzero")
def nonzero(space: Space, meta: Any, a: Any) -> Any:
    return space.function("nonzero")(a)


@row("np.repeat", needs="repeat reshape")
def repeat(space: Space, meta: Any, a: Any, repeats: Any, axis: Any = None) -> Any:
    a = space.function("reshape")(a, (-1,)) if axis is None else a
    if not isinstance(repeats, int):
        repeats = space.array(repeats, np.dtype(np.intp))
        repeats = space.function("broadcast_to")(repeats, (a.shape[axis or 0],))
    return space.function("repeat")(a, repeats, axis=axis or 0)


def _places(space: Space, index: Any) -> list[Any]:
    """The items of an index: integers beside arrays are arrays, a mask is the places where it is
    true.
    """
    found: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        item = np.asarray(item) if isinstance(item, list) and item else np.zeros(0, np.intp) if isinstance(item, list) else item
        if _is_mask(space, item) and item.ndim == 0:
            raise Lacks("it indexes with no truth that has no axes")
        if _is_mask(space, item):
            found += space.function("nonzero")(space.array(item, np.dtype(bool)))
        else:
            found.append(np.asarray(item) if isinstance(item, (int, np.integer)) and type(item) is not bool else item)
    return found


def _adjacent(space: Space, items: list[Any]) -> bool:
    """Whether the arrays of an index stand side by side: else their axes lead in the result."""
    places = [i for i, item in enumerate(items) if _is_places(space, item)]
    return places[-1] - places[0] == len(places) - 1


def _is_places(space: Space, item: Any) -> bool:
    return isinstance(item, np.ndarray) or space.is_array(item)


def _is_mask(space: Space, item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return bool(item.dtype.kind == "b")
    return space.is_array(item) and bool(item.dtype == space.dtype(np.dtype(bool)))
