"""NumPy functions whose results are views of their arguments, and questions about shared memory."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NUMPY
from npexport.ir.ops.rules import as_tuple
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api import arguments, functions, ufuncs
from npexport.tracer.arrays.api.partial_results import require_one_rounding
from npexport.tracer.arrays.core import coercion, numpy_oracle, ownership, views
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import WRITE_AFTERWARDS
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, operands_of
from npexport.tracer.arrays.memory.layout import stride_order
from npexport.tracer.arrays.memory.model import mirror
from npexport.tracer.arrays.memory.strides import place_of
from npexport.tracer.models.registry import of_numpy


def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    """``np.broadcast_arrays``: arrays that have the common shape stay themselves; writes to the
    others, of which NumPy warns, are refused.
    """
    arrays = [coercion.array_of(arg) for arg in args]
    shape = arguments.common_shape(*[tuple(array.shape) for array in arrays])
    stretched = []
    for item in arrays:
        if len(item.shape) == len(shape) and all(known(a == b) for a, b in zip(item.shape, shape, strict=True)):
            stretched.append(item)
        else:
            stretched.append(recorder().call(ops.np.broadcast_to, item, shape))
            ownership.set_flag(stretched[-1], item.writeable)
    return tuple(stretched)


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """``np.broadcast_to``: a read-only view, also of a scalar."""
    return ufuncs.model_of(np.broadcast_to)(coercion.array_of(array), shape)


def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """``np.diagonal``: a read-only view, also of a list."""
    return ufuncs.model_of(np.diagonal)(coercion.array_of(a), offset, axis1, axis2)


def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True, *, check_bounds: Any = None
) -> Any:
    """``np.lib.stride_tricks.as_strided``, as a view of the array that owns the memory; writes
    through overlapping elements are refused.
    """
    x = coercion.array_of(x)
    owner, rec = ownership.root(x), recorder()
    if owner.dtype != x.dtype:
        raise Unsupported("E121", "as_strided of a view whose elements are parts of others")
    axes = stride_order(rec.layouts.ask(owner))
    packed = owner if axes is None else rec.call(ops.np.transpose, owner, axes)
    if not mirror(packed.storage, packed.link).flags.c_contiguous:
        hint = "Use np.ascontiguousarray(x), and strides of that."
        raise Unsupported("E121", "as_strided of an array whose memory has gaps", hint=hint)
    shape = arguments.static(x.shape if shape is None else shape)
    if writeable and x.writeable and _is_stretched(x):  # np.broadcast_arrays' are read-only here, where the flag was set they are not
        hint = "Say writeable=False."
        raise Unsupported("E121", "as_strided of a stretched array that may be written to", hint=hint)
    if not x.ndim and strides is None:  # the shape of a dummy: NumPy's memory ends after the first element
        return rec.call(ops.np.broadcast_to, x, as_tuple(shape))
    steps = arguments.static(x.strides if strides is None else strides)
    if any(step % x.itemsize != 0 for step in steps):
        raise Unsupported("E121", "as_strided with strides that cut elements apart")
    counted = tuple([step // x.itemsize for step in steps])
    first = _first_element(x, axes)
    ops.np.as_strided.rule(packed.meta, as_tuple(shape), counted, first)  # raises, also of known data, where memory ends
    result = rec.call(ops.np.as_strided, packed, as_tuple(shape), counted, first, writeable=x.writeable and bool(writeable))
    if type(result) is ArrayProxy and not result.known:
        result.writeable = x.writeable and bool(writeable)  # whatever its owner is
    return result


def _is_stretched(x: Any) -> bool:
    return x.link is not None and any(map(views.reads_only, x.link.chain()))


def _first_element(x: Any, axes: tuple[int, ...] | None) -> Any:
    """The position of the first element of a view in its storage, whose axes are in this order."""
    links = x.link.chain() if x.link is not None else ()
    if any(link.op.view.other_elements for link in links):
        raise Unsupported("E121", "as_strided of a view of another dtype")
    shape = x.storage.meta.shape
    if not all(type(size) is int for size in shape) or operands_of([(link.args, tuple(link.kwargs.values())) for link in links], []):
        return place_of(x.storage, x.link, bool) // x.itemsize
    order = tuple(range(len(shape))) if axes is None else axes
    places: Any = (
        np.arange(math.prod(shape)).reshape([shape[axis] for axis in order]).transpose(np.argsort(order)) if links else np.zeros(1, int)
    )
    for link in links:
        places = link.op.kernel(places, *link.args, **link.kwargs)
    return int(places.flat[0]) if places.size else 0


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Any:
    """``np.lib.stride_tricks.sliding_window_view``; writes through the windows are refused."""
    x = coercion.array_of(x)
    return ufuncs.model_of(np.lib.stride_tricks.sliding_window_view)(x, window_shape, axis, writeable=x.writeable and bool(writeable))


def diag(v: Any, k: int = 0) -> Any:
    """``np.diag``: of a matrix a read-only view."""
    v = coercion.array_of(v)
    return ufuncs.model_of(np.diagonal if v.ndim == 2 else np.diag)(v, k)


def einsum(*operands: Any, **options: Any) -> Any:
    """``np.einsum``: a view of one array whose axes are only reordered, or diagonals taken."""
    if len(operands) < 2:
        np.einsum(*numpy_oracle.stand_ins(operands))  # raises
    if not isinstance(operands[0], str):
        operands = _letters(operands)
    casting, order = options.pop("casting", "safe"), options.pop("order", "K")
    np.einsum("->", 0, casting=casting, dtype=options.get("dtype"))  # raises
    order = arguments.known_order(order)
    if len(operands) == 2 and type(operands[1]) is ArrayProxy and options.get("out") is None:  # other options say nothing of views
        view = views.einsum_view(recorder(), operands[1], operands[0].replace(" ", ""))
        if view is not None:
            return view if view.ndim else view[()]
    if casting != "safe":
        options["casting"] = casting
    model, out, optimized = ufuncs.model_of(np.einsum), options.pop("out", None), options.get("optimize", False)
    if type(optimized) not in (bool, type(None)):
        np.einsum(*numpy_oracle.stand_ins(operands), optimize=optimized)  # raises
        if optimized != "greedy":
            raise Unsupported("E101", "np.einsum with a path of its own", hint="Write optimize=True: the path that NumPy finds greedily.")
        optimized = options["optimize"] = True
    if out is None and order not in (None, "K"):
        options["order"] = order
    arrays = tuple(map(coercion.array_of, operands[1:])) if out is not None else ()
    if out is not None and arguments.out_array(out).dtype.kind not in "biufc":
        numpy_oracle.raise_for_stand_ins(np.einsum, operands, {**options, "casting": casting, "out": out})
        raise Unsupported("E101", f"np.einsum with out= of {out.dtype}", hint=WRITE_AFTERWARDS)
    if out is not None and not optimized and options.get("dtype") is None:  # it computes in the dtype that all have in common
        options["dtype"] = np.result_type(*[array.dtype for array in arrays], out.dtype)
    result = model(*operands, **options)
    if out is not None and len(operands) == 2:
        result = result + np.zeros((), result.dtype)  # NumPy adds to zeros, which have a sign
    if out is None and optimized is not False and len(operands) > 2 and type(result) is ScalarProxy:
        hint = "Leave optimize= out, or give it out=np.zeros(())."
        raise Unsupported("E101", "np.einsum with optimize= and no axes in its result, which is a scalar or an array", hint=hint)
    if out is None:
        return result
    if optimized and arguments.out_array(out).dtype != result.dtype:
        raise Unsupported("E101", "np.einsum with optimize= and an output of another dtype: which casts are safe depends on the path")
    require_one_rounding("np.einsum", result.dtype, arguments.out_array(out), arrays)
    return functions.end_out(model, result, out, {"operands": operands, "casting": casting})


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The letters of ``einsum`` for axes given as numbers."""
_PLACES = range(len(_LETTERS))


