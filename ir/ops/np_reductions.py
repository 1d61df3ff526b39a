"""Reductions along axes, their variants that skip NaN, and cumulative operators."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.narrowing import narrows
from npexport.ir.numpy_internals import NO_VALUE, NUMPY
from npexport.ir.op import resolve_kernel
from npexport.ir.ops import bounds, counts, evaluation, rows, signs
from npexport.ir.ops.evaluation import extreme, folded, running
from npexport.ir.ops.rules import (
    FLOAT,
    INTP,
    Array,
    Rejected,
    Size,
    array,
    axis_index,
    axis_indices,
    broadcast,
    dtype_of,
    meta_of,
    product,
    record,
    replace_axis,
    require_broadcast_to,
    shape_of,
    value,
    violated,
    without_axes,
)
from npexport.ir.raising import CORRECTED, DATA, DATES, EXTREME, NOTHING, TOTALLED
from npexport.symshapes.functions import sym_bool, sym_max, sym_min
from npexport.symshapes.symint import is_symbolic


def reduced(function: Any, a: Array, axis: Any, keepdims: Any, where: Any = True, **options: Any) -> TensorMeta:
    """The result of ``function`` over the axes; its dtype is asked of NumPy."""
    a = meta_of(a)
    axes = reduced_axes(axis, len(a.shape))
    if where is not True:
        require_broadcast_to(shape_of(where), a.shape)
    return value(without_axes(a.shape, axes, bool(keepdims)), dtype_on_one(function, a, **options))


def reduced_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that a ufunc reduces over: 0 and -1 are allowed where there are none."""
    return () if rank == 0 and axis in (0, -1) else axis_indices(axis, rank)


def dtype_on_one(function: Any, a: Array, **options: Any) -> np.dtype[Any]:
    """The dtype of ``function`` on one element of ``a``: many reductions refuse empty arrays."""
    return dtype_of(function, meta_of(a), ones=(1,), **{k: v for k, v in options.items() if v is not None})


def require_elements(a: Array, axis: Any, initial: Any = NO_VALUE, where: Any = True) -> None:
    """A reduction without identity needs elements along its axes, and something to begin with where
    it leaves some out."""
    if initial is not NO_VALUE:
        return
    shape = shape_of(a)
    if where is not True or any(violated(shape[i] != 0) for i in reduced_axes(axis, len(shape))):
        raise Rejected


def require_start(initial: Any, dtype: np.dtype[Any]) -> None:
    """Raise what NumPy raises if ``initial`` is not a single element, or if there is none like it
    of the dtype in which a reduction computes.
    """
    if initial is NO_VALUE or initial is None or is_symbolic(initial):
        return
    if isinstance(initial, TensorMeta):
        if initial.shape:
            raise Rejected
        return
    try:
        with np.errstate(all="ignore"):
            np.empty((), dtype)[()] = initial
    except (TypeError, ValueError, OverflowError) as problem:
        raise Rejected from problem


# --- families: one factory a signature, one row a function


def _summing(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = NO_VALUE, where: Any = True) -> Any:
        result = reduced(function, a, axis, keepdims, where, dtype=dtype)
        require_start(initial, result.dtype)
        return result

    return rule


