"""Sampling of images between their elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.op import resolve_kernel
from npexport.ir.ops.nn_base import per_axis
from npexport.symshapes.symint import is_symbolic


@register_decomposition("nn.interpolate")
def interpolate(
    input: Any, size: Any, mode: str = "nearest", align_corners: bool = False, scales: Any = None, antialias: bool = False
) -> Any:
    """Exact: the kernel's own steps, in which elements are taken and weighted. The sizes of images
    are static.
    """
    if any(map(is_symbolic, (*input.shape[2:], *per_axis(size, input.ndim - 2, "interpolate", "size")))):
        raise NotImplementedError
    return resolve_kernel("nn_resample.interpolated")(input, size, mode, align_corners, scales, antialias)


@register_decomposition("nn.grid_sample")
def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False) -> Any:
    """Exact: the image read corner by corner."""
    return sampled(input, grid, mode, padding_mode, align_corners, folded)


def sampled(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: Any, folded: Callable[..., Any]) -> Any:
    """The image read corner by corner; ``folded``: brings positions outside of it into it."""
    dtype = np.result_type(input.dtype, grid.dtype)
    spatial = input.shape[2:]
    where = [_unnormalised(grid[..., -1 - axis].astype(dtype), size, align_corners) for axis, size in enumerate(spatial)]

    def inside(positions: list[Any]) -> list[Any]:
        return [folded(at, size, padding_mode, align_corners) for at, size in zip(positions, spatial, strict=True)]

    if mode == "nearest":
        return _read(input, [np.rint(at) for at in inside(where)]).astype(dtype)
    if mode == "bilinear":
        where = inside(where)
    first = [np.floor(at) for at in where]
    total = np.zeros((*input.shape[:2], *grid.shape[1:-1]), dtype)
    for corner in itertools.product(range(-1, 3) if mode == "bicubic" else range(2), repeat=len(spatial)):
        at = [low + offset for low, offset in zip(first, corner, strict=True)]
        weight = math.prod([_tap(np.abs(x - position), mode) for x, position in zip(where, at, strict=True)])
        total = total + _read(input, inside(at) if mode == "bicubic" else at) * weight.astype(dtype)[:, None]
    return total


def _tap(distance: Any, mode: str) -> Any:
    return cubic_weight(distance, -0.75) if mode == "bicubic" else 1 - distance


def cubic_weight(distance: Any, a: Any) -> Any:
    """Keys' convolution kernel at a distance."""
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance < 1, near, np.where(distance < 2, far, 0))


def _unnormalised(x: Any, size: Any, align_corners: bool) -> Any:
    """The positions of elements that coordinates from -1 to 1 mean."""
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def folded(at: Any, size: Any, padding_mode: str, align_corners: bool) -> Any:
    """Positions outside of the image mapped into it, as ``padding_mode`` says."""
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        low, span = (0.0, size - 1.0) if align_corners else (-0.5, size * 1.0)
        away = np.abs(at - low)
        turned = np.fmod(away, span)
        at = np.where(np.floor(away / span) % 2 == 0, turned, span - turned) + low
        if align_corners:
            at = np.where(np.isnan(at) & (size == 1), np.zeros((), at.dtype), at)
    return np.minimum(np.maximum(at, 0), size - 1)


def _read(image: Any, positions: list[Any]) -> Any:
    """The elements of ``(N, C, ...)`` at integer positions ``(N, ...)``, 0 outside of the image."""
    inside = np.full(positions[0].shape, True)
    for at, size in zip(positions, image.shape[2:], strict=True):
        inside = inside & (at >= 0) & (at <= size - 1)
    kept = [np.where(inside, at, 0).astype(np.intp) for at in positions]
    batch = np.arange(image.shape[0]).reshape(-1, *(1,) * (kept[0].ndim - 1))
    values = np.moveaxis(image[(batch, slice(None), *kept)], -1, 1)
    return np.where(inside[:, None], values, np.zeros((), image.dtype))
