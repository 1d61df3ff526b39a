"""What decompositions share: the dtypes of ufunc loops, and conversions."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.ops.loops import loop_dtypes


def unboxed(result: Any) -> Any:
    """``result``, as a NumPy scalar if it is a 0-d array, as ufuncs return it."""
    return result[()] if result.ndim == 0 else result


def loop(ufunc: str, operands: Any, dtype: Any = None) -> Any:
    """The dtypes of the loop that a ufunc runs: those of its operands, and of its first result."""
    return loop_dtypes(ufunc, tuple([_kind(operand) for operand in operands]), dtype)


def _kind(operand: Any) -> Any:
    if hasattr(operand, "dtype"):
        return operand.dtype
    return np.dtype(np.bool_) if isinstance(operand, bool) else type(operand)


def cast(x: Any, dtype: Any) -> Any:
    """``x`` with this dtype; an array stays an array, a scalar a scalar."""
    return x.astype(dtype) if hasattr(x, "dtype") else np.array(x, dtype)[()]


def several(value: Any) -> tuple[Any, ...]:
    """One value or a sequence of values (axes, shifts, sizes) as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
