"""Layers that enlarge or reduce images, and those that move elements between channels and positions."""

from __future__ import annotations

from typing import Any

from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class Upsample(Module):
    """``F.interpolate`` to ``size``, or ``scale_factor`` times as large."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size = size
        self.scale_factor = _floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self):
        target = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{target}, mode={self.mode!r}"


def _floats(factor):
    if factor is None:
        return None
    return tuple([float(one) for one in factor]) if isinstance(factor, (tuple, list)) else float(factor)


class UpsamplingNearest2d(Upsample):
    """``F.interpolate`` of images with the nearest element."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    """``F.interpolate`` of images with ``mode="bilinear"``, corners on corners."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)


class _Rearranging(Module):
    """``_function`` of the input and the attribute ``_name``."""

    _function: Any = None
    _name = ""

    def forward(self, input):
        return type(self)._function(input, getattr(self, self._name))

    def extra_repr(self):
        return f"{self._name}={getattr(self, self._name)}"


class PixelShuffle(_Rearranging):
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``."""

    _function, _name = staticmethod(F.pixel_shuffle), "upscale_factor"

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor


class PixelUnshuffle(_Rearranging):
    """``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``."""

    _function, _name = staticmethod(F.pixel_unshuffle), "downscale_factor"

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor


class ChannelShuffle(_Rearranging):
    """The channels of ``(N, C, ...)``, dealt out from each of the groups in turn."""

    _function, _name = staticmethod(F.channel_shuffle), "groups"

    def __init__(self, groups):
        super().__init__()
        self.groups = groups
