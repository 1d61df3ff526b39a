"""Functional writes: the result of NumPy's in-place functions, as a new array."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.meta import TensorMeta
from npexport.ir.op import resolve_kernel
from npexport.ir.ops import rows
from npexport.ir.ops.np_indexing import assign_each, copied, indexed, require_assignable, require_castable, setitem
from npexport.ir.ops.np_selection import along_axis
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    array,
    dtype_of,
    meta_of,
    product,
    record,
    require_broadcast_to,
    shape_of,
    violated,
)
from npexport.ir.ops.ufuncs import named_ufunc
from npexport.ir.raising import COPIED, MASKED, PARTED, PLACED, PUT, UFUNC_AT, UFUNC_WHERE, WRITTEN_FLAT, always, of_power, of_text


def _written(a: Array) -> TensorMeta:
    a = meta_of(a)
    return array(a.shape, a.dtype)


def _written_by(function: Any) -> Emit:
    """NumPy's own function writes the result, if that may take the first argument's memory."""
    return Emit(writer=lambda node: function)


@record(
    kernel="np_scatter.copyto",
    emit=Emit(in_place="{0}[...] = {1}", writer=lambda node: np.copyto),
    traits="c_order scatter",
    see="numpy.copyto",
    raises=COPIED,
    midway=of_text(1),
    rows=rows.written("src", "where"),
)
def copyto(dst: Array, src: Array, casting: str = "same_kind", where: Array = True) -> TensorMeta:
    """``dst`` after ``np.copyto(dst, src, casting, where)``."""
    dst, source = meta_of(dst), meta_of(src)
    require_assignable(source.shape, dst.shape)
    require_broadcast_to(shape_of(where), dst.shape)
    if meta_of(where).dtype != np.bool_:
        raise Rejected
    dtype_of(_copy_of_empty, dst, src, casting=casting)
    require_castable(dst.dtype, src, copied)
    return array(dst.shape, dst.dtype)


def _copy_of_empty(dst: Any, src: Any, casting: Any) -> Any:
    result = np.empty((0,), dst.dtype)
    np.copyto(result, src, casting)
    return result


def _put(a: Any, value: Any) -> None:
    np.put(a, [0], value)


@record(
    kernel="np_scatter.put",
    traits="c_order scatter asked",
    see="numpy.put",
    raises=PUT,
    midway=lambda args: "ordered",
    emit=_written_by(np.put),
)
def put(a: Array, ind: Array, v: Array, mode: str = "raise") -> TensorMeta:
    """``a`` after ``np.put(a, ind, v, mode)``."""
    if meta_of(ind).dtype.kind not in "iub" or not np.can_cast(meta_of(ind).dtype, np.intp):
        raise Rejected
    require_castable(meta_of(a).dtype, v, _put)
    return _written(a)


def _require_mask(a: TensorMeta, mask: Array) -> None:
    if product(a.shape) != product(shape_of(mask)):
        raise Rejected


def _require_safe(function: Any, a: TensorMeta, values: Array) -> None:
    """Raises what NumPy raises where the values cannot be cast safely."""
    if isinstance(values, TensorMeta) and values.scalar:  # converted as numbers of Python are
        function(np.zeros((1,), a.dtype), np.zeros((1,), bool), values.dtype.type(0))
    else:
        dtype_of(_masked_write, a, values, function=function)


def _masked_write(a: Any, values: Any, function: Any) -> Any:
    result = np.zeros((1,), a.dtype)
    function(result, np.zeros((1,), bool), np.ones((1,), values.dtype) if isinstance(values, np.ndarray) else values)
    return result


@record(kernel="np_scatter.putmask", traits="c_order scatter", see="numpy.putmask", raises=MASKED, emit=_written_by(np.putmask))
def putmask(a: Array, mask: Array, values: Array) -> TensorMeta:
    """``a`` after ``np.putmask(a, mask, values)``."""
    a = meta_of(a)
    _require_mask(a, mask)
    _require_safe(np.putmask, a, values)
    return _written(a)


@record(kernel="np_scatter.place", traits="c_order scatter", see="numpy.place", raises=PLACED, emit=_written_by(np.place))
def place(arr: Array, mask: Array, vals: Array) -> TensorMeta:
    """``arr`` after ``np.place(arr, mask, vals)``."""
    a = meta_of(arr)
    _require_mask(a, mask)
    _require_safe(np.place, a, vals)
    return _written(a)


@record(
    kernel="np_scatter.put_along_axis",
    traits="c_order scatter",
    see="numpy.put_along_axis",
    raises=PUT,
    rows=rows.along("indices", "values"),
    emit=_written_by(np.put_along_axis),
)
def put_along_axis(arr: Array, indices: Array, values: Array, axis: Any) -> TensorMeta:
    """``arr`` after ``np.put_along_axis(arr, indices, values, axis)``."""
    a = meta_of(arr)
    shape, _ = along_axis(a, indices, axis)
    require_assignable(shape_of(values), shape)
    require_castable(a.dtype, values, assign_each)
    return _written(a)


@record(
    kernel="np_scatter.fill_diagonal",
    traits="c_order scatter",
    see="numpy.fill_diagonal",
    raises=COPIED,
    midway=of_text(1),
    emit=_written_by(np.fill_diagonal),
)
def fill_diagonal(a: Array, val: Array, wrap: Any = False) -> TensorMeta:
    """``a`` after ``np.fill_diagonal(a, val, wrap)``."""
    a = meta_of(a)
    if len(a.shape) < 2 or (len(a.shape) > 2 and any(violated(size == a.shape[0]) for size in a.shape)):
        raise Rejected
    require_castable(a.dtype, val, _fill)
    return _written(a)


def _fill(a: Any, value: Any) -> None:
    np.fill_diagonal(a[None], value)


@record(
    kernel="np_scatter.set_flat",
    traits="typed_parameters c_order scatter asked",
    see="numpy.ndarray.flat",
    raises=WRITTEN_FLAT,
    midway=always,
)
def set_flat(x: Array, index: Any, value: Array) -> TensorMeta:
    """``x`` after ``x.reshape(-1)[index] = value``, whether or not it is in C order."""
    x = meta_of(x)
    try:
        setitem.rule(TensorMeta((product(x.shape),), x.dtype), index, value)
    except IndexError:  # the iterator has other words
        raise Rejected from None
    return array(x.shape, x.dtype)


@record(kernel="np_scatter.set_part", traits="c_order scatter", see="numpy.ndarray.real", raises=PARTED, rows=rows.written("value"))
def set_part(x: Array, part: str, value: Array) -> TensorMeta:
    """``x`` after ``x.real = value`` or ``x.imag = value``: ``part`` is the name of the one that is
    replaced."""
    x = meta_of(x)
    if part != "real" and (part != "imag" or x.dtype.kind != "c"):
        raise Rejected
    require_assignable(shape_of(value), x.shape)
    return array(x.shape, x.dtype)


def _at_of(node: Any) -> Any:
    """The kernel of a call, which has the method of the ufunc that the call names."""
    return functools.partial(resolve_kernel("np_scatter.written_at"), named_ufunc(node.args[0]).at)


@record(
    kernel="np_scatter.ufunc_at",
    traits="c_order scatter asked",
    see="numpy.ufunc.at",
    raises=UFUNC_AT,
    midway=of_power,
    emit=Emit(writer=lambda node: named_ufunc(node.args[0]).at, skips=1, kernel=_at_of, bound=True),
)
def ufunc_at(ufunc: str, a: Array, indices: Any, b: Any = None) -> TensorMeta:
    """``a`` after ``getattr(np, ufunc).at(a, indices, b)``: without buffering, so that repeated
    positions count each time."""
    function, a = named_ufunc(ufunc), meta_of(a)
    operands = (a,) if b is None else (a, b)
    shape, _ = indexed(a, indices)
    if b is not None:
        require_broadcast_to(shape_of(b), shape)
    dtype_of(_at_of_empty, *operands, function=function)
    return _written(a)


def _there(node: Any) -> Any:
    """What computes the elements of the array, all or those of a mask, in its memory; ``None``
    where they are cast.
    """
    ufunc = named_ufunc(node.args[0])
    plain = len(node.args) == 3 + ufunc.nin and not node.kwargs
    kernel = "np_scatter.written_there" if node.args[2] is True else "np_scatter.written_masked"
    return functools.partial(resolve_kernel(kernel), ufunc) if plain else None


def _where_of(node: Any) -> Any:
    """The kernel of a call, which has the ufunc that the call names."""
    return functools.partial(resolve_kernel("np_scatter.written_where"), named_ufunc(node.args[0]))


@record(
    kernel="np_scatter.ufunc_where",
    traits="scatter",
    see="numpy.ufunc",
    raises=UFUNC_WHERE,
    midway=of_power,
    emit=Emit(writer=_there, skips=1, kernel=_where_of, bound=True),
    out=Out(aliases=True),
    rows=rows.written("where", "x1", "x2", of="a"),
)
def ufunc_where(ufunc: str, a: Array, where: Array, x1: Array, x2: Array = None, casting: str = "same_kind") -> TensorMeta:
    """``a`` after ``getattr(np, ufunc)(x1, x2, out=a, where=where, casting=casting)``: nothing is
    computed where the mask is false. An operand that is ``a`` is read where the results go."""
    function, a = named_ufunc(ufunc), meta_of(a)
    operands = (x1,) if x2 is None else (x1, x2)
    for operand in (*operands, where):
        require_broadcast_to(shape_of(operand), a.shape)
    if meta_of(where).dtype != bool or len(operands) != function.nin or function.nout != 1:
        raise Rejected
    dtype_of(_where_of_none, a, *operands, function=function, casting=casting)
    return _written(a)


def _where_of_none(a: Any, *operands: Any, function: Any, casting: str) -> Any:
    result = np.empty((0,), a.dtype)
    function(*operands, out=result, where=np.empty((0,), bool), casting=casting)
    return result


def _at_of_empty(a: Any, *b: Any, function: Any) -> Any:
    result = np.empty((0,), a.dtype)
    function.at(result, np.empty((0,), np.intp), *b)
    return result
