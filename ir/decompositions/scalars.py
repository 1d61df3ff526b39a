"""Python's operators on NumPy scalars, in terms of the ufuncs of the same names.

Values are equal, except that products and quotients of complex numbers are rounded differently in
the last place. Only scalars warn about integers that overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition

BINARY = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "left_shift", "right_shift", "bitwise_and",
    "bitwise_or", "bitwise_xor", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip
_LESS, _GREATER = (np.less, np.less_equal), (np.greater, np.greater_equal)
UNARY = ("negative", "positive", "absolute", "invert")


def _binary(ufunc: Any) -> Callable[..., Any]:
    def decomposition(x1: Any, x2: Any, /) -> Any:
        """The ufunc."""
        if ufunc in (*_LESS, *_GREATER) and _are_complex(x1, x2):
            return _ordered(ufunc, x1, x2)
        return ufunc(x1, x2)

    return decomposition


def _are_complex(x1: Any, x2: Any) -> bool:
    """Whether NumPy compares them as complex scalars: it calls the ufunc where the first is a
    truth, and where both have to be cast.
    """
    dtypes = [x.dtype for x in (x1, x2) if hasattr(x, "dtype")]
    return dtypes[0].kind != "b" and np.result_type(x1, x2) in [dtype for dtype in dtypes if dtype.kind == "c"]


def _ordered(ufunc: Any, x1: Any, x2: Any) -> Any:
    """By the real parts, and by the imaginary ones where those are equal.

    Unlike scalars, the ufuncs ask first whether a part is NaN.
    """
    real, other = np.real(x1), np.real(x2)
    strictly = np.less if ufunc in _LESS else np.greater
    return np.where(np.equal(real, other), ufunc(np.imag(x1), np.imag(x2)), strictly(real, other))[()]


def _unary(ufunc: Any) -> Callable[..., Any]:
    def decomposition(x: Any, /) -> Any:
        """The ufunc."""
        return ufunc(x)

    return decomposition


for _name in BINARY:
    register_decomposition(f"np.scalar_{_name}")(_binary(getattr(np, _name)))
for _name in UNARY:
    register_decomposition(f"np.scalar_{_name}")(_unary(getattr(np, _name)))
