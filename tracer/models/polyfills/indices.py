"""``np.ndindex`` and ``np.ndenumerate``: over a shape of dynamic sizes they are generators with
plain loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import INDICES_OF_NDITER
from npexport.symshapes.symint import is_symbolic


def start(self: Any, *shape: Any) -> None:
    """``np.ndindex.__init__``."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if min(shape, default=0) < 0:
        raise ValueError("negative dimensions are not allowed")
    self._iter = itertools.product(*map(range, shape))
    if INDICES_OF_NDITER:
        self._it = _Places(self._iter)


class _Places:
    """What NumPy's own ``__next__`` asks, where C calls it: a ``nditer`` that goes on with the same
    indices.
    """

    def __init__(self, places: Iterator[Any]) -> None:
        self._places = places

    def __next__(self) -> Any:
        self.multi_index = next(self._places)
        return self.multi_index


def indices(self: Any) -> Any:
    """``np.ndindex.__iter__``: it goes on where ``next`` has left off."""
    return self._iter if isinstance(self._iter, GeneratorType) else self


def next_index(self: Any) -> Any:
    """``np.ndindex.__next__``."""
    return next(self._iter)


def numbered(self: Any) -> Any:
    """``np.ndenumerate.__iter__``."""
    if isinstance(self.iter, GeneratorType):
        return self.iter
    array, begun = self.iter.base, self.iter.index
    if begun or not is_symbolic(array.size) or array.dtype.names is not None or array.ndim not in _NUMBERED:
        return self
    self.iter = _NUMBERED[array.ndim](array)
    return self.iter


def next_numbered(self: Any) -> Any:
    """``np.ndenumerate.__next__``."""
    return next(self.iter) if isinstance(self.iter, GeneratorType) else (self.iter.coords, next(self.iter))


def _of_a_vector(array: Any) -> Iterator[Any]:
    for place in range(array.shape[0]):
        yield (place,), array[place]


def _of_a_matrix(array: Any) -> Iterator[Any]:
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            yield (row, column), array[row, column]


def _of_three_axes(array: Any) -> Iterator[Any]:
    for first in range(array.shape[0]):
        for row in range(array.shape[1]):
            for column in range(array.shape[2]):
                yield (first, row, column), array[first, row, column]


_NUMBERED = {1: _of_a_vector, 2: _of_a_matrix, 3: _of_three_axes}

METHODS = {
    np.ndindex.__init__: start,
    np.ndindex.__iter__: indices,
    np.ndindex.__next__: next_index,
    np.ndenumerate.__iter__: numbered,
    np.ndenumerate.__next__: next_numbered,
}
"""The methods that are interpreted from here."""
