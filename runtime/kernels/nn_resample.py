"""Resampling: each axis of a resized image is a short sum of taken elements; a grid is read corner
by corner.
"""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.runtime.array_types import Array


def interpolate(
    input: Array, size: Any, mode: str = "nearest", align_corners: Any = False, scales: Any = None, antialias: Any = False
) -> Array:
    return interpolated(input, size, mode, align_corners, scales, antialias)


def interpolated(input: Array, size: Any, mode: str, align_corners: Any, scales: Any, antialias: Any) -> Array:
    """The steps of the kernel, which is itself the operator where a program is traced; its
    decomposition.
    """
    rank = input.ndim - 2
    sizes = per_axis(size, rank, "interpolate", "size")
    given = per_axis(scales, rank, "interpolate", "scales")
    work = input.astype(np.float32) if input.dtype == np.float16 else input
    for axis, wanted, scale in zip(range(2, input.ndim), sizes, given, strict=True):
        if mode.startswith("nearest"):
            decides = work.dtype if work.dtype == np.float64 else np.dtype(np.float32)
            work = work.take(_nearest(work.shape[axis], wanted, scale, mode == "nearest-exact", decides), axis)
        else:
            taps = _antialiased if antialias else _cubic if mode == "bicubic" else _linear
            step = _step(work.shape[axis], wanted, align_corners, scale)
            positions, weights = taps(work.shape[axis], np.arange(wanted), step, align_corners, mode)
            work = _weighted(work, axis, positions, weights.astype(work.dtype))
    return work.astype(input.dtype, copy=False) if work is not input else input.copy()


def _weighted(x: Any, axis: Any, positions: Any, weights: Any) -> Any:
    """``sum(weights[k] * x.take(positions[k], axis))``."""
    trailing = (1,) * (x.ndim - 1 - axis)
    total = None
    for taken, weight in zip(positions, weights, strict=True):
        part = x.take(taken, axis)
        part *= weight.reshape(-1, *trailing)
        total = part if total is None else np.add(total, part, out=total)
    return total


def _step(size: Any, wanted: Any, align_corners: Any, scale: Any) -> Any:
    """The distance in the input between neighbouring elements of the result."""
    if align_corners:
        return (size - 1) / (wanted - 1) if wanted > 1 else 0.0
    return 1 / scale if scale else size / wanted


def _centers(at: Any, step: Any, align_corners: Any) -> Any:
    return at * step if align_corners else (at + 0.5) * step - 0.5


def _nearest(size: Any, wanted: Any, scale: Any, exact: Any, dtype: Any) -> Any:
    """Where rounding decides between two neighbours it must be torch's: that of ``dtype`` for each
    step, and of float32 in the end.
    """
    step = np.float64(dtype.type(1 / scale) if scale else dtype.type(size) / dtype.type(wanted))
    where = np.arange(wanted) * step
    if exact:
        where = np.maximum((np.arange(wanted) + 0.5) * step - 0.5, 0).astype(dtype).astype(np.float64) + 0.5
    return np.minimum(np.floor(where.astype(dtype).astype(np.float32)).astype(np.intp), size - 1)


def _linear(size: Any, at: Any, step: Any, align_corners: Any, mode: Any) -> Any:
    where = at if len(at) == size else np.maximum(_centers(at, step, align_corners), 0)  # as it is, whatever the scale
    low = np.minimum(np.floor(where).astype(np.intp), size - 1)
    share = np.clip(where - low, 0, 1)
    return (low, np.minimum(low + 1, size - 1)), np.stack([1 - share, share])


def _cubic(size: Any, at: Any, step: Any, align_corners: Any, mode: Any) -> Any:
    where = _centers(at, step, align_corners)
    first = np.floor(where)
    offsets = np.arange(-1, 3)[:, None]
    positions = np.clip(first.astype(np.intp) + offsets, 0, size - 1)
    return positions, _cubic_weight(np.abs(where - first - offsets), -0.75)


