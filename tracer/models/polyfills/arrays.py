"""NumPy functions that are interpreted from here, because NumPy's own code asks what only the data
know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import numpy_internals
from npexport.ir.numpy_internals import implementation
from npexport.symshapes.env import known

shape_base: Any = numpy_internals.shape_base
_delete = implementation(np.delete)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """``np.piecewise``; NumPy's has a lambda for the default."""
    x = np.asanyarray(x)
    n2 = len(funclist)
    if np.isscalar(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    condlist = np.asarray(condlist, dtype=bool)
    n = len(condlist)
    if n == n2 - 1:
        condlist = np.concatenate([condlist, ~np.any(condlist, axis=0, keepdims=True)], axis=0)
        n += 1
    elif n != n2:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for cond, func in zip(condlist, funclist, strict=True):
        if not callable(func):
            y[cond] = func
            continue
        values = x[cond]
        if values.size > 0:
            y[cond] = func(values, *args, **kw)
    return y


def array_equiv(a1: Any, a2: Any) -> Any:
    """``np.array_equiv``; NumPy catches what broadcasting raises, here the sizes are compared."""
    try:
        a1, a2 = np.asarray(a1), np.asarray(a2)
    except Exception:  # as NumPy does
        return False
    fits = [m in (n, 1) or n == 1 for m, n in zip(a1.shape[::-1], a2.shape[::-1], strict=False)]
    return all(fits) and bool(np.asanyarray(a1 == a2).all())


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """``np.array_split``; NumPy sums sizes of sections in an array, here they stay sizes."""
    try:
        total = ary.shape[axis]
    except AttributeError:
        total = len(ary)
    try:
        points = [0, *indices_or_sections, total]
    except TypeError:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        each, extras = divmod(total, sections)
        points = [*(each * i + min(i, extras) for i in range(sections)), total]
    rows = np.swapaxes(ary, axis, 0)
    return [np.swapaxes(rows[start:end], axis, 0) for start, end in zip(points, points[1:])]  # noqa: B905, RUF007 (fewer frames)


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """``np.split``."""
    try:
        len(indices_or_sections)
    except TypeError:
        sections = indices_or_sections
        total = ary.shape[axis]
        if total % sections:
            raise ValueError("array split does not result in an equal division") from None
        if sections > 0:
            each = total // int(sections)
            indices_or_sections = [each * i for i in range(1, int(sections))]
    return array_split(ary, indices_or_sections, axis)


def block(arrays: Any) -> Any:
    """``np.block``, whose two algorithms, for few and for many elements, give the same; if sizes
    leave the choice open, the one for few.
    """
    arrays, list_ndim, result_ndim, final_size = shape_base._block_setup(arrays)
    few = known(list_ndim * final_size > 2 * 512 * 512) is not True
    return (shape_base._block_concatenate if few else shape_base._block_slicing)(arrays, list_ndim, result_ndim)


def bartlett(M: Any) -> Any:
    """``np.bartlett``."""
    return _window(M, lambda n, last: np.where(np.less_equal(n, 0), 1 + n / last, 1 - n / last))


def blackman(M: Any) -> Any:
    """``np.blackman``."""
    window = _window(M, lambda n, last: 0.42 + 0.5 * np.cos(np.pi * n / last) + 0.08 * np.cos(2.0 * np.pi * n / last))
    return np.maximum(window, 3.0 - 2 * M) if isinstance(M, int) else window  # 0.42 + 0.5 + 0.08 is not 1


def hamming(M: Any) -> Any:
    """``np.hamming``."""
    return _window(M, lambda n, last: 0.54 + 0.46 * np.cos(np.pi * n / last))


def hanning(M: Any) -> Any:
    """``np.hanning``."""
    return _window(M, lambda n, last: 0.5 + 0.5 * np.cos(np.pi * n / last))


def _window(M: Any, formula: Any) -> Any:
    """A window of ``M`` points, which NumPy first puts into an array; a dynamic size has to stay
    one.

    For an integer, the formula also covers NumPy's cases 0 and 1 if the last point is set to 1.
    """
    if isinstance(M, int):
        return formula(np.arange(1 - M, M, 2), max(M - 1, 1))
    values = np.array([0.0, M])
    M, dtype = values[1], values.dtype
    if M < 1:
        return np.array([], dtype=dtype)
    if M == 1:
        return np.ones(1, dtype=dtype)
    return formula(np.arange(1 - M, M, 2), M - 1)


def kaiser(M: Any, beta: Any) -> Any:
    """``np.kaiser``."""
    values = np.array([0.0, beta]) if isinstance(M, int) else np.array([0.0, beta, M])
    beta = values[1]
    if isinstance(M, int):
        n, last = np.arange(0, M), max(M - 1, 1)
    else:
        if M == 1:
            return np.ones(1, dtype=values.dtype)
        n, last = np.arange(0, values[2]), M - 1
    middle, alpha = (M - 1) / 2.0, last / 2.0
    return np.i0(beta * np.sqrt(1 - ((n - middle) / alpha) ** 2.0)) / np.i0(beta)


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """``np.delete``; for positions of a dynamic number, NumPy's own code checks for 0 and 1,
    although nothing depends on it.
    """
    is_slice = isinstance(obj, slice) and obj.step in (None, 1)
    if not is_slice and (not isinstance(obj, np.ndarray) or obj.ndim != 1 or obj.dtype.kind not in "bui" or known(obj.size == 1) is True):
        return _delete(arr, obj, axis)
    arr = np.asanyarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    length = arr.shape[axis]
    if is_slice:
        start, stop, _ = obj.indices(length)
        before, after = (slice(None),) * axis + (slice(start),), (slice(None),) * axis + (slice(max(start, stop), None),)
        return np.concatenate((arr[before], arr[after]), axis=axis)
    if obj.dtype != bool:
        keep = np.ones(length, dtype=bool)
        keep[obj] = False
    elif obj.shape == (length,):
        keep = ~obj
    else:
        raise ValueError(f"boolean array argument obj to delete must be one dimensional and match the axis length of {length}")
    return arr[(slice(None),) * axis + (keep,)]
