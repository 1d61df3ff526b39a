"""Order statistics and weighted means. NumPy writes them in Python with branches on the data, so
each is an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Out, Raises
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.np_reductions import dtype_on_one, require_elements
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    axis_indices,
    dtype_of,
    meta_of,
    product,
    record,
    same_sizes,
    shape_of,
    value,
    violated,
    without_axes,
)
from npexport.ir.raising import NOTHING, QUANTILES, WEIGHTS
from npexport.symshapes.errors import Unsupported


def _order_shape(a: TensorMeta, axis: Any, keepdims: Any) -> Shape:
    return without_axes(a.shape, axis_indices(axis, len(a.shape)), bool(keepdims))


def _median_rule(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, *, keepdims: Any = False) -> TensorMeta:
        a = meta_of(a)
        return value(_order_shape(a, axis, keepdims), dtype_of(function, a, ones=(1,)))

    return rule


def _quantile_rule(function: Any) -> Callable[..., Any]:
    skips_nan = function in (np.nanquantile, np.nanpercentile)
    highest = 100 if function in (np.percentile, np.nanpercentile) else 1

    def rule(a: Array, q: Array, axis: Any = None, *, method: Any = "linear", keepdims: Any = False, weights: Any = None) -> TensorMeta:
        a, levels = meta_of(a), meta_of(q)
        if type(q) in (int, float) and not 0 <= q <= highest:
            raise Rejected
        if a.dtype.kind == "b" and type(q) is int:  # NumPy gives an element, of any other level an error
            raise Unsupported("E101", f"numpy.{function.__name__} of truths", hint="Take np.min or np.max of them.")
        if not skips_nan:
            require_elements(a, axis)
        if weights is not None:
            require_weights(a, weights, axis)
        weak = not levels.shape and (_is_float(q) if function in _FLOATS_ARE_WEAK else not isinstance(q, (TensorMeta, np.generic)))
        rest = _order_shape(a, axis, keepdims)
        ones: Any = {"ones": (1,)}
        if not levels.shape and _order_shape(a, axis, False):
            ones = {"ones": (1, 1), "axis": 0}  # elements of an array stay in its byte order
        dtype = dtype_of(function, a, 0.5 if weak else levels, method=method, **ones)
        if skips_nan and a.dtype.kind in "mM":
            plain = function.__name__.removeprefix("nan")
            raise Unsupported("E101", f"numpy.{function.__name__} of dates", hint=f"Leave the NaTs out first, and take np.{plain}.")
        if skips_nan:
            of_nothing = dtype_on_one(np.nanmean, a)
            if (levels.shape or dtype != of_nothing) and product(a.shape) == 0:
                return value(rest, of_nothing)  # for an empty array NumPy returns the mean, whatever the levels
            if isinstance(axis, (tuple, list)) and len(axis) > 1 and len(levels.shape) > 1:
                return value(_misplaced(levels.shape, _order_shape(a, axis, False), rest, axis_indices(axis, len(a.shape))), dtype)
        return value((*levels.shape, *rest), dtype)

    return rule


def _is_float(q: Any) -> bool:
    """Whether a level is a number of Python, or of the class of NumPy's that is a float."""
    return isinstance(q, float) or not isinstance(q, (TensorMeta, np.generic)) or (getattr(q, "scalar", False) and q.dtype == np.float64)


_QUANTILES: Any = (np.quantile, np.percentile, np.nanquantile, np.nanpercentile)
_FLOATS_ARE_WEAK = frozenset([each for each in _QUANTILES if each(np.ones(1, np.float32), np.float64(0.5)).dtype == np.float32])
"""The functions to which a float of NumPy is one of Python: before NumPy 2.4."""


def _misplaced(levels: Shape, kept: Shape, rest: Shape, axes: tuple[int, ...]) -> Shape:
    """NumPy mixes up axes here: of several levels over several axes it moves the last level axis
    and the first ones of the result."""
    sizes = kept + levels
    front = [i % len(sizes) for i in range(-1, len(levels) - 1)]
    moved = [sizes[i] for i in front] + [size for i, size in enumerate(sizes) if i not in front]
    if len(rest) == len(kept):
        return tuple(moved)
    tail = iter(moved[len(levels) :])
    return (*moved[: len(levels)], *[1 if i in axes else next(tail) for i in range(len(rest))])


def require_weights(a: TensorMeta, weights: Array, axis: Any) -> None:
    """Weights have the shape of the array, or of the axes that are averaged over."""
    axes = axis_indices(axis, len(a.shape))
    if same_sizes(shape_of(weights), a.shape):
        return
    if axis is None or not same_sizes(shape_of(weights), [a.shape[i] for i in axes]):
        raise Rejected


def _declare(
    name: str,
    factory: Callable[[Any], Callable[..., Any]],
    raises: tuple[Raises, ...],
    traits: str,
    out: Out,
    lead: str = "",
) -> None:
    function = getattr(np, name)
    rule = factory(function)
    rule.__name__, rule.__doc__ = name, f"The order statistic ``np.{name}``."
    record(function, traits=traits, raises=raises, out=out, rows=rows.reduced(lead=lead))(rule)


_declare("median", _median_rule, NOTHING, "reduction c_order", Out(unsafe=True, stepwise=True))
_declare("nanmedian", _median_rule, NOTHING, "reduction c_order", Out(broadcasts=True, empty=np.nanmean))
for _name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    _empty = np.nanmean if _name.startswith("nan") else None
    _declare(_name, _quantile_rule, QUANTILES, "reduction", Out(broadcasts=True, empty=_empty), lead="q")


@record(np.average, traits="c_order reduction", raises=WEIGHTS, rows=rows.averaged)
def average(a: Array, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    """The mean, weighted; with ``returned`` also the sums of the weights."""
    a = meta_of(a)
    weighted = () if weights is None else (meta_of(weights),)
    if weighted:
        require_weights(a, weighted[0], axis)
    shape = _order_shape(a, axis, keepdims)
    if not weighted and any(violated(size != 0) for size in shape):
        raise Rejected  # NumPy divides by the number of means
    result = value(shape, dtype_of(_averaged, a, *weighted, ones=(1,)))
    return (result, result) if returned else result


def _averaged(a: Any, *weights: Any) -> Any:
    return np.average(a, None, *weights)
