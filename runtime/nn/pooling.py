"""Pooling layers: one class for each family, of which there is one for one, two and three spatial
axes each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.ops.nn_base import per_axis
from npexport.runtime.array_types import Array, Sizes
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class _Options(Module):
    """A layer whose options are its attributes; those of ``_printed`` are printed."""

    _rank = 0
    _function: Any = None
    _printed: tuple[str, ...] = ()
    kernel_size: Any
    stride: Any
    padding: Any

    def _set(self, **options: Any) -> None:
        for name, value in options.items():
            setattr(self, name, value)

    def extra_repr(self) -> str:
        return ", ".join([f"{name}={getattr(self, name)}" for name in self._printed])


class _Pool(_Options):
    """The options ``_names`` are passed to ``_function`` by these names."""

    _names: tuple[str, ...] = ()

    def forward(self, input: Array) -> Any:
        return type(self)._function(input, **{name: getattr(self, name) for name in self._names})


class _MaxPool(_Pool):
    _names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    _printed = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self._set(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding, dilation=dilation)
        self._set(return_indices=return_indices, ceil_mode=ceil_mode)


class _MaxUnpool(_Options):
    _printed = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        sizes = [per_axis(value, self._rank, type(self).__name__, "option") for value in (kernel_size, padding)]
        steps = sizes[0] if stride is None else per_axis(stride, self._rank, type(self).__name__, "stride")
        self._set(kernel_size=sizes[0], stride=steps, padding=sizes[1])

    def forward(self, input: Array, indices: Array, output_size: Sizes | None = None) -> Array:
        return type(self)._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _AvgPool(_Pool):
    _names: tuple[str, ...] = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    _printed = ("kernel_size", "stride", "padding")

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None:
        super().__init__()
        self._set(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding)
        self._set(ceil_mode=ceil_mode, count_include_pad=count_include_pad)


class AvgPool1d(_AvgPool):
    """The mean of each window over ``([N,] C, L)``.

    The size of each axis of the result is ``(size + 2 * padding - kernel_size) // stride + 1``.

    ``ceil_mode``: include a partial window at the end; ``count_include_pad``: count padded
    elements in the mean. As ``torch.nn.AvgPool1d``.

    >>> import numpy as np
    >>> AvgPool1d(2)(np.zeros((2, 4, 16))).shape
    (2, 4, 8)
    """

    _function = staticmethod(F.avg_pool1d)

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None:
        options = (kernel_size, kernel_size if stride is None else stride, padding)
        kernel, step, width = [per_axis(value, 1, "AvgPool1d", "option") for value in options]
        super().__init__(kernel, step, width, ceil_mode, count_include_pad)


class _AvgPoolOfPlanes(_AvgPool):
    _names = (*_AvgPool._names, "divisor_override")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override


class _LPPool(_Pool):
    _names = _printed = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self._set(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class _AdaptiveAvgPool(_Pool):
    _names: tuple[str, ...] = ("output_size",)
    _printed = ("output_size",)

    def __init__(self, output_size: Sizes | Sequence[int | None]) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveMaxPool(_AdaptiveAvgPool):
    _names = ("output_size", "return_indices")

    def __init__(self, output_size: Sizes | Sequence[int | None], return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class MaxPool1d(_MaxPool):
    """The greatest element of each window over ``([N,] C, L)``.

    The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``return_indices``: also return the index of each element; ``ceil_mode``: include a partial
    window at the end. As ``torch.nn.MaxPool1d``.

    >>> import numpy as np
    >>> MaxPool1d(2)(np.zeros((2, 4, 16))).shape
    (2, 4, 8)
    """

    _rank = 1
    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The greatest element of each window over ``([N,] C, H, W)``.

    The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``return_indices``: also return the index of each element; ``ceil_mode``: include a partial
    window at the end. As ``torch.nn.MaxPool2d``.

    >>> import numpy as np
    >>> MaxPool2d(2)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 4, 4)
    """

    _rank = 2
    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """The greatest element of each window over ``([N,] C, D, H, W)``.

    The size of each axis of the result is
    ``(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``.

    ``return_indices``: also return the index of each element; ``ceil_mode``: include a partial
    window at the end. As ``torch.nn.MaxPool3d``.

    >>> import numpy as np
    >>> MaxPool3d(2)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 2, 4, 4)
    """

    _rank = 3
    _function = staticmethod(F.max_pool3d)


class MaxUnpool1d(_MaxUnpool):
    """The inverse of ``MaxPool1d`` over ``([N,] C, L)``: the elements at their original places, 0
    elsewhere.

    The size of each axis of the result is ``(size - 1) * stride - 2 * padding + kernel_size``.

    As ``torch.nn.MaxUnpool1d``.

    >>> import numpy as np
    >>> pooled, indices = MaxPool1d(2, return_indices=True)(np.zeros((2, 4, 16)))
    >>> MaxUnpool1d(2)(pooled, indices).shape
    (2, 4, 16)
    """

    _rank = 1
    _function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """The inverse of ``MaxPool2d`` over ``([N,] C, H, W)``: the elements at their original places,
    0 elsewhere.

    The size of each axis of the result is ``(size - 1) * stride - 2 * padding + kernel_size``.

    As ``torch.nn.MaxUnpool2d``.

    >>> import numpy as np
    >>> pooled, indices = MaxPool2d(2, return_indices=True)(np.zeros((2, 4, 8, 8)))
    >>> MaxUnpool2d(2)(pooled, indices).shape
    (2, 4, 8, 8)
    """

    _rank = 2
    _function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """The inverse of ``MaxPool3d`` over ``([N,] C, D, H, W)``: the elements at their original
    places, 0 elsewhere.

    The size of each axis of the result is ``(size - 1) * stride - 2 * padding + kernel_size``.

    As ``torch.nn.MaxUnpool3d``.

    >>> import numpy as np
    >>> pooled, indices = MaxPool3d(2, return_indices=True)(np.zeros((2, 4, 4, 8, 8)))
    >>> MaxUnpool3d(2)(pooled, indices).shape
    (2, 4, 4, 8, 8)
    """

    _rank = 3
    _function = staticmethod(F.max_unpool3d)


