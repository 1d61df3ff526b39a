"""Operators that choose elements: by conditions, by bounds, by positions along an axis."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.narrowing import narrows
from npexport.ir.numpy_internals import NO_VALUE, umath
from npexport.ir.ops import bounds, counts, evaluation, rows
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import (
    BOOL,
    INTP,
    Array,
    Rejected,
    Shape,
    array,
    as_tuple,
    axis_index,
    broadcast,
    dtype_of,
    is_size,
    meta_of,
    product,
    record,
    replace_axis,
    require_broadcast_to,
    result_type,
    shape_of,
    value,
    violated,
)
from npexport.ir.raising import CHOSEN, CHOSEN_BY_MASK, FLOATS, INTEGERS, NOTHING, OF_OBJECTS, ROUNDED, TAKEN, UNRAVELLED
from npexport.symshapes.errors import Unsupported

# --- by conditions


def chooses_scalar(node: Any) -> bool:
    """Whether a call of ``where`` chooses one of two scalars, for calls that make it one."""
    metas = [arg.meta["val"] if isinstance(arg, Node) else None for arg in node.args]
    if not all(isinstance(meta, TensorMeta) and meta.scalar for meta in metas):
        return False
    condition, x, y = [meta.dtype for meta in metas]  # type: ignore[union-attr]
    made = all(user.op == CALL and user.target.kernel_name == "np_creation.scalar" for user in node.users)
    return made and condition == np.bool_ and x == y == node.meta["val"].dtype


@record(
    kernel=np.where,
    loud=narrows,
    emit=Emit(own=lambda node: "({1} if {0} else {2})" if chooses_scalar(node) else ""),
    traits="quiet typed_parameters c_order elementwise by_row exact",
    see="numpy.where",
    raises=INTEGERS,
    bounds=bounds.one_of(1, 3),
    evaluate=evaluation.each(evaluation.chosen),
    step="choose",
)
def where(condition: Array, x: Array, y: Array, /) -> TensorMeta:
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere; with the condition alone
    ``np.where`` is ``nonzero``."""
    return array(broadcast(shape_of(condition), shape_of(x), shape_of(y)), dtype_of(_where_empty, x, y))


def _where_empty(x: Any, y: Any) -> Any:
    return np.where(np.empty((0,), bool), x, y)


@record(np.select, traits="own_source c_order elementwise", raises=OF_OBJECTS)
def select(condlist: Any, choicelist: Any, default: Array = 0) -> TensorMeta:
    """The elements of the first choice whose condition holds."""
    if not condlist or len(condlist) != len(choicelist) or any(meta_of(item).dtype != BOOL for item in condlist):
        raise Rejected
    shape = broadcast(*map(shape_of, (*condlist, *choicelist, default)))
    return array(shape, dtype_of(_select_empty, *choicelist, default))


def _select_empty(*choices: Any) -> Any:
    return np.select([np.empty((0,), bool)] * (len(choices) - 1), list(choices[:-1]), choices[-1])


# --- element-wise, written in Python by NumPy


_CLIP = umath.clip  # by which its errors name it


def _of_both(node: Any) -> Any:
    """The ufunc that NumPy's Python calls with two bounds; those of integers it looks at before."""
    first = node.args[0].meta["val"] if isinstance(node.args[0], Node) else None
    both = len(node.args) == 3 and not node.kwargs and not any(bound is None or bound is NO_VALUE for bound in node.args[1:])
    return _CLIP if both and isinstance(first, TensorMeta) and not first.scalar and first.dtype.kind in "fc" else None


