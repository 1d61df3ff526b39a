"""Convolution, pooling and patches. Each family is one function, made for one, two and three spatial axes."""

from __future__ import annotations

import math

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.ir.ops.nn_base import per_axis

_AXES = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def _for_each_rank(make):
    """The function that ``make`` gives for one, two and three axes, each under its own name."""
    functions = []
    for rank, axes in _AXES.items():
        function = make(rank)
        function.__doc__ = make.__doc__.format(rank=rank, axes=axes)
        function.__name__ = function.__qualname__ = f"{function.__name__}{rank}d"
        functions.append(function)
    return functions


def _conv(rank):
    """Correlation of ``([N,] C, ...)`` with ``(O, C / groups, ...)`` over {axes}; ``padding`` is a width, ``"valid"`` or ``"same"``."""
    op = getattr(ops, f"conv{rank}d")

    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return op(input, weight, bias, stride, padding, dilation, groups)

    return conv


def _conv_transpose(rank):
    """The transpose of ``conv{rank}d`` as a linear map: ``weight`` is ``(C, O / groups, ...)``."""
    op = getattr(ops, f"conv_transpose{rank}d")

    def conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return op(input, weight, bias, stride, padding, output_padding, groups, dilation)

    return conv_transpose


def _max_pool(rank):
    """The greatest element of each window over {axes}; with ``return_indices`` also where in those axes it stands."""
    op, with_indices = getattr(ops, f"max_pool{rank}d"), getattr(ops, f"max_pool{rank}d_with_indices")

    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return (with_indices if return_indices else op)(input, kernel_size, stride, padding, dilation, ceil_mode)

    return max_pool


def _avg_pool(rank):
    """The mean of each window over {axes}."""
    op = getattr(ops, f"avg_pool{rank}d")

    def avg_pool(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        return op(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    return avg_pool


def _adaptive_avg_pool(rank):
    """The mean of ``output_size`` windows of nearly equal size over {axes}; ``None`` keeps an axis as it is."""
    op = getattr(ops, f"adaptive_avg_pool{rank}d")

    def adaptive_avg_pool(input, output_size):
        return op(input, output_size)

    return adaptive_avg_pool


def _adaptive_max_pool(rank):
    """The greatest element of ``output_size`` windows of nearly equal size over {axes}; with ``return_indices`` also where it stands."""
    op, with_indices = getattr(ops, f"adaptive_max_pool{rank}d"), getattr(ops, f"adaptive_max_pool{rank}d_with_indices")

    def adaptive_max_pool(input, output_size, return_indices=False):
        return (with_indices if return_indices else op)(input, output_size)

    return adaptive_max_pool


def _lp_pool(rank):
    """The ``norm_type``-th root of the sum of the powers of each window over {axes}, 0 where the sum is negative."""
    average, greatest = getattr(ops, f"avg_pool{rank}d"), getattr(ops, f"max_pool{rank}d")

    def lp_pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        if norm_type in (np.inf, -np.inf):
            sign = 1 if norm_type > 0 else -1
            return sign * greatest(sign * np.abs(input), kernel_size, stride, 0, 1, ceil_mode)
        count = math.prod(per_axis(kernel_size, rank, f"lp_pool{rank}d", "kernel_size"))
        means = average(input**norm_type, kernel_size, stride, 0, ceil_mode)
        return (np.sign(means) * ops.relu(np.abs(means)) * count) ** (1.0 / norm_type)

    return lp_pool


def _max_unpool(rank):
    """The inverse of ``max_pool{rank}d`` with ``return_indices``: the elements where they stood, 0 elsewhere.

    ``output_size`` says what cannot be known: the sizes of {axes}, or of all. Raises ``ValueError`` where it cannot have been pooled.
    """

    def max_unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        name = f"max_unpool{rank}d"
        if input.shape != indices.shape:
            raise ValueError(f"{name}: input {input.shape} and indices {indices.shape} must have the same shape")
        kernel = per_axis(kernel_size, rank, name, "kernel_size")
        steps = kernel if stride is None else per_axis(stride, rank, name, "stride")
        widths = per_axis(padding, rank, name, "padding")
        sizes = [(input.shape[a - rank] - 1) * steps[a] - 2 * widths[a] + kernel[a] for a in range(rank)]
        if output_size is not None:
            sizes = _between(sizes, steps, output_size, name)
        lead = input.shape[:-rank]
        flat = np.zeros((*lead, math.prod(sizes)), input.dtype)
        pooled = (*lead, math.prod(input.shape[-rank:]))
        np.put_along_axis(flat, indices.reshape(pooled), input.reshape(pooled), -1)
        return flat.reshape(*lead, *sizes)

    return max_unpool


def _between(sizes, steps, output_size, name):
    """The last of ``output_size``; raises ``ValueError`` where one is a step or more away from ``sizes``."""
    wanted = tuple(output_size)[-len(sizes) :]
    if len(wanted) != len(sizes):
        raise ValueError(f"{name}: output_size must have {len(sizes)} sizes, got {tuple(output_size)}")
    for size, step, want in zip(sizes, steps, wanted, strict=True):
        if not size - step < want < size + step:
            raise ValueError(f"{name}: output_size {want} is not between {size - step + 1} and {size + step - 1}")
    return wanted


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of ``([N,] C, H, W)`` under a kernel as the columns of ``([N,] C * KH * KW, patches)``."""
    return ops.unfold(input, kernel_size, dilation, padding, stride)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The transpose of ``unfold``: patches ``([N,] C * KH * KW, patches)`` summed where they overlap, ``([N,] C, *output_size)``."""
    return ops.fold(input, output_size, kernel_size, dilation, padding, stride)


conv1d, conv2d, conv3d = _for_each_rank(_conv)
conv_transpose1d, conv_transpose2d, conv_transpose3d = _for_each_rank(_conv_transpose)
max_pool1d, max_pool2d, max_pool3d = _for_each_rank(_max_pool)
avg_pool1d, avg_pool2d, avg_pool3d = _for_each_rank(_avg_pool)
lp_pool1d, lp_pool2d, lp_pool3d = _for_each_rank(_lp_pool)
max_unpool1d, max_unpool2d, max_unpool3d = _for_each_rank(_max_unpool)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = _for_each_rank(_adaptive_avg_pool)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = _for_each_rank(_adaptive_max_pool)
