"""Kernels of numbers that are Python's or NumPy's, as the data decide."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

_TYPES = {"float": float, "int": int, "bool": bool}


def mixed_operator(name: str, python: tuple[Any, ...], numbers: tuple[Any, ...]) -> Any:
    operands = [number.item() if own and isinstance(number, np.generic) else number for own, number in zip(python, numbers, strict=True)]
    result = getattr(operator, name)(*operands)
    return result if isinstance(result, np.generic) else np.float64(result) if type(result) is float else np.bool_(result)


def mixed_number(kind: str, python: Any, number: Any) -> Any:
    return _TYPES[kind](number) if python else number
