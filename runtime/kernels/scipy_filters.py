"""Kernels of the compiled filters of SciPy, which fill an array that is allocated here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.scipy_filters import FILTERS, GRIDS, POLYNOMIALS


def _owned(arg: Any) -> Any:
    """An array as Cython takes it: no constant, and without gaps in memory."""
    if isinstance(arg, tuple):
        return tuple(map(_owned, arg))
    return np.require(arg, requirements=["C", "W"]) if isinstance(arg, np.ndarray) else arg


def _filling(module: str, function: str, place: int) -> Callable[..., Any]:
    def kernel(*args: Any) -> Any:
        *given, shape, dtype = args
        if module in (POLYNOMIALS, GRIDS):
            given = [_owned(arg) for arg in given]
        output = np.zeros(shape, dtype)
        getattr(importlib.import_module(module), function)(*given[:place], output, *given[place:])
        return output

    return kernel


globals().update({name: _filling(module, function, names.split().index("output")) for name, (module, function, names) in FILTERS.items()})


def linear_filter(*args: Any) -> Any:
    return importlib.import_module("scipy.signal._sigtools")._linear_filter(*args)
