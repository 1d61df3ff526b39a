"""Pooling as element-wise sums and maxima of shifted, strided views, one axis after the other."""

from __future__ import annotations

from functools import partial

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_pool import window_count
from npexport.runtime.kernels.nn_conv import window


def _geometry(x, rank, kernel_size, stride, padding, dilation, ceil_mode):
    kernel = per_axis(kernel_size, rank, "pool", "kernel_size")
    steps = per_axis(kernel_size if stride is None else stride, rank, "pool", "stride")
    widths = per_axis(padding, rank, "pool", "padding")
    spread = per_axis(dilation, rank, "pool", "dilation")
    sizes = [window_count(x.shape[a - rank], kernel[a], steps[a], widths[a], spread[a], ceil_mode) for a in range(rank)]
    return kernel, steps, widths, spread, sizes


def _padded(x, fill, kernel, steps, widths, spread, sizes):
    """``x`` within as much of ``fill`` as the last windows reach."""
    rank = len(kernel)
    spans = [max((sizes[a] - 1) * steps[a] + spread[a] * (kernel[a] - 1) + 1, x.shape[a - rank] + widths[a]) for a in range(rank)]
    if tuple(spans) == x.shape[-rank:]:
        return x
    padded = np.full((*x.shape[:-rank], *spans), fill, x.dtype)
    padded[(..., *[slice(width, width + size) for width, size in zip(widths, x.shape[-rank:], strict=True)])] = x
    return padded


def _along_each_axis(combine, padded, kernel, steps, spread, sizes):
    """``combine`` over each window: a rectangle is reduced one axis after the other."""
    rank = len(kernel)
    for axis in range(rank):
        one, trailing = slice(axis, axis + 1), (slice(None),) * (rank - 1 - axis)
        views = [padded[(*window((position,), sizes[one], steps[one], spread[one]), *trailing)] for position in range(kernel[axis])]
        padded = views[0].copy()
        for view in views[1:]:
            combine(padded, view, out=padded)
    return padded


def _max_pool(rank, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The greatest element of each window over the last ``rank`` axes."""
    kernel, steps, widths, spread, sizes = _geometry(input, rank, kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if input.dtype.kind in "fc" else np.iinfo(input.dtype).min
    padded = _padded(input, lowest, kernel, steps, widths, spread, sizes)
    return _along_each_axis(np.maximum, padded, kernel, steps, spread, sizes)


def _avg_pool(rank, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """The mean of each window over the last ``rank`` axes; what lies beyond the padding is never counted."""
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


def _adaptive(x, rank, output_size, reduce):
    for axis, wanted in enumerate(per_axis(output_size, rank, "adaptive_pool", "output_size"), start=x.ndim - rank):
        if wanted is None or wanted == x.shape[axis]:
            continue
        size = x.shape[axis]
        out = np.empty((*x.shape[:axis], wanted, *x.shape[axis + 1 :]), x.dtype)
        for i in range(wanted):
            lead = (slice(None),) * axis
            reduce(x[(*lead, slice(i * size // wanted, -(-(i + 1) * size // wanted)))], axis=axis, out=out[(*lead, i)])
        x = out
    return x


def _adaptive_pool(rank, reduce, input, output_size):
    out = _adaptive(input, rank, output_size, reduce)
    return out.copy() if out is input else out


max_pool1d, max_pool2d, max_pool3d = (partial(_max_pool, rank) for rank in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (partial(_avg_pool, rank) for rank in (1, 2, 3))
adaptive_avg_pool1d, adaptive_avg_pool2d = (partial(_adaptive_pool, rank, np.mean) for rank in (1, 2))
adaptive_max_pool1d, adaptive_max_pool2d = (partial(_adaptive_pool, rank, np.max) for rank in (1, 2))
