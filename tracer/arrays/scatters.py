"""Functions whose purpose is to write: an operator gives the whole array anew, and that is what is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.tracer.arrays import coercion, functions, indexing, standins, ufuncs, writes
from npexport.tracer.arrays.layout import alike, mirror
from npexport.tracer.arrays.owners import are_one
from npexport.tracer.arrays.proxy import ArrayProxy, all_known, real_arguments
from npexport.tracer.current import recorder

_READ_ONLY = {
    ops.np.put: "put: output array is read-only",
    ops.np.putmask: "putmask: output array is read-only",
    ops.np.place: "WRITEBACKIFCOPY base is read-only",
    ops.np.fill_diagonal: "underlying array is read-only",
}
"""What NumPy says of read-only targets, where it is not what an assignment says."""


def write(op: Op, function: Callable[..., None], target: Any, *args: Any, **kwargs: Any) -> None:
    """``function(target, *args, **kwargs)``, for which ``op`` stands. Known data are written to by NumPy itself."""
    if type(target) is not ArrayProxy:
        function(target, *real_arguments(args), **real_arguments(kwargs))
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(target).__name__}")
    if all_known(target, args, tuple(kwargs.values())):
        function(target.array, *real_arguments(args), **real_arguments(kwargs))
        writes.touched(target.storage)
        return
    writes.require_writeable(target, _READ_ONLY.get(op, "assignment destination is read-only"))
    rec = recorder()
    writes.make_recorded(target)
    writes.set_value(target, rec.node(op, (target, *args), kwargs))


def _values(target: Any, values: Any) -> Any:
    """Values to write: arrays as they are, all others in the dtype of the target."""
    return values if isinstance(values, ArrayProxy) or type(target) is not ArrayProxy else coercion.array_of(values, target.dtype)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    """``np.put``."""
    ind = coercion.array_of(ind)
    if ind.known and not ind.size:
        ind = coercion.array_of(ind, np.intp)
    values = _values(a, v)
    if type(a) is ArrayProxy and type(a.size) is type(values.size) is int and (ind.known or a.size == 0):
        one = np.zeros(min(values.size, 1), bool)
        np.put(np.empty(a.size, bool), ind.array if ind.known else np.zeros(1, np.intp), one, mode)  # raises for places that are not there
    write(ops.np.put, np.put, a, ind, values, mode)


def putmask(a: Any, mask: Any, values: Any) -> None:
    """``np.putmask``."""
    write(ops.np.putmask, np.putmask, a, coercion.array_of(mask), _values(a, values))


def place(arr: Any, mask: Any, vals: Any) -> None:
    """``np.place``."""
    write(ops.np.place, np.place, arr, coercion.array_of(mask), _values(arr, vals))


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """``np.copyto``; a copy of an array to itself does nothing, even where it is read-only."""
    if type(dst) is type(src) is ArrayProxy and are_one(dst, src):
        return
    dated = type(dst) is ArrayProxy and dst.dtype.kind in "mM"
    src = coercion.array_of(src) if dated or isinstance(src, (complex, np.generic)) else coercion.operand(src)
    write(ops.np.copyto, np.copyto, dst, src, casting=casting, where=where if where is True else coercion.operand(where))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    """``np.put_along_axis``."""
    write(ops.np.put_along_axis, np.put_along_axis, arr, coercion.array_of(indices), _values(arr, values), functions.static(axis))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """``np.fill_diagonal``."""
    if type(a) is ArrayProxy and a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    write(ops.np.fill_diagonal, np.fill_diagonal, a, coercion.operand(val), bool(wrap))


def at(ufunc: np.ufunc, a: Any, indices: Any, b: Any = None, /) -> None:
    """``ufunc.at``: unbuffered, so that repeated indices count each time."""
    if ufunc.nin == (1 if b is not None else 2) or ufunc.nout != 1 or ufunc.signature is not None:
        ufunc.at(np.ones(1), 0, *([] if b is None else [1.0]))  # raises
    operands = () if ufunc.nin == 1 else (coercion.operand(b),)
    index, _ = indexing.normalised(indices)
    if type(a) is not ArrayProxy or all_known(a, index, operands):
        write(ops.np.ufunc_at, ufunc.at, a, index, *operands)
        return
    if writes.read_only(a):  # fast loops of some versions of NumPy do not ask
        ufunc.at(alike(mirror(a.storage, a.link), False), *standins.stand_ins((index, *operands)))
    indexing.check_bounds(a, index)
    ufuncs.op_of(ufunc)
    writes.make_recorded(a)
    writes.set_value(a, recorder().node(ops.np.ufunc_at, (ufunc.__name__, a, index, *operands)))
