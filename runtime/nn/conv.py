"""Convolution layers, and the patches that convolutions are sums over."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.linear import Weighted
from npexport.runtime.nn.module import Module, for_each_rank

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Weighted):
    """What convolutions and transposed ones share: the options of all, the weights, and how they are printed."""

    _rank = 0
    _function: Any = None

    def _set(self, in_channels, out_channels, groups, padding_mode, **options):
        name = type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}: in_channels={in_channels} and out_channels={out_channels} must be divisible by groups={groups}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.groups = groups
        self.padding_mode = padding_mode
        for option, value in options.items():
            setattr(self, option, value if isinstance(value, str) else per_axis(value, self._rank, name, option))

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, default in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            text += "" if value == (default,) * self._rank else f", {name}={value}"
        text += f", groups={self.groups}" if self.groups != 1 else ""
        text += ", bias=False" if self.bias is None else ""
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class _Conv(_Convolution):
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
        name = type(self).__name__
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"{name}: padding_mode must be one of {_PADDING_MODES}, but got {padding_mode!r}")
        options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation, "output_padding": 0}
        self._set(in_channels, out_channels, groups, padding_mode, **options)
        pairs = padding_pairs(padding, self.kernel_size, self.dilation, self.stride, name)  # raises for a bad padding here, not later
        self._pad_widths = None if padding_mode == "zeros" else [width for pair in reversed(pairs) for width in pair]
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self._make_weights(shape, out_channels if bias else None, dtype, generator)

    def forward(self, input):
        padding = self.padding
        if self._pad_widths is not None:
            input, padding = F.pad(input, self._pad_widths, self.padding_mode), 0
        return type(self)._function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _ConvTranspose(_Convolution):
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
        padding_mode="zeros",
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
        self._set(in_channels, out_channels, groups, padding_mode, **options)
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self._make_weights(shape, out_channels if bias else None, dtype, generator)

    def forward(self, input, output_size=None):
        extra = self.output_padding if output_size is None else self._extra(input, tuple(output_size))
        return type(self)._function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input, output_size):
        """The output padding that gives ``output_size``: the spatial sizes, or all."""
        rank = self._rank
        if len(output_size) not in (rank, input.ndim):
            raise ValueError(f"{type(self).__name__}: output_size must have {rank} or {input.ndim} sizes, got {output_size}")
        extra = []
        for axis, wanted in enumerate(output_size[-rank:]):
            reach = self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
            least = (input.shape[axis - rank] - 1) * self.stride[axis] - 2 * self.padding[axis] + reach
            if not least <= wanted < least + self.stride[axis]:
                raise ValueError(
                    f"requested an output size of {output_size}, but spatial axis {axis} of input of shape {input.shape} "
                    f"can have sizes from {least} to {least + self.stride[axis] - 1}"
                )
            extra.append(wanted - least)
        return tuple(extra)


def _layers(base: type, kind: str, function: str, shape: str) -> list[type]:
    def members(rank: int) -> dict[str, Any]:
        name = f"{function}{rank}d"
        return {"_function": staticmethod(getattr(F, name)), "__doc__": f"``F.{name}`` with its own weight ``{shape}`` and bias."}

    return for_each_rank(base, kind, members)


Conv1d, Conv2d, Conv3d = _layers(_Conv, "Conv", "conv", "(out, in / groups, ...)")
ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = _layers(_ConvTranspose, "ConvTranspose", "conv_transpose", "(in, out / groups, ...)")


class _Patches(Module):
    def __init__(self, kernel_size, dilation, padding, stride):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(_Patches):
    """``F.unfold``."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Patches):
    """``F.fold``."""

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"output_size={self.output_size}, {super().extra_repr()}"
