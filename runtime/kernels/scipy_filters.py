"""Kernels of the compiled filters of SciPy, which fill an array that is allocated here.

What SciPy's Python tests before it calls this C is tested here again: a file may hold other
arguments. C reads and writes beside arrays where they do not fit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from npexport.ir.scipy_filters import CHECKED, FILTERS, GRIDS, POLYNOMIALS
from npexport.runtime.array_types import Array

_MODES = range(7)
_ORDERS = range(2, 6)
_MOST = 1 << 40
"""The largest size of a filter: C counts its bytes in 64 bits."""


def _owned(arg: Any) -> Any:
    """An array as Cython takes it: no constant, and without gaps in memory."""
    if isinstance(arg, tuple):
        return tuple(map(_owned, arg))
    return np.require(arg, requirements=["C", "W"]) if isinstance(arg, np.ndarray) else arg


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("the arguments of a filter of SciPy do not fit each other")


def _reaches(size: int, origin: Any) -> bool:
    """Whether a filter of this size has its origin within itself."""
    return 0 < size < _MOST and 0 <= size // 2 + index(origin) < size


def _require_line(input: Array, axis: Any, mode: Any) -> None:
    _require(0 <= index(axis) < input.ndim and index(mode) in _MODES)


def _require_window(input: Array, window: Array, mode: Any, origins: Sequence[Any]) -> None:
    _require(window.ndim == input.ndim == len(origins) and index(mode) in _MODES)
    _require(all(map(_reaches, window.shape, origins)))


def _weighted_line(input: Array, weights: Array, axis: Any, mode: Any, cval: Any, origin: Any) -> tuple[Any, ...]:
    weights = np.require(weights, np.float64, ["C", "A"])
    _require_line(input, axis, mode)
    _require(weights.ndim == 1 and _reaches(len(weights), origin))
    return input, weights, axis, mode, cval, origin


def _weighted(input: Array, weights: Array, mode: Any, cval: Any, origins: Any) -> tuple[Any, ...]:
    weights = np.require(weights, np.float64, ["C", "A"])
    _require_window(input, weights, mode, origins)
    return input, weights, mode, cval, origins


def _sized_line(input: Array, size: Any, axis: Any, mode: Any, cval: Any, origin: Any, *minimum: Any) -> tuple[Any, ...]:
    _require_line(input, axis, mode)
    _require(_reaches(index(size), origin))
    return input, size, axis, mode, cval, origin, *minimum


def _extremes(input: Array, footprint: Array, structure: Any, mode: Any, cval: Any, origins: Any, minimum: Any) -> tuple[Any, ...]:
    footprint = np.require(footprint, np.bool_, ["C", "A"])
    _require_window(input, footprint, mode, origins)
    _require(bool(footprint.any()))
    if structure is not None:
        structure = np.require(structure, np.float64, ["C", "A"])
        _require(bool(structure.shape == footprint.shape))
    return input, footprint, structure, mode, cval, origins, minimum


def _ranked(input: Array, rank: Any, footprint: Array, mode: Any, cval: Any, origins: Any) -> tuple[Any, ...]:
    footprint = np.require(footprint, np.bool_, ["C", "A"])
    _require_window(input, footprint, mode, origins)
    _require(0 <= index(rank) < int(np.count_nonzero(footprint)))
    return input, rank, footprint, mode, cval, origins


def _splined(input: Array, order: Any, axis: Any, mode: Any) -> tuple[Any, ...]:
    _require_line(input, axis, mode)
    _require(index(order) in _ORDERS)
    return input, order, axis, mode


_FITTING: dict[str, Callable[..., tuple[Any, ...]]] = {
    "correlate1d": _weighted_line,
    "correlate": _weighted,
    "uniform_filter1d": _sized_line,
    "min_or_max_filter1d": _sized_line,
    "min_or_max_filter": _extremes,
    "rank_filter": _ranked,
    "spline_filter1d": _splined,
}
"""The arguments without the output, as C takes them. Each raises ``ValueError`` or ``TypeError``
where they do not fit.
"""


def _filling(name: str) -> Callable[..., Any]:
    module, function, names = FILTERS[name]
    place, fitting = names.split().index("output"), _FITTING.get(name)

    def kernel(*args: Any) -> Any:
        *given, shape, dtype = args
        if fitting is not None:
            given = [*fitting(*given)]
            _require(tuple(shape) == given[0].shape)
        if module in (POLYNOMIALS, GRIDS):
            given = [_owned(arg) for arg in given]
        output = np.zeros(shape, dtype)
        getattr(importlib.import_module(module), function)(*given[:place], output, *given[place:])
        return output

    return kernel


if _FITTING.keys() != CHECKED:
    raise AssertionError("the filters that files may hold are those whose arguments are tested")
globals().update({name: _filling(name) for name in FILTERS})


def linear_filter(b: Array, a: Array, *args: Any) -> Any:
    _require(b.ndim == a.ndim == 1 and len(b) > 0 and len(a) > 0)
    return importlib.import_module("scipy.signal._sigtools")._linear_filter(b, a, *args)
