"""Kernels of casts and copies that NumPy has as methods."""

from __future__ import annotations

from typing import Any


def astype(x: Any, dtype: Any, *, casting: str = "unsafe", order: str = "K") -> Any:
    return x.astype(dtype, order, casting)


def scalar(x: Any) -> Any:
    if x.ndim:
        raise ValueError(f"an array of shape {x.shape} is not a scalar")
    return x[()]
