"""Convolutions, and the patches that they are sums over.

Each spatial axis gets the size ``(size + padding - dilation * (kernel - 1) - 1) // stride + 1``,
symbolic or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import flops, rows
from npexport.ir.ops.nn_base import at_least, check_rank, numeric, of_each_rank, operator, per_axis, show
from npexport.ir.raising import NOTHING


def padding_pairs(
    padding: Any, kernel: tuple[Any, ...], dilation: tuple[Any, ...], stride: tuple[Any, ...], op: str
) -> list[tuple[Any, Any]]:
    """``(before, after)`` for each spatial axis, from an int, a tuple, ``'valid'`` or ``'same'``
    (the odd one goes after)."""
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            raise ValueError(f"{op}: padding must be 'valid', 'same' or integers, not {padding!r}")
        if padding == "valid":
            return [(0, 0)] * len(kernel)
        if not all(step == 1 for step in stride):
            raise ValueError(f"{op}: padding='same' needs stride 1, got {show(stride)}")
        totals = [step * (size - 1) for step, size in zip(dilation, kernel, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    widths = at_least(per_axis(padding, len(kernel), op, "padding"), 0, op, "padding")
    return [(width, width) for width in widths]


def _bias(bias: Any, channels: Any, op: str) -> list[np.dtype[Any]]:
    if bias is None:
        return []
    meta = numeric(bias, op, "bias")
    if not (meta.ndim == 1 and meta.shape[0] == channels):
        raise ValueError(f"{op}: bias must have shape ({channels},), not {show(meta.shape)}")
    return [meta.dtype]


def _operands(op: str, rank: int, input: Any, weight: Any) -> tuple[TensorMeta, TensorMeta]:
    x, w = numeric(input, op), numeric(weight, op, "weight")
    if w.ndim != rank + 2:
        raise ValueError(f"{op}: weight must have {rank + 2} dimensions, got shape {show(w.shape)}")
    check_rank(x, rank, op)
    return x, w


def _positions(
    sizes: tuple[Any, ...],
    kernel: tuple[Any, ...],
    pairs: list[tuple[Any, Any]],
    stride: tuple[Any, ...],
    dilation: tuple[Any, ...],
    op: str,
) -> list[Any]:
    """How often the kernel fits on each spatial axis."""
    counts = []
    for axis, (before, after) in enumerate(pairs):
        padded = sizes[axis] + before + after
        reach = dilation[axis] * (kernel[axis] - 1) + 1
        if padded < reach:
            raise ValueError(f"{op}: padded input size {padded} is smaller than the dilated kernel size {reach} on spatial axis {axis}")
        counts.append((padded - reach) // stride[axis] + 1)
    return counts


@of_each_rank("conv{rank}d", "nn_conv.conv", raises=NOTHING, rows=rows.batched, flops=flops.convolved, fast="convolution")
def _conv(
    op: str, rank: int, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1
) -> TensorMeta:
    """Correlation of ``input`` ``([N,] C, ...)`` with ``weight`` ``(O, C / groups, ...)`` over
    {axes}."""
    x, w = _operands(op, rank, input, weight)
    steps = at_least(per_axis(stride, rank, op, "stride"), 1, op, "stride")
    spread = at_least(per_axis(dilation, rank, op, "dilation"), 1, op, "dilation")
    if groups < 1:
        raise ValueError(f"{op}: groups must be at least 1, got {groups}")
    outputs, channels = w.shape[0], x.shape[-rank - 1]
    if channels != w.shape[1] * groups:
        raise ValueError(
            f"{op}: weight of shape {show(w.shape)} with groups={groups} expects {w.shape[1] * groups} input channels, "
            f"but input of shape {show(x.shape)} has {channels}"
        )
    if outputs % groups != 0:
        raise ValueError(f"{op}: {outputs} output channels are not divisible by groups={groups}")
    kernel = at_least(w.shape[2:], 1, op, "kernel size")
    sizes = _positions(x.shape[-rank:], kernel, padding_pairs(padding, kernel, spread, steps, op), steps, spread, op)
    return TensorMeta((*x.shape[: -rank - 1], outputs, *sizes), np.result_type(x.dtype, w.dtype, *_bias(bias, outputs, op)))


@of_each_rank("conv_transpose{rank}d", "nn_conv.conv_transpose", raises=NOTHING, rows=rows.batched, flops=flops.spread)
def _conv_transpose(
    op: str,
    rank: int,
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> TensorMeta:
    """The transpose of ``conv{rank}d`` as a linear map: ``weight`` is ``(C, O / groups, ...)``."""
    x, w = _operands(op, rank, input, weight)
    steps = at_least(per_axis(stride, rank, op, "stride"), 1, op, "stride")
    spread = at_least(per_axis(dilation, rank, op, "dilation"), 1, op, "dilation")
    widths = at_least(per_axis(padding, rank, op, "padding"), 0, op, "padding")
    extra = at_least(per_axis(output_padding, rank, op, "output_padding"), 0, op, "output_padding")
    channels = x.shape[-rank - 1]
    if not (groups >= 1 and channels % groups == 0):
        raise ValueError(f"{op}: {channels} input channels are not divisible by groups={groups}")
    if channels != w.shape[0]:
        raise ValueError(f"{op}: weight of shape {show(w.shape)} expects {w.shape[0]} input channels, got {show(x.shape)}")
    sizes = []
    for axis in range(rank):
        if not (extra[axis] < steps[axis] or extra[axis] < spread[axis]):
            raise ValueError(f"{op}: output_padding {extra[axis]} must be smaller than stride or dilation on spatial axis {axis}")
        reach = spread[axis] * (w.shape[axis + 2] - 1) + 1
        size = (x.shape[axis - rank] - 1) * steps[axis] - 2 * widths[axis] + reach + extra[axis]
        if size < 0:
            raise ValueError(f"{op}: the output size {size} on spatial axis {axis} is negative for input {show(x.shape)}")
        sizes.append(size)
    outputs = w.shape[1] * groups
    return TensorMeta((*x.shape[: -rank - 1], outputs, *sizes), np.result_type(x.dtype, w.dtype, *_bias(bias, outputs, op)))


def _patches(sizes: tuple[Any, ...], kernel_size: Any, dilation: Any, padding: Any, stride: Any, op: str) -> tuple[Any, Any]:
    """How many elements a patch has in one channel, and how many patches there are."""
    kernel = at_least(per_axis(kernel_size, 2, op, "kernel_size"), 1, op, "kernel_size")
    steps = at_least(per_axis(stride, 2, op, "stride"), 1, op, "stride")
    spread = at_least(per_axis(dilation, 2, op, "dilation"), 1, op, "dilation")
    rows, columns = _positions(
        sizes, kernel, padding_pairs(per_axis(padding, 2, op, "padding"), kernel, spread, steps, op), steps, spread, op
    )
    return kernel[0] * kernel[1], rows * columns


@operator("nn_conv.unfold", raises=NOTHING, rows=rows.batch(ndim=4))
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> TensorMeta:
    """The patches of ``([N,] C, H, W)`` under a kernel as the columns of
    ``([N,] C * KH * KW, patches)``."""
    x = numeric(input, "unfold")
    check_rank(x, 2, "unfold")
    area, count = _patches(x.shape[-2:], kernel_size, dilation, padding, stride, "unfold")
    return TensorMeta((*x.shape[:-3], x.shape[-3] * area, count), x.dtype)


@operator("nn_conv.fold", raises=NOTHING, rows=rows.batch(ndim=3))
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> TensorMeta:
    """The transpose of ``unfold``: patches ``([N,] C * KH * KW, patches)`` summed where they
    overlap, ``([N,] C, H, W)``."""
    x = numeric(input, "fold")
    if x.ndim not in (2, 3):
        raise ValueError(f"fold: input must have 3 dimensions, or 2 without a batch, got shape {show(x.shape)}")
    sizes = at_least(per_axis(output_size, 2, "fold", "output_size"), 1, "fold", "output_size")
    area, count = _patches(sizes, kernel_size, dilation, padding, stride, "fold")
    if x.shape[-2] % area != 0:
        raise ValueError(f"fold: {x.shape[-2]} rows of input of shape {show(x.shape)} are not whole patches of {area} elements")
    if x.shape[-1] != count:
        raise ValueError(
            f"fold: an output of sizes {show(sizes)} has {count} patches, but input of shape {show(x.shape)} has {x.shape[-1]}"
        )
    return TensorMeta((*x.shape[:-2], x.shape[-2] // area, *sizes), x.dtype)
