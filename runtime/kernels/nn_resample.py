"""Resampling: each axis of a resized image is a short sum of taken elements; a grid is read corner
by corner.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from npexport.ir.decompositions.nn_resample import cubic_weight, folded, sampled
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
    return positions, cubic_weight(np.abs(where - first - offsets), -0.75)


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
    "bicubic": (partial(cubic_weight, a=-0.5), 2.0),
    "lanczos": (_lanczos, 3.0),
}


def grid_sample(input: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = False) -> Any:
    return sampled(input, grid, mode, padding_mode, align_corners, _folded)


def _folded(at: Any, size: Any, padding_mode: Any, align_corners: Any) -> Any:
    if padding_mode == "reflection" and align_corners and size == 1:
        return np.zeros_like(at)
    return folded(at, size, padding_mode, align_corners)
