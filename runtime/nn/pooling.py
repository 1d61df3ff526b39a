"""Pooling layers: one class for each family, of which there is one for one, two and three spatial axes each."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.nn_base import per_axis
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module, for_each_rank


class _Pool(Module):
    """The options ``_names``, passed to ``_function`` by these names and printed those of ``_printed``."""

    _rank = 0
    _function: Any = None
    _names: tuple[str, ...] = ()
    _printed: tuple[str, ...] = ()

    def _set(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, input):
        return type(self)._function(input, **{name: getattr(self, name) for name in self._names})

    def extra_repr(self):
        return ", ".join([f"{name}={getattr(self, name)}" for name in self._printed])


class _MaxPool(_Pool):
    _names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    _printed = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self._set(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding, dilation=dilation)
        self._set(return_indices=return_indices, ceil_mode=ceil_mode)


class _MaxUnpool(_Pool):
    _names = _printed = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        sizes = [per_axis(value, self._rank, type(self).__name__, "option") for value in (kernel_size, padding)]
        steps = sizes[0] if stride is None else per_axis(stride, self._rank, type(self).__name__, "stride")
        self._set(kernel_size=sizes[0], stride=steps, padding=sizes[1])

    def forward(self, input, indices, output_size=None):
        return type(self)._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _AvgPool(_Pool):
    _names: tuple[str, ...] = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    _printed = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self._set(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding)
        self._set(ceil_mode=ceil_mode, count_include_pad=count_include_pad)


class AvgPool1d(_AvgPool):
    """``F.avg_pool1d``."""

    _function = staticmethod(F.avg_pool1d)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        options = [kernel_size, kernel_size if stride is None else stride, padding]
        super().__init__(*[per_axis(value, 1, "AvgPool1d", "option") for value in options], ceil_mode, count_include_pad)


class _AvgPoolOfPlanes(_AvgPool):
    _names = (*_AvgPool._names, "divisor_override")

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override


class _LPPool(_Pool):
    _names = _printed = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self._set(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class _AdaptiveAvgPool(_Pool):
    _names: tuple[str, ...] = ("output_size",)
    _printed = ("output_size",)

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size


class _AdaptiveMaxPool(_AdaptiveAvgPool):
    _names = ("output_size", "return_indices")

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices


def _layers(base: type, kind: str, function: str, ranks: tuple[int, ...] = (1, 2, 3)) -> list[type]:
    def members(rank: int) -> dict[str, Any]:
        name = f"{function}{rank}d"
        return {"_function": staticmethod(getattr(F, name)), "__doc__": f"``F.{name}``."}

    return for_each_rank(base, kind, members, ranks)


MaxPool1d, MaxPool2d, MaxPool3d = _layers(_MaxPool, "MaxPool", "max_pool")
MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = _layers(_MaxUnpool, "MaxUnpool", "max_unpool")
LPPool1d, LPPool2d, LPPool3d = _layers(_LPPool, "LPPool", "lp_pool")
AvgPool2d, AvgPool3d = _layers(_AvgPoolOfPlanes, "AvgPool", "avg_pool", (2, 3))
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = _layers(_AdaptiveAvgPool, "AdaptiveAvgPool", "adaptive_avg_pool")
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = _layers(_AdaptiveMaxPool, "AdaptiveMaxPool", "adaptive_max_pool")
