"""Padding layers: constants, reflections, copies of the edge, and what is at the other end."""

from __future__ import annotations

from typing import Any

from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module, for_each_rank


class _Pad(Module):
    """``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as the rank goes, the last axis first."""

    _rank = 0
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


def _layers(base: type, kind: str, mode: str, what: str) -> list[type]:
    axes = {1: "axis", 2: "two axes", 3: "three axes"}
    return for_each_rank(base, kind, lambda rank: {"_mode": mode, "__doc__": f"``F.pad`` of the last {axes[rank]} with {what}."})


ConstantPad1d, ConstantPad2d, ConstantPad3d = _layers(_ConstantPad, "ConstantPad", "constant", "``value``")
ZeroPad1d, ZeroPad2d, ZeroPad3d = _layers(_ZeroPad, "ZeroPad", "constant", "zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _layers(_Pad, "ReflectionPad", "reflect", "its reflection")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _layers(_Pad, "ReplicationPad", "replicate", "the elements at the edge")
CircularPad1d, CircularPad2d, CircularPad3d = _layers(_Pad, "CircularPad", "circular", "the elements at the other end")
