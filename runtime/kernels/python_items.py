"""Kernels of items at places that the data determine."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def place(index: Any, count: int, text: str) -> int:
    found = index + count if index < 0 else index
    if not 0 <= found < count:
        if abs(index) > sys.maxsize:
            _ = [][index]  # raises
        raise IndexError(text)
    return int(found)


def repetitions(count: int) -> int:
    _ = [] * count  # raises
    return max(count, 0)


def key_place(keys: Any, key: Any, or_end: bool) -> int:
    try:
        return keys.index(key)
    except ValueError:
        if or_end:
            return len(keys)
    raise KeyError(key if isinstance(key, int) else key[()])


def rows_with(count: int, place: int) -> int:
    count = max(count, 0)
    return count if 0 <= place < count else count + 1


def row_moved(x: Any, place: int, to: int, out: Any = None) -> Any:
    result = np.array(x) if out is None else out
    if 0 <= place < len(x) and 0 <= to < len(x):
        row = result[place]
        if isinstance(row, (np.ndarray, np.void)):  # which show the memory that is written
            row = row.copy()
        if place < to:
            result[place:to] = result[place + 1 : to + 1]
        else:
            result[to + 1 : place + 1] = result[to:place]
        result[to] = row
    return result


def item(items: Any, place: Any) -> Any:
    return items[place]
