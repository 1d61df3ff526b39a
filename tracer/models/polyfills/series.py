"""Functions of NumPy's polynomials that are interpreted from here: NumPy's own search for trailing
zeros makes a length depend on data, in a loop over data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from npexport.ir import ops
from npexport.ir.numpy_internals import NUMPY
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_max

_NUMBER = np.array(1.0)
KEEPS = NUMPY >= "2.2.0" and np.trim_zeros(_NUMBER) is _NUMBER
"""Whether `np.trim_zeros` along no axis gives the array that it was given."""


def trimseq(seq: Any) -> Any:
    """``np.polynomial.polyutils.trimseq``."""
    if len(seq) == 0:
        return seq
    found = np.asarray(seq) != 0
    if found[-1].size != 1:
        bool(np.zeros(found[-1].shape))  # raises, but before NumPy 2.2 for rows of no elements
        return seq[:1]
    return seq[: int(np.max(np.where(found.reshape(len(seq)), np.arange(1, len(seq) + 1), 1)))]


def trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    """``np.trim_zeros``."""
    array, trim = np.asarray(filt), _sides(trim)
    axes = tuple(range(array.ndim)) if axis is None else normalize_axis_tuple(axis, array.ndim, argname="axis")
    if not axes and KEEPS:
        return filt
    found = array != 0 if array.dtype.kind in "biufc" else _nonzero(array)
    places = tuple([_kept(found, at, trim) if at in axes else slice(None) for at in range(array.ndim)])
    return filt[places[0]] if len(places) == 1 else filt[places]


def trim_zeros_along_one_axis(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    """``np.trim_zeros`` of NumPy 2.2 and 2.3, which ignore the axis where there is only one."""
    rank, trim = np.ndim(filt), _sides(trim)
    return trim_zeros(filt, trim, None if axis is None or rank == 1 else normalize_axis_index(axis, rank))


def _sides(trim: Any) -> Any:
    trim = trim.lower()
    if trim not in {"fb", "bf", "f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    return trim


def trim_zeros_of_one_axis(filt: Any, trim: Any = "fb") -> Any:
    """``np.trim_zeros`` before NumPy 2.2, which asks each row for its truth."""
    found, trim = np.asarray(filt) != 0.0, trim.upper()
    kept = slice(None)
    if found.ndim > 1 and len(found) and ("F" in trim or "B" in trim):
        if found[0].size > 1:
            bool(np.zeros(found[0].shape))  # raises
        found = found.any(axis=tuple(range(1, found.ndim)))
    if "F" in trim:
        kept = _kept(found, 0, "f")
    if "B" in trim:
        kept = slice(kept.start, _kept(found, 0, "b").stop)
    return filt[kept]


def _nonzero(array: Any) -> Any:
    """Where elements that are not numbers (texts, dates, records) count as nonzero."""
    found = np.zeros(array.shape, bool)
    found[np.nonzero(array)] = True
    return found


def _kept(found: Any, axis: int, trim: str) -> slice:
    """The smallest slice of an axis that contains all elements found; sides that are not trimmed
    are open. If nothing was found, an empty one.
    """
    along = np.any(found, axis=tuple([other for other in range(found.ndim) if other != axis]))
    size = along.shape[0]
    if size == 0:
        return slice(0, 0)
    last = np.max(np.where(along, np.arange(1, size + 1), 0))
    first = size - np.max(np.where(along, np.arange(size, 0, -1), 0))
    start = int(np.minimum(first, last)) if "f" in trim else None
    stop = int(last) if "b" in trim else None
    if start is None:
        return slice(None, stop)
    return slice(int(first), None) if stop is None else slice(start, stop)


def poly1d(self: Any, c_or_r: Any, r: Any = False, variable: Any = None) -> None:
    """``np.poly1d.__init__``."""
    if isinstance(c_or_r, np.poly1d):
        other: Any = c_or_r
        self._variable, self._coeffs = other._variable, other._coeffs
        if variable is not None:
            self._variable = variable
        return
    c_or_r = np.atleast_1d(np.poly(c_or_r) if r else c_or_r)
    if c_or_r.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    kept = np.trim_zeros(c_or_r, trim="f")
    if len(kept) == 0:
        kept = np.array([0], dtype=c_or_r.dtype)
    self._coeffs = kept
    self._variable = "x" if variable is None else variable


def polyval(p: Any, x: Any) -> Any:
    """``np.polyval``, one step for each coefficient."""
    p = np.asarray(p.coeffs if isinstance(p, np.poly1d) else p)
    if isinstance(x, np.poly1d):
        y: Any = 0
    else:
        x = np.asanyarray(x)
        y = np.zeros_like(x)
    if not p.ndim:
        iter(p)  # raises
    steps = range(len(p))
    if known(len(p) >= 1) is True:  # the first one may change the dtype
        y, steps = y * x + p[0], range(1, len(p))
    for at in steps:
        y = y * x + p[at]
    return y


def polydiv(u: Any, v: Any) -> Any:
    """``np.polydiv``."""
    whole = isinstance(u, np.poly1d) or isinstance(v, np.poly1d)
    quotient, rest = ops.np.series((_coefficients(u), _coefficients(v)), "numpy", "polydiv")
    return (np.poly1d(quotient), np.poly1d(rest)) if whole else (quotient, rest)


def polyadd(a1: Any, a2: Any) -> Any:
    """``np.polyadd``."""
    return _aligned(np.add, a1, a2)


def polysub(a1: Any, a2: Any) -> Any:
    """``np.polysub``."""
    return _aligned(np.subtract, a1, a2)


def polymul(a1: Any, a2: Any) -> Any:
    """``np.polymul``."""
    whole = isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d)
    value = np.convolve(np.poly1d(a1).coeffs, np.poly1d(a2).coeffs)
    return np.poly1d(value) if whole else value


def _aligned(function: Any, a1: Any, a2: Any) -> Any:
    """The function applied to coefficients that were padded with zeros in front to one length."""
    whole = isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d)
    a1, a2 = _coefficients(a1), _coefficients(a2)
    size = sym_max(len(a1), len(a2))
    value = function(_padded(a1, size), _padded(a2, size))
    return np.poly1d(value) if whole else value


def _coefficients(a: Any) -> Any:
    return a.coeffs if isinstance(a, np.poly1d) else np.atleast_1d(a)


def _padded(a: Any, size: Any) -> Any:
    missing = size - len(a)
    if known(missing == 0) is True or (a.ndim > 1 and missing == 0):  # what has rows is padded with nothing
        return a
    return np.concatenate([np.zeros(missing, a.dtype), a])


def trimcoef(c: Any, tol: Any = 0) -> Any:
    """``np.polynomial.polyutils.trimcoef``."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    [c] = np.polynomial.polyutils.as_series([c])
    large = np.abs(c) > tol
    kept = c[: int(np.max(np.where(large, np.arange(1, len(c) + 1), 1)))]
    return np.where(np.any(large), kept, np.where(np.any(large), 0, kept) * 0)


