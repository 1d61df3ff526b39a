"""Convolution layers, and the patches that convolutions are sums over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.runtime.array_types import Array, DTypeLike, Sizes
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.linear import Weighted
from npexport.runtime.nn.module import Module

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Weighted):
    """What convolutions and transposed ones share: the options of all, the weights, and how they
    are printed.
    """

    _rank = 0
    _function: Any = None
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any
    dilation: tuple[int, ...]
    output_padding: tuple[int, ...]

    def _set(self, in_channels: Any, out_channels: Any, groups: Any, padding_mode: Any, **options: Any) -> None:
        name = type(self).__name__
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}: in_channels={in_channels} and out_channels={out_channels} must be divisible by groups={groups}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.groups = groups
        self.padding_mode = padding_mode
        for option, value in options.items():
            setattr(self, option, value if isinstance(value, str) else per_axis(value, self._rank, name, option))

    def extra_repr(self) -> str:
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
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
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

    def forward(self, input: Array) -> Array:
        padding = self.padding
        if self._pad_widths is not None:
            input, padding = F.pad(input, self._pad_widths, self.padding_mode), 0
        return type(self)._function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _ConvTranspose(_Convolution):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
        self._set(in_channels, out_channels, groups, padding_mode, **options)
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self._make_weights(shape, out_channels if bias else None, dtype, generator)

    def forward(self, input: Array, output_size: Sequence[int] | None = None) -> Array:
        extra = self.output_padding if output_size is None else self._extra(input, tuple(output_size))
        return type(self)._function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input: Any, output_size: Any) -> Any:
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


class Conv1d(_Conv):
    """Correlation of ``([N,] C, L)`` with a learned ``weight``, plus ``bias`` ``(O,)``.

    ``weight`` is ``(O, C / groups, *kernel_size)``. The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Conv1d``.

    >>> Conv1d(4, 6, 3, padding=1, stride=2)(np.zeros((2, 4, 16), np.float32)).shape
    (2, 6, 8)
    """

    _rank = 1
    _function = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """Correlation of ``([N,] C, H, W)`` with a learned ``weight``, plus ``bias`` ``(O,)``.

    ``weight`` is ``(O, C / groups, *kernel_size)``. The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Conv2d``.

    >>> Conv2d(4, 6, 3, padding=1, stride=2)(np.zeros((2, 4, 8, 8), np.float32)).shape
    (2, 6, 4, 4)
    """

    _rank = 2
    _function = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """Correlation of ``([N,] C, D, H, W)`` with a learned ``weight``, plus ``bias`` ``(O,)``.

    ``weight`` is ``(O, C / groups, *kernel_size)``. The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Conv3d``.

    >>> Conv3d(4, 6, 3, padding=1, stride=2)(np.zeros((2, 4, 4, 8, 8), np.float32)).shape
    (2, 6, 2, 4, 4)
    """

    _rank = 3
    _function = staticmethod(F.conv3d)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of ``Conv1d`` as a linear map of ``([N,] C, L)``, with its own weight and bias.

    ``weight`` is ``(C, O / groups, *kernel_size)``. The size of each axis of the result is
    ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.ConvTranspose1d``.

    >>> ConvTranspose1d(4, 6, 2, stride=2)(np.zeros((2, 4, 16), np.float32)).shape
    (2, 6, 32)
    """

    _rank = 1
    _function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """The transpose of ``Conv2d`` as a linear map of ``([N,] C, H, W)``, with its own weight and
    bias.

    ``weight`` is ``(C, O / groups, *kernel_size)``. The size of each axis of the result is
    ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.ConvTranspose2d``.

    >>> ConvTranspose2d(4, 6, 2, stride=2)(np.zeros((2, 4, 8, 8), np.float32)).shape
    (2, 6, 16, 16)
    """

    _rank = 2
    _function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """The transpose of ``Conv3d`` as a linear map of ``([N,] C, D, H, W)``, with its own weight and
    bias.

    ``weight`` is ``(C, O / groups, *kernel_size)``. The size of each axis of the result is
    ``(size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``.

    ``in_channels``: channels of the input; ``out_channels``: channels of the result;
    ``padding_mode``: what to read beyond the edges, ``"zeros"`` by default; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.ConvTranspose3d``.

    >>> ConvTranspose3d(4, 6, 2, stride=2)(np.zeros((2, 4, 4, 8, 8), np.float32)).shape
    (2, 6, 8, 16, 16)
    """

    _rank = 3
    _function = staticmethod(F.conv_transpose3d)


class _Patches(Module):
    def __init__(self, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(_Patches):
    """The patches of ``([N,] C, H, W)`` as the columns of ``([N,] C * KH * KW, patches)``.

    ``kernel_size``: the size of the window, one for all axes or one for each; ``dilation``: the
    step between the elements of a window; ``padding``: the width added at both ends of each
    axis; ``stride``: the step of the window. As ``torch.nn.Unfold``.

    >>> Unfold((2, 2))(np.zeros((1, 3, 4, 5))).shape
    (1, 12, 12)
    """

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__(kernel_size, dilation, padding, stride)

    def forward(self, input: Array) -> Array:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Patches):
    """Sums patches ``([N,] C * KH * KW, patches)`` where they overlap, into ``([N,] C,
    *output_size)``.

    ``kernel_size``: the size of the window, one for all axes or one for each; ``dilation``: the
    step between the elements of a window; ``padding``: the width added at both ends of each
    axis; ``stride``: the step of the window. As ``torch.nn.Fold``.

    >>> Fold((4, 5), (2, 2))(np.zeros((1, 3 * 4, 12))).shape
    (1, 3, 4, 5)
    """

    def __init__(self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Array) -> Array:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
