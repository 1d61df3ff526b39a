"""Pooling. A window may start in the left padding or the input, never in the right padding; so with ``ceil_mode`` there are
``min(ceil((size + 2 * padding - reach) / stride), (size + padding - 1) // stride) + 1`` windows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.nn_base import Samples, at_least, floating, operator, per_axis, real, sample, show
from npexport.ir.ops.rules import smaller


def window_count(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """How many windows fit on one axis; the size is positive where the padded input holds one window."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    return smaller(-(-room // stride), (size + padding - 1) // stride) + 1


def _pool(op: str, rank: int, x: TensorMeta, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> TensorMeta:
    if x.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: input must have {rank + 2} dimensions, or {rank + 1} without a batch, got shape {show(x.shape)}")
    kernel = at_least(per_axis(kernel_size, rank, op, "kernel_size"), 1, op, "kernel_size")
    steps = at_least(per_axis(kernel_size if stride is None else stride, rank, op, "stride"), 1, op, "stride")
    widths = at_least(per_axis(padding, rank, op, "padding"), 0, op, "padding")
    spread = at_least(per_axis(dilation, rank, op, "dilation"), 1, op, "dilation")
    sizes = []
    for axis in range(rank):
        size, reach = x.shape[axis - rank], spread[axis] * (kernel[axis] - 1) + 1
        if 2 * widths[axis] > reach:
            raise ValueError(f"{op}: padding {widths[axis]} is more than half of the dilated kernel size {reach}")
        count = window_count(size, kernel[axis], steps[axis], widths[axis], spread[axis], ceil_mode)
        if not (size > 0 and count > 0):
            raise ValueError(f"{op}: input of shape {show(x.shape)} is too small for kernel_size {show(kernel)} on spatial axis {axis}")
        sizes.append(count)
    return TensorMeta((*x.shape[:-rank], *sizes), x.dtype)


def _adaptive(op: str, rank: int, x: TensorMeta, output_size: Any) -> TensorMeta:
    if x.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: input must have {rank + 2} dimensions, or {rank + 1} without a batch, got shape {show(x.shape)}")
    spatial = x.shape[-rank:]
    for size in spatial:
        if size <= 0:
            raise ValueError(f"{op}: input of shape {show(x.shape)} has an empty spatial axis")
    wanted = per_axis(output_size, rank, op, "output_size")
    sizes = tuple(size if want is None else want for size, want in zip(spatial, wanted, strict=True))
    return TensorMeta((*x.shape[:-rank], *at_least(sizes, 0, op, "output_size")), x.dtype)


def _max_samples(rank: int) -> Samples:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 3), {}
    yield (x, 2), {"stride": 1}
    yield (x, 3, 2, 1), {}
    yield (x[0], 3), {"stride": 2, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": (2, 2, 1)[:rank], "padding": 1, "ceil_mode": True}
    yield (x, 2), {"dilation": 2}
    yield ((x * 10).astype(np.int32), 3), {"padding": 1}


def _avg_samples(rank: int) -> Samples:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 3), {}
    yield (x, 3, 2, 1), {}
    yield (x, 3, 2, 1, False, False), {}
    yield (x[0].astype(np.float64), 3), {"stride": 2, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": (2, 2, 1)[:rank], "padding": 1, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False}


def _adaptive_samples(rank: int) -> Samples:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 1), {}
    yield (x, (4, 3, 9)[:rank]), {}
    yield (x[0], (None, 3, 2)[:rank]), {}


@operator("nn_pool.max_pool1d", lambda: _max_samples(1))
def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> TensorMeta:
    """The greatest element of each window over the last axis; padding never wins, NaN always does."""
    return _pool("max_pool1d", 1, real(input, "max_pool1d"), kernel_size, stride, padding, dilation, ceil_mode)


@operator("nn_pool.max_pool2d", lambda: _max_samples(2))
def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> TensorMeta:
    """The greatest element of each window over the last two axes; padding never wins, NaN always does."""
    return _pool("max_pool2d", 2, real(input, "max_pool2d"), kernel_size, stride, padding, dilation, ceil_mode)


@operator("nn_pool.max_pool3d", lambda: _max_samples(3))
def max_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> TensorMeta:
    """The greatest element of each window over the last three axes; padding never wins, NaN always does."""
    return _pool("max_pool3d", 3, real(input, "max_pool3d"), kernel_size, stride, padding, dilation, ceil_mode)


@operator("nn_pool.avg_pool1d", lambda: _avg_samples(1))
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> TensorMeta:
    """The mean of each window over the last axis."""
    return _pool("avg_pool1d", 1, floating(input, "avg_pool1d"), kernel_size, stride, padding, 1, ceil_mode)


@operator("nn_pool.avg_pool2d", lambda: _avg_samples(2))
def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> TensorMeta:
    """The mean of each window over the last two axes."""
    return _pool("avg_pool2d", 2, floating(input, "avg_pool2d"), kernel_size, stride, padding, 1, ceil_mode)


@operator("nn_pool.avg_pool3d", lambda: _avg_samples(3))
def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> TensorMeta:
    """The mean of each window over the last three axes."""
    return _pool("avg_pool3d", 3, floating(input, "avg_pool3d"), kernel_size, stride, padding, 1, ceil_mode)


@operator("nn_pool.adaptive_avg_pool1d", lambda: _adaptive_samples(1))
def adaptive_avg_pool1d(input: Any, output_size: Any) -> TensorMeta:
    """The mean of ``output_size`` windows, window ``i`` from ``floor(i * size / n)`` to ``ceil((i + 1) * size / n)``."""
    return _adaptive("adaptive_avg_pool1d", 1, floating(input, "adaptive_avg_pool1d"), output_size)


@operator("nn_pool.adaptive_avg_pool2d", lambda: _adaptive_samples(2))
def adaptive_avg_pool2d(input: Any, output_size: Any) -> TensorMeta:
    """The mean of ``output_size`` windows over the last two axes; ``None`` keeps an axis as it is."""
    return _adaptive("adaptive_avg_pool2d", 2, floating(input, "adaptive_avg_pool2d"), output_size)


@operator("nn_pool.adaptive_max_pool1d", lambda: _adaptive_samples(1))
def adaptive_max_pool1d(input: Any, output_size: Any) -> TensorMeta:
    """The greatest element of ``output_size`` windows over the last axis."""
    return _adaptive("adaptive_max_pool1d", 1, real(input, "adaptive_max_pool1d"), output_size)


@operator("nn_pool.adaptive_max_pool2d", lambda: _adaptive_samples(2))
def adaptive_max_pool2d(input: Any, output_size: Any) -> TensorMeta:
    """The greatest element of ``output_size`` windows over the last two axes; ``None`` keeps an axis as it is."""
    return _adaptive("adaptive_max_pool2d", 2, real(input, "adaptive_max_pool2d"), output_size)
