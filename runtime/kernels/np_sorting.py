"""Kernels of orders that arrays can be brought into where they lie: ``out`` may be the array
itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _place(a: Any, axis: Any, out: Any) -> tuple[Any, Any]:
    """The array to be ordered, and the axis."""
    if out is None:
        return (np.asanyarray(a).flatten(), -1) if axis is None else (np.asanyarray(a).copy(order="K"), axis)
    if out is not a:
        np.copyto(out, a)
    return out, -1 if axis is None else axis


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, out: Any = None, **others: Any) -> Any:
    result, axis = _place(a, axis, out)
    result.sort(axis, kind, order, **others)
    return result


def partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None, *, out: Any = None) -> Any:
    result, axis = _place(a, axis, out)
    result.partition(kth, axis, kind, order)
    return result
