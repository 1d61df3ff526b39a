"""What calls of SciPy's functions are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples


def matrix(*shape: int, dtype: str = "f8") -> np.ndarray[Any, Any]:
    """A matrix with a heavy diagonal, symmetric where it is square: solvers and decompositions take
    it.
    """
    rows, columns = shape
    numbers = np.cos(np.arange(rows)[:, None] * np.arange(1, columns + 1) * 1.3)
    if rows == columns:
        numbers = numbers + numbers.T
    return (numbers * 2 + 9 * np.eye(rows, columns)).astype(dtype)


def vector(n: int, dtype: str = "f8") -> np.ndarray[Any, Any]:
    return (np.sin(np.arange(n) * 1.7) * 5).astype(dtype)


def samples(module: str, calls: dict[str, list[Call]]) -> dict[Op, Samples]:
    """The samples of the operators of a module, of those that this SciPy has."""
    found = {ops.REGISTRY.get(f"scipy.{module}_{name}"): given for name, given in calls.items()}
    return {op: (lambda given=given: iter(given)) for op, given in found.items() if op is not None}
