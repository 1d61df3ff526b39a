"""Convolution by matrix products over columns (im2col), batch by batch in pieces that stay near the cache."""

from __future__ import annotations

import math

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs

_COLUMN_BYTES = 4 << 20  # larger pieces fall out of the cache, smaller ones lose to call overhead


def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlation over any number of spatial axes; ``input`` may lack its batch axis."""
    rank = weight.ndim - 2
    kernel = weight.shape[2:]
    steps = per_axis(stride, rank, "conv", "stride")
    spread = per_axis(dilation, rank, "conv", "dilation")
    pairs = padding_pairs(padding, kernel, spread, steps, "conv")
    dtype = np.result_type(input, weight) if bias is None else np.result_type(input, weight, bias)
    batched = input if input.ndim == rank + 2 else input[None]
    padded = pad_zeros(batched, pairs, dtype)
    sizes = _positions(padded.shape[2:], kernel, steps, spread)
    depthwise = weight.shape[1] == 1 and weight.shape[0] == groups
    out = (_shifted_sum if depthwise else _columns)(padded, weight.astype(dtype, copy=False), sizes, steps, spread, groups)
    if bias is not None:
        out += bias.reshape(-1, *(1,) * rank)
    return out if input.ndim == rank + 2 else out[0]


def conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transposed convolution: each input element adds its multiple of the kernel to the output."""
    rank = weight.ndim - 2
    kernel = weight.shape[2:]
    steps = per_axis(stride, rank, "conv_transpose", "stride")
    spread = per_axis(dilation, rank, "conv_transpose", "dilation")
    widths = per_axis(padding, rank, "conv_transpose", "padding")
    extra = per_axis(output_padding, rank, "conv_transpose", "output_padding")
    dtype = np.result_type(input, weight) if bias is None else np.result_type(input, weight, bias)
    batched = input if input.ndim == rank + 2 else input[None]
    batch, channels, *sizes = batched.shape
    per_group = weight.shape[1]
    columns = weight.reshape(groups, channels // groups, -1).swapaxes(1, 2).astype(dtype) @ batched.reshape(
        batch, groups, channels // groups, math.prod(sizes)
    ).astype(dtype)
    columns = columns.reshape(batch, groups * per_group, *kernel, *sizes)
    full = [(sizes[a] - 1) * steps[a] + spread[a] * (kernel[a] - 1) + 1 + extra[a] for a in range(rank)]
    out = _overlaid(columns, full, steps, spread, widths)
    out = out + bias.reshape(-1, *(1,) * rank) if bias is not None else np.ascontiguousarray(out)
    return out if input.ndim == rank + 2 else out[0]


def _overlaid(columns, full, steps, spread, widths):
    """The columns ``(N, C, *kernel, *positions)`` summed where they come from on axes of sizes ``full``, less ``widths`` at the ends."""
    batch, channels = columns.shape[:2]
    kernel, sizes = columns.shape[2 : 2 + len(full)], columns.shape[2 + len(full) :]
    canvas = np.zeros((batch, channels, *full), columns.dtype)
    for offset in np.ndindex(*kernel):
        canvas[window(offset, sizes, steps, spread)] += columns[(slice(None), slice(None), *offset)]
    return canvas[(..., *[slice(width, size - width) for width, size in zip(widths, full, strict=True)])]


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    kernel, spread, widths, steps = [per_axis(value, 2, "unfold", "option") for value in (kernel_size, dilation, padding, stride)]
    padded = pad_zeros(input if input.ndim == 4 else input[None], [(width, width) for width in widths], input.dtype)
    sizes = _positions(padded.shape[2:], kernel, steps, spread)
    columns = _gathered(padded, kernel, sizes, steps, spread)
    columns = columns.reshape(columns.shape[0], columns.shape[1] * kernel[0] * kernel[1], sizes[0] * sizes[1])
    return columns if input.ndim == 4 else columns[0]


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    wanted, kernel, spread, widths, steps = [
        per_axis(value, 2, "fold", "option") for value in (output_size, kernel_size, dilation, padding, stride)
    ]
    full = [size + 2 * width for size, width in zip(wanted, widths, strict=True)]
    sizes = _positions(full, kernel, steps, spread)
    batched = input if input.ndim == 3 else input[None]
    columns = batched.reshape(batched.shape[0], batched.shape[1] // (kernel[0] * kernel[1]), *kernel, *sizes)
    out = np.ascontiguousarray(_overlaid(columns, full, steps, spread, widths))
    return out if input.ndim == 3 else out[0]


def _positions(padded, kernel, steps, spread):
    """How often the kernel fits on each axis of the sizes ``padded``."""
    return tuple((padded[axis] - spread[axis] * (kernel[axis] - 1) - 1) // steps[axis] + 1 for axis in range(len(kernel)))


def _gathered(padded, kernel, sizes, steps, spread):
    """``(N, C, *kernel, *positions)``: what the kernel meets at each position."""
    columns = np.empty((*padded.shape[:2], *kernel, *sizes), padded.dtype)
    for offset in np.ndindex(*kernel):
        columns[(slice(None), slice(None), *offset)] = padded[window(offset, sizes, steps, spread)]
    return columns


def pad_zeros(x, pairs, dtype):
    """``x`` as ``dtype`` with ``(before, after)`` zeros on its last axes."""
    if not any(before or after for before, after in pairs):
        return x.astype(dtype, copy=False)
    lead = x.ndim - len(pairs)
    sizes = [size + before + after for size, (before, after) in zip(x.shape[lead:], pairs, strict=True)]
    padded = np.zeros((*x.shape[:lead], *sizes), dtype)
    padded[(..., *[slice(before, before + size) for size, (before, _) in zip(x.shape[lead:], pairs, strict=True)])] = x
    return padded


def window(offset, sizes, steps, spread):
    """The index of the elements that kernel position ``offset`` meets, one for each output position."""
    starts = [position * step for position, step in zip(offset, spread, strict=True)]
    return (..., *[slice(start, start + (size - 1) * step + 1, step) for start, size, step in zip(starts, sizes, steps, strict=True)])


def _columns(padded, weight, sizes, steps, spread, groups):
    batch, channels = padded.shape[:2]
    outputs, kernel = weight.shape[0], weight.shape[2:]
    positions = int(np.prod(sizes))
    rows = weight.reshape(groups, outputs // groups, -1)
    out = np.empty((batch, groups, outputs // groups, positions), weight.dtype)
    depth = channels * int(np.prod(kernel))
    piece = max(1, _COLUMN_BYTES // max(1, depth * positions * weight.dtype.itemsize))
    plain = all(size == 1 for size in kernel) and all(step == 1 for step in steps)
    for start in range(0, batch, piece):
        part = padded[start : start + piece]
        if not plain:
            part = _gathered(part, kernel, sizes, steps, spread)
        np.matmul(rows, part.reshape(len(part), groups, depth // groups, positions), out=out[start : start + piece])
    return out.reshape(batch, outputs, *sizes)


def _shifted_sum(padded, weight, sizes, steps, spread, groups):
    out = np.zeros((padded.shape[0], groups, *sizes), weight.dtype)
    product = np.empty_like(out)
    for offset in np.ndindex(*weight.shape[2:]):
        factor = weight[(slice(None), 0, *offset)].reshape(-1, *(1,) * len(sizes))
        np.multiply(padded[window(offset, sizes, steps, spread)], factor, out=product)
        out += product
    return out
