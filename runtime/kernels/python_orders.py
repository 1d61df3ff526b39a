"""Kernels of Python's sort orders."""

from __future__ import annotations

from typing import Any

import numpy as np


def order(keys: Any, reverse: bool = False) -> Any:
    found = list(map(_apart, keys))
    return np.array(sorted(range(len(found)), key=found.__getitem__, reverse=reverse), np.intp)


def _apart(key: Any) -> Any:
    """The key, with a new object for each NaN: tuples take identical objects for equal ones."""
    if isinstance(key, tuple):
        return tuple(map(_apart, key))
    if isinstance(key, str):
        return key
    return key if key == key else float("nan")


def order_of_rows(keys: Any, reverse: bool = False) -> Any:
    if isinstance(keys, np.ndarray) and not reverse and (keys.dtype.kind != "f" or not np.isnan(keys).any()):
        return np.argsort(keys, kind="stable")
    return order(_rows(keys), reverse)


def _rows(keys: Any) -> list[Any]:
    return list(zip(*map(_rows, keys), strict=True)) if isinstance(keys, tuple) else keys.tolist()


def ordered(items: Any, reverse: bool = False) -> Any:
    return tuple(sorted(items, reverse=reverse))


def in_order(places: Any, items: Any) -> Any:
    return tuple([items[place] for place in places.tolist()])
