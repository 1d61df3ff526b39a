"""Copies that lie in memory as arrays do: in which order NumPy adds and multiplies depends on the
strides, and so do the last bits of what it computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_ROOMY = 4
"""How many times the memory of its elements an array may span for its copy to have its strides."""


def alike(array: Array) -> Array:
    """A copy that lies in memory as the array does: with the same strides, or with shorter ones of
    the same kinds where these would leave most of the memory unused. All elements get places of
    their own.

    >>> alike(np.zeros((4, 6))[::-1, ::2]).strides, alike(np.zeros((100, 5000))[:, 7]).strides
    ((-48, 16), (16,))
    """
    strides = strides_of(array)
    if strides is None or any(_repeated(array.shape, strides)):
        return np.array(array, order="K")
    return filled(array, strides)


def strides_of(array: Array) -> tuple[int, ...] | None:
    """The strides of a copy that lies alike, 0 where elements are one place in memory; ``None``
    where the array is in C's or Fortran's order, or its elements overlap otherwise.
    """
    if array.flags.c_contiguous or array.flags.f_contiguous or not array.itemsize or array.dtype.kind in "OT":
        return None
    return _fitting(array.shape, array.strides, array.itemsize)


def laid(values: Array, strides: Sequence[int]) -> Array:
    """A read-only copy of values with these strides, or with shorter ones of the same kinds. Raises
    ``ValueError`` where elements overlap otherwise than by a stride of 0.
    """
    found = _fitting(values.shape, strides, values.itemsize)
    if found is None:
        raise ValueError("elements overlap")
    return stretched(values, found, lambda each: filled(each, found))


def stretched(values: Array, strides: Sequence[int], copied: Callable[[Array], Array]) -> Array:
    """A read-only copy of values, of which those with a stride of 0 are one place in memory.
    ``copied``: makes the copy of each place.
    """
    once = _repeated(values.shape, strides)
    copy = copied(values[tuple([slice(0, 1) if one else slice(None) for one in once])])
    freeze(copy)
    return np.broadcast_to(copy, values.shape) if any(once) else copy


def order_of(array: Array) -> str | tuple[int, ...]:
    """The order in which elements are written, or the strides of those that are written in C's."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else strides_of(array) or "C"


def freeze(copy: Array) -> None:
    """Nobody writes to a copy from now on, nor to its memory."""
    owner: Any = copy
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base


def _repeated(shape: Sequence[int], strides: Sequence[int]) -> list[bool]:
    """Along which axes all elements are one place in memory."""
    return [stride == 0 and size > 1 for size, stride in zip(shape, strides, strict=True)]


def filled(values: Array, strides: tuple[int, ...]) -> Array:
    """A copy of the values with these strides."""
    steps = [(size - 1) * stride for size, stride in zip(values.shape, strides, strict=True)]
    before, after = -sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    memory = np.zeros(before + after + values.itemsize, np.uint8)
    copy: Array = np.ndarray(values.shape, values.dtype, memory, before, strides)
    copy[...] = values
    return copy


def _fitting(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
    """These strides if they leave little memory unused, or the shortest ones that leave gaps where
    they do, of the same alignment; ``None`` where elements would overlap.
    """
    found, end, short, count = list(strides), itemsize, itemsize, itemsize
    for axis in sorted(range(len(shape)), key=lambda axis: (abs(strides[axis]), -axis)):
        size, stride = shape[axis], strides[axis]
        if size == 1 or stride == 0:
            continue
        gap = abs(stride) - end
        if gap < 0:
            return None
        short += min(gap, gap % itemsize + itemsize)
        found[axis] = short if stride > 0 else -short
        end, short, count = abs(stride) * size, short * size, count * size
    return tuple(strides) if end <= _ROOMY * count else tuple(found)


class Held(dict[str, Any]):
    """A program's arrays by name. Their deep copies and what is made of their pickles lie in memory
    as they do, and have their byte order, which pickles of arrays do not keep.
    """

    def __reduce__(self) -> Any:
        rows = {id(array): _Row(array) for array in self.values() if type(array) is np.ndarray and array.dtype.kind not in "OT"}
        return Held, ({name: rows.get(id(array), array) for name, array in self.items()},)

    def __copy__(self) -> dict[str, Any]:
        return self.copy()


class _Row:
    """Stands for an array in a pickle, which it leaves as an array."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __reduce__(self) -> Any:
        array, order = self._array, order_of(self._array)
        values = np.ascontiguousarray(array.T if order == "F" else array)
        return _of_row, (array.dtype, array.shape, order, values.reshape(-1).view(np.uint8) if values.nbytes else b"")


def _of_row(dtype: np.dtype[Any], shape: tuple[int, ...], order: Any, values: Any) -> Array:
    array = np.frombuffer(values, dtype, count=math.prod(shape)) if len(values) else np.zeros(math.prod(shape), dtype)
    array = array.reshape(shape, order="F" if order == "F" else "C")
    return array if type(order) is str else laid(array, order)