def get_coefficients(self: Any, other: Any) -> Any:
    """``ABCPolyBase._get_coefficients``: a domain counts as equal to itself, whatever it holds."""
    if not isinstance(other, POLYNOMIAL):
        return other
    if not isinstance(other, self.__class__):
        raise TypeError("Polynomial types differ")
    if self.domain is not other.domain and not np.all(self.domain == other.domain):
        raise TypeError("Domains differ")
    if self.window is not other.window and not np.all(self.window == other.window):
        raise TypeError("Windows differ")
    if self.symbol != other.symbol:
        raise ValueError("Polynomial symbols differ")
    return other.coef


POLYNOMIAL: Any = np.polynomial.Polynomial.__mro__[1]
"""The base class of all series."""


def mapdomain(x: Any, old: Any, new: Any) -> Any:
    """``np.polynomial.polyutils.mapdomain``; for a series (NumPy: array of objects) a series."""
    if type(x) not in (int, float, complex) and not isinstance(x, (np.generic, POLYNOMIAL)):
        x = np.asanyarray(x)
    off, scl = np.polynomial.polyutils.mapparms(old, new)
    return off + scl * x


def polyline(off: Any, scl: Any) -> Any:
    """``polyline`` of the power series and its kin for Chebyshev's, Legendre's and
    probabilists' Hermite's."""
    return _line(off, scl, off, scl)


def lagline(off: Any, scl: Any) -> Any:
    """``np.polynomial.laguerre.lagline``."""
    return _line(np.where(np.not_equal(scl, 0), np.add(off, scl), off)[()], np.negative(scl), off, scl)


def hermline(off: Any, scl: Any) -> Any:
    """``np.polynomial.hermite.hermline``."""
    return _line(off, np.divide(scl, 2), off, scl)


def _line(first: Any, second: Any, off: Any, scl: Any) -> Any:
    """The two coefficients, or one if the line is level."""
    if np.ndim(off) or np.ndim(scl):  # rows, which may be of other shapes
        return np.array([first, second]) if scl != 0 else np.array([first])
    return np.array([first, second])[: 1 + int(np.not_equal(scl, 0))]
