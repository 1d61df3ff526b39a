"""Functions that NumPy implements in Python: their own source is the decomposition.

All of them are exact, since the steps are NumPy's.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.numpy_internals import implementation

OWN: dict[Any, tuple[str, ...]] = {
    np: (
        "cross", "expand_dims", "cumulative_prod", "cumulative_sum", "i0", "kron", "mean", "moveaxis", "nan_to_num", "nanargmax",
        "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "outer", "ptp",
        "select", "sinc", "std", "take_along_axis", "tensordot", "tril", "triu", "unique_all",
        "unique_counts", "unique_inverse", "unique_values", "var",
    ),
    np.linalg: ("matrix_power", "pinv", "svdvals"),
    np.lib.stride_tricks: ("sliding_window_view",),
}  # fmt: skip
"""The functions by module."""
DEFAULTS: dict[str, tuple[Any, ...]] = {"take_along_axis": (-1,)}
"""Defaults that older versions of NumPy lack, though calls omit the arguments."""


def source(function: Any) -> Callable[..., Any]:
    """The Python function behind NumPy's dispatch."""
    return implementation(function) or function  # type: ignore[no-any-return]


def _own(name: str, function: Any) -> Callable[..., Any]:
    if name not in DEFAULTS or function.__defaults__:
        return function  # type: ignore[no-any-return]
    return types.FunctionType(function.__code__, function.__globals__, name, DEFAULTS[name], function.__closure__)


for _module, _names in OWN.items():
    for _name in filter(_module.__dict__.__contains__, _names):  # NumPy 2.0 lacks some
        register_decomposition(f"np.{_name}")(_own(_name, source(getattr(_module, _name))))