@record(
    np.clip,
    _CLIP,
    traits="c_order elementwise by_row exact",
    raises=INTEGERS,
    bounds=bounds.clip,
    evaluate=evaluation.clipped,
    out=Out(ufunc=_CLIP, aliases=True),
    emit=Emit(kernel=_of_both),
)
def clip(a: Array, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, *, min: Any = NO_VALUE, max: Any = NO_VALUE) -> TensorMeta:
    """The elements limited to an interval; bounds may be left out."""
    low, high = (None if bound is NO_VALUE else bound for bound in (a_min if min is NO_VALUE else min, a_max if max is NO_VALUE else max))
    by_position, by_name = ([bound is not NO_VALUE for bound in pair] for pair in ((a_min, a_max), (min, max)))
    if any(by_position) and (not all(by_position) or any(by_name)):
        raise Rejected
    bounds = [bound for bound in (low, high) if bound is not None]
    shape = broadcast(shape_of(a), *map(shape_of, bounds))
    return value(shape, dtype_of(_clip_empty, a, *bounds, given=(low is not None, high is not None)))


def _clip_empty(a: Any, *bounds: Any, given: tuple[bool, bool]) -> Any:
    sides = iter(bounds)
    return np.clip(a, *[next(sides) if present else None for present in given])


@record(np.isclose, traits="c_order elementwise", raises=NOTHING)
def isclose(a: Array, b: Array, rtol: Array = 1e-05, atol: Array = 1e-08, equal_nan: Any = False) -> TensorMeta:
    """Whether elements are equal within a tolerance."""
    _require_numbers(rtol, atol)
    second = meta_of(b)
    if second.dtype.kind == "m":
        dtype_of(np.add, atol, b)
    else:
        second = second.with_(dtype=result_type(b, 1.0))
    dtype_of(np.subtract, meta_of(a), second)
    dtype_of(_tolerance, second, rtol, atol)
    return value(broadcast(*map(shape_of, (a, b, rtol, atol))), BOOL)


def _tolerance(y: Any, rtol: Any, atol: Any) -> Any:
    return np.less_equal(0, atol + rtol * abs(y))


def _require_numbers(*values: Any) -> None:
    if any(isinstance(one, (str, bytes)) for one in values):
        raise Rejected


@record(
    np.round,
    np.around,
    traits="c_order elementwise by_row",
    raises=ROUNDED,
    evaluate=evaluation.each(evaluation.rounded),
    out=Out(ufunc=np.rint, rounds=True),
    emit=Emit(method="round"),
)
def round_(a: Array, decimals: Any = 0) -> TensorMeta:
    """The elements rounded to decimals, halves to even."""
    if not (isinstance(decimals, (bool, TensorMeta)) or is_size(decimals)):
        raise Rejected
    if meta_of(a).dtype == np.bool_ and decimals != 0:
        raise Rejected
    return value(shape_of(a), dtype_of(_round_empty, meta_of(a), decimals=0 if isinstance(decimals, int) and decimals == 0 else 1))


def _round_empty(a: Any, decimals: int) -> Any:
    return np.round(a, decimals)


@record(np.nan_to_num, traits="own_source c_order elementwise", raises=NOTHING)
def nan_to_num(x: Array, *, nan: Array = 0.0, posinf: Any = None, neginf: Any = None) -> TensorMeta:
    """NaN and infinities replaced by numbers."""
    _require_numbers(nan, posinf, neginf)
    x = meta_of(x)
    real = np.zeros((), x.dtype).real.dtype
    for one in (nan, posinf, neginf) if x.dtype.kind in "fc" else ():
        given = np.asarray(one) if isinstance(one, (list, tuple)) else one
        dtype = getattr(given, "dtype", np.dtype(complex) if isinstance(one, complex) else real)
        if not np.can_cast(dtype, real, "same_kind"):
            raise Rejected
        require_broadcast_to(given.shape if isinstance(given, (np.ndarray, TensorMeta)) else (), x.shape)
    return value(x.shape, x.dtype)


@record(np.i0, traits="c_order elementwise", raises=FLOATS)
def i0(x: Array) -> TensorMeta:
    """The modified Bessel function of order 0."""
    x = meta_of(x)
    return array(x.shape, dtype_of(np.i0, x))


@record(np.sinc, traits="own_source c_order elementwise", raises=NOTHING)
def sinc(x: Array) -> TensorMeta:
    """``sin(pi x) / (pi x)``."""
    return value(shape_of(x), dtype_of(np.sinc, meta_of(x)))


