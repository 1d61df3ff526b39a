"""The transforms of ``scipy.fft`` as operators ``ops.scipy.<name>``: the Fourier transforms, of
NumPy's shapes, and cosines and sines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.fft

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import np_fft
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import Array, Rejected, array, as_tuple, axis_index, dtype_of, meta_of, record, violated
from npexport.ir.raising import NOTHING
from npexport.symshapes.symint import SymInt

_NORMS = (None, "backward", "ortho", "forward")
_REAL = ("rfft", "rfft2", "rfftn", "ihfft")  # transforms that take no complex numbers


def _fourier_of_one_axis(name: str) -> Callable[..., Any]:
    numpy_rule = np_fft.one_axis(name)

    def rule(x: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> TensorMeta:
        return numpy_rule(_accepted(name, x), n, axis, norm)  # type: ignore[no-any-return]

    return rule


def _fourier_of_several_axes(name: str) -> Callable[..., Any]:
    default = (-2, -1) if name.endswith("2") else None
    numpy_rule = np_fft.several_axes(name, default)

    def rule(x: Array, s: Any = None, axes: Any = default, norm: Any = None) -> TensorMeta:
        return numpy_rule(_accepted(name, x), s, axes, norm)  # type: ignore[no-any-return]

    return rule


def _accepted(name: str, x: Array) -> TensorMeta:
    meta: TensorMeta = meta_of(x)
    if name in _REAL and meta.dtype.kind == "c":
        raise Rejected
    return meta


def _of_one_axis(name: str) -> Callable[..., Any]:
    def rule(x: Array, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, orthogonalize: Any = None) -> TensorMeta:
        return _transformed(name, meta_of(x), type, (n,), (axis,), norm)

    return rule


def _of_several_axes(name: str) -> Callable[..., Any]:
    def rule(x: Array, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None, *, orthogonalize: Any = None) -> TensorMeta:
        x = meta_of(x)
        rank = len(x.shape)
        if axes is None:
            axes = tuple(range(rank) if s is None else range(rank - len(as_tuple(s)), rank))
        places = as_tuple(axes)
        return _transformed(name[:-1], x, type, (None,) * len(places) if s is None else as_tuple(s), places, norm)

    return rule


def _transformed(name: str, x: TensorMeta, kind: Any, sizes: tuple[Any, ...], axes: tuple[Any, ...], norm: Any) -> TensorMeta:
    shape = list(x.shape)
    if kind not in (1, 2, 3, 4) or norm not in _NORMS or len(sizes) != len(axes):
        raise Rejected
    for n, axis in zip(sizes, axes, strict=True):
        place = axis_index(axis, len(shape))
        shape[place] = shape[place] if n is None else n
        if violated(shape[place] >= (2 if kind == 1 and name == "dct" else 1)):
            raise Rejected
    return array(tuple(shape), dtype_of(getattr(scipy.fft, name), x, ones=(2,)))


_RULES: dict[Callable[[str], Callable[..., Any]], tuple[str, ...]] = {
    _fourier_of_one_axis: tuple(np_fft.ONE_AXIS),
    _fourier_of_several_axes: tuple(np_fft.SEVERAL_AXES),
    _of_one_axis: ("dct", "idct", "dst", "idst"),
    _of_several_axes: ("dctn", "idctn", "dstn", "idstn"),
}

for _factory, _names in _RULES.items():
    for _name in _names:
        _function = getattr(scipy.fft, _name)
        record(
            _function,
            namespace="scipy",
            name=_name,
            doc=f"The transform ``scipy.fft.{_name}``.\n\nhttps://docs.scipy.org/doc/scipy/reference/generated/scipy.fft.{_name}.html",
            raises=NOTHING,
        )(_factory(_name))


@record(kernel="scipy_functions.fft_next_fast_len", namespace="scipy", traits="data_dependent_shape", raises=NOTHING)
def next_fast_len(target: Any, real: bool = False) -> Any:
    """The least size from ``target`` on that ``scipy.fft`` transforms fast."""
    if not isinstance(target, (int, SymInt)) or violated(target >= 0):
        raise Rejected
    return fresh_size(target, None)
