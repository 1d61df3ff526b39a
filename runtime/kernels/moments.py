"""Means, variances and deviations of arrays whose sizes are known: the very calls of ufuncs that
NumPy's own functions make, without what these ask first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import SQUARES

_add: Any = np.add.reduce  # its stubs know no arguments by place
_divide, _subtract, _sqrt = np.true_divide, np.subtract, np.sqrt


def _quotient(total: Any, count: np.intp) -> Any:
    """A total divided by how many there are: of an array in its memory, of a scalar as one."""
    if type(total) is np.ndarray:
        return _divide(total, count, total, casting="unsafe", subok=False)
    return type(total)(total / count)


@functools.cache
def mean(axis: Any, keepdims: bool, dtype: Any, count: int) -> Callable[..., Any]:
    """The mean over ``count`` elements along these axes, which are added up in this dtype."""
    number = np.intp(count)

    def kernel(x: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None or type(x) is not np.ndarray:  # what stands for an array while a program is exported
            return np.mean(x, *args, out=out, **kwargs)
        return _quotient(_add(x, axis, dtype, None, keepdims), number)

    return kernel


@functools.cache
def var(axis: Any, keepdims: bool, dtype: Any, count: int, ddof: int) -> Callable[..., Any]:
    """The variance, as `mean` computes the mean."""
    number, rest = np.intp(count), np.intp(count - ddof)

    def kernel(x: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None or type(x) is not np.ndarray:  # what stands for an array while a program is exported
            return np.var(x, *args, out=out, **kwargs)
        apart = _subtract(x, _quotient(_add(x, axis, dtype, None, True), number))
        squares = np.square(apart, apart) if SQUARES else np.multiply(apart, apart, apart)
        return _quotient(_add(squares, axis, dtype, None, keepdims), rest)

    return kernel


@functools.cache
def std(axis: Any, keepdims: bool, dtype: Any, count: int, ddof: int) -> Callable[..., Any]:
    """The standard deviation, as `mean` computes the mean."""
    squares = var(axis, keepdims, dtype, count, ddof)

    def kernel(x: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None or type(x) is not np.ndarray:  # what stands for an array while a program is exported
            return np.std(x, *args, out=out, **kwargs)
        found = squares(x)
        return _sqrt(found, found) if type(found) is np.ndarray else type(found)(_sqrt(found))

    return kernel