# --- by positions


@record(
    np.take,
    traits="quiet c_order",
    raises=TAKEN,
    bounds=bounds.same,
    evaluate=evaluation.moved(np.take),
    out=Out(unsafe=True),
    emit=Emit(method="take"),
    rows=rows.taken,
)
def take(a: Array, indices: Array, axis: Any = None, *, mode: str = "raise") -> TensorMeta:
    """The elements or slices at these positions."""
    a, positions_ = meta_of(a), meta_of(indices)
    if not (positions_.scalar or isinstance(indices, (float, np.generic))):  # NumPy casts scalars to positions whatever their dtype
        dtype_of(_take_from_one, positions_)
    shape = (product(a.shape),) if axis is None else a.shape or (1,)
    axis = 0 if axis is None else axis_index(axis, len(shape))
    if isinstance(mode, int):
        raise Unsupported("E101", "numpy.take with a number as mode", hint="Name it: mode='clip', 'wrap' or 'raise'.")
    if mode not in (None, "raise", "wrap", "clip"):
        raise Rejected
    result = (*shape[:axis], *positions_.shape, *shape[axis + 1 :])
    if violated(shape[axis] != 0) and not any(violated(size != 0) for size in result):
        raise Rejected
    nothing = any(violated(size != 0) for size in (*shape[:axis], *positions_.shape))  # no place is looked at
    strict = mode in (None, "raise") and not nothing
    place = _place_of(indices)
    if strict and place is not None and (violated(place < shape[axis]) or violated(-place <= shape[axis])):
        raise Rejected
    return value(result, a.dtype)


def _place_of(index: Any) -> int | None:
    """The position that NumPy makes of a plain number; ``None`` for arrays and what data decide."""
    if type(index) is int:
        return index
    if not isinstance(index, (bool, float, np.generic)):
        return None
    try:
        return int(index) if isinstance(index, (bool, float)) else int(np.asarray(index).astype(np.intp))
    except (TypeError, ValueError, OverflowError) as problem:
        raise Rejected from problem


def _take_from_one(indices: Any) -> Any:
    empty: Any = np.asarray(indices)[:0] if np.ndim(indices) else np.zeros((0,), np.asarray(indices).dtype)
    return np.take(np.zeros((1,)), empty)


def along_axis(a: TensorMeta, indices: Array, axis: Any) -> tuple[Shape, int]:
    """The shape of the elements that ``indices`` choose along an axis, the other axes matched, and
    the axis."""
    positions_ = meta_of(indices)
    if positions_.dtype.kind not in "iu":
        raise Rejected
    shape = (product(a.shape),) if axis is None else a.shape
    axis = 0 if axis is None else axis_index(axis, len(shape))
    if len(positions_.shape) != len(shape):
        raise Rejected
    return replace_axis(
        broadcast(replace_axis(shape, axis, 1), replace_axis(positions_.shape, axis, 1)), axis, positions_.shape[axis]
    ), axis


_OF_ALL_VERSIONS = None if inspect.signature(np.take_along_axis).parameters["axis"].default == -1 else "np_own.take_along_axis"


@record(
    np.take_along_axis, kernel=_OF_ALL_VERSIONS, raises=TAKEN, bounds=bounds.same, traits="own_source c_order", rows=rows.along("indices")
)
def take_along_axis(arr: Array, indices: Array, axis: Any = -1) -> TensorMeta:
    """The elements at positions that are given for each slice along the axis, as ``argsort``
    returns them."""
    a = meta_of(arr)
    return array(along_axis(a, indices, axis)[0], a.dtype)


@record(np.choose, raises=CHOSEN, traits="c_order", rows=rows.chosen, out=Out(unsafe=True))
def choose(a: Array, choices: Any, *, mode: str = "raise") -> TensorMeta:
    """The elements of the choice that each number names."""
    a = meta_of(a)
    options = [meta_of(item) for item in choices]
    if not options or not np.can_cast(a.dtype, INTP, "same_kind"):
        raise Rejected
    return value(broadcast(a.shape, *[option.shape for option in options]), dtype_of(_choose_empty, *choices))


