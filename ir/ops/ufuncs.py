"""Ufuncs by name, and their methods as operators: ``np.maximum.reduce(x)`` is
``ops.np.ufunc_reduce("maximum", x)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.facts import Emit
from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import NO_VALUE
from npexport.ir.ops import rows
from npexport.ir.ops.np_elementwise import UFUNCS, elementwise
from npexport.ir.ops.np_reductions import require_elements, require_start
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    as_tuple,
    axis_indices,
    dtype_of,
    meta_of,
    record,
    replace_axis,
    require_broadcast_to,
    shape_of,
    value,
    without_axes,
)
from npexport.ir.raising import NOTHING, REDUCED, REDUCED_AT


def named_ufunc(name: str) -> np.ufunc:
    """The element-wise ufunc of this name. Raises ``ValueError`` for any other text."""
    if name not in UFUNCS:
        raise ValueError(f"{name!r} is not an element-wise ufunc of NumPy")
    return getattr(np, name)  # type: ignore[no-any-return]


def _of_ufunc(method: str) -> Emit:
    """A method of the ufunc that the first argument names."""
    return Emit(kernel=lambda node: getattr(named_ufunc(node.args[0]), method), bound=True)


def _method_dtype(method: str, name: str, a: TensorMeta, dtype: Any) -> np.dtype[Any]:
    return dtype_of(getattr(named_ufunc(name), method), a, ones=(1,), dtype=dtype)


@record(
    kernel="np_ufuncs.reduce",
    traits="c_order reduction",
    see="numpy.ufunc.reduce",
    raises=REDUCED,
    rows=rows.reduced("where", rounds=True),
    emit=_of_ufunc("reduce"),
)
def ufunc_reduce(
    ufunc: str, array: Array, axis: Any = 0, dtype: Any = None, *, keepdims: Any = False, initial: Any = NO_VALUE, where: Array = True
) -> TensorMeta:
    """``getattr(np, ufunc).reduce(array, ...)``."""
    a, function = meta_of(array), named_ufunc(ufunc)
    axes = () if not a.shape and as_tuple(axis) in ((0,), (-1,)) else axis_indices(axis, len(a.shape))
    if where is not True:
        require_broadcast_to(shape_of(where), a.shape)
    if function.identity is None:
        require_elements(a, axes, initial, where)
    if len(axes) > 1:
        dtype_of(function.reduce, a, ones=(1, 1), axis=(0, 1))  # where the order of elements matters, NumPy refuses several axes
    made = _method_dtype("reduce", ufunc, a, dtype)
    require_start(initial, made)
    return value(without_axes(a.shape, axes, bool(keepdims)), made)


def _one_axis(axis: Any, ndim: int) -> int:
    """The only axis; ``None`` means all, of which there must be one."""
    axes = axis_indices(axis, ndim)
    if len(axes) != 1:
        raise Rejected
    return axes[0]


@record(
    kernel="np_ufuncs.accumulate",
    see="numpy.ufunc.accumulate",
    raises=REDUCED,
    traits="c_order",
    rows=rows.along(of="array"),
    emit=_of_ufunc("accumulate"),
)
def ufunc_accumulate(ufunc: str, array: Array, axis: Any = 0, dtype: Any = None) -> TensorMeta:
    """``getattr(np, ufunc).accumulate(array, axis, dtype)``."""
    a = meta_of(array)
    _one_axis(axis, len(a.shape))
    return TensorMeta(a.shape, _method_dtype("accumulate", ufunc, a, dtype))


@record(
    kernel="np_ufuncs.reduceat",
    emit=_of_ufunc("reduceat"),
    see="numpy.ufunc.reduceat",
    raises=REDUCED_AT,
    traits="c_order asked",
    rows=rows.along(of="array", rounds=True),
)
def ufunc_reduceat(ufunc: str, array: Array, indices: Any, axis: Any = 0, dtype: Any = None) -> TensorMeta:
    """``getattr(np, ufunc).reduceat(array, indices, axis, dtype)``."""
    a, starts = meta_of(array), meta_of(indices)
    if len(starts.shape) != 1 or starts.dtype.kind not in "biu":
        raise Rejected
    axis = _one_axis(axis, len(a.shape))
    return TensorMeta(replace_axis(a.shape, axis, starts.shape[0]), _method_dtype("reduce", ufunc, a, dtype))


@record(kernel="np_ufuncs.outer", see="numpy.ufunc.outer", raises=NOTHING, emit=_of_ufunc("outer"))
def ufunc_outer(ufunc: str, A: Array, B: Array, *, dtype: Any = None) -> Any:
    """``getattr(np, ufunc).outer(A, B)``: the ufunc of every pair of elements."""
    left, right = meta_of(A), meta_of(B)  # NumPy makes arrays of Python scalars here, so they are not weak
    return elementwise(named_ufunc(ufunc), (left.with_(shape=left.shape + (1,) * len(right.shape)), right), dtype)
