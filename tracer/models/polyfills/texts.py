"""NumPy's functions of text that C implements, as arithmetic on characters and as searches."""

from __future__ import annotations

from typing import Any

import numpy as np


def sliced(a: Any, start: Any, stop: Any, step: Any) -> Any:
    """The ufunc of ``np.strings.slice``: characters as numbers, taken by their places."""
    dtype, shape = a.dtype.newbyteorder("="), np.broadcast_shapes(*map(np.shape, (a, start, stop, step)))
    a = np.atleast_1d(a)
    size = np.strings.str_len(a)[..., None]
    start, stop, step = [np.add(each, 0, dtype=np.intp)[..., None] for each in (start, stop, step)]
    lowest, highest = np.where(step < 0, -1, 0), np.where(step < 0, size - 1, size)
    start, stop = [np.clip(np.where(each < 0, each + size, each), lowest, highest) for each in (start, stop)]
    count = np.where(step < 0, (start - stop - step - 1) // -step, (stop - start + step - 1) // step)
    character = np.dtype(np.uint32 if dtype.kind == "U" else np.uint8)
    order = np.arange(dtype.itemsize // character.itemsize)
    characters = a.astype(dtype, order="C").view(character).reshape(*a.shape, order.size)
    taken, characters = np.broadcast_arrays(order < count, characters)
    places = np.broadcast_to(np.clip(start + step * order, 0, order.size - 1), taken.shape)
    found = np.where(taken, np.take_along_axis(characters, places, -1), np.zeros((), character))
    return found.view(dtype).reshape(shape)[()]


def index(a: Any, sub: Any, start: Any = 0, end: Any = None) -> Any:
    """``np.strings.index``: what `find` finds."""
    return _found(np.strings.find(a, sub, start, end))


def rindex(a: Any, sub: Any, start: Any = 0, end: Any = None) -> Any:
    """``np.strings.rindex``: what `rfind` finds."""
    return _found(np.strings.rfind(a, sub, start, end))


def _found(places: Any) -> Any:
    if np.any(places < 0):
        raise ValueError("substring not found")
    return places
