"""Layers that enlarge or reduce images, and those that move elements between channels and
positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.runtime.array_types import Array, Sizes
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class Upsample(Module):
    """``F.interpolate`` to ``size``, or ``scale_factor`` times as large.

    ``mode``: the method, by its name in torch; ``align_corners``: whether the corner elements of
    input and result are aligned; ``recompute_scale_factor``: as in torch: recompute the factor from
    the sizes. As ``torch.nn.Upsample``.

    >>> import numpy as np
    >>> Upsample(scale_factor=2)(np.zeros((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = _floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Array) -> Array:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        target = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{target}, mode={self.mode!r}"


def _floats(factor: Any) -> Any:
    if factor is None:
        return None
    return tuple([float(one) for one in factor]) if isinstance(factor, (tuple, list)) else float(factor)


class UpsamplingNearest2d(Upsample):
    """``F.interpolate`` of images with the nearest element.

    ``size``: the sizes of the spatial axes; ``scale_factor``: how many times as large, for all
    axes or for each. As ``torch.nn.UpsamplingNearest2d``.

    >>> import numpy as np
    >>> UpsamplingNearest2d(scale_factor=2)(np.zeros((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    def __init__(self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    """``F.interpolate`` of images with ``mode="bilinear"``, corners on corners.

    ``size``: the sizes of the spatial axes; ``scale_factor``: how many times as large, for all
    axes or for each. As ``torch.nn.UpsamplingBilinear2d``.

    >>> import numpy as np
    >>> UpsamplingBilinear2d(scale_factor=2)(np.zeros((1, 3, 4, 4))).shape
    (1, 3, 8, 8)
    """

    def __init__(self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class _Rearranging(Module):
    """``_function`` of the input and the attribute ``_name``."""

    _function: Any = None
    _name = ""

    def forward(self, input: Array) -> Array:
        return type(self)._function(input, getattr(self, self._name))

    def extra_repr(self) -> str:
        return f"{self._name}={getattr(self, self._name)}"


class PixelShuffle(_Rearranging):
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``.

    ``upscale_factor``: the factor ``r``. As ``torch.nn.PixelShuffle``; Shi et al.,
    arXiv:1609.05158.

    >>> import numpy as np
    >>> PixelShuffle(2)(np.zeros((1, 8, 3, 3))).shape
    (1, 2, 6, 6)
    """

    _function, _name = staticmethod(F.pixel_shuffle), "upscale_factor"

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor


class PixelUnshuffle(_Rearranging):
    """``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``.

    ``downscale_factor``: the factor ``r``. As ``torch.nn.PixelUnshuffle``.

    >>> import numpy as np
    >>> PixelUnshuffle(2)(np.zeros((1, 2, 6, 6))).shape
    (1, 8, 3, 3)
    """

    _function, _name = staticmethod(F.pixel_unshuffle), "downscale_factor"

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor


class ChannelShuffle(_Rearranging):
    """The channels of ``(N, C, ...)``, dealt out from each of the groups in turn.

    ``groups``: the number of groups that channels are divided into. As
    ``torch.nn.ChannelShuffle``; Zhang et al., arXiv:1707.01083.

    >>> import numpy as np
    >>> ChannelShuffle(2)(np.arange(4.0).reshape(1, 4, 1)).ravel()
    array([0., 2., 1., 3.])
    """

    _function, _name = staticmethod(F.channel_shuffle), "groups"

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups
