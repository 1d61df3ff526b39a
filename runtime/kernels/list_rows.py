"""Lists that are made of the elements of arrays, and places in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import list_of_rows
from npexport.runtime.extensions import WRITTEN, extension

divided = list_of_rows.divided
_FEW = 16
"""So many rows are compared one after the other."""


def list_rows(keys: Any, numbers: Any, step: int, lengths: Any) -> Any:
    order = keys.argsort(kind="stable")
    first = keys.take(order).searchsorted(numbers * step)
    each = (first - (lengths.cumsum() - lengths)).repeat(lengths)
    return order.take(each + np.arange(each.shape[0]))


def row_place(columns: Any, key: Any, count: int) -> int:
    count = max(count, 0)
    if count <= _FEW and len(columns) == 1:
        items = columns[0][:count].tolist()
        return items.index(key[0]) if key[0] in items else count
    equal = columns[0][:count] == key[0]
    for column, number in zip(columns[1:], key[1:], strict=True):
        equal &= column[:count] == number
    found = equal.tobytes().find(1)
    return count if found < 0 else found


def beginning(array: Any, end: int) -> Any:
    """A list of the first elements of a vector, as numbers of Python."""
    return array[:end].tolist()


try:
    _lists: Any = extension("npexport.runtime._lists")
except ImportError:
    pass  # not built: Python does it
else:
    _arrays = (np.ndarray, np.empty, *map(np.dtype, (np.int64, np.float64, np.bool_)))
    _found = {getattr(_lists, each.__name__)(_arrays, each): each for each in (list_rows, row_place, beginning, divided)}
    list_rows, row_place, beginning, divided = _found
    WRITTEN.update(_found)
