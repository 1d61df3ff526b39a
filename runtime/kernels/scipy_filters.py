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

from npexport.ir.scipy_filters import CHECKED, FILTERS, GRIDS, POLYNOMIALS, RANKS
from npexport.runtime.array_types import Array

_MODES = range(7)
_ORDERS = range(2, 6)
_MOST = 1 << 40
"""The largest size of a filter: C counts its bytes in 64 bits."""
_INT = 1 << 31
_FAR, _MOST_NEIGHBOURS = 1 << 40, 1 << 26
"""How far from an array it is interpolated, where C counts how often it is repeated until there;
and how many elements each point is interpolated from.
"""
_GRID_CONSTANT, _ANYWHERE = 6, (0, 4)
"""Modes: what has no value for NaN, and those in which C looks at no element that is far away."""


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


def _interpolates(input: Array, mode: Any, order: Any, shape: tuple[int, ...], pad: Any) -> None:
    """Whether there is something to interpolate, and C can count its neighbours."""
    _require(index(mode) in _MODES and 0 <= index(order) < 6 and 0 <= index(pad) < _FAR)
    _require(input.ndim > 0 and len(shape) > 0 and (index(order) + 1) ** input.ndim < _MOST_NEIGHBOURS)
    _require(0 not in input.shape or 0 in shape)


def _near(mode: Any, places: Array) -> bool:
    """Whether C can bring all places back into an array that goes on in this way."""
    near = (places < _FAR) & (places > -_FAR)
    return mode in _ANYWHERE or bool((near if mode == _GRID_CONSTANT else near | np.isnan(places)).all())


def _transformed(
    shape: tuple[int, ...], input: Array, mapping: Any, coordinates: Any, matrix: Any, offset: Any, *rest: Any
) -> tuple[Any, ...]:
    order, mode, _, pad, arguments, keywords = rest
    _interpolates(input, mode, order, shape, pad)
    _require(mapping is None and not arguments and not keywords and (coordinates is None) is not (matrix is None))
    if coordinates is not None:
        _require(coordinates.dtype.kind in "biuf" and coordinates.shape == (input.ndim, *shape) and _near(index(mode), coordinates))
        return input, None, coordinates, None, None, *rest
    matrix, offset = _vector(matrix, (input.ndim, len(shape))), _vector(offset, (input.ndim,))
    with np.errstate(all="ignore"):
        _require(_near(index(mode), np.abs(matrix) @ np.array(shape, float) + np.abs(offset)))
    return input, None, None, matrix, offset, *rest


def _vector(given: Any, shape: tuple[int, ...]) -> Array:
    found = np.require(given, np.float64, ["C", "A"])
    _require(found.shape == shape)
    return found


def _zoomed(shape: tuple[int, ...], input: Array, zoom: Any, shift: Any, *rest: Any) -> tuple[Any, ...]:
    order, mode, _, pad, _ = rest
    _interpolates(input, mode, order, shape, pad)
    _require(len(shape) == input.ndim)
    zoom, shift = [None if each is None else _vector(each, (input.ndim,)) for each in (zoom, shift)]
    with np.errstate(all="ignore"):
        reach = np.array(shape, float) + pad + 1 + (0 if shift is None else np.abs(shift))
        _require(_near(index(mode), reach * (1 if zoom is None else np.abs(zoom)) + 1))
    return input, zoom, shift, *rest


def _ranked_line(shape: tuple[int, ...], input: Array, rank: Any, size: Any, *rest: Any) -> tuple[Any, ...]:
    mode, cval, origin = rest
    _require(input.ndim == 1 and shape == input.shape and len(input) < _INT and index(mode) in range(5))
    _require(index(size) < _INT // 8 and _reaches(index(size), origin) and 0 < index(rank) < index(size) - 1)
    _require(input.dtype.char in "fd" or input.dtype == np.int64)
    input.dtype.type(cval)
    return input, rank, size, *rest


def _correlated(shape: tuple[int, ...], input: Array, kernel: Array, mode: Any) -> tuple[Any, ...]:
    _require(index(mode) in range(3) and input.ndim == kernel.ndim == len(shape) > 0 and kernel.size > 0)
    inside = tuple([size - other + 1 for size, other in zip(input.shape, kernel.shape, strict=True)])
    _require(shape == (input.shape if mode == 2 else inside) and min(inside) > 0)
    return input, kernel, mode


def _between(shape: tuple[int, ...], values: Array, indices: Array, distances: Array, grid: Any) -> tuple[Any, ...]:
    _require(isinstance(grid, tuple) and [axis.ndim for axis in grid] == [1, 1] and values.shape == tuple(map(len, grid)))
    _require(len(shape) == 1 and indices.shape == distances.shape == (2, *shape) and values.size > 0)
    for row, size in zip(indices, values.shape, strict=True):
        _require(size == 1 or not row.size or (bool(row.min() >= -1) and bool(row.max() < size - 1)))
    return values, indices, distances, grid


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
where they do not fit. What they fill has the shape of the input.
"""
_SHAPED: dict[str, Callable[..., tuple[Any, ...]]] = {
    "geometric_transform": _transformed,
    "zoom_shift": _zoomed,
    "rank_filter1d": _ranked_line,
    "correlate_nd": _correlated,
    "grid_evaluate_linear": _between,
}
"""The same of those that fill an array of a shape of its own, which comes first."""


def _filling(name: str) -> Callable[..., Any]:
    module, function, names = FILTERS[name]
    place, fitting, shaped = names.split().index("output"), _FITTING.get(name), _SHAPED.get(name)

    def kernel(*args: Any) -> Any:
        *given, shape, dtype = args
        if fitting is not None:
            given = [*fitting(*given)]
            _require(tuple(shape) == given[0].shape)
        if shaped is not None:
            given = [*shaped(tuple(shape), *given)]
        if module in (POLYNOMIALS, GRIDS):
            given = [_owned(arg) for arg in given]
        output = np.zeros(shape, dtype)
        getattr(importlib.import_module(module), function)(*given[:place], output, *given[place:])
        return output

    return kernel


if _FITTING.keys() | _SHAPED.keys() != CHECKED:
    raise AssertionError("the filters that files may hold are those whose arguments are tested")
globals().update({name: _filling(name) for name in FILTERS})


def rank_filter1d(*args: Any) -> Any:
    """A filter along a line, whose C goes beyond its ends where the filter is longer than it: there
    is memory.
    """
    (*given, shape, dtype), room = args, 4 * max(index(args[2]), 1) + 8
    input, *rest = _ranked_line(tuple(shape), *given)
    _require(dtype == input.dtype)
    line, output = [np.zeros(len(input) + 2 * room, dtype)[room : room + len(input)] for _ in range(2)]
    line[...] = input
    importlib.import_module(RANKS).rank_filter(line, *rest[:2], output, *rest[2:])
    return output.copy()


def linear_filter(b: Array, a: Array, *args: Any) -> Any:
    _require(b.ndim == a.ndim == 1 and len(b) > 0 and len(a) > 0)
    return importlib.import_module("scipy.signal._sigtools")._linear_filter(b, a, *args)
