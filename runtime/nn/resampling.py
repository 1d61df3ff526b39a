"""Images enlarged, reduced, padded, read along a grid, and rearranged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.ir.ops.nn_base import per_axis
from npexport.runtime.array_types import Array, Sizes
from npexport.runtime.nn.windows import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def interpolate(
    input: Array,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Array:
    """``(N, C, ...)`` with spatial axes of the sizes ``size``, or ``scale_factor`` times as long
    (rounded down).

    ``mode`` is ``"nearest"``, ``"nearest-exact"``, ``"area"``, ``"linear"`` (3D input),
    ``"bilinear"`` or ``"bicubic"`` (4D), ``"lanczos"`` (4D, with ``antialias``) or ``"trilinear"``
    (5D). Raises ``ValueError`` for a mode that is unknown or not for such input, and unless one of
    ``size`` and ``scale_factor`` is given, not both.

    ``align_corners``: whether the corner elements of input and result are aligned;
    ``recompute_scale_factor``: as in torch: recompute the factor from the sizes. As
    ``torch.nn.functional.interpolate``.

    >>> interpolate(np.zeros((1, 3, 4, 4)), scale_factor=2).shape
    (1, 3, 8, 8)
    """
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(f"interpolate: align_corners is for the modes that interpolate, not {mode!r}")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give either size or scale_factor")
    if input.ndim not in _AREA:
        raise ValueError(f"interpolate: input must have 3, 4 or 5 dimensions, got shape {input.shape}")
    rank, scales = input.ndim - 2, None
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("interpolate: recompute_scale_factor is meaningless where size is given")
        sizes = _exactly(size, rank, "size")
    else:
        factors = _exactly(scale_factor, rank, "scale_factor")
        sizes = tuple([_times(length, factor) for length, factor in zip(input.shape[2:], factors, strict=True)])
        scales = None if recompute_scale_factor else tuple([float(factor) for factor in factors])
    if mode == "area":
        return _AREA[input.ndim](input, sizes)
    return ops.interpolate(input, sizes, mode, bool(align_corners), scales, antialias)


def _exactly(value: Any, rank: Any, name: Any) -> Any:
    """``value`` once for each axis; unlike kernels, no sequence of one stands for all."""
    if isinstance(value, (tuple, list)) and len(value) != rank:
        raise ValueError(f"interpolate: {name} must be one number or {rank}, got {tuple(value)}")
    return per_axis(value, rank, "interpolate", name)


def _times(size: Any, factor: Any) -> Any:
    """``floor(size * factor)``, without leaving the integers where ``factor`` is one."""
    whole = int(factor)
    return size * whole if whole == factor else math.floor(size * factor)


def upsample(
    input: Array,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Array:
    """``interpolate``.

    ``input``: the array; ``size``: the sizes of the spatial axes; ``scale_factor``: how many
    times as large, for all axes or for each; ``mode``: the method, by its name in torch;
    ``align_corners``: whether the corner elements of input and result are aligned. As
    ``torch.nn.functional.upsample``.

    >>> upsample(np.zeros((1, 3, 4, 4)), scale_factor=2).shape
    (1, 3, 8, 8)
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Array, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None) -> Array:
    """``interpolate`` with the nearest element.

    ``input``: the array; ``size``: the sizes of the spatial axes; ``scale_factor``: how many
    times as large, for all axes or for each. As ``torch.nn.functional.upsample_nearest``.

    >>> upsample_nearest(np.zeros((1, 3, 4, 4)), scale_factor=2).shape
    (1, 3, 8, 8)
    """
    return interpolate(input, size, scale_factor)


def upsample_bilinear(input: Array, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None) -> Array:
    """``interpolate`` with ``mode="bilinear"``, corners on corners.

    ``input``: the array; ``size``: the sizes of the spatial axes; ``scale_factor``: how many
    times as large, for all axes or for each. As ``torch.nn.functional.upsample_bilinear``.

    >>> upsample_bilinear(np.zeros((1, 3, 4, 4)), scale_factor=2).shape
    (1, 3, 8, 8)
    """
    return interpolate(input, size, scale_factor, "bilinear", True)


