"""Kernels of scalars."""

from __future__ import annotations

from typing import Any


def construct(value: Any, dtype: Any) -> Any:
    return dtype.type(value)