class LPPool1d(_LPPool):
    """The norm of each window over ``([N,] C, L)``: ``sum(x ** norm_type) ** (1 / norm_type)``.

    ``kernel_size``: the size of the window, one for all axes or one for each; ``stride``: the step
    of the window, ``kernel_size`` by default; ``ceil_mode``: include a partial window at the end.
    As ``torch.nn.LPPool1d``.

    >>> import numpy as np
    >>> LPPool1d(2, 2)(np.zeros((2, 4, 16))).shape
    (2, 4, 8)
    """

    _rank = 1
    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """The norm of each window over ``([N,] C, H, W)``: ``sum(x ** norm_type) ** (1 / norm_type)``.

    ``kernel_size``: the size of the window, one for all axes or one for each; ``stride``: the step
    of the window, ``kernel_size`` by default; ``ceil_mode``: include a partial window at the end.
    As ``torch.nn.LPPool2d``.

    >>> import numpy as np
    >>> LPPool2d(2, 2)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 4, 4)
    """

    _rank = 2
    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """The norm of each window over ``([N,] C, D, H, W)``: ``sum(x ** norm_type) ** (1 /
    norm_type)``.

    ``kernel_size``: the size of the window, one for all axes or one for each; ``stride``: the step
    of the window, ``kernel_size`` by default; ``ceil_mode``: include a partial window at the end.
    As ``torch.nn.LPPool3d``.

    >>> import numpy as np
    >>> LPPool3d(2, 2)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 2, 4, 4)
    """

    _rank = 3
    _function = staticmethod(F.lp_pool3d)


class AvgPool2d(_AvgPoolOfPlanes):
    """The mean of each window over ``([N,] C, H, W)``.

    The size of each axis of the result is ``(size + 2 * padding - kernel_size) // stride + 1``.

    ``ceil_mode``: include a partial window at the end; ``count_include_pad``: count padded
    elements in the mean; ``divisor_override``: divide by this instead of by the size of the
    window. As ``torch.nn.AvgPool2d``.

    >>> import numpy as np
    >>> AvgPool2d(2)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 4, 4)
    """

    _rank = 2
    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolOfPlanes):
    """The mean of each window over ``([N,] C, D, H, W)``.

    The size of each axis of the result is ``(size + 2 * padding - kernel_size) // stride + 1``.

    ``ceil_mode``: include a partial window at the end; ``count_include_pad``: count padded
    elements in the mean; ``divisor_override``: divide by this instead of by the size of the
    window. As ``torch.nn.AvgPool3d``.

    >>> import numpy as np
    >>> AvgPool3d(2)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 2, 4, 4)
    """

    _rank = 3
    _function = staticmethod(F.avg_pool3d)


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The mean of ``output_size`` windows of nearly equal size over ``([N,] C, L)``.

    As ``torch.nn.AdaptiveAvgPool1d``.

    >>> import numpy as np
    >>> AdaptiveAvgPool1d(2)(np.zeros((2, 4, 16))).shape
    (2, 4, 2)
    """

    _rank = 1
    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The mean of ``output_size`` windows of nearly equal size over ``([N,] C, H, W)``.

    As ``torch.nn.AdaptiveAvgPool2d``.

    >>> import numpy as np
    >>> AdaptiveAvgPool2d(2)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 2, 2)
    """

    _rank = 2
    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The mean of ``output_size`` windows of nearly equal size over ``([N,] C, D, H, W)``.

    As ``torch.nn.AdaptiveAvgPool3d``.

    >>> import numpy as np
    >>> AdaptiveAvgPool3d(2)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 2, 2, 2)
    """

    _rank = 3
    _function = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The greatest element of ``output_size`` windows of nearly equal size over ``([N,] C, L)``.

    ``return_indices``: also return the index of each element. As
    ``torch.nn.AdaptiveMaxPool1d``.

    >>> import numpy as np
    >>> AdaptiveMaxPool1d(2)(np.zeros((2, 4, 16))).shape
    (2, 4, 2)
    """

    _rank = 1
    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The greatest element of ``output_size`` windows of nearly equal size over ``([N,] C, H, W)``.

    ``return_indices``: also return the index of each element. As
    ``torch.nn.AdaptiveMaxPool2d``.

    >>> import numpy as np
    >>> AdaptiveMaxPool2d(2)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 2, 2)
    """

    _rank = 2
    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The greatest element of ``output_size`` windows of nearly equal size over ``([N,] C, D, H,
    W)``.

    ``return_indices``: also return the index of each element. As
    ``torch.nn.AdaptiveMaxPool3d``.

    >>> import numpy as np
    >>> AdaptiveMaxPool3d(2)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 2, 2, 2)
    """

    _rank = 3
    _function = staticmethod(F.adaptive_max_pool3d)