def _cubic_weight(distance: Any, a: Any) -> Any:
    """Keys' convolution kernel at a distance."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance < 1, near, np.where(distance < 2, far, 0))


def _antialiased(size: Any, at: Any, step: Any, align_corners: Any, mode: Any) -> Any:
    """The weights of a window that grows with the step, as in PIL."""
    weight_at, lobes = _FILTERS[mode]
    reach = lobes * max(step, 1.0)
    center = (at + 0.5) * step
    first = np.maximum((center - reach + 0.5).astype(np.intp), 0)
    last = np.minimum((center + reach + 0.5).astype(np.intp), size)
    offsets = np.arange(max(1, int((last - first).max())))[:, None]
    distance = np.abs((first + offsets - center + 0.5) / max(step, 1.0))
    weights = np.where(first + offsets < last, weight_at(distance), 0)
    return np.minimum(first + offsets, size - 1), weights / weights.sum(axis=0)


def _tent(distance: Any) -> Any:
    return np.maximum(1 - distance, 0)


def _lanczos(distance: Any) -> Any:
    return np.where(distance < 3, np.sinc(distance) * np.sinc(distance / 3), 0)


# The weight at a distance from the center, and where it ends.
_FILTERS: dict[str, tuple[Any, float]] = {
    "bilinear": (_tent, 1.0),
    "bicubic": (partial(_cubic_weight, a=-0.5), 2.0),
    "lanczos": (_lanczos, 3.0),
}


def grid_sample(input: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = False) -> Any:
    dtype = np.result_type(input, grid)
    spatial = input.shape[2:]
    where = [_unnormalised(grid[..., -1 - axis].astype(dtype), size, align_corners) for axis, size in enumerate(spatial)]

    def inside(positions: list[Array]) -> Any:
        return [_folded(at, size, padding_mode, align_corners) for at, size in zip(positions, spatial, strict=True)]

    if mode == "nearest":
        return _read(input, [np.rint(at) for at in inside(where)]).astype(dtype, copy=False)
    if mode == "bilinear":
        where = inside(where)
    first = [np.floor(at) for at in where]
    offsets = range(-1, 3) if mode == "bicubic" else range(2)
    total = np.zeros((*input.shape[:2], *grid.shape[1:-1]), dtype)
    for corner in itertools.product(offsets, repeat=len(spatial)):
        at = [low + offset for low, offset in zip(first, corner, strict=True)]
        weight = math.prod(_tap(np.abs(x - position), mode) for x, position in zip(where, at, strict=True))
        total += _read(input, inside(at) if mode == "bicubic" else at) * np.asarray(weight, dtype)[:, None]
    return total


def _tap(distance: Any, mode: Any) -> Any:
    return _cubic_weight(distance, -0.75) if mode == "bicubic" else 1 - distance


def _unnormalised(x: Any, size: Any, align_corners: Any) -> Any:
    """Positions of elements for coordinates from -1 to 1."""
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def _folded(at: Any, size: Any, padding_mode: Any, align_corners: Any) -> Any:
    """Positions beyond the image brought into it, as ``padding_mode`` says."""
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
        if span == 0:
            return np.zeros_like(at)
        away = np.abs(at - low)
        turned = np.fmod(away, span)
        at = np.where(np.floor(away / span) % 2 == 0, turned, span - turned) + low
    return np.clip(at, 0, size - 1)


def _read(image: Any, positions: Any) -> Any:
    """The elements of ``(N, C, ...)`` at whole positions ``(N, ...)``, 0 beyond the image."""
    sizes = image.shape[2:]
    outside = ~np.logical_and.reduce([(at >= 0) & (at <= size - 1) for at, size in zip(positions, sizes, strict=True)])
    kept = [np.where(outside, 0, at).astype(np.intp) for at in positions]
    batch = np.arange(len(image)).reshape(-1, *(1,) * (kept[0].ndim - 1))
    values = np.moveaxis(image[(batch, slice(None), *kept)], -1, 1)
    return np.where(outside[:, None], np.zeros((), image.dtype), values)
