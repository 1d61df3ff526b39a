"""Arrays made from sizes and scalars, and copies of arrays in another dtype."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any

import numpy as np

from npexport.ir.facts import Emit
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.narrowing import fills_another
from npexport.ir.node import value_of
from npexport.ir.op import resolve_kernel
from npexport.ir.ops import bounds, counts, evaluation, rows, signs
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.np_indexing import copied, require_assignable, require_castable
from npexport.ir.ops.np_selection import chooses_scalar
from npexport.ir.ops.np_shapes import diagonal_length
from npexport.ir.ops.rules import (
    FLOAT,
    INTP,
    Array,
    Rejected,
    Shape,
    Size,
    array,
    as_dtype,
    as_tuple,
    axis_index,
    broadcast,
    dtype_of,
    is_size,
    larger,
    like,
    meta_of,
    plain,
    product,
    record,
    result_type,
    shape_of,
    violated,
)
from npexport.ir.raising import ARRAY, CAST, COUNTED, DIAGONAL, FILLED, FILLED_LIKE, NOTHING, OF_OBJECTS, fits, into_dtype
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_int
from npexport.symshapes.symint import SymFloat, SymInt


def _created(shape: Any, dtype: Any) -> TensorMeta:
    sizes = as_tuple(shape)
    if not all(map(is_size, sizes)) or any(violated(size >= 0) or _beyond(size) for size in sizes):
        raise Rejected
    made = FLOAT if dtype is None else np.dtype(dtype)
    if made.kind in "USV":  # texts get room for a character, shapes of dtypes become axes
        example = np.empty(0, made)
        sizes, made = (*sizes, *example.shape[1:]), example.dtype
    return array(sizes, made)


def _beyond(size: Any) -> bool:
    """Whether no axis is as long: the kernel looks again where only the data know."""
    return not (type(size) is SymInt and fits(size, INTP)) and violated(size <= sys.maxsize)


@record(
    np.zeros,
    traits="quiet c_order creation",
    raises=NOTHING,
    bounds=bounds.constant(0),
    evaluate=evaluation.made(np.zeros),
    rows=rows.filled,
)
def zeros(shape: Any, dtype: Any = None) -> TensorMeta:
    """An array of zeros."""
    return _created(shape, dtype)


@record(
    np.ones,
    traits="quiet c_order creation",
    raises=NOTHING,
    bounds=bounds.constant(1),
    evaluate=evaluation.made(np.ones),
    rows=rows.filled,
)
def ones(shape: Any, dtype: Any = None) -> TensorMeta:
    """An array of ones."""
    return _created(shape, dtype)


@record(
    np.empty,
    kernel=np.zeros,
    traits="quiet c_order creation",
    raises=NOTHING,
    evaluate=evaluation.made(np.zeros),
    rows=rows.filled,
)
def empty(shape: Any, dtype: Any = None) -> TensorMeta:
    """An array of zeros: NumPy leaves the contents of ``np.empty`` open, and a graph gives equal
    results for equal inputs."""
    return _created(shape, dtype)


@record(np.full, traits="quiet c_order creation by_value", raises=FILLED, loud=fills_another, evaluate=evaluation.filled, rows=rows.filled)
def full(shape: Any, fill_value: Array, dtype: Any = None) -> TensorMeta:
    """An array filled with a value, which is stretched."""
    result = _created(shape, meta_of(fill_value).dtype if dtype is None else dtype)
    require_castable(result.dtype, fill_value, copied)
    require_assignable(shape_of(fill_value), result.shape)
    return result


def _like(a: Array, dtype: Any, shape: Any) -> TensorMeta:
    own = result_type(a) if type(a) is SymInt else meta_of(a).dtype
    return _created(shape_of(a) if shape is None else shape, own if dtype is None else dtype)


def _filled(name: str) -> Any:
    """A kernel that does with less what a call does that gives nothing but an array of numbers, and
    the float that goes into one of floats.
    """

    def kernel(node: Any) -> Any:
        val, of, numbers = node.meta["val"], value_of(node.args[0]), [value_of(arg) for arg in node.args[1:]]
        plain = not node.kwargs and len(numbers) <= 1 and isinstance(of, TensorMeta) and not of.scalar
        fits = all(type(number) is float and val.dtype == np.float64 for number in numbers)
        return resolve_kernel(f"np_own.{name}") if plain and fits and val.dtype.kind in "biufc" else None

    return kernel


@record(
    np.zeros_like,
    raises=NOTHING,
    bounds=bounds.constant(0),
    traits="c_order blank",
    evaluate=evaluation.all_like(0),
    rows=rows.filled,
    emit=Emit(kernel=_filled("zeros_like")),
)
def zeros_like(a: Array, dtype: Any = None, *, shape: Any = None) -> TensorMeta:
    """Zeros in the shape and dtype of an array."""
    return _like(a, dtype, shape)


@record(
    np.ones_like,
    raises=NOTHING,
    traits="c_order",
    evaluate=evaluation.all_like(1),
    rows=rows.filled,
    emit=Emit(kernel=_filled("ones_like")),
)
def ones_like(a: Array, dtype: Any = None, *, shape: Any = None) -> TensorMeta:
    """Ones in the shape and dtype of an array."""
    return _like(a, dtype, shape)


@record(np.empty_like, kernel=np.zeros_like, raises=NOTHING, traits="c_order blank", rows=rows.filled)
def empty_like(prototype: Array, /, dtype: Any = None, *, shape: Any = None) -> TensorMeta:
    """Zeros in the shape and dtype of an array: see ``empty``."""
    return _like(prototype, dtype, shape)


@record(
    np.full_like,
    raises=FILLED_LIKE,
    traits="c_order",
    evaluate=evaluation.filled_like,
    rows=rows.filled,
    emit=Emit(kernel=_filled("full_like")),
)
def full_like(a: Array, fill_value: Array, dtype: Any = None, *, shape: Any = None) -> TensorMeta:
    """An array in the shape and dtype of another, filled with a value."""
    result = _like(a, dtype, shape)
    require_castable(result.dtype, fill_value, copied)
    require_assignable(shape_of(fill_value), result.shape)
    return result


@record(
    np.arange,
    traits="typed_parameters c_order creation",
    raises=COUNTED,
    bounds=bounds.counting,
    evaluate=evaluation.made(np.arange),
    rows=rows.counting,
)
def arange(start_or_stop: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None) -> TensorMeta:
    """Evenly spaced numbers of a half-open interval."""
    start, last = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    step = 1 if step is None else step
    if any(shape_of(item) for item in (start, last, step)):
        raise Rejected
    if any(isinstance(item, (str, np.datetime64, np.timedelta64)) for item in (start, last, step)) or np.dtype(dtype).kind in "mM":
        steps = () if step == 1 else (step,)
        if _count_of_dates(start, last, steps, dtype) > _MOST_DATES:
            raise Unsupported("E101", f"np.arange of more than {_MOST_DATES} dates", hint="Make the dates outside, and pass them.")
        dates = np.arange(start_or_stop, stop, *steps, dtype=dtype)
        return array(dates.shape, dates.dtype)
    if any(isinstance(item, TensorMeta) or (isinstance(item, SymFloat) and item.hint is None) for item in (start, last, step)):
        return array((fresh_size(0, None),), _range_dtype(start, last, step, dtype))
    if step == 0:
        raise Rejected
    return array((_range_length(start, last, step),), _range_dtype(start, last, step, dtype))


_MOST_DATES = 10_000_000


def _count_of_dates(start: Any, stop: Any, steps: tuple[Any, ...], dtype: Any) -> int:
    """How many dates, or spans of time, NumPy would make; 0 where it makes none."""
    try:
        kind = np.promote_types(*[np.arange(end, end, *steps, dtype=dtype).dtype for end in (start, stop)])
        span = np.dtype(kind.str.replace("M", "m"))
        ends = [np.asarray(end).astype(kind) for end in (start, stop)]
        first, last = [int(end.view(np.int64)) for end in ends]
        step = int(np.asarray(steps[0] if steps else 1).astype(span).view(np.int64))
    except (TypeError, ValueError):
        return 0
    return 0 if np.isnat(ends).any() or not step else (last - first) // step


def _range_length(start: Any, stop: Any, step: Any) -> Size:
    """NumPy divides floats; sizes are divided exactly, and so their length stays an expression."""
    exact = _subtracts_exactly(start, stop)
    numbers = [plain(item) if exact and isinstance(item, (np.integer, np.float64)) else item for item in (start, stop, step)]
    if not exact or any(isinstance(item, np.generic) for item in numbers):  # the rounding of other floats counts: sizes become constants
        numbers = [operator.index(item) if isinstance(item, SymInt) else item for item in numbers]
    start, stop, step = numbers
    if any(isinstance(item, SymInt) for item in numbers) and not any(isinstance(item, (float, SymFloat)) for item in numbers):
        return larger(0, -((start - stop) // step))
    if isinstance(step, (float, np.floating)) and math.isinf(step):  # the first number alone
        return sym_int(stop > start if step > 0 else stop < start)
    with np.errstate(all="ignore"):
        steps = _finite((stop - start) / step)
    if isinstance(steps, (float, np.floating)) and steps == 0 and stop != start:  # a quotient that is too small
        return int(math.copysign(1, steps) > 0)
    return larger(0, math.ceil(steps))


def _subtracts_exactly(start: Any, stop: Any) -> bool:
    """Whether the difference of NumPy's integers, and of integers beside them, fits their dtype,
    in which NumPy wraps it; leaves guards.
    """
    dtypes = [item.dtype for item in (start, stop) if isinstance(item, np.integer)]
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(np.int64)
    numbers = [plain(item) if isinstance(item, np.integer) else item for item in (start, stop)]
    if dtype == np.int64 or any(isinstance(item, (float, SymFloat, complex, np.generic)) for item in numbers):
        return True
    if dtype.kind == "f":
        return False
    limits = np.iinfo(dtype)
    return all(bool(limits.min <= number) and bool(number <= limits.max) for number in (*numbers, numbers[1] - numbers[0]))


def _finite(steps: Any) -> Any:
    if not isinstance(steps, SymFloat) and not math.isfinite(steps):
        raise Rejected
    if isinstance(steps, np.generic) and steps.real > sys.maxsize:
        raise Unsupported("E101", "np.arange of more numbers than there is memory for")
    return steps


def _range_dtype(start: Any, stop: Any, step: Any, dtype: Any) -> np.dtype[Any]:
    if dtype is not None:
        return as_dtype(dtype)
    return dtype_of(_promote_range, start, stop, step)


def _promote_range(start: Any, stop: Any, step: Any) -> Any:
    ones: list[Any] = [type(x)(1) if isinstance(x, (int, float, complex)) else np.ones((), x.dtype)[()] for x in (start, stop, step)]
    return np.arange(*ones)


@record(np.linspace, raises=OF_OBJECTS, traits="typed_parameters")
def linspace(start: Array, stop: Array, num: Any = 50, endpoint: Any = True, *, dtype: Any = None, axis: Any = 0) -> TensorMeta:
    """``num`` evenly spaced numbers of an interval."""
    if violated(num >= 0):
        raise Rejected
    ends = broadcast(shape_of(start), shape_of(stop))
    axis = axis_index(axis, len(ends) + 1)
    return array((*ends[:axis], num + 0, *ends[axis:]), dtype_of(_linspace_one, start, stop, dtype=dtype))


def _linspace_one(start: Any, stop: Any, dtype: Any) -> Any:
    return np.linspace(start, stop, 1, dtype=dtype)


@record(np.eye, traits="c_order creation", raises=DIAGONAL, evaluate=evaluation.made(np.eye))
def eye(N: Size, M: Any = None, k: Any = 0, dtype: Any = FLOAT) -> TensorMeta:
    """Ones on a diagonal, zeros elsewhere."""
    return _created((N, N if M is None else M), dtype)


@record(np.identity, traits="c_order creation", raises=NOTHING, evaluate=evaluation.made(np.identity))
def identity(n: Size, dtype: Any = None) -> TensorMeta:
    """The identity matrix."""
    return _created((n, n), dtype)


@record(np.tri, traits="c_order creation", raises=DIAGONAL, counts=counts.TRIANGLE)
def tri(N: Size, M: Any = None, k: Any = 0, dtype: Any = FLOAT) -> TensorMeta:
    """Ones on and below a diagonal, zeros elsewhere."""
    shape = [_range_length(0, size, 1) for size in (N, N if M is None else M)]
    cast = np.empty(0, bool).astype(dtype)  # as it is made; the shape of a dtype becomes axes
    return array((*shape, *cast.shape[1:]), cast.dtype)


def _triangle(m: Array) -> TensorMeta:
    m = meta_of(m)
    if not m.shape:
        raise Rejected
    return array(m.shape if len(m.shape) > 1 else m.shape * 2, np.promote_types(m.dtype, m.dtype))


@record(np.tril, raises=DIAGONAL, traits="own_source quiet c_order", rows=rows.leading(2))
def tril(m: Array, k: Any = 0) -> TensorMeta:
    """The elements on and below a diagonal, zeros elsewhere."""
    return _triangle(m)


@record(np.triu, raises=DIAGONAL, traits="own_source quiet c_order", rows=rows.leading(2))
def triu(m: Array, k: Any = 0) -> TensorMeta:
    """The elements on and above a diagonal, zeros elsewhere."""
    return _triangle(m)


@record(np.diag, kernel="np_own.diag", raises=NOTHING, traits="c_order")
def diag(v: Array, k: Any = 0) -> TensorMeta:
    """A matrix with the vector on a diagonal, or the diagonal of a matrix (a copy)."""
    v = meta_of(v)
    if len(v.shape) == 1:
        n = v.shape[0] + (k if k >= 0 else -k)
        return array((n, n), v.dtype)
    if len(v.shape) != 2:
        raise Rejected
    return array((diagonal_length(v.shape[0], v.shape[1], k),), v.dtype)


@record(np.diagflat, raises=NOTHING)
def diagflat(v: Array, k: Any = 0) -> TensorMeta:
    """A matrix with all elements of the array on a diagonal."""
    v = meta_of(v)
    n = product(v.shape) + (k if k >= 0 else -k)
    return array((n, n), v.dtype)


@record(np.indices, traits="c_order creation", raises=NOTHING)
def indices(dimensions: Any, dtype: Any = INTP, sparse: Any = False) -> Any:
    """The index of every element along every axis: one array, or with ``sparse`` one for
    each axis."""
    sizes: Shape = as_tuple(dimensions)
    if not sparse:
        if any(violated(size >= 0) for size in sizes):
            raise Rejected
        return array((len(sizes), *sizes), np.dtype(dtype))
    alone = [tuple([larger(0, size) if i == axis else 1 for i in range(len(sizes))]) for axis, size in enumerate(sizes)]
    return tuple([array(one, np.dtype(dtype)) for one in alone])


# --- copies


@record(
    kernel="np_creation.astype",
    traits="c_order ordered cast elementwise exact",
    see="numpy.ndarray.astype",
    raises=CAST,
    bounds=bounds.same,
    counts=counts.CAST,
    evaluate=evaluation.first,
    rewrite="copy",
    emit=Emit(method="astype"),
    nonnegative=signs.where_first,
)
def astype(x: Array, dtype: Any, *, casting: Any = "unsafe", order: str = "K") -> TensorMeta:
    """A copy in another dtype; ``order``: its memory order."""
    x = meta_of(x)
    target = np.dtype(dtype)
    if not np.can_cast(x.dtype, target, casting):
        raise Rejected
    return like(x, x.shape).with_(dtype=dtype_of(_cast_empty, x, target=target))


def _cast_empty(x: Any, target: Any) -> Any:
    source = np.asarray(x).dtype
    if source.kind == "c" and np.dtype(target).kind in "biuf":
        return np.empty((0,), target)  # the cast itself warns
    return np.empty((0,), source).astype(target)


def _is_of_one_axis(node: Any) -> bool:
    """Whether a call copies an array that lies in one way only, without saying how."""
    value = node.args[0].meta["val"] if hasattr(node.args[0], "meta") else None
    return not node.kwargs and isinstance(value, TensorMeta) and not value.scalar and value.ndim < 2


@record(
    np.copy,
    traits="quiet c_order ordered permutation elementwise",
    raises=NOTHING,
    emit=Emit(("{0}.copy('K')",), method="copy", own=lambda node: "{0}.copy()" if _is_of_one_axis(node) else ""),
    rewrite="copy",
    bounds=bounds.same,
    evaluate=evaluation.first,
)
def copy(a: Array, *, order: str = "K") -> TensorMeta:
    """A copy; always an array. ``order``: its memory order, "K": that of the array."""
    a = meta_of(a)
    return array(a.shape, a.dtype)


@record(
    kernel=np.array,
    traits="quiet c_order cast elementwise",
    loud=into_dtype,
    see="numpy.array",
    raises=ARRAY,
    bounds=bounds.same,
    evaluate=evaluation.first,
    rewrite="copy",
)
def array_(object: Array, dtype: Any = None) -> TensorMeta:
    """A new array of an array or a scalar: this is how scalars and sizes become arrays."""
    target = meta_of(object).dtype if dtype is None else np.dtype(dtype)
    require_castable(target, object)
    return array(shape_of(object), target)


def _of_choice(node: Any) -> str:
    """A scalar already."""
    chosen = node.args[0]
    if not isinstance(chosen, Node) or chosen.op != CALL:
        return ""
    return "{0}" if chosen.target.kernel is np.where and chooses_scalar(chosen) else ""  # type: ignore[union-attr]


@record(
    kernel="np_creation.scalar",
    emit=Emit(own=_of_choice),
    traits="quiet c_order cast elementwise",
    see="numpy.generic",
    raises=NOTHING,
    bounds=bounds.same,
    evaluate=evaluation.first,
    nonnegative=signs.where_first,
)
def scalar(x: Array) -> TensorMeta:
    """The NumPy scalar of a 0-d array."""
    x = meta_of(x)
    if x.shape:
        raise Rejected
    return TensorMeta((), x.dtype, scalar=True)
