"""Convolution, pooling and patches.

Each family is one function, made for one, two and three spatial axes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.ir.ops.nn_base import per_axis
from npexport.runtime.array_types import Array, Sizes

_AXES = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def _for_each_rank(make: Any, call: str, shape: str) -> Any:
    """The function that ``make`` gives for one, two and three axes, each under its own name.

    ``call``, ``shape``: arguments for the example and the shape of what they give; a number in
    braces stands for that many elements on each axis, and ``{x}`` for an input.
    """
    functions = []
    for rank, axes in _AXES.items():
        function = make(rank)
        function.__name__ = function.__qualname__ = f"{function.__name__}{rank}d"
        sizes = [", ".join([str(size)] * rank) for size in range(17)]
        call_text = call.format(*sizes, rank=rank, x=f"np.zeros((2, 4, {sizes[8]}))")
        example = f">>> {function.__name__}{call_text}.shape\n    ({shape.format(*sizes)})"
        if make.__doc__:  # python -OO strips it
            function.__doc__ = f"{make.__doc__.format(rank=rank, axes=axes).rstrip()}\n\n    {example}\n    "
        functions.append(function)
    return functions


def _conv(rank: Any) -> Any:
    """Correlation of ``([N,] C, ...)`` with ``(O, C / groups, ...)`` over {axes}; ``padding`` is a
    width, ``"valid"`` or ``"same"``.

    ``input``: the array; ``weight``: the weight; ``bias``: added to the result, one for each
    channel or feature; ``stride``: the step of the window; ``dilation``: the step between the
    elements of a window. As ``torch.nn.functional.conv{rank}d``.
    """
    op = getattr(ops, f"conv{rank}d")

    def conv(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Array:
        return op(input, weight, bias, stride, padding, dilation, groups)

    return conv


def _conv_transpose(rank: Any) -> Any:
    """The transpose of ``conv{rank}d`` as a linear map: ``weight`` is ``(C, O / groups, ...)``.

    ``input``: the array; ``bias``: added to the result, one for each channel or feature;
    ``stride``: the step of the window; ``padding``: the width added at both ends of each axis;
    ``output_padding``: further elements at the end of each axis of the result; ``dilation``:
    the step between the elements of a window. As ``torch.nn.functional.conv_transpose{rank}d``.
    """
    op = getattr(ops, f"conv_transpose{rank}d")

    def conv_transpose(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        dilation: Sizes = 1,
    ) -> Array:
        return op(input, weight, bias, stride, padding, output_padding, groups, dilation)

    return conv_transpose


def _max_pool(rank: Any) -> Any:
    """The greatest element of each window over {axes}; with ``return_indices`` also where in those
    axes it stands.

    ``input``: the array; ``kernel_size``: the size of the window, one for all axes or one for
    each; ``stride``: the step of the window, ``kernel_size`` by default; ``padding``: the width
    added at both ends of each axis; ``dilation``: the step between the elements of a window;
    ``ceil_mode``: include a partial window at the end. As ``torch.nn.functional.max_pool{rank}d``.
    """
    op, with_indices = getattr(ops, f"max_pool{rank}d"), getattr(ops, f"max_pool{rank}d_with_indices")

    def max_pool(
        input: Array,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Array:
        return (with_indices if return_indices else op)(input, kernel_size, stride, padding, dilation, ceil_mode)

    return max_pool


def _avg_pool(rank: Any) -> Any:
    """The mean of each window over {axes}.

    ``input``: the array; ``kernel_size``: the size of the window, one for all axes or one for
    each; ``stride``: the step of the window, ``kernel_size`` by default; ``padding``: the width
    added at both ends of each axis; ``ceil_mode``: include a partial window at the end;
    ``count_include_pad``: count padded elements in the mean; ``divisor_override``: divide by
    this instead of by the size of the window. As ``torch.nn.functional.avg_pool{rank}d``.
    """
    op = getattr(ops, f"avg_pool{rank}d")

    def avg_pool(
        input: Array,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Array:
        return op(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    return avg_pool


def _adaptive_avg_pool(rank: Any) -> Any:
    """The mean of ``output_size`` windows of nearly equal size over {axes}; ``None`` keeps an axis
    as it is.

    ``input``: the array. As ``torch.nn.functional.adaptive_avg_pool{rank}d``.
    """
    op = getattr(ops, f"adaptive_avg_pool{rank}d")

    def adaptive_avg_pool(input: Array, output_size: Sizes) -> Array:
        return op(input, output_size)

    return adaptive_avg_pool


def _adaptive_max_pool(rank: Any) -> Any:
    """The greatest element of ``output_size`` windows of nearly equal size over {axes}; with
    ``return_indices`` also where it stands.

    ``input``: the array. As ``torch.nn.functional.adaptive_max_pool{rank}d``.
    """
    op, with_indices = getattr(ops, f"adaptive_max_pool{rank}d"), getattr(ops, f"adaptive_max_pool{rank}d_with_indices")

    def adaptive_max_pool(input: Array, output_size: Sizes, return_indices: bool = False) -> Array:
        return (with_indices if return_indices else op)(input, output_size)

    return adaptive_max_pool


def _lp_pool(rank: Any) -> Any:
    """The ``norm_type``-th root of the sum of the powers of each window over {axes}, 0 where the
    sum is negative.

    ``input``: the array; ``kernel_size``: the size of the window, one for all axes or one for each;
    ``stride``: the step of the window, ``kernel_size`` by default; ``ceil_mode``: include a partial
    window at the end. As ``torch.nn.functional.lp_pool{rank}d``.
    """
    average, greatest = getattr(ops, f"avg_pool{rank}d"), getattr(ops, f"max_pool{rank}d")

    def lp_pool(input: Array, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False) -> Array:
        if norm_type in (np.inf, -np.inf):
            sign = 1 if norm_type > 0 else -1
            return sign * greatest(sign * np.abs(input), kernel_size, stride, 0, 1, ceil_mode)
        count = math.prod(per_axis(kernel_size, rank, f"lp_pool{rank}d", "kernel_size"))
        means = average(input**norm_type, kernel_size, stride, 0, ceil_mode)
        return (np.sign(means) * ops.relu(np.abs(means)) * count) ** (1.0 / norm_type)

    return lp_pool


def _max_unpool(rank: Any) -> Any:
    """The inverse of ``max_pool{rank}d`` with ``return_indices``: the elements at their original
    places, 0 elsewhere.

    ``output_size`` says what cannot be known: the sizes of {axes}, or of all. Raises ``ValueError``
    where it cannot have been pooled.

    ``input``: the array; ``indices``: where the elements stood; ``kernel_size``: the size of
    the window, one for all axes or one for each; ``stride``: the step of the window,
    ``kernel_size`` by default; ``padding``: the width added at both ends of each axis. As
    ``torch.nn.functional.max_unpool{rank}d``.
    """

    def max_unpool(
        input: Array,
        indices: Array,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sizes | None = None,
    ) -> Array:
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


def _between(sizes: Any, steps: Any, output_size: Any, name: Any) -> Any:
    """The last of ``output_size``; raises ``ValueError`` where one is a step or more away from
    ``sizes``.
    """
    wanted = tuple(output_size)[-len(sizes) :]
    if len(wanted) != len(sizes):
        raise ValueError(f"{name}: output_size must have {len(sizes)} sizes, got {tuple(output_size)}")
    for size, step, want in zip(sizes, steps, wanted, strict=True):
        if not size - step < want < size + step:
            raise ValueError(f"{name}: output_size {want} is not between {size - step + 1} and {size + step - 1}")
    return wanted


def unfold(input: Array, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Array:
    """The patches of ``([N,] C, H, W)`` under a kernel as the columns of ``([N,] C * KH * KW,
    patches)``.

    ``input``: the array; ``kernel_size``: the size of the window, one for all axes or one for
    each; ``dilation``: the step between the elements of a window; ``padding``: the width added
    at both ends of each axis; ``stride``: the step of the window. As
    ``torch.nn.functional.unfold``.

    >>> unfold(np.zeros((1, 3, 4, 5)), (2, 2)).shape
    (1, 12, 12)
    """
    return ops.unfold(input, kernel_size, dilation, padding, stride)


def fold(input: Array, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Array:
    """The transpose of ``unfold``: patches ``([N,] C * KH * KW, patches)`` summed where they
    overlap, ``([N,] C, *output_size)``.

    ``input``: the array; ``kernel_size``: the size of the window, one for all axes or one for
    each; ``dilation``: the step between the elements of a window; ``padding``: the width added
    at both ends of each axis; ``stride``: the step of the window. As
    ``torch.nn.functional.fold``.

    >>> fold(np.zeros((1, 3 * 4, 12)), (4, 5), (2, 2)).shape
    (1, 3, 4, 5)
    """
    return ops.fold(input, output_size, kernel_size, dilation, padding, stride)


conv1d, conv2d, conv3d = _for_each_rank(_conv, "({x}, np.zeros((6, 4, {3})), padding=1, stride=2)", "2, 6, {4}")
conv_transpose1d, conv_transpose2d, conv_transpose3d = _for_each_rank(
    _conv_transpose, "({x}, np.zeros((4, 6, {2})), stride=2)", "2, 6, {16}"
)
max_pool1d, max_pool2d, max_pool3d = _for_each_rank(_max_pool, "({x}, 2)", "2, 4, {4}")
avg_pool1d, avg_pool2d, avg_pool3d = _for_each_rank(_avg_pool, "({x}, 2)", "2, 4, {4}")
lp_pool1d, lp_pool2d, lp_pool3d = _for_each_rank(_lp_pool, "({x}, 2, 2)", "2, 4, {4}")
max_unpool1d, max_unpool2d, max_unpool3d = _for_each_rank(_max_unpool, "(*max_pool{rank}d({x}, 2, return_indices=True), 2)", "2, 4, {8}")
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = _for_each_rank(_adaptive_avg_pool, "({x}, 2)", "2, 4, {2}")
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = _for_each_rank(_adaptive_max_pool, "({x}, 2)", "2, 4, {2}")
