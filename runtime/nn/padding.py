"""Padding layers: constants, reflections, copies of the edge, and what is at the other end."""

from __future__ import annotations

from typing import Any

from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class _Pad(Module):
    """``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as the rank goes, the last axis first."""

    _rank: Any = None
    _mode: Any = None

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self._rank) if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != 2 * self._rank:
            raise ValueError(f"{type(self).__name__}: padding has {2 * self._rank} widths, got {self.padding}")

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


def _layer(base: type, kind: str, rank: int, mode: str, what: str) -> type:
    doc = f"``F.pad`` of the last {rank} axes with {what}." if rank > 1 else f"``F.pad`` of the last axis with {what}."
    return type(f"{kind}{rank}d", (base,), {"_rank": rank, "_mode": mode, "__doc__": doc, "__module__": __name__})


_EDGE, _OTHER_END = "the elements at the edge", "the elements at the other end"
ConstantPad1d, ConstantPad2d, ConstantPad3d = [_layer(_ConstantPad, "ConstantPad", n, "constant", "``value``") for n in (1, 2, 3)]
ZeroPad1d, ZeroPad2d, ZeroPad3d = [_layer(_ZeroPad, "ZeroPad", n, "constant", "zeros") for n in (1, 2, 3)]
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = [_layer(_Pad, "ReflectionPad", n, "reflect", "its reflection") for n in (1, 2, 3)]
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = [_layer(_Pad, "ReplicationPad", n, "replicate", _EDGE) for n in (1, 2, 3)]
CircularPad1d, CircularPad2d, CircularPad3d = [_layer(_Pad, "CircularPad", n, "circular", _OTHER_END) for n in (1, 2, 3)]