def _choose_empty(*choices: Any) -> Any:
    return np.choose(np.empty((0,), np.intp), list(choices))


@record(
    np.compress,
    traits="c_order data_dependent_shape",
    raises=CHOSEN_BY_MASK,
    bounds=bounds.of_argument(1),
    counts=counts.MASK,
    rows=rows.along(of="a"),
)
def compress(condition: Array, a: Array, axis: Any = None) -> TensorMeta:
    """The slices along an axis whose condition holds; only the data knows how many."""
    a, chosen = meta_of(a), shape_of(condition)
    if len(chosen) != 1:
        raise Rejected
    shape = (product(a.shape),) if axis is None else a.shape or (1,)
    axis = 0 if axis is None else axis_index(axis, len(shape))
    return array(replace_axis(shape, axis, fresh_size(0, chosen[0])), a.dtype)


@record(np.extract, traits="data_dependent_shape", raises=CHOSEN_BY_MASK, counts=counts.MASK)
def extract(condition: Array, arr: Array) -> TensorMeta:
    """The elements whose condition holds, flattened."""
    a = meta_of(arr)
    return array((fresh_size(0, product(shape_of(condition))),), a.dtype)


@record(
    np.nonzero,
    traits="quiet data_dependent_shape",
    raises=NOTHING,
    bounds=bounds.positions,
    counts=counts.MASK,
    emit=Emit(method="nonzero"),
)
def nonzero(a: Array) -> tuple[TensorMeta, ...]:
    """The positions of the elements that are not zero: an array for each axis."""
    shape = shape_of(a)
    if not shape:
        raise Rejected
    found = fresh_size(0, product(shape))
    return tuple([array((found,), INTP) for _ in shape])


@record(np.argwhere, traits="quiet data_dependent_shape", raises=NOTHING, bounds=bounds.place(), counts=counts.MASK)
def argwhere(a: Array) -> TensorMeta:
    """The positions of the elements that are not zero: a row for each."""
    shape = shape_of(a)
    return array((fresh_size(0, product(shape)), len(shape)), INTP)


@record(np.flatnonzero, traits="quiet data_dependent_shape", raises=NOTHING, bounds=bounds.place(), counts=counts.MASK)
def flatnonzero(a: Array) -> TensorMeta:
    """The positions in the flattened array of the elements that are not zero."""
    return array((fresh_size(0, product(shape_of(a))),), INTP)


@record(np.unravel_index, traits="elementwise", raises=UNRAVELLED)
def unravel_index(indices: Array, shape: Any, order: str = "C") -> tuple[TensorMeta, ...]:
    """Positions in a flattened array as positions along every axis."""
    found = meta_of(indices)
    if found.dtype.kind not in "biu":
        raise Rejected
    return tuple([value(found.shape, INTP) for _ in as_tuple(shape)])


@record(np.ravel_multi_index, traits="c_order elementwise", raises=CHOSEN)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> TensorMeta:
    """Positions along every axis as positions in the flattened array."""
    if isinstance(multi_index, TensorMeta):
        found = multi_index
        if not found.shape or violated(found.shape[0] == len(as_tuple(dims))):
            raise Rejected
        return value(_places_in(dims, found.shape[1:]), INTP)
    if len(multi_index) != len(as_tuple(dims)) or any(meta_of(item).dtype.kind not in "biu" for item in multi_index):
        raise Rejected
    return value(_places_in(dims, broadcast(*map(shape_of, multi_index))), INTP)


def _places_in(dims: Any, shape: Shape) -> Shape:
    """The shape of positions in an array of these dimensions: where that is empty, there is
    none."""
    if any(violated(n != 0) for n in as_tuple(dims)) and not any(violated(n != 0) for n in shape):
        raise Rejected
    return shape
