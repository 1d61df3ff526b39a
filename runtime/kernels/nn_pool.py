"""Pooling as element-wise sums and maxima of shifted, strided views, one axis after the other."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from npexport.ir.decompositions.windows import under
from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_pool import window_count


def _geometry(x: Any, rank: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any) -> Any:
    kernel = per_axis(kernel_size, rank, "pool", "kernel_size")
    steps = per_axis(kernel_size if stride is None else stride, rank, "pool", "stride")
    widths = per_axis(padding, rank, "pool", "padding")
    spread = per_axis(dilation, rank, "pool", "dilation")
    sizes = [window_count(x.shape[a - rank], kernel[a], steps[a], widths[a], spread[a], ceil_mode) for a in range(rank)]
    return kernel, steps, widths, spread, sizes


def _padded(x: Any, fill: Any, kernel: Any, steps: Any, widths: Any, spread: Any, sizes: Any) -> Any:
    """``x`` padded with ``fill`` as far as the last windows reach."""
    rank = len(kernel)
    spans = [max((sizes[a] - 1) * steps[a] + spread[a] * (kernel[a] - 1) + 1, x.shape[a - rank] + widths[a]) for a in range(rank)]
    if tuple(spans) == x.shape[-rank:]:
        return x
    padded: Any = np.full((*x.shape[:-rank], *spans), fill, x.dtype)
    padded[(..., *[slice(width, width + size) for width, size in zip(widths, x.shape[-rank:], strict=True)])] = x
    return padded


def _along_each_axis(combine: Any, padded: Any, kernel: Any, steps: Any, spread: Any, sizes: Any) -> Any:
    """``combine`` over each window: a rectangle is reduced one axis after the other."""
    rank = len(kernel)
    for axis in range(rank):
        one, trailing = slice(axis, axis + 1), (slice(None),) * (rank - 1 - axis)
        views = [padded[(*under((position,), sizes[one], steps[one], spread[one]), *trailing)] for position in range(kernel[axis])]
        padded = views[0].copy()
        for view in views[1:]:
            combine(padded, view, out=padded)
    return padded


def _max_pool(
    rank: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False
) -> Any:
    """The greatest element of each window over the last ``rank`` axes."""
    kernel, steps, widths, spread, sizes = _geometry(input, rank, kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if input.dtype.kind in "fc" else np.iinfo(input.dtype).min
    padded = _padded(input, lowest, kernel, steps, widths, spread, sizes)
    return _along_each_axis(np.maximum, padded, kernel, steps, spread, sizes)


def _avg_pool(
    rank: Any,
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: Any = False,
    count_include_pad: Any = True,
    divisor_override: Any = None,
) -> Any:
    """The mean of each window over the last ``rank`` axes; what lies beyond the padding is never
    counted.
    """
    kernel, steps, widths, spread, sizes = _geometry(input, rank, kernel_size, stride, padding, 1, ceil_mode)
    padded = _padded(input, 0, kernel, steps, widths, spread, sizes)
    out = _along_each_axis(np.add, padded, kernel, steps, (1,) * rank, sizes)
    if divisor_override is not None:
        out /= divisor_override
        return out
    for axis in range(rank):
        size, width = input.shape[axis - rank], widths[axis]
        starts = np.arange(sizes[axis]) * steps[axis] - width
        low, high = (-width, size + width) if count_include_pad else (0, size)
        counts = np.minimum(starts + kernel[axis], high) - np.maximum(starts, low)
        out /= counts.astype(out.dtype).reshape(-1, *(1,) * (rank - 1 - axis))
    return out


def _max_pool_with_indices(
    rank: Any, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False
) -> Any:
    """``_max_pool``, and where the elements stand; of equal ones the first, of several NaN the
    last, as in torch.
    """
    kernel, steps, widths, spread, sizes = _geometry(input, rank, kernel_size, stride, padding, dilation, ceil_mode)
    spatial = input.shape[-rank:]
    lowest = -np.inf if input.dtype.kind in "fc" else np.iinfo(input.dtype).min
    padded = _padded(input, lowest, kernel, steps, widths, spread, sizes)
    places = _padded(np.arange(math.prod(spatial)).reshape(spatial), -1, kernel, steps, widths, spread, sizes)
    greatest = np.full((*input.shape[:-rank], *sizes), lowest, input.dtype)
    indices = np.full(greatest.shape, -1)
    for offset in np.ndindex(*kernel):
        index = under(offset, sizes, steps, spread)
        values, here = padded[index], places[index]
        better = (values > greatest) | (values != values) | ((indices < 0) & (here >= 0))
        np.copyto(greatest, values, where=better)
        np.copyto(indices, here, where=better)
    return greatest, indices


def _bounds(size: Any, wanted: Any) -> Any:
    """Where the windows of an adaptive pool begin and end."""
    return [(i * size // wanted, -(-(i + 1) * size // wanted)) for i in range(wanted)]


def _adaptive_pool(rank: Any, reduce: Any, input: Any, output_size: Any) -> Any:
    x = input
    for axis, wanted in enumerate(per_axis(output_size, rank, "adaptive_pool", "output_size"), start=x.ndim - rank):
        if wanted is None or wanted == x.shape[axis]:
            continue
        out: Any = np.empty((*x.shape[:axis], wanted, *x.shape[axis + 1 :]), x.dtype)
        lead: tuple[Any, ...] = (slice(None),) * axis
        for i, (start, stop) in enumerate(_bounds(x.shape[axis], wanted)):
            reduce(x[(*lead, slice(start, stop))], axis=axis, out=out[(*lead, i)])
        x = out
    return x.copy() if x is input else x


def _adaptive_max_pool_with_indices(rank: Any, input: Any, output_size: Any) -> Any:
    spatial = input.shape[-rank:]
    wanted = [
        size if want is None else want for size, want in zip(spatial, per_axis(output_size, rank, "pool", "output_size"), strict=True)
    ]
    places = np.arange(math.prod(spatial)).reshape(spatial)
    greatest = np.empty((*input.shape[:-rank], *wanted), input.dtype)
    indices = np.empty(greatest.shape, np.int64)
    bounds = [_bounds(size, want) for size, want in zip(spatial, wanted, strict=True)]
    for position in np.ndindex(*wanted):
        part = tuple(slice(*bounds[axis][i]) for axis, i in enumerate(position))
        values = input[(..., *part)].reshape(*input.shape[:-rank], places[part].size)
        first = values.argmax(axis=-1)
        greatest[(..., *position)] = np.take_along_axis(values, first[..., None], -1)[..., 0]
        indices[(..., *position)] = places[part].reshape(-1)[first]
    return greatest, indices


RANKS = (1, 2, 3)
max_pool1d, max_pool2d, max_pool3d = (partial(_max_pool, rank) for rank in RANKS)
avg_pool1d, avg_pool2d, avg_pool3d = (partial(_avg_pool, rank) for rank in RANKS)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = (partial(_adaptive_pool, rank, np.mean) for rank in RANKS)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = (partial(_adaptive_pool, rank, np.max) for rank in RANKS)
max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = (partial(_max_pool_with_indices, rank) for rank in RANKS)
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = (
    partial(_adaptive_max_pool_with_indices, rank) for rank in RANKS
)
