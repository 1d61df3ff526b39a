"""Reductions in terms of core reductions, and sums over a diagonal."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import several, unboxed
from npexport.ir.numpy_internals import NO_VALUE


@register_decomposition("np.all")
def all_(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """Exact: the logical ``and`` of all elements."""
    return ops.np.ufunc_reduce("logical_and", a, axis, np.dtype(np.bool_), keepdims=keepdims, where=where)


@register_decomposition("np.any")
def any_(a: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """Exact: the logical ``or`` of all elements."""
    return ops.np.ufunc_reduce("logical_or", a, axis, np.dtype(np.bool_), keepdims=keepdims, where=where)


@register_decomposition("np.count_nonzero")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Exact: a sum of truth values. Calls with strings stay."""
    if a.dtype.kind not in "biufc":
        raise NotImplementedError
    return np.sum(a != 0, axis=axis, dtype=np.intp, keepdims=keepdims)


def _accumulated(ufunc: str, a: Any, axis: Any, dtype: Any) -> Any:
    if axis is None:
        a, axis = np.reshape(a, (-1,)), 0
    if a.ndim == 0:
        a = np.reshape(a, (1,))
    return ops.np.ufunc_accumulate(ufunc, a, axis, dtype)


@register_decomposition("np.cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Exact: ``np.add.accumulate``."""
    return _accumulated("add", a, axis, dtype)


@register_decomposition("np.cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Exact: ``np.multiply.accumulate``."""
    return _accumulated("multiply", a, axis, dtype)


@register_decomposition("np.trace")
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
    """Exact: the sum of the diagonal."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@register_decomposition("np.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    """Exact: a mean, or a sum of products over the sum of the weights."""
    a = np.asanyarray(a)
    if weights is None:
        mean = np.mean(a, axis, keepdims=keepdims)
        scale = mean.dtype.type(1) * (a.size / np.asanyarray(mean).size)
        return (mean, np.full(mean.shape, scale, mean.dtype)[()]) if returned else mean
    weights = np.asanyarray(weights)
    kind = np.result_type(a.dtype, weights.dtype, "f8") if a.dtype.kind in "biu" else np.result_type(a.dtype, weights.dtype)
    if weights.ndim != a.ndim:
        axes = [index % a.ndim for index in several(axis)]
        order = np.argsort(axes)
        weights = np.transpose(weights, [int(index) for index in order])
        weights = weights.reshape([size if index in axes else 1 for index, size in enumerate(a.shape)])
    total = np.sum(weights, axis=axis, dtype=kind, keepdims=keepdims)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.multiply(a, weights, dtype=kind).sum(axis=axis, keepdims=keepdims) / total
    return (mean, np.broadcast_to(total, mean.shape).copy()[()]) if returned else mean


@register_decomposition("np.nanvar")
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Exact: NumPy's two passes over the elements that are not NaN."""
    a = np.asanyarray(a)
    if mean is not None and mean is not NO_VALUE:
        raise NotImplementedError
    freedom = ddof if correction is None or correction is NO_VALUE else correction
    if a.dtype.kind not in "fc":
        return np.var(a, axis, dtype, ddof=freedom, keepdims=keepdims, where=where)
    there = ~np.isnan(a)
    nothing = np.zeros((), a.dtype)
    count = np.sum(there, axis=axis, dtype=np.intp, keepdims=True, where=where)
    middle = np.sum(np.where(there, a, nothing), axis=axis, dtype=dtype, keepdims=True, where=where)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (middle / count).astype(middle.dtype)
    apart = np.where(there, a, nothing)
    np.subtract(apart, middle, out=apart, casting="unsafe")  # in the array's own dtype, whatever `dtype` says
    apart = np.where(there, apart, nothing)
    squares = (apart * apart.conj()).real if apart.dtype.kind == "c" else apart * apart
    total = np.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    free = np.sum(there, axis=axis, dtype=np.intp, keepdims=keepdims, where=where) - freedom
    if np.any(free <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = (total / free).astype(total.dtype)
    return unboxed(np.where(free <= 0, np.full((), np.nan, total.dtype), quotient))
