"""Convolution: a matrix product where the kernel is one element, shifted sums where it is
depthwise, else matrix products over columns (im2col), in strips that stay in the cache.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from npexport.ir.decompositions.nn_conv import counts_of, folded, transposed
from npexport.ir.decompositions.windows import under
from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.runtime.array_types import Array, DTypeLike

_COLUMN_BYTES = 1 << 20  # larger strips fall out of the cache, smaller ones lose to call overhead
_BLOCK_BYTES = 1 << 18  # what shifted sums go over again and again
_SHIFTED_OUTPUTS = 4  # of each input channel; for more of them a product is faster
conv_transpose, fold = transposed, folded


def conv(
    input: Array, weight: Array, bias: Array | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1
) -> Array:
    """Correlation over any number of spatial axes; ``input`` may lack its batch axis."""
    rank = weight.ndim - 2
    kernel = weight.shape[2:]
    steps = per_axis(stride, rank, "conv", "stride")
    spread = per_axis(dilation, rank, "conv", "dilation")
    pairs = padding_pairs(padding, kernel, spread, steps, "conv")
    dtype = np.result_type(input, weight) if bias is None else np.result_type(input, weight, bias)
    batched = input if input.ndim == rank + 2 else input[None]
    padded = pad_zeros(batched, pairs, dtype)
    sizes = counts_of(padded.shape[2:], kernel, steps, spread)
    weight = weight.astype(dtype, copy=False)
    out = np.empty((len(padded), weight.shape[0], *sizes), dtype)
    if not out.size:
        return out if input.ndim == rank + 2 else out[0]
    if weight.size:
        shifted = weight.shape[1] == 1 and weight.shape[0] <= _SHIFTED_OUTPUTS * groups
        compute = _by_shifts if shifted else _by_product if math.prod(kernel) == 1 else _by_columns
        compute(padded, weight, out, steps, spread, groups)
    else:
        out.fill(0)  # the sums of no channels
    if bias is not None:
        out += bias.reshape(-1, *(1,) * rank)
    return out if input.ndim == rank + 2 else out[0]


def unfold(input: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    kernel, spread, widths, steps = [per_axis(value, 2, "unfold", "option") for value in (kernel_size, dilation, padding, stride)]
    padded = pad_zeros(input if input.ndim == 4 else input[None], [(width, width) for width in widths], input.dtype)
    sizes = counts_of(padded.shape[2:], kernel, steps, spread)
    columns = _gathered(padded, kernel, sizes, steps, spread)
    columns = columns.reshape(columns.shape[0], columns.shape[1] * kernel[0] * kernel[1], sizes[0] * sizes[1])
    return columns if input.ndim == 4 else columns[0]


def _gathered(padded: Any, kernel: Any, sizes: Any, steps: Any, spread: Any) -> Any:
    """``(N, C, *kernel, *positions)``: the elements under the kernel at each position."""
    return np.array(_windows(padded, kernel, sizes, steps, spread), order="C")


def pad_zeros(x: Array, pairs: Any, dtype: DTypeLike) -> Array:
    """``x`` as ``dtype`` with ``(before, after)`` zeros on its last axes."""
    if not any(before or after for before, after in pairs):
        return x.astype(dtype, copy=False)
    lead = x.ndim - len(pairs)
    sizes = [size + before + after for size, (before, after) in zip(x.shape[lead:], pairs, strict=True)]
    padded: Any = np.zeros((*x.shape[:lead], *sizes), dtype)
    padded[(..., *[slice(before, before + size) for size, (before, _) in zip(x.shape[lead:], pairs, strict=True)])] = x
    return padded


def _windows(padded: Any, kernel: Any, sizes: Any, steps: Any, spread: Any) -> Any:
    """The view ``(N, C, *kernel, *positions)`` of the elements under the kernel."""
    strides = padded.strides[2:]
    within = [stride * step for stride, step in zip(strides, spread, strict=True)]
    between = [stride * step for stride, step in zip(strides, steps, strict=True)]
    return as_strided(padded, (*padded.shape[:2], *kernel, *sizes), (*padded.strides[:2], *within, *between), writeable=False)


def _by_product(padded: Any, weight: Any, out: Any, steps: Any, spread: Any, groups: Any) -> None:
    """A kernel of one element: one product with the elements at all positions."""
    batch, outputs, *sizes = out.shape
    met = padded[under((0,) * len(sizes), sizes, steps, spread)]
    rows = weight.reshape(groups, outputs // groups, -1)
    np.matmul(rows, met.reshape(batch, groups, rows.shape[2], -1), out=out.reshape(batch, groups, rows.shape[1], -1))


def _by_columns(padded: Any, weight: Any, out: Any, steps: Any, spread: Any, groups: Any) -> None:
    """Copy what the kernel meets at a strip of positions, or in several images, to the columns of a
    matrix; multiply.
    """
    batch, outputs, *sizes = out.shape
    rows = weight.reshape(groups, outputs // groups, -1)
    depth = rows.shape[2]
    windows = _windows(padded, weight.shape[2:], sizes, steps, spread)
    products = out.reshape(batch, groups, outputs // groups, -1)
    line = math.prod(sizes[1:])  # positions of one index of the first spatial axis
    fitting = max(1, _COLUMN_BYTES // max(1, groups * depth * line * out.itemsize))
    images = min(batch, max(1, fitting // sizes[0]))
    strip = -(-sizes[0] // -(-sizes[0] // fitting))  # strips of about one length
    memory = np.empty(images * groups * depth * min(strip, sizes[0]) * line, out.dtype)
    lead = (slice(None),) * (windows.ndim - len(sizes) - 1)
    for image in range(0, batch, images):
        for start in range(0, sizes[0], strip):
            met = windows[(slice(image, image + images), *lead, slice(start, start + strip))]
            columns = memory[: met.size]
            np.copyto(columns.reshape(met.shape), met)
            target = products[image : image + images, ..., start * line : (start + strip) * line]
            np.matmul(rows, columns.reshape(len(met), groups, depth, -1), out=target)


def _by_shifts(padded: Any, weight: Any, out: Any, steps: Any, spread: Any, groups: Any) -> None:
    """Each channel by itself: sums of shifted images, each times its element of the kernel."""
    batch, outputs, *sizes = out.shape
    totals = out.reshape(batch, groups, outputs // groups, *sizes)
    factors = weight.reshape(groups, outputs // groups, *weight.shape[2:], *(1,) * len(sizes))
    block = max(1, _BLOCK_BYTES // (totals[0, 0].size * out.itemsize))
    memory = np.empty_like(totals[0, :block])
    lead = (slice(None), slice(None))
    for image in range(batch):
        for start in range(0, groups, block):
            part = slice(start, start + block)
            met, total, factor = padded[image, part, None], totals[image, part], factors[part]
            product = memory[: len(total)]
            for number, offset in enumerate(np.ndindex(*weight.shape[2:])):
                target = product if number else total
                np.multiply(met[under(offset, sizes, steps, spread)], factor[(*lead, *offset)], out=target)
                if number:
                    np.add(total, product, out=total)