def grid_sample(input: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Array:
    """``input`` ``(N, C, ...)`` read at the positions ``grid`` ``(N, ..., 2 or 3)``: x first, from
    -1 to 1 across the image.

    ``mode``: the method, by its name in torch; ``padding_mode``: what to read beyond the edges,
    ``"zeros"`` by default; ``align_corners``: whether the corner elements of input and result are
    aligned. As ``torch.nn.functional.grid_sample``; Jaderberg et al., arXiv:1506.02025.

    >>> grid_sample(np.zeros((1, 3, 4, 4)), np.zeros((1, 2, 5, 2)), align_corners=False).shape
    (1, 3, 2, 5)
    """
    return ops.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


def affine_grid(theta: Array, size: Sequence[int], align_corners: bool | None = None) -> Array:
    """The grid for ``grid_sample`` that ``theta`` ``(N, 2, 3)`` or ``(N, 3, 4)`` maps an image of
    shape ``size`` from.

    ``align_corners``: whether the corner elements of input and result are aligned. As
    ``torch.nn.functional.affine_grid``; Jaderberg et al., arXiv:1506.02025.

    >>> affine_grid(np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 3, 4, 5), align_corners=False).shape
    (1, 4, 5, 2)
    """
    rank = len(size) - 2
    if rank not in (2, 3) or theta.ndim != 3 or theta.shape[1:] != (rank, rank + 1):
        raise ValueError(f"affine_grid: theta must be (N, 2, 3) for 4 sizes or (N, 3, 4) for 5, got {theta.shape} for {tuple(size)}")
    axes = [_coordinates(length, align_corners, theta.dtype) for length in size[2:]]
    mesh = np.meshgrid(*axes, indexing="ij")
    points = np.stack([*mesh[::-1], np.ones_like(mesh[0])], axis=-1)
    flat = np.matmul(points.reshape(-1, rank + 1), theta.swapaxes(1, 2))
    return flat.reshape(theta.shape[0], *size[2:], rank)


def _coordinates(length: Any, align_corners: Any, dtype: Any) -> Any:
    """Where the elements of an axis lie between -1 and 1: on the ends with ``align_corners``, else
    half a step within.
    """
    if align_corners:
        steps = np.arange(length) * 2 / max(length - 1, 1) - (1 if length > 1 else 0)
    else:
        steps = (np.arange(length) * 2 + 1) / length - 1
    return steps.astype(dtype)


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
_KEPT = {"reflect": 1, "circular": 0}  # how many elements of an axis cannot be repeated


def pad(input: Array, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Array:
    """Pad the last axes; ``pad`` is ``(before, after)`` of the last axis, then of the one before
    it, and so on; negative widths cut off.

    Raises ``ValueError`` for an unknown mode or a wrong number of widths.

    ``input``: the array; ``mode``: the method, by its name in torch; ``value``: the fill value. As
    ``torch.nn.functional.pad``.

    >>> pad(np.zeros((1, 2, 3)), (1, 2)).shape
    (1, 2, 6)
    """
    if mode not in _PAD_MODES:
        raise ValueError(f"pad: mode must be one of {sorted(_PAD_MODES)}, not {mode!r}")
    if len(pad) % 2 or len(pad) // 2 > input.ndim:
        raise ValueError(f"pad: needs a pair of widths for each of at most {input.ndim} axes, got {tuple(pad)}")
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    added = [(max(a, 0), max(b, 0)) for a, b in widths]
    cuts = [(max(-a, 0), max(-b, 0)) for a, b in widths]
    if mode in ("constant", "circular"):
        input, cuts = _cut(input, cuts), [(0, 0)] * input.ndim
    for size, pair in zip(input.shape, added, strict=True):
        if mode in _KEPT and pair != (0, 0) and max(pair) > size - _KEPT[mode]:
            raise ValueError(f"pad: mode {mode!r} cannot pad an axis of size {size} of input of shape {input.shape} by {max(pair)}")
    options = {"constant_values": 0 if value is None else value} if mode == "constant" else {"mode": _PAD_MODES[mode]}
    return _cut(np.pad(input, added, **options), cuts)


def _cut(input: Any, cuts: Any) -> Any:
    """``input`` without so many elements at either end of each axis."""
    if all(pair == (0, 0) for pair in cuts):
        return input
    return input[tuple([slice(a, size - b) for size, (a, b) in zip(input.shape, cuts, strict=True)])]


def pixel_shuffle(input: Array, upscale_factor: int) -> Array:
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``.

    ``input``: the array; ``upscale_factor``: the factor ``r``. As
    ``torch.nn.functional.pixel_shuffle``; Shi et al., arXiv:1609.05158.

    >>> pixel_shuffle(np.zeros((1, 8, 3, 3)), 2).shape
    (1, 2, 6, 6)
    """
    r = upscale_factor
    *lead, channels, height, width = input.shape
    if channels % (r * r) != 0:
        raise ValueError(f"pixel_shuffle: {channels} channels of input of shape {input.shape} are not a multiple of {r} * {r}")
    split = input.reshape(*lead, channels // (r * r), r, r, height, width)
    order = (*range(len(lead) + 1), -2, -4, -1, -3)
    axes = [axis if axis >= 0 else axis + split.ndim for axis in order]
    return split.transpose(axes).reshape(*lead, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input: Array, downscale_factor: int) -> Array:
    """``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``: the inverse of ``pixel_shuffle``.

    ``input``: the array; ``downscale_factor``: the factor ``r``. As
    ``torch.nn.functional.pixel_unshuffle``.

    >>> pixel_unshuffle(np.zeros((1, 2, 6, 6)), 2).shape
    (1, 8, 3, 3)
    """
    r = downscale_factor
    *lead, channels, height, width = input.shape
    if height % r != 0 or width % r != 0:
        raise ValueError(f"pixel_unshuffle: height and width of input of shape {input.shape} are not multiples of {r}")
    split = input.reshape(*lead, channels, height // r, r, width // r, r)
    n = len(lead)
    axes = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return split.transpose(axes).reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(input: Array, groups: int) -> Array:
    """The channels of ``(N, C, ...)``, dealt out from each of the groups in turn. Raises
    ``ValueError`` where they are not equal groups.

    ``input``: the array. As ``torch.nn.functional.channel_shuffle``; Zhang et al.,
    arXiv:1707.01083.

    >>> channel_shuffle(np.arange(4.0).reshape(1, 4, 1), 2).ravel()
    array([0., 2., 1., 3.])
    """
    batch, channels, *rest = input.shape
    if channels % groups:
        raise ValueError(f"channel_shuffle: {channels} channels are not {groups} equal groups")
    return input.reshape(batch, groups, channels // groups, *rest).swapaxes(1, 2).reshape(batch, channels, *rest)
