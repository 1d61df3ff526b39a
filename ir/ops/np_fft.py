"""The discrete Fourier transforms: one rule for one axis and one for several, one row per
function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.fft as fft

from npexport.ir.facts import Out
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Size,
    array,
    as_tuple,
    axis_index,
    dtype_of,
    is_size,
    meta_of,
    record,
    replace_axis,
    violated,
)
from npexport.ir.raising import NOTHING
from npexport.symshapes.symint import python_type


def _same(n: Size) -> Size:
    return n


def _half(n: Size) -> Size:
    return n // 2 + 1


def _double(n: Size) -> Size:
    return (n - 1) * 2


# name: (size of the result where ``n`` points are transformed, ``n`` where it is not given)
# Of the inverses of real transforms ``n`` is the size of the result.
ONE_AXIS: dict[str, tuple[Callable[[Size], Size], Callable[[Size], Size]]] = {
    "fft": (_same, _same),
    "ifft": (_same, _same),
    "rfft": (_half, _same),
    "irfft": (_same, _double),
    "hfft": (_same, _double),
    "ihfft": (_half, _same),
}
# name: (function along the last of the axes, along the others)
SEVERAL_AXES: dict[str, str] = {
    "fftn": "fft",
    "ifftn": "ifft",
    "rfftn": "rfft",
    "irfftn": "irfft",
    "fft2": "fft",
    "ifft2": "ifft",
    "rfft2": "rfft",
    "irfft2": "irfft",
}


def _dtype(name: str, a: TensorMeta) -> np.dtype[Any]:
    return dtype_of(getattr(fft, name), a, ones=(2,))


def _transformed(name: str, size: Size, n: Any) -> Size:
    result, default = ONE_AXIS[name]
    n = default(size) if n is None else n
    if python_type(n) is float or violated(n >= 1):
        raise Rejected
    return result(n)


def one_axis(name: str) -> Callable[..., Any]:
    """The rule of a transform along one axis."""

    def rule(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> TensorMeta:
        a = meta_of(a)
        axis = axis_index(axis, len(a.shape))
        if norm not in (None, "backward", "ortho", "forward"):
            raise Rejected
        return array(replace_axis(a.shape, axis, _transformed(name, a.shape[axis], n)), _dtype(name, a))

    return rule


def several_axes(name: str, default_axes: Any) -> Callable[..., Any]:
    """The rule of a transform along several axes."""

    def rule(a: Array, s: Any = None, axes: Any = default_axes, norm: Any = None) -> TensorMeta:
        a = meta_of(a)
        rank = len(a.shape)
        if isinstance(axes, str) or is_size(s):
            raise Rejected
        if axes is None:
            axes = range(rank) if s is None else range(rank - len(as_tuple(s)), rank)
        places = [axis_index(axis, rank) for axis in axes]
        sizes = (None,) * len(places) if s is None else as_tuple(s)
        if len(sizes) != len(places) or norm not in (None, "backward", "ortho", "forward"):
            raise Rejected
        sizes = tuple([a.shape[place] if n == -1 else n for place, n in zip(places, sizes, strict=True)])
        last, shape = SEVERAL_AXES[name], list(a.shape)
        if not places:
            if last in ("rfft", "irfft"):
                raise Rejected
            return array(a.shape, a.dtype)
        ends = [ONE_AXIS[last if i == len(places) - 1 else "fft"] for i in range(len(places))]
        counts = [default(a.shape[place]) if n is None else n for place, n, (_, default) in zip(places, sizes, ends, strict=True)]
        if any(violated(n >= 1) for n in counts):
            raise Rejected
        order = list(zip(places, counts, ends, strict=True))
        for place, n, (result, _) in order if last == "irfft" else order[::-1]:  # where an axis comes twice, the later transform counts
            shape[place] = result(n)
        return array(tuple(shape), _dtype(last, a))

    return rule


def _declare(name: str, rule: Callable[..., Any]) -> None:
    rule.__name__, rule.__doc__ = name, f"The Fourier transform ``np.fft.{name}``."
    out = Out(precise=True, stepwise=name not in ("fft", "ifft", "rfft", "irfft"))  # before NumPy 2.4 some leave it alone
    record(getattr(fft, name), see=f"numpy.fft.{name}", raises=NOTHING, rows=rows.transformed, out=out)(rule)


for _name in ONE_AXIS:
    _declare(_name, one_axis(_name))
for _name in SEVERAL_AXES:
    _declare(_name, several_axes(_name, (-2, -1) if _name.endswith("2") else None))
