"""Kernels of view operators that NumPy has as methods."""

from __future__ import annotations

from typing import Any

import numpy as np


def ravel(a: Any, order: Any = "C") -> Any:
    return np.asarray(a).ravel(order)


def flatten(a: Any, order: Any = "C") -> Any:
    return np.asarray(a).flatten(order)


def view_dtype(a: Any, dtype: Any) -> Any:
    return a.view(dtype)
