"""The C functions below ``scipy.fft`` and ``scipy.fftpack``, interpreted from here: each takes all
its axes, and a number for the norm.

https://docs.scipy.org/doc/scipy/reference/fftpack.html
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

_NORMS = (None, "ortho", "forward")
"""By the number: which transform is divided by what."""


def _given(out: Any, result: Any) -> Any:
    if out is None:
        return result
    out[...] = result
    return out


def dct(a: Any, type: Any = 2, axes: Any = None, inorm: Any = 0, out: Any = None, nthreads: Any = 1, ortho: Any = None) -> Any:
    return _given(out, scipy.fft.dctn(a, type, None, axes, _NORMS[inorm], orthogonalize=ortho))


def dst(a: Any, type: Any = 2, axes: Any = None, inorm: Any = 0, out: Any = None, nthreads: Any = 1, ortho: Any = None) -> Any:
    return _given(out, scipy.fft.dstn(a, type, None, axes, _NORMS[inorm], orthogonalize=ortho))


def c2c(a: Any, axes: Any = None, forward: Any = True, inorm: Any = 0, out: Any = None, nthreads: Any = 1) -> Any:
    if forward:
        return _given(out, scipy.fft.fftn(a, None, axes, _NORMS[inorm]))
    return _given(out, scipy.fft.ifftn(a, None, axes, _NORMS[2 - inorm]))


def r2c(a: Any, axes: Any = None, forward: Any = True, inorm: Any = 0, out: Any = None, nthreads: Any = 1) -> Any:
    if forward:
        return _given(out, scipy.fft.rfftn(a, None, axes, _NORMS[inorm]))
    return _given(out, scipy.fft.ihfftn(a, None, axes, _NORMS[2 - inorm]))


def c2r(a: Any, axes: Any = None, lastsize: Any = 0, forward: Any = True, inorm: Any = 0, out: Any = None, nthreads: Any = 1) -> Any:
    axes = tuple(range(a.ndim)) if axes is None else tuple(axes)
    sizes = (*[a.shape[axis] for axis in axes[:-1]], lastsize)
    if forward:
        return _given(out, scipy.fft.hfftn(a, sizes, axes, _NORMS[inorm]))
    return _given(out, scipy.fft.irfftn(a, sizes, axes, _NORMS[2 - inorm]))


def r2r_fftpack(a: Any, axes: Any, real2hermitian: Any, forward: Any, inorm: Any = 0, out: Any = None, nthreads: Any = 1) -> Any:
    """The transform of real numbers, its real and imaginary parts one after the other; or its
    inverse. ``real2hermitian`` and ``forward`` are equal.
    """
    (axis,) = axes
    n = a.shape[axis]
    pairs = (n + 1) // 2
    result = np.empty(a.shape, a.dtype)
    packed = np.moveaxis(result if forward else a, axis, -1)
    if forward:
        found = np.moveaxis(scipy.fft.rfft(a, axis=axis, norm=_NORMS[inorm]), axis, -1)
        packed[..., 0] = found.real[..., 0]
        packed[..., 1::2] = found.real[..., 1:]
        packed[..., 2::2] = found.imag[..., 1:pairs]
        return _given(out, result)
    wide = np.zeros((*packed.shape[:-1], n // 2 + 1), np.result_type(a.dtype, np.complex64))
    wide.real[..., 0] = packed[..., 0]
    wide.real[..., 1:] = packed[..., 1::2]
    wide.imag[..., 1:pairs] = packed[..., 2::2]
    result[...] = np.moveaxis(scipy.fft.irfft(wide, n, norm=_NORMS[2 - inorm]), -1, axis)
    return _given(out, result)
