"""Functions whose purpose is to write: an operator computes the whole array anew, and that value is
written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.core import coercion, overlap_simulation, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.ownership import are_one, is_same, meet
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, all_known, real_arguments
from npexport.tracer.arrays.core.views import no_objects


def write(
    op: Op, function: Callable[..., None], target: Any, *args: Any, read_only: str = "assignment destination is read-only", **kwargs: Any
) -> None:
    """``function(target, *args, **kwargs)``, which ``op`` represents.

    NumPy itself writes to known data.

    ``read_only`` is NumPy's error for read-only targets.
    """
    if type(target) is not ArrayProxy:
        if isinstance(target, np.ndarray):  # an array of objects
            raise no_objects(target.dtype)
        function(target, *real_arguments(args), **real_arguments(kwargs))
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(target).__name__}")
    writes.release(target)
    if all_known(target, args, tuple(kwargs.values())):
        function(target.array, *real_arguments(args), **real_arguments(kwargs))
        writes.touched(target.storage)
        return
    writes.require_writeable(target, read_only)
    writes.make_recorded(target)
    writes.become(target, op, (target, *args), kwargs)


def _values(target: Any, values: Any) -> Any:
    """Values to write: arrays unchanged, all others in the dtype of the target."""
    return values if isinstance(values, Proxy) or type(target) is not ArrayProxy else coercion.array_of(values, target.dtype)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    """``np.put``. To an array in C order, values before the first index that is out of range are
    written before it raises.
    """
    if type(a) is ArrayProxy:
        writes.require_writeable(a, "put: output array is read-only")
    ind = coercion.array_of(ind)
    if ind.known and not ind.size:
        ind = coercion.array_of(ind, np.intp)
    values = _values(a, v)
    if type(a) is ArrayProxy and type(a.size) is type(values.size) is int and (ind.known or a.size == 0):
        one = np.zeros(min(values.size, 1), bool)
        places = ind.array.ravel() if ind.known else np.zeros(1, np.intp)
        try:
            np.put(np.empty(a.size, bool), places, one, mode)
        except IndexError:
            before = places[: np.flatnonzero((places < -a.size) | (places >= a.size))[0]]
            if before.size and recorder().layouts.ask(a).flags.c_contiguous:  # others are written to as a whole, at the end
                put(a, before.tolist(), values, mode)
            raise
        if ind.known and mode == "raise":
            mode = "wrap"  # which means the same of places that are there, and never raises
    elif type(a) is ArrayProxy and mode == "raise" and (recorder().regions or a.storage in recorder().choices):
        _require_places(a, ind)
    elif type(a) is ArrayProxy and mode != "raise" and ind.size > 0 and _is_empty(a.size):
        np.put(np.empty(0), [0], 0)  # raises: there is no place to come back to
    write(ops.np.put, np.put, a, ind, values, mode, read_only="put: output array is read-only")


def _is_empty(size: Any) -> bool:
    """Whether an array has no elements: a guard, unless only the data know."""
    return bool(size == 0) if type(size) is SymInt and size.hint is not None else False


def _require_places(target: ArrayProxy, places: Proxy) -> None:
    """If the program would not write to the very array, make it a guard that the indices are in
    range: what comes before one that is not would be lost.
    """
    size, numbers = target.size, places.array
    if numbers is not None and numbers.size and is_symbolic(size) and size.hint is not None:
        bool(size >= max(int(numbers.max()) + 1, -int(numbers.min())))
    elif numbers is None and target.storage.outside is not None:
        hint = "Write `a.flat[indices] = values`, or give `mode`, or write before or after the branch."
        raise Unsupported("E103", "on one side of a branch on data `put` may fail when it has written some of the elements", hint=hint)


def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """``np.putmask``."""
    write(ops.np.putmask, np.putmask, a, coercion.array_of(mask), _values(a, values), read_only="putmask: output array is read-only")


def place(arr: Any, mask: Any, vals: Any) -> None:
    """``np.place``. NumPy reads the values while it writes."""
    if type(arr) is type(vals) is ArrayProxy and vals.dtype == arr.dtype and meet(arr, vals):
        hint = "Copy the values first: np.place(x, mask, x.copy()); or use np.putmask."
        raise Unsupported("E120", "np.place reads its values from the array that it writes", hint=hint)
    write(ops.np.place, np.place, arr, coercion.array_of(mask), _values(arr, vals), read_only="WRITEBACKIFCOPY base is read-only")


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """``np.copyto``; a copy of an array to itself does nothing, even if it is read-only or the mask
    does not fit.
    """
    if type(dst) is type(src) is ArrayProxy and are_one(dst, src):
        return
    dated = type(dst) is ArrayProxy and dst.dtype.kind in "mM"
    src = coercion.array_of(src) if dated or isinstance(src, (complex, np.generic)) else coercion.operand(src)
    mask = where if where is True else coercion.mask_of(where)
    if type(dst) is type(src) is ArrayProxy and not all_known(dst, src):
        chosen = real_arguments(mask) if where is True or all_known(mask) else None
        if overlap_simulation.copy(dst, src, None if chosen is None else lambda target, source: np.copyto(target, source, where=chosen)):
            return
    try:
        write(ops.np.copyto, np.copyto, dst, src, casting=casting, where=mask)
    except ValueError:
        if not (type(dst) is type(src) is ArrayProxy and is_same(dst, src)):
            raise


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """``np.put_along_axis``, which takes no list for an array."""
    _ = arr.ndim, indices.ndim  # raises
    write(ops.np.put_along_axis, np.put_along_axis, arr, coercion.array_of(indices), _values(arr, values), arguments.static(axis))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """``np.fill_diagonal``."""
    if type(a) is ArrayProxy and a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    val = coercion.operand(val)
    if type(a) is type(val) is ArrayProxy and not all_known(a, val) and meet(a, val):
        raise Unsupported("E120", "the diagonal is written from a view of the same memory", hint="Copy what is written first: val.copy().")
    write(ops.np.fill_diagonal, np.fill_diagonal, a, val, bool(wrap), read_only="underlying array is read-only")
