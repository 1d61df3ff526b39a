"""Convolutions: matrix products over the elements under the kernel, and their transposes, which add
patches at the positions that they come from.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.windows import padded, under, windows
from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.symshapes.symint import is_symbolic


def counts_of(sizes: Any, kernel: Any, steps: Any, spread: Any) -> list[Any]:
    """The number of positions of the kernel on each axis."""
    return [
        (size - dilation * (reach - 1) - 1) // step + 1 for size, reach, step, dilation in zip(sizes, kernel, steps, spread, strict=True)
    ]


def _columns(x: Any, kernel: Any, pairs: Any, steps: Any, spread: Any) -> Any:
    """``(N, C, *kernel, *positions)``: the elements under the kernel at each position."""
    rank = len(kernel)
    x = padded(x, pairs, 0)
    found = windows(x, kernel, counts_of(x.shape[2:], kernel, steps, spread), steps, spread)
    return np.transpose(found, (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank)))


def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """One matrix product over the patches: exact, but for depthwise kernels, whose terms are added
    in another order.
    """
    rank, kernel = weight.ndim - 2, weight.shape[2:]
    steps, spread = per_axis(stride, rank, "conv", "stride"), per_axis(dilation, rank, "conv", "dilation")
    dtype = np.result_type(*[array.dtype for array in (input, weight, bias) if array is not None])
    x = (input if input.ndim == rank + 2 else input[None]).astype(dtype)
    columns = _columns(x, kernel, padding_pairs(padding, kernel, spread, steps, "conv"), steps, spread)
    counts = columns.shape[2 + rank :]
    outputs, channels = weight.shape[0], weight.shape[1]
    area = math.prod(kernel)
    rows = weight.astype(dtype).reshape(groups, outputs // groups, channels * area)
    out = np.matmul(rows, columns.reshape(x.shape[0], groups, channels * area, math.prod(counts)))
    out = out.reshape(x.shape[0], outputs, *counts)
    if bias is not None:
        out = out + bias.reshape(-1, *(1,) * rank)
    return out if input.ndim == rank + 2 else out[0]


def _overlaid(columns: Any, full: Any, steps: Any, spread: Any, widths: Any) -> Any:
    """The columns ``(N, C, *kernel, *positions)`` added at the positions that they come from, on
    axes of sizes ``full``, less ``widths`` at the ends.
    """
    kernel, counts = columns.shape[2 : 2 + len(full)], columns.shape[2 + len(full) :]
    canvas: Any = np.zeros((*columns.shape[:2], *full), columns.dtype)
    for offset in np.ndindex(*kernel):
        place = under(offset, counts, steps, spread)
        canvas[place] += columns[(slice(None), slice(None), *offset)]
    inner: Any = (..., *[slice(width, size - width) for width, size in zip(widths, full, strict=True)])
    return canvas[inner]


def transposed(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Any:
    """The transposed convolution: one matrix product, whose patches are added in the kernel's
    order; ``input`` may lack its batch axis.
    """
    rank, kernel = weight.ndim - 2, weight.shape[2:]
    steps, spread = per_axis(stride, rank, "conv_transpose", "stride"), per_axis(dilation, rank, "conv_transpose", "dilation")
    widths = per_axis(padding, rank, "conv_transpose", "padding")
    extra = per_axis(output_padding, rank, "conv_transpose", "output_padding")
    dtype = np.result_type(*[array.dtype for array in (input, weight, bias) if array is not None])
    x = (input if input.ndim == rank + 2 else input[None]).astype(dtype)
    batch, channels, sizes = x.shape[0], weight.shape[0], x.shape[2:]
    rows = weight.astype(dtype).reshape(groups, channels // groups, weight.shape[1] * math.prod(kernel)).swapaxes(1, 2)
    columns = np.matmul(rows, x.reshape(batch, groups, channels // groups, math.prod(sizes)))
    columns = columns.reshape(batch, groups * weight.shape[1], *kernel, *sizes)
    full = [(sizes[a] - 1) * steps[a] + spread[a] * (kernel[a] - 1) + 1 + extra[a] for a in range(rank)]
    out = _overlaid(columns, full, steps, spread, widths)
    out = np.ascontiguousarray(out) if bias is None else out + bias.reshape(-1, *(1,) * rank)
    return out if input.ndim == rank + 2 else out[0]


def conv_transpose(input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    """Exact: one matrix product, whose patches are added in the kernel's order. The kernel has
    static sizes.
    """
    if any(map(is_symbolic, weight.shape[2:])):
        raise NotImplementedError
    return transposed(input, weight, *args, **kwargs)


for _rank in (1, 2, 3):
    register_decomposition(f"nn.conv{_rank}d")(conv)
    register_decomposition(f"nn.conv_transpose{_rank}d")(conv_transpose)


@register_decomposition("nn.unfold")
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Exact: elements are only moved."""
    kernel, spread, widths, steps = [per_axis(value, 2, "unfold", "option") for value in (kernel_size, dilation, padding, stride)]
    columns = _columns(input if input.ndim == 4 else input[None], kernel, [(width, width) for width in widths], steps, spread)
    columns = columns.reshape(columns.shape[0], columns.shape[1] * math.prod(kernel), math.prod(columns.shape[4:]))
    return columns if input.ndim == 4 else columns[0]


@register_decomposition("nn.fold")
def fold(input: Any, output_size: Any, kernel_size: Any, *args: Any, **kwargs: Any) -> Any:
    """Exact: patches are added in the kernel's order. The kernel has static sizes."""
    if any(map(is_symbolic, per_axis(kernel_size, 2, "fold", "option"))):
        raise NotImplementedError
    return folded(input, output_size, kernel_size, *args, **kwargs)


def folded(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Patches added in the kernel's order; ``input`` may lack its batch axis."""
    wanted, kernel, spread, widths, steps = [
        per_axis(value, 2, "fold", "option") for value in (output_size, kernel_size, dilation, padding, stride)
    ]
    full = [size + 2 * width for size, width in zip(wanted, widths, strict=True)]
    x = input if input.ndim == 3 else input[None]
    columns = x.reshape(x.shape[0], x.shape[1] // math.prod(kernel), *kernel, *counts_of(full, kernel, steps, spread))
    out = _overlaid(columns, full, steps, spread, widths).copy()
    return out if input.ndim == 3 else out[0]
