"""Order statistics: elements of sorted arrays, and interpolations between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import several, unboxed


def _last(a: Any, axis: Any) -> Any:
    """The array with the reduced axes merged into the last one."""
    if axis is None:
        return np.reshape(a, (-1,)), tuple(range(a.ndim))
    axes = tuple([index % a.ndim for index in several(axis)])
    kept = [index for index in range(a.ndim) if index not in axes]
    moved = np.transpose(a, (*kept, *sorted(axes)))
    count = 1
    for index in axes:
        count = count * a.shape[index]
    return moved.reshape((*[a.shape[index] for index in kept], count)), axes


def _kept(result: Any, a: Any, axes: Any, lead: int) -> Any:
    """The result with the reduced axes as axes of size 1, after ``lead`` axes of its own."""
    sizes = iter(result.shape[lead:])
    return result.reshape((*result.shape[:lead], *[1 if index in axes else next(sizes) for index in range(a.ndim)]))


def _with_nan(result: Any, missing: Any) -> Any:
    return np.where(missing, _nothing((), result.dtype), result).astype(result.dtype)  # in its byte order


def _nothing(shape: Any, dtype: Any) -> Any:
    """An array of NaN or NaT."""
    return np.full(shape, np.timedelta64("NaT", "s") if dtype.kind == "m" else np.nan, dtype)


@register_decomposition("np.median")
def median(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Exact: the mean of one or two elements in the middle."""
    a = np.asanyarray(a)
    x, axes = _last(a, axis)
    count = x.shape[-1]
    result = np.mean(np.sort(x, axis=-1)[..., max(count - 1, 0) // 2 : count // 2 + 1], axis=-1)
    if a.dtype.kind in "fcm":
        result = _with_nan(result, np.any(np.isnan(x), axis=-1))
    if keepdims:
        return _kept(np.asanyarray(result), a, axes, 0)
    return unboxed(np.asanyarray(result))


@register_decomposition("np.nanmedian")
def nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Exact, unless the sum of two elements overflows: the mean of one or two elements in the
    middle of those that are not NaN.
    """
    if isinstance(axis, list):
        raise NotImplementedError  # which NumPy takes unless there are no elements
    a = np.asanyarray(a)
    if a.dtype.kind not in "fcm":
        return median(a, axis, keepdims=keepdims)
    x, axes = _last(a, axis)
    ordered = np.concatenate([np.sort(x, axis=-1), _nothing((*x.shape[:-1], 1), x.dtype)], axis=-1)
    count = np.sum(~np.isnan(x), axis=-1, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, -1)[..., 0]
    high = np.take_along_axis(ordered, np.minimum(count // 2, np.maximum(count - 1, 0)), -1)[..., 0]
    result = np.mean(np.stack([low, high]), axis=0)
    if keepdims:
        return _kept(np.asanyarray(result), a, axes, 0)
    return unboxed(np.asanyarray(result))


_BETWEEN = ("linear", "lower", "higher", "nearest", "midpoint")


def _quantile(a: Any, q: Any, axis: Any, method: str, keepdims: Any, weights: Any, percent: bool, skips_nan: bool) -> Any:
    """The sorted elements around position ``q * (count - 1)``, combined as the method says."""
    if method not in _BETWEEN or weights is not None or (skips_nan and isinstance(axis, list)):
        raise NotImplementedError
    a = np.asanyarray(a)
    weak = isinstance(q, (int, float)) and not hasattr(q, "dtype")
    levels = np.asanyarray(q)
    if any(type(size) is int and not size for size in levels.shape):
        raise NotImplementedError  # NumPy raises different errors for no elements and for no levels
    if a.dtype.kind not in "fiu" or levels.dtype.kind not in "fiu":
        raise NotImplementedError
    if levels.dtype.kind in "iu" and levels.dtype != np.intp and not percent:
        raise NotImplementedError  # NumPy multiplies the last place, -1 of no elements, in their dtype
    x, axes = _last(a, axis)
    if skips_nan and len(axes) != 1 and levels.ndim > 1:
        raise NotImplementedError  # NumPy mixes up axes here
    if a.dtype.kind == "f" and weak:
        levels = levels.astype(a.dtype)
    if percent:
        levels = levels / levels.dtype.type(100) if levels.dtype.kind == "f" else levels / 100
    if not np.all((levels >= 0) & (levels <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]" if percent else "Quantiles must be in the range [0, 1]")
    if not skips_nan and x.shape[-1] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    ordered = np.sort(x, axis=-1)
    if skips_nan:  # at least one element, which is taken where all are NaN
        ordered = np.concatenate([ordered, np.full((*x.shape[:-1], 1), np.nan if a.dtype.kind == "f" else 0, x.dtype)], axis=-1)
    missing = np.isnan(x) if a.dtype.kind == "f" else np.zeros(x.shape, np.bool_)
    spread = levels.reshape((*levels.shape, *(1,) * (x.ndim - 1)))
    last = np.sum(~missing, axis=-1) - 1 if skips_nan else x.shape[-1] - 1
    place = (np.asanyarray(last).astype(spread.dtype) * spread) if spread.dtype.kind == "f" else last * spread
    result = _between(ordered, place, last, method)
    gone = last < 0 if skips_nan else np.any(missing, axis=-1)
    if a.dtype.kind == "f" or (skips_nan and result.dtype.kind == "f"):
        result = _with_nan(result, gone)
    if keepdims:
        result = _kept(result, a, axes, levels.ndim)
    return unboxed(np.asanyarray(result))


def _between(ordered: Any, place: Any, last: Any, method: str) -> Any:
    """The interpolation between two sorted elements."""

    def at(index: Any) -> Any:
        whole = np.minimum(np.maximum(index.astype(np.intp), 0), np.maximum(last, 0))
        lead = whole.ndim - (ordered.ndim - 1)
        spread = np.broadcast_to(ordered, (*whole.shape[:lead], *ordered.shape))
        whole = np.broadcast_to(whole, spread.shape[:-1])
        return np.take_along_axis(spread, whole[..., None], -1)[..., 0]

    if method in ("lower", "higher", "nearest"):
        return at({"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[method](place))
    below = np.floor(place)
    a, b = at(below), at(below + 1)
    share = np.asanyarray(place - below)
    if method == "midpoint":
        share = np.where(share == 0, np.zeros((), share.dtype), np.full((), 0.5, share.dtype))
    span = np.subtract(b, a)
    line = np.asanyarray(a + span * share)
    return np.subtract(b, span * (1 - share), out=line, where=share >= 0.5, casting="unsafe")


def _declare(name: str, percent: bool, skips_nan: bool) -> None:
    def quantile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False, weights: Any = None) -> Any:
        """NumPy's interpolation, within 2 units in the last place; calls with rarer methods or
        weights stay.
        """
        return _quantile(a, q, axis, method, keepdims, weights, percent, skips_nan)

    quantile.__name__ = quantile.__qualname__ = name
    register_decomposition(f"np.{name}")(quantile)


for _name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    _declare(_name, percent=_name.endswith("percentile"), skips_nan=_name.startswith("nan"))
