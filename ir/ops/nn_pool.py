"""Pooling. A window may start in the left padding or the input, never in the right padding; so with
``ceil_mode`` there are
``min(ceil((size + 2 * padding - reach) / stride), (size + padding - 1) // stride) + 1`` windows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import at_least, check_rank, floating, of_each_rank, per_axis, real, show
from npexport.ir.ops.rules import smaller
from npexport.ir.raising import NOTHING


def window_count(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """How many windows fit on one axis; the size is positive where the padded input holds one
    window."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    return smaller(-(-room // stride), (size + padding - 1) // stride) + 1


def _pool(op: str, rank: int, x: TensorMeta, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> TensorMeta:
    check_rank(x, rank, op)
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
    check_rank(x, rank, op)
    spatial = x.shape[-rank:]
    for size in spatial:
        if size <= 0:
            raise ValueError(f"{op}: input of shape {show(x.shape)} has an empty spatial axis")
    wanted = per_axis(output_size, rank, op, "output_size")
    sizes = tuple(size if want is None else want for size, want in zip(spatial, wanted, strict=True))
    return TensorMeta((*x.shape[:-rank], *at_least(sizes, 0, op, "output_size")), x.dtype)


def _with_positions(x: TensorMeta) -> tuple[TensorMeta, TensorMeta]:
    return x, TensorMeta(x.shape, np.dtype(np.int64))


@of_each_rank("max_pool{rank}d", "nn_pool.max_pool{rank}d", raises=NOTHING, rows=rows.pooled)
def _max_pool(
    op: str, rank: int, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> TensorMeta:
    """The greatest element of each window over {axes}; padding never wins, NaN always does."""
    return _pool(op, rank, real(input, op), kernel_size, stride, padding, dilation, ceil_mode)


@of_each_rank("max_pool{rank}d_with_indices", "nn_pool.max_pool{rank}d_with_indices", raises=NOTHING, rows=rows.pooled)
def _max_pool_with_indices(
    op: str, rank: int, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> tuple[TensorMeta, TensorMeta]:
    """``max_pool{rank}d``, and where each of its elements stands in {axes} of the input, counted
    through."""
    return _with_positions(_pool(op, rank, real(input, op), kernel_size, stride, padding, dilation, ceil_mode))


@of_each_rank("avg_pool{rank}d", "nn_pool.avg_pool{rank}d", raises=NOTHING, rows=rows.pooled)
def _avg_pool(
    op: str,
    rank: int,
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> TensorMeta:
    """The mean of each window over {axes}."""
    return _pool(op, rank, floating(input, op), kernel_size, stride, padding, 1, ceil_mode)


@of_each_rank("adaptive_avg_pool{rank}d", "nn_pool.adaptive_avg_pool{rank}d", raises=NOTHING, rows=rows.pooled)
def _adaptive_avg_pool(op: str, rank: int, input: Any, output_size: Any) -> TensorMeta:
    """The mean of ``output_size`` windows over {axes}: from ``i * size // n`` to
    ``-(-(i + 1) * size // n)``; ``None`` keeps an axis."""
    return _adaptive(op, rank, floating(input, op), output_size)


@of_each_rank("adaptive_max_pool{rank}d", "nn_pool.adaptive_max_pool{rank}d", raises=NOTHING, rows=rows.pooled)
def _adaptive_max_pool(op: str, rank: int, input: Any, output_size: Any) -> TensorMeta:
    """The greatest element of ``output_size`` windows over {axes}, those of
    ``adaptive_avg_pool{rank}d``."""
    return _adaptive(op, rank, real(input, op), output_size)


@of_each_rank("adaptive_max_pool{rank}d_with_indices", "nn_pool.adaptive_max_pool{rank}d_with_indices", raises=NOTHING, rows=rows.pooled)
def _adaptive_max_pool_with_indices(op: str, rank: int, input: Any, output_size: Any) -> tuple[TensorMeta, TensorMeta]:
    """``adaptive_max_pool{rank}d``, and where each of its elements stands in {axes} of the input,
    counted through."""
    return _with_positions(_adaptive(op, rank, real(input, op), output_size))
