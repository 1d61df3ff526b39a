"""Kernels of SciPy's functions that may compute in the memory of their arguments: they get copies
of these with the same layout, so that results have the bits of eager execution.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import OVERWRITES

_MODULES = {
    "distance": "spatial.distance", "hierarchy": "cluster.hierarchy", "grid": "interpolate._rgi_cython",
    "peaks": "signal._peak_finding_utils",
    "spline": "interpolate._fitpack_impl",
    "rotation": "spatial.transform._rotation_cy",
}  # fmt: skip
"""The modules of functions whose operators are not named after their module."""


def __getattr__(name: str) -> Callable[..., Any]:
    """The kernel of ``ops.scipy.<name>``."""
    return _kernel(name)


def _kernel(name: str) -> Callable[..., Any]:
    prefix, _, function = name.partition("_")
    try:
        module = importlib.import_module(f"scipy.{_MODULES.get(prefix, prefix)}")
    except ImportError:
        raise AttributeError(name) from None
    return _keeping(getattr(module, function, None) or getattr(module, f"_{function}"))


def peaks_select_by_peak_distance(peaks: Any, priority: Any, distance: Any) -> Any:
    """SciPy's function, which does not check that both arrays have the same length."""
    if len(peaks) != len(priority):
        raise ValueError("each peak needs a priority")
    return _kernel("peaks_select_by_peak_distance")(peaks, priority, distance)


def grid_find_indices(grid: Any, xi: Any) -> Any:
    """SciPy's function, which looks for places in axes whatever these are."""
    if len(grid) != len(xi) or any(axis.ndim != 1 or len(axis) == 0 or np.isnan(axis).any() for axis in grid):
        raise ValueError("each axis of the places needs one of the grid, of numbers")
    return _kernel("grid_find_indices")(grid, xi)


def optimize_nnls(A: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    """SciPy's function, which of matrices without rows reads what is not an array, and of those
    without columns ends the process in some versions.
    """
    if A.ndim == 2 and b.ndim == 1 and 0 in A.shape:
        if A.shape[0] != len(b) or A.shape[1] > 0:
            raise ValueError(f"least squares of a matrix of shape {A.shape} and {len(b)} values are nothing")
        return np.empty(0), np.linalg.norm(b)
    return _kernel("optimize_nnls")(A, b, *args, **kwargs)


def rotation_compose_quat(p: Any, q: Any) -> Any:
    """SciPy's function, which returns a memoryview in some versions."""
    return np.asarray(_kernel("rotation_compose_quat")(p, q))


def _keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which leaves its arguments as they are, and takes constants, which are
    read-only here and not in eager execution.
    """

    @functools.wraps(function)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        overwritten = [name.removeprefix(OVERWRITES) for name in kwargs if name.startswith(OVERWRITES) and kwargs[name]]
        call = _signature(function).bind(*args, **kwargs)
        for name in overwritten:
            if isinstance(call.arguments.get(name), np.ndarray):
                call.arguments[name] = np.array(call.arguments[name], order="K")
        try:
            return function(*call.args, **call.kwargs)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
        _make_writeable(call)
        return function(*call.args, **call.kwargs)

    return kernel


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _make_writeable(call: inspect.BoundArguments) -> None:
    for name, value in call.arguments.items():
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            call.arguments[name] = np.array(value, order="K")
