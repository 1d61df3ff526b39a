"""The iterator of an array."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.native import stands_in_for

_ROWS = type(iter(np.empty(1)))


class Rows:
    """Iterates over the first axis; its position can be read, and restored.

    The exact number of rows is needed only for the second one; the first needs only that there is
    one.
    """

    __slots__ = ("array", "position")

    def __init__(self, array: Any) -> None:
        self.array, self.position = array, 0

    __class__ = _ROWS  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        size: Any = self.array.meta.shape[0]
        is_first = self.position == 0 and type(size) is not int and size.hint is not None and size > 0
        if not is_first and self.position >= operator.index(size):
            raise StopIteration
        self.position += 1
        return self.array[self.position - 1]

    def __length_hint__(self) -> int:
        return max(operator.index(self.array.meta.shape[0]) - self.position, 0)

    def __reduce__(self) -> Any:
        if self.position >= self.array.meta.shape[0]:
            raise Unsupported("E119", "an iterator over an array is pickled at its end: only C tells whether it has ended")
        return iter, (self.array,), self.position

    def __setstate__(self, position: int) -> None:
        self.position = position


stands_in_for(Rows, _ROWS)