def _averaging(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
        return reduced(function, a, axis, keepdims, where, dtype=dtype)

    return rule


def _deviating(function: Any) -> Callable[..., Any]:
    def rule(
        a: Array,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: Any = 0,
        keepdims: Any = False,
        where: Any = True,
        mean: Array = NO_VALUE,
        correction: Any = NO_VALUE,
    ) -> Any:
        if correction is not NO_VALUE and ddof != 0:
            raise Rejected
        lost = ddof if correction is NO_VALUE else correction
        if lost is None or violated(product(shape_of(lost)) == 1):
            raise Rejected
        if isinstance(lost, TensorMeta) and lost.dtype.kind not in "biuf":
            raise Rejected
        if mean is not NO_VALUE:
            dtype_of(np.subtract, meta_of(a), mean)
            broadcast(shape_of(a), shape_of(mean))
        return reduced(function, a, axis, keepdims, where, dtype=dtype)

    return rule


def _extreme(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, *, keepdims: Any = False, initial: Any = NO_VALUE, where: Any = True) -> Any:
        require_elements(a, axis, initial, where)
        result = reduced(function, a, axis, keepdims, where)
        require_start(initial, result.dtype)
        return result

    return rule


def _logical(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
        return reduced(function, a, axis, keepdims, where)

    return rule


def _positional(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, *, keepdims: Any = False) -> Any:
        shape = shape_of(a)
        require_elements(a, axis)
        if meta_of(a).dtype.kind == "V":  # has no order
            raise Rejected
        if axis is None or not shape:
            reduced_axes(axis, len(shape))
            return value((1,) * len(shape) if keepdims else (), INTP)
        return value(without_axes(shape, (axis_index(axis, len(shape)),), bool(keepdims)), INTP)

    return rule


# name: factory of the rule
REDUCTIONS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "sum": _summing,
    "prod": _summing,
    "nansum": _summing,
    "nanprod": _summing,
    "mean": _averaging,
    "nanmean": _averaging,
    "std": _deviating,
    "var": _deviating,
    "nanstd": _deviating,
    "nanvar": _deviating,
    "max": _extreme,
    "min": _extreme,
    "nanmax": _extreme,
    "nanmin": _extreme,
    "any": _logical,
    "all": _logical,
    "argmax": _positional,
    "argmin": _positional,
    "nanargmax": _positional,
    "nanargmin": _positional,
}


_FACTS: dict[str, dict[str, Any]] = {
    "nanvar": {"out": Out(unsafe=True, passes="value")},
    "nanstd": {"out": Out(unsafe=True, passes="value")},
    "nanmean": {"out": Out(unsafe=True, passes="value")},
    "nansum": {"out": Out(passes="value")},
    "nanprod": {"out": Out(passes="value")},
    "nanmax": {"out": Out(passes="order")},
    "nanmin": {"out": Out(passes="order")},
    "var": {"folds": "variance", "traits": "reduction c_order by_row averaging", "out": Out(unsafe=True, stepwise=True)},
    "std": {"folds": "deviation", "traits": "reduction c_order by_row averaging", "out": Out(unsafe=True, stepwise=True)},
    "mean": {
        "folds": "mean",
        "nonnegative": signs.where_first,
        "traits": "reduction c_order by_row averaging",
        "out": Out(unsafe=True, stepwise=True),
    },
    "sum": {
        "folds": "sum",
        "nonnegative": signs.where_first,
        "traits": "reduction c_order by_row",
        "out": Out(unsafe=True),
        "method": np.add.reduce,
        "raises": DATES,
        "bounds": bounds.total,
        "counts": counts.SUM,
        "evaluate": folded(operator.add, 0),
    },
    "prod": {
        "traits": "reduction c_order by_row",
        "out": Out(unsafe=True),
        "method": np.multiply.reduce,
        "evaluate": folded(evaluation.multiply, 1),
    },
    "max": {
        "folds": "largest",
        "nonnegative": signs.where_first,
        "out": Out(unsafe=True, passes="order"),
        "traits": "reduction c_order by_row quiet",
        "loud": narrows,
        "method": np.maximum.reduce,
        "bounds": bounds.same,
        "evaluate": extreme(sym_max),
    },
    "min": {
        "folds": "smallest",
        "nonnegative": signs.where_first,
        "out": Out(unsafe=True, passes="order"),
        "traits": "reduction c_order by_row quiet",
        "loud": narrows,
        "method": np.minimum.reduce,
        "bounds": bounds.same,
        "evaluate": extreme(sym_min),
    },
    "any": {
        "out": Out(unsafe=True),
        "traits": "reduction c_order by_row quiet",
        "method": np.logical_or.reduce,
        "evaluate": folded(operator.or_, False, sym_bool),
    },
    "all": {
        "out": Out(unsafe=True),
        "traits": "reduction c_order by_row quiet",
        "method": np.logical_and.reduce,
        "evaluate": folded(operator.and_, True, sym_bool),
    },
    "argmax": {"out": Out(unsafe=True), "traits": "reduction c_order by_row quiet", "bounds": bounds.place(1)},
    "argmin": {"out": Out(unsafe=True), "traits": "reduction c_order by_row quiet", "bounds": bounds.place(1)},
    "nanargmax": {"out": Out(unsafe=True), "raises": DATA, "bounds": bounds.place(1)},
    "nanargmin": {"out": Out(unsafe=True), "raises": DATA, "bounds": bounds.place(1)},
    "cumsum": {
        "out": Out(unsafe=True, aliases=True),
        "method": np.add.accumulate,
        "raises": DATES,
        "bounds": bounds.total,
        "counts": counts.RUNNING_SUM,
        "evaluate": running(operator.add),
    },
    "nancumsum": {"out": Out(passes="value")},
    "nancumprod": {"out": Out(passes="value")},
    "cumprod": {"out": Out(unsafe=True), "method": np.multiply.accumulate, "evaluate": running(evaluation.multiply)},
}
"""The exceptions that the records state; those without a row raise for no data."""


_ROWS = (
    dict.fromkeys("sum prod mean std var nansum nanprod nanmean nanstd nanvar".split(), rows.reduced("where", rounds=True))
    | dict.fromkeys("max min nanmax nanmin any all".split(), rows.reduced("where"))
    | dict.fromkeys("argmax argmin nanargmax nanargmin".split(), rows.reduced())
    | dict.fromkeys("cumsum cumprod nancumsum nancumprod".split(), rows.along())
)


_OF_NUMBERS: dict[Any, Any] = {_summing: TOTALLED, _extreme: EXTREME, _deviating: CORRECTED}
"""The exceptions that ``initial`` or ``ddof`` may cause, by family."""


def _moment(name: str) -> Callable[[Any], Any]:
    """Of a node: the same of an array whose sizes are known, in fewer calls."""

    def kernel(node: Any) -> Any:
        meta = node.args[0].meta["val"] if isinstance(node.args[0], Node) else None
        given = dict(zip(("axis",), node.args[1:], strict=False)) | node.kwargs
        if not isinstance(meta, TensorMeta) or not meta.ndim or meta.dtype.char not in "fdbhilqBHILQ" or not meta.dtype.isnative:
            return None
        axis, keepdims, ddof = given.get("axis"), given.get("keepdims", False), given.get("ddof", 0)
        plain = len(node.args) <= 2 and given.keys() <= {"axis", "keepdims", "ddof"}
        if not plain or type(keepdims) is not bool or type(ddof) is not int or not _is_known(axis):
            return None
        sizes = [meta.shape[place] for place in reduced_axes(axis, meta.ndim)]
        if not all(type(size) is int for size in sizes) or math.prod(sizes) <= max(ddof, 0):
            return None
        dtype = FLOAT if meta.dtype.kind in "iu" else None
        rest = (ddof,) if name != "mean" else ()
        return resolve_kernel(f"moments.{name}")(axis, keepdims, dtype, math.prod(sizes), *rest)

    return kernel


def _is_known(axis: Any) -> bool:
    return axis is None or type(axis) is int or (type(axis) is tuple and all(type(item) is int for item in axis))


_METHODS = "mean std var argmax argmin cumsum cumprod".split()
_OWN_SOURCE = "mean std var nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nancumsum nancumprod".split()
_BY_METHOD = ("mean", "std", "var")


def _declare(name: str, factory: Callable[[Any], Callable[..., Any]], kind: str) -> None:
    function = getattr(np, name)
    rule = factory(function)
    rule.__name__, rule.__doc__ = name, f"The {kind} ``np.{name}``."
    facts = {
        "traits": "reduction c_order" if kind == "reduction" else "c_order",
        "emit": Emit(method=name if name in _METHODS else "", kernel=_moment(name) if name in _BY_METHOD else None),
        **_FACTS.get(name, {}),
    }
    facts["traits"] += " own_source" * (name in _OWN_SOURCE) + " by_method" * (name in _BY_METHOD)
    raises = facts.pop("raises", NOTHING) + _OF_NUMBERS.get(factory, NOTHING)
    record(function, rows=_ROWS[name], raises=raises, **facts)(rule)


for _name, _factory in REDUCTIONS.items():
    _declare(_name, _factory, "reduction")


@record(np.ptp, traits="own_source c_order reduction", raises=NOTHING, out=Out(stepwise=True), rows=rows.reduced())
def ptp(a: Array, axis: Any = None, *, keepdims: Any = False) -> TensorMeta:
    """The largest element less the smallest."""
    require_elements(a, axis)
    return reduced(np.ptp, a, axis, keepdims)


@record(
    np.count_nonzero,
    kernel="np_own.count_nonzero" if NUMPY < "2.3.0" else None,
    traits="quiet c_order reduction",
    raises=NOTHING,
    bounds=bounds.nonzero,
    counts=counts.NONZERO,
    rows=rows.reduced(),
)
def count_nonzero(a: Array, axis: Any = None, *, keepdims: Any = False) -> TensorMeta:
    """How many elements are not zero."""
    shape = shape_of(a)
    return value(without_axes(shape, reduced_axes(axis, len(shape)), bool(keepdims)), INTP)


# --- cumulative


def _running(function: Any) -> Callable[..., Any]:
    def rule(a: Array, axis: Any = None, dtype: Any = None) -> TensorMeta:
        a = meta_of(a)
        result = dtype_on_one(function, a, dtype=dtype)
        if axis is None:
            return array((product(a.shape),), result)
        if not a.shape:
            axis_index(axis, 1)
            return array((1,), result)
        axis_index(axis, len(a.shape))
        return array(a.shape, result)

    return rule


for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    _declare(_name, _running, "running reduction")


def _cumulative(function: Any, a: Array, axis: Any, dtype: Any, include_initial: bool) -> TensorMeta:
    a = meta_of(a)
    if axis is None:
        if len(a.shape) > 1:
            raise Rejected
        axis = 0
    shape = a.shape or (1,)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1:
        raise Rejected
    axis = axis_index(axes[0], len(shape))
    size: Size = shape[axis] + 1 if include_initial else shape[axis]
    return array(replace_axis(shape, axis, size), dtype_on_one(function, a, dtype=dtype))


if hasattr(np, "cumulative_sum"):  # since NumPy 2.1

    @record(np.cumulative_sum, raises=NOTHING, traits="own_source c_order", out=Out(passes="value"), rows=rows.along())
    def cumulative_sum(x: Array, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> TensorMeta:
        """The running sum, with the sum of nothing first where ``include_initial`` is true."""
        return _cumulative(np.cumulative_sum, x, axis, dtype, include_initial)

    @record(np.cumulative_prod, raises=NOTHING, traits="own_source c_order", out=Out(passes="value"), rows=rows.along())
    def cumulative_prod(x: Array, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> TensorMeta:
        """The running product, with the product of nothing first where ``include_initial``
        is true."""
        return _cumulative(np.cumulative_prod, x, axis, dtype, include_initial)
