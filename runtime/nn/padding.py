"""Padding layers: with constants, reflections, copies of the edge, or circularly."""

from __future__ import annotations

from npexport.runtime.array_types import Array, Sizes
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class _Pad(Module):
    """``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes, the last axis first.
    """

    _rank = 0
    _mode = ""

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self._rank) if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != 2 * self._rank:
            raise ValueError(f"{type(self).__name__}: padding has {2 * self._rank} widths, got {self.padding}")

    def forward(self, input: Array) -> Array:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Array) -> Array:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad):
    """``F.pad`` of the last axis with ``value``.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ConstantPad1d``.

    >>> import numpy as np
    >>> ConstantPad1d(1, 0.5)(np.zeros((2, 4, 16))).shape
    (2, 4, 18)
    """

    _rank = 1
    _mode = "constant"


class ConstantPad2d(_ConstantPad):
    """``F.pad`` of the last two axes with ``value``.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ConstantPad2d``.

    >>> import numpy as np
    >>> ConstantPad2d(1, 0.5)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 10, 10)
    """

    _rank = 2
    _mode = "constant"


class ConstantPad3d(_ConstantPad):
    """``F.pad`` of the last three axes with ``value``.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ConstantPad3d``.

    >>> import numpy as np
    >>> ConstantPad3d(1, 0.5)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 6, 10, 10)
    """

    _rank = 3
    _mode = "constant"


class ZeroPad1d(_ZeroPad):
    """``F.pad`` of the last axis with zeros.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ZeroPad1d``.

    >>> import numpy as np
    >>> ZeroPad1d(1)(np.zeros((2, 4, 16))).shape
    (2, 4, 18)
    """

    _rank = 1
    _mode = "constant"


class ZeroPad2d(_ZeroPad):
    """``F.pad`` of the last two axes with zeros.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ZeroPad2d``.

    >>> import numpy as np
    >>> ZeroPad2d(1)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 10, 10)
    """

    _rank = 2
    _mode = "constant"


class ZeroPad3d(_ZeroPad):
    """``F.pad`` of the last three axes with zeros.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ZeroPad3d``.

    >>> import numpy as np
    >>> ZeroPad3d(1)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 6, 10, 10)
    """

    _rank = 3
    _mode = "constant"


class ReflectionPad1d(_Pad):
    """``F.pad`` of the last axis with its reflection.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReflectionPad1d``.

    >>> import numpy as np
    >>> ReflectionPad1d(1)(np.zeros((2, 4, 16))).shape
    (2, 4, 18)
    """

    _rank = 1
    _mode = "reflect"


class ReflectionPad2d(_Pad):
    """``F.pad`` of the last two axes with its reflection.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReflectionPad2d``.

    >>> import numpy as np
    >>> ReflectionPad2d(1)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 10, 10)
    """

    _rank = 2
    _mode = "reflect"


class ReflectionPad3d(_Pad):
    """``F.pad`` of the last three axes with its reflection.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReflectionPad3d``.

    >>> import numpy as np
    >>> ReflectionPad3d(1)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 6, 10, 10)
    """

    _rank = 3
    _mode = "reflect"


class ReplicationPad1d(_Pad):
    """``F.pad`` of the last axis with the elements at the edge.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReplicationPad1d``.

    >>> import numpy as np
    >>> ReplicationPad1d(1)(np.zeros((2, 4, 16))).shape
    (2, 4, 18)
    """

    _rank = 1
    _mode = "replicate"


class ReplicationPad2d(_Pad):
    """``F.pad`` of the last two axes with the elements at the edge.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReplicationPad2d``.

    >>> import numpy as np
    >>> ReplicationPad2d(1)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 10, 10)
    """

    _rank = 2
    _mode = "replicate"


class ReplicationPad3d(_Pad):
    """``F.pad`` of the last three axes with the elements at the edge.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.ReplicationPad3d``.

    >>> import numpy as np
    >>> ReplicationPad3d(1)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 6, 10, 10)
    """

    _rank = 3
    _mode = "replicate"


class CircularPad1d(_Pad):
    """``F.pad`` of the last axis with the elements at the other end.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.CircularPad1d``.

    >>> import numpy as np
    >>> CircularPad1d(1)(np.zeros((2, 4, 16))).shape
    (2, 4, 18)
    """

    _rank = 1
    _mode = "circular"


class CircularPad2d(_Pad):
    """``F.pad`` of the last two axes with the elements at the other end.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.CircularPad2d``.

    >>> import numpy as np
    >>> CircularPad2d(1)(np.zeros((2, 4, 8, 8))).shape
    (2, 4, 10, 10)
    """

    _rank = 2
    _mode = "circular"


class CircularPad3d(_Pad):
    """``F.pad`` of the last three axes with the elements at the other end.

    ``padding``: a width for all sides, or ``(left, right, top, bottom, front, back)`` as far as
    the rank goes. As ``torch.nn.CircularPad3d``.

    >>> import numpy as np
    >>> CircularPad3d(1)(np.zeros((2, 4, 4, 8, 8))).shape
    (2, 4, 6, 10, 10)
    """

    _rank = 3
    _mode = "circular"
