"""Convolution and pooling layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.linear import fan_in_uniform
from npexport.runtime.nn.module import Module

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    _rank = 0
    _function: Any = None

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        rank, name = self._rank, type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}: in_channels={in_channels} and out_channels={out_channels} must be divisible by groups={groups}")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"{name}: padding_mode must be one of {_PADDING_MODES}, but got {padding_mode!r}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_axis(kernel_size, rank, name, "kernel_size")
        self.stride = per_axis(stride, rank, name, "stride")
        self.dilation = per_axis(dilation, rank, name, "dilation")
        pairs = padding_pairs(padding, self.kernel_size, self.dilation, self.stride, name)  # raises for a bad padding here, not later
        self.padding = padding if isinstance(padding, str) else per_axis(padding, rank, name, "padding")
        self._pad_widths = None if padding_mode == "zeros" else [width for pair in reversed(pairs) for width in pair]
        self.groups = groups
        self.padding_mode = padding_mode
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        fan_in_uniform(self, shape, out_channels if bias else None, math.prod(shape[1:]), dtype, generator)

    def forward(self, input):
        padding = self.padding
        if self._pad_widths is not None:
            input, padding = F.pad(input, self._pad_widths, self.padding_mode), 0
        return type(self)._function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        one, zero = (1,) * self._rank, (0,) * self._rank
        text += f", padding={self.padding}" if self.padding != zero else ""
        text += f", dilation={self.dilation}" if self.dilation != one else ""
        text += f", groups={self.groups}" if self.groups != 1 else ""
        text += ", bias=False" if self.bias is None else ""
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class Conv1d(_Conv):
    """``F.conv1d`` with its own weight ``(out, in / groups, K)`` and bias."""

    _rank, _function = 1, staticmethod(F.conv1d)


class Conv2d(_Conv):
    """``F.conv2d`` with its own weight ``(out, in / groups, KH, KW)`` and bias.

    >>> Conv2d(3, 8, 3, padding=1)(np.ones((2, 3, 5, 5), np.float32)).shape
    (2, 8, 5, 5)
    """

    _rank, _function = 2, staticmethod(F.conv2d)


class Conv3d(_Conv):
    """``F.conv3d`` with its own weight ``(out, in / groups, KD, KH, KW)`` and bias."""

    _rank, _function = 3, staticmethod(F.conv3d)


class _ConvTranspose(Module):
    _rank = 0
    _function: Any = None

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        rank, name = self._rank, type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}: in_channels={in_channels} and out_channels={out_channels} must be divisible by groups={groups}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_axis(kernel_size, rank, name, "kernel_size")
        self.stride = per_axis(stride, rank, name, "stride")
        self.padding = per_axis(padding, rank, name, "padding")
        self.output_padding = per_axis(output_padding, rank, name, "output_padding")
        self.dilation = per_axis(dilation, rank, name, "dilation")
        self.groups = groups
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        fan_in_uniform(self, shape, out_channels if bias else None, math.prod(shape[1:]), dtype, generator)

    def forward(self, input):
        return type(self)._function(
            input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation
        )

    def extra_repr(self):
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"


class ConvTranspose1d(_ConvTranspose):
    """``F.conv_transpose1d`` with its own weight ``(in, out / groups, K)`` and bias."""

    _rank, _function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """``F.conv_transpose2d`` with its own weight ``(in, out / groups, KH, KW)`` and bias."""

    _rank, _function = 2, staticmethod(F.conv_transpose2d)


class _MaxPool(Module):
    _function: Any = None

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, *, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """``F.max_pool1d``."""

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """``F.max_pool2d``."""

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """``F.max_pool3d``."""

    _function = staticmethod(F.max_pool3d)


class _AvgPool(Module):
    _function: Any = None

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """``F.avg_pool1d``."""

    _function = staticmethod(F.avg_pool1d)


class _AvgPoolOfPlanes(_AvgPool):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input):
        options = self.ceil_mode, self.count_include_pad, self.divisor_override
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, *options)


class AvgPool2d(_AvgPoolOfPlanes):
    """``F.avg_pool2d``."""

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolOfPlanes):
    """``F.avg_pool3d``."""

    _function = staticmethod(F.avg_pool3d)


class _AdaptivePool(Module):
    _function: Any = None

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return type(self)._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePool):
    """``F.adaptive_avg_pool1d``."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptivePool):
    """``F.adaptive_avg_pool2d``."""

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveMaxPool1d(_AdaptivePool):
    """``F.adaptive_max_pool1d``."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptivePool):
    """``F.adaptive_max_pool2d``."""

    _function = staticmethod(F.adaptive_max_pool2d)
