"""Kernels of operations on Python numbers that are more than one call."""

from __future__ import annotations

import math


def isclose_to(a: float, b: float, rel_tol: float, abs_tol: float) -> bool:
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


def broadcast(a: int, b: int) -> int:
    """The size of an axis along which two sizes are broadcast, where they fit."""
    return b if a == 1 else a
