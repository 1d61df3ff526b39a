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
_ORDERS = (np.less, np.less_equal, np.greater, np.greater_equal)
UNARY = ("negative", "positive", "absolute", "invert")


def _binary(ufunc: Any) -> Callable[..., Any]:
    def decomposition(x1: Any, x2: Any, /) -> Any:
        """The ufunc."""
        if ufunc in _ORDERS and any(x.dtype.char == "G" for x in (x1, x2) if hasattr(x, "dtype")):
            raise NotImplementedError  # scalars of complex long doubles order NaN differently
        return ufunc(x1, x2)

    return decomposition


def _unary(ufunc: Any) -> Callable[..., Any]:
    def decomposition(x: Any, /) -> Any:
        """The ufunc."""
        return ufunc(x)

    return decomposition


for _name in BINARY:
    register_decomposition(f"np.scalar_{_name}")(_binary(getattr(np, _name)))
for _name in UNARY:
    register_decomposition(f"np.scalar_{_name}")(_unary(getattr(np, _name)))
