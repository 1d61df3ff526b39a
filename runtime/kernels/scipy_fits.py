"""Kernels of the operators of SciPy's splines and densities."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array


def fitted(x: Array, y: Array, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3, s: Any = None) -> tuple[Array, Array]:
    found = importlib.import_module("scipy.interpolate._fitpack_impl").splrep(x, y, w=w, xb=xb, xe=xe, k=k, s=s)
    return found[0], found[1]


def integrated(a: Any, b: Any, t: Array, c: Array, k: int) -> float:
    _require(len(t) >= 2 * k + 2 and len(c) >= len(t) - k - 1)
    return float(importlib.import_module("scipy.interpolate._fitpack_impl").splint(a, b, (t, c, k)))


def evaluated(t: Array, c: Array, k: int, x: Array, nu: int, extrapolate: bool) -> Array:
    _require(0 <= k <= len(t) // 2 - 1 and len(c) >= len(t) - k - 1 and nu >= 0)
    compiled = importlib.import_module("scipy.interpolate._dierckx")
    return np.asarray(compiled.evaluate_spline(*map(np.ascontiguousarray, (t, c)), k, np.ascontiguousarray(x), nu, extrapolate))


def collocated(x: Array, t: Array, k: int, ab: Array, offset: int = 0) -> Array:
    found = np.array(ab, order="C")
    _require(0 <= k <= len(t) // 2 - 1 and found.shape == (len(t) - k - 1, 3 * k + 1) and 0 <= offset <= len(found) - len(x))
    _require(_is_in_bands(x, t, k, offset))
    importlib.import_module("scipy.interpolate._dierckx")._coloc(*map(np.ascontiguousarray, (x, t)), k, found, offset)
    return found


def _is_in_bands(x: Array, t: Array, k: int, offset: int) -> bool:
    """Whether each place lies between knots whose splines stand in the bands of its row: where they
    do not, the compiled code writes beside the array.
    """
    end = len(t) - k - 1
    if not ((t[1:] >= t[:-1]).all() and ((t[k] <= x) & (x <= t[end])).all()):
        return False
    interval = np.clip(np.searchsorted(t, x, "right") - 1, k, end - 1)
    row = np.arange(len(x)) + offset
    return bool(((interval - 2 * k <= row) & (row <= interval)).all())


def _require(fits: bool) -> None:
    """Raise ``ValueError`` if a precondition that the compiled code does not check is violated."""
    if not fits:
        raise ValueError("the knots, the degree and the coefficients of a spline do not fit each other")


def solved_in_bands(kl: int, ku: int, ab: Array, b: Array) -> tuple[Any, ...]:
    solve = importlib.import_module("scipy.linalg.lapack").get_lapack_funcs("gbsv", (ab, b))
    *arrays, info = solve(kl, ku, ab, b)
    return (*map(np.ascontiguousarray, arrays), int(info))


def length(x: Array) -> float:
    return float(importlib.import_module("scipy.linalg.blas").get_blas_funcs("nrm2", (x,))(x))


def estimated(points: Array, values: Array, xi: Array, cho_cov: Array, log: bool = False) -> Array:
    compiled = getattr(importlib.import_module("scipy.stats._stats"), f"gaussian_kernel_estimate{'_log' * log}")["double"]
    given = [x if x.flags.writeable else np.array(x, order="K") for x in (points, values, xi, cho_cov)]
    return np.asarray(compiled(*given, "float64"))
