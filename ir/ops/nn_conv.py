"""Convolutions. Each spatial axis gets the size ``(size + padding - dilation * (kernel - 1) - 1) // stride + 1``, symbolic or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.nn_base import Samples, at_least, numeric, operator, per_axis, sample, show


def padding_pairs(
    padding: Any, kernel: tuple[Any, ...], dilation: tuple[Any, ...], stride: tuple[Any, ...], op: str
) -> list[tuple[Any, Any]]:
    """``(before, after)`` for each spatial axis, from an int, a tuple, ``'valid'`` or ``'same'`` (the odd one goes after)."""
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
    if x.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: input must have {rank + 2} dimensions, or {rank + 1} without a batch, got shape {show(x.shape)}")
    return x, w


def _conv(op: str, rank: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any) -> TensorMeta:
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
    sizes = []
    for axis, (before, after) in enumerate(padding_pairs(padding, kernel, spread, steps, op)):
        padded = x.shape[axis - rank] + before + after
        reach = spread[axis] * (kernel[axis] - 1) + 1
        if padded < reach:
            raise ValueError(f"{op}: padded input size {padded} is smaller than the dilated kernel size {reach} on spatial axis {axis}")
        sizes.append((padded - reach) // steps[axis] + 1)
    return TensorMeta((*x.shape[: -rank - 1], outputs, *sizes), np.result_type(x.dtype, w.dtype, *_bias(bias, outputs, op)))


def _conv_transpose(
    op: str, rank: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any, groups: Any, dilation: Any
) -> TensorMeta:
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
        if size < 1:
            raise ValueError(f"{op}: the output size {size} on spatial axis {axis} is not positive for input {show(x.shape)}")
        sizes.append(size)
    outputs = w.shape[1] * groups
    return TensorMeta((*x.shape[: -rank - 1], outputs, *sizes), np.result_type(x.dtype, w.dtype, *_bias(bias, outputs, op)))


def _conv_samples(rank: int) -> Samples:
    x, w = sample(2, 4, *(9, 8, 7)[:rank]), sample(6, 4, *(3, 2, 3)[:rank], seed=1)
    yield (x, w), {}
    yield (x, w, sample(6, seed=2)), {"stride": 2, "padding": 1}
    yield (x, w), {"padding": "same", "dilation": 2}
    yield (x[0], w), {"padding": (1, 0, 2)[:rank], "stride": (2, 1, 3)[:rank]}
    yield (x, w[:, :2]), {"groups": 2, "padding": "valid"}
    yield (x, sample(4, 1, *(3,) * rank)), {"groups": 4}
    yield (x, sample(8, 1, *(3,) * rank), sample(8)), {"groups": 4, "stride": 2, "padding": 1}
    yield (x.astype(np.float64), w[:, :, :1]), {}
    yield (x[:0], w), {}


def _transpose_samples(rank: int) -> Samples:
    x, w = sample(2, 4, *(5, 4, 3)[:rank]), sample(4, 6, *(3, 2, 3)[:rank], seed=1)
    yield (x, w), {}
    yield (x, w, sample(6)), {"stride": 2, "padding": 1, "output_padding": 1}
    yield (x[0], w), {"dilation": 2}
    yield (x, w, sample(12)), {"groups": 2, "stride": 3}


@operator("nn_conv.conv", lambda: _conv_samples(1))
def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> TensorMeta:
    """Correlation of ``input`` ``([N,] C, L)`` with ``weight`` ``(O, C / groups, K)``."""
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@operator("nn_conv.conv", lambda: _conv_samples(2))
def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> TensorMeta:
    """Correlation of ``input`` ``([N,] C, H, W)`` with ``weight`` ``(O, C / groups, KH, KW)``."""
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@operator("nn_conv.conv", lambda: _conv_samples(3))
def conv3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> TensorMeta:
    """Correlation of ``input`` ``([N,] C, D, H, W)`` with ``weight`` ``(O, C / groups, KD, KH, KW)``."""
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@operator("nn_conv.conv_transpose", lambda: _transpose_samples(1))
def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> TensorMeta:
    """The transpose of ``conv1d`` as a linear map: ``weight`` is ``(C, O / groups, K)``."""
    return _conv_transpose("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@operator("nn_conv.conv_transpose", lambda: _transpose_samples(2))
def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> TensorMeta:
    """The transpose of ``conv2d`` as a linear map: ``weight`` is ``(C, O / groups, KH, KW)``."""
    return _conv_transpose("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)
