"""Kernels of functions that return views, or their arguments themselves, for some arguments in
NumPy: here the results are new arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import multiarray_umath


def _own(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with results in memory of their own."""

    @functools.wraps(function)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        given = _arrays((*args, *kwargs.values()) if kwargs else args)
        for item in result if type(result) is tuple else (result,):
            if type(item) is not np.ndarray or not _is_new(item, given):
                return _apart(result, given)
        return result  # memory of its own

    return kernel


def _is_new(item: Any, given: list[Any]) -> bool:
    """Whether an array certainly lies in memory that is not that of an array of the arguments."""
    base = item.base
    if base is not None and (type(base) is not np.ndarray or base.base is not None or not item.flags.writeable):
        return False
    root = item if base is None else base
    return all(other is not root and other.base is not root for other in given)


def _apart(result: Any, arrays: list[Any]) -> Any:
    if isinstance(result, (tuple, list)):
        return type(result)([_apart(item, arrays) for item in result])
    if isinstance(result, np.ndarray) and (not result.flags.writeable or any(np.may_share_memory(result, array) for array in arrays)):
        return result.copy(order="K")
    return result


def _arrays(args: Any) -> list[Any]:
    found = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            found.append(arg)
        elif isinstance(arg, (tuple, list)):
            found += _arrays(arg)
    return found


diag = _own(np.diag)


def einsum(*operands: Any, optimize: Any = False, **options: Any) -> Any:
    """NumPy's function; C is called directly if no order is planned. Views are copied."""
    result = multiarray_umath.c_einsum(*operands, **options) if optimize is False else np.einsum(*operands, optimize=optimize, **options)
    if type(result) is np.ndarray and result.base is None and optimize is False:
        return result
    return _apart(result, _arrays(operands))


histogram = _own(np.histogram)
histogram2d = _own(np.histogram2d)
histogram_bin_edges = _own(np.histogram_bin_edges)
histogramdd = _own(np.histogramdd)
matrix_power = _own(np.linalg.matrix_power)


def zeros_like(a: Any) -> Any:
    """NumPy's function, of an array of numbers."""
    return full_like(a, 0)


def full_like(a: Any, fill_value: Any) -> Any:
    """The same, of a number that the array may hold."""
    result = np.empty_like(a)
    result.fill(fill_value)
    return result


def ones_like(a: Any) -> Any:
    return full_like(a, 1)


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """NumPy's function; versions before 2.3 require the axis."""
    return np.take_along_axis(arr, indices, axis)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """NumPy's function; before 2.3 it returns a Python integer for all axes."""
    found: Any = np.count_nonzero(a, axis, keepdims=keepdims)
    return np.intp(found) if type(found) is int else found
