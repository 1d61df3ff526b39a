"""Kernels of operators on sizes."""

from __future__ import annotations

from typing import Any

import numpy as np


def size(x: Any, dim: int) -> int:
    return x.shape[dim]


def ceildiv(a: Any, b: Any) -> Any:
    return -(-a // b)


def element(x: Any) -> int:
    return int(x.item())


def floating(x: Any) -> float:
    return float(x.item())


def checkpoint(values: Any, told: Any = None, operands: tuple[Any, ...] = ()) -> None:
    if told is not None:
        told.update({place: np.copy(value) for place, value in enumerate(values) if value is not None})
