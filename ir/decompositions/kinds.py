"""What decompositions share: the dtypes of ufuncs' loops, and results of the kind that operators
have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.ops.loops import loop_dtypes


def unboxed(result: Any) -> Any:
    """The NumPy scalar of a 0-d array: what ufuncs give for 0-d operands."""
    return result[()] if result.ndim == 0 else result


def loop(ufunc: str, operands: Any, dtype: Any = None) -> Any:
    """The dtypes that a ufunc computes with: of its operands, and of its first result."""
    return loop_dtypes(ufunc, tuple([_kind(operand) for operand in operands]), dtype)


def _kind(operand: Any) -> Any:
    if hasattr(operand, "dtype"):
        return operand.dtype
    return np.dtype(np.bool_) if isinstance(operand, bool) else type(operand)


def cast(x: Any, dtype: Any) -> Any:
    """``x`` in this dtype, of its kind."""
    return x.astype(dtype) if hasattr(x, "dtype") else np.array(x, dtype)[()]


def several(value: Any) -> tuple[Any, ...]:
    """What may be one or a sequence of several: axes, shifts, sizes."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