def _letters(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """A call with numbered axes (``np.einsum(x, [0, 1], y, [1, 2], [0, 2])``), with letters."""
    try:
        lists = [_term(axes) for axes in operands[1::2]]
        if len(operands) % 2:
            lists.append("->" + _term(operands[-1]))
    except (TypeError, ValueError):
        np.einsum(*numpy_oracle.stand_ins(operands))
        raise
    arrays = operands[: len(operands) // 2 * 2 : 2]
    return (",".join(lists[: len(arrays)]) + "".join(lists[len(arrays) :]), *arrays)


def _term(axes: Any) -> str:
    return "".join(["..." if axis is Ellipsis else _LETTERS[_PLACES.index(operator.index(axis))] for axis in axes])


def transform(function: Callable[..., Any], default: Any) -> Callable[..., Any]:
    """The model of a Fourier transform along several axes: along none, NumPy gives the array that
    it was given, and ``out`` is left alone.
    """

    def model(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        places = range(a.ndim) if axes is None and s is None and type(a) is ArrayProxy else axes
        if type(a) is ArrayProxy and type(places) in (range, tuple, list) and not len(places):
            numpy_oracle.raise_for_stand_ins(function, (a, s, axes, norm), {"out": out}, Exception)
            return a
        return ufuncs.model_of(function)(a, s, axes, norm, out)

    return model


def shares_memory(a: Any, b: Any, /, max_work: Any = None, *, bounds: bool = False) -> bool:
    """``np.shares_memory``, and (``bounds``) ``np.may_share_memory``, which only compares bounds
    unless ``max_work`` says otherwise.
    """
    (np.may_share_memory if bounds else np.shares_memory)(np.empty(0), np.empty(0), max_work)  # raises
    for array in (a, b):
        if type(array) is ArrayProxy:
            recorder().require_whole(array.storage, "asks whether two arrays share memory")
    if not bounds and max_work not in (None, -1):
        hint = "Leave max_work out."
        raise Unsupported("E101", "`np.shares_memory` with `max_work`: how much work it may take cannot be part of a program", hint=hint)
    a, b = [_memory(item) for item in (a, b)]
    return ownership.shares(a, b, bounds and max_work in (None, 0))


def _memory(value: Any) -> Any:
    """The array whose memory an object exposes."""
    if type(value) is ScalarProxy:
        return value if value.memory is None else value.memory
    return coercion.array_of(value)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    """``np.from_dlpack``: a view of the array's memory, or of a copy's."""
    if NUMPY < "2.1.0" and not device is copy is None:
        raise TypeError("options that NumPy 2.1 has brought")
    arguments.require_device(device)
    copies = arguments.copies(copy)
    if type(x) is not ArrayProxy or x.dtype not in _EXCHANGED:
        raise BufferError("DLPack takes no such object")
    exchanged: ArrayProxy = (x.copy("K") if copies else x)[...]  # type: ignore[index]
    exchanged.link.held = True  # type: ignore[union-attr]  # by the capsule
    if NUMPY < "2.1.0":  # whose protocol does not say what may be written to
        if not x.writeable:
            raise BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack.")
        exchanged.writeable = False
    return exchanged


_EXCHANGED = frozenset(map(np.dtype, "? b h i l q B H I L Q e f d F D".split()))
"""The dtypes that the protocol DLPack has names for."""


of_numpy(
    {
        np.broadcast_arrays: broadcast_arrays,
        np.broadcast_to: broadcast_to,
        np.from_dlpack: from_dlpack,
        np.diagonal: diagonal,
        np.lib.stride_tricks.sliding_window_view: sliding_window_view,
        np.lib.stride_tricks.as_strided: as_strided,
        np.diag: diag,
        np.einsum: einsum,
        np.fft.fftn: transform(np.fft.fftn, None),
        np.fft.ifftn: transform(np.fft.ifftn, None),
        np.fft.fft2: transform(np.fft.fft2, (-2, -1)),
        np.fft.ifft2: transform(np.fft.ifft2, (-2, -1)),
        np.shares_memory: shares_memory,
        np.may_share_memory: functools.partial(shares_memory, bounds=True),
    }
)
