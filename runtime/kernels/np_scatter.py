"""Kernels of functional writes: a copy of the first argument, or with ``out`` that argument itself,
is written to and returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.layout_copies import alike
from npexport.ir.ops.ufuncs import named_ufunc


def setitem(x: Any, index: Any, value: Any, out: Any = None) -> Any:
    result = np.array(x) if out is None else out
    result[index] = value
    return result


def set_flat(x: Any, index: Any, value: Any, out: Any = None) -> Any:
    result = np.array(x) if out is None else out
    if type(index) is int:
        result.flat[index] = value
        return result
    flat = result.reshape(-1)  # a view, or a copy
    try:
        flat[index] = value
    except (IndexError, OverflowError):
        result.flat[index] = value  # raises, as NumPy's own iterator does: when it has written what comes before
        raise
    if not np.may_share_memory(flat, result):
        result[...] = flat.reshape(result.shape)
    return result


def set_part(x: Any, part: str, value: Any, out: Any = None) -> Any:
    result = np.array(x) if out is None else out
    getattr(result, part)[...] = value
    return result


def _on_a_copy(function: Callable[..., None]) -> Callable[..., Any]:
    """The functional form of a function that writes to its first argument."""

    def kernel(x: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        result = np.array(x) if out is None else out
        function(result, *args, **kwargs)
        return result

    return kernel


copyto = _on_a_copy(np.copyto)
put = _on_a_copy(np.put)
putmask = _on_a_copy(np.putmask)
place = _on_a_copy(np.place)
put_along_axis = _on_a_copy(np.put_along_axis)
fill_diagonal = _on_a_copy(np.fill_diagonal)


def ufunc_where(ufunc: str, *args: Any, **kwargs: Any) -> Any:
    return written_where(named_ufunc(ufunc), *args, **kwargs)


def written_where(ufunc: Any, a: Any, where: Any, x1: Any, x2: Any = None, casting: str = "same_kind", *, out: Any = None) -> Any:
    """``a`` after ``ufunc(x1, x2, out=a, where=where)``, where an operand may be ``a``. How the
    array lies in memory decides by which instructions NumPy computes.
    """
    result = alike(a) if out is None else out
    given = [result if operand is a else operand for operand in ((x1,) if x2 is None else (x1, x2))]
    ufunc(*given, out=result, where=where, casting=casting)
    return result


def written_there(ufunc: Any, a: Any, where: Any, x1: Any, x2: Any = None) -> Any:
    """The same for all elements, in the memory of ``a``. It is no third operand to NumPy, which
    tells of such of `numpy.maximum`.
    """
    return ufunc(x1, out=a) if x2 is None else ufunc(x1, x2, out=a)


def written_masked(ufunc: Any, a: Any, where: Any, x1: Any, x2: Any = None) -> Any:
    """The same for the elements of a mask."""
    return ufunc(x1, out=a, where=where) if x2 is None else ufunc(x1, x2, out=a, where=where)


def ufunc_at(ufunc: str, a: Any, indices: Any, b: Any = None, *, out: Any = None) -> Any:
    return written_at(named_ufunc(ufunc).at, a, indices, b, out=out)


def written_at(at: Any, a: Any, indices: Any, b: Any = None, *, out: Any = None) -> Any:
    """``a`` after ``at(a, indices, b)``: the method of a ufunc."""
    result = np.array(a) if out is None else out
    at(result, indices) if b is None else at(result, indices, b)
    return result
