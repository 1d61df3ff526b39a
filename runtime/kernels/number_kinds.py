"""Kernels of numbers that are Python's or NumPy's, as the data decide."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

_TYPES = {"float": float, "int": int, "bool": bool}


def mixed_operator(name: str, python: tuple[Any, ...], numbers: tuple[Any, ...]) -> Any:
    function, first = getattr(operator, name), numbers[0]
    if python[0] and isinstance(first, np.generic):
        first = first.item()
    if len(numbers) == 1:
        result = function(first)
    else:
        second = numbers[1]
        result = function(first, second.item() if python[1] and isinstance(second, np.generic) else second)
    return result if isinstance(result, np.generic) else np.float64(result) if type(result) is float else np.bool_(result)


def mixed_number(kind: str, python: Any, number: Any) -> Any:
    return _TYPES[kind](number) if python else number
