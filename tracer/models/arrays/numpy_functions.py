"""NumPy functions that are more than one operator: conversions, creation, questions about types and
shapes, writes.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NO_VALUE, NUMPY, implementation, multiarray_umath
from npexport.ir.ops.np_joining import pad_pairs
from npexport.ir.ops.np_strings import CASES
from npexport.ir.ops.rules import as_tuple, is_size, of_value
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.api import arguments, clipping, methods, objects, result_layout, scatters, ufuncs
from npexport.tracer.arrays.core import array_protocol, coercion, numpy_oracle, protocols
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, all_known, integer_of, real_arguments
from npexport.tracer.arrays.memory.model import mirror
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.converter import ArrayConverter, as_type
from npexport.tracer.models.polyfills import arrays, indices
from npexport.tracer.models.registry import of_numpy

# Conversions


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: Any = NO_VALUE,
    like: Any = None,
) -> Any:
    """``np.array``."""
    rec = recorder()
    order = arguments.known_order(order)
    copy = arguments.copies(copy)
    require_like(like)
    if not isinstance(ndmin, (int, SymInt, Proxy)):
        ndmin = operator.index(ndmin)
    if ndmax is not NO_VALUE:  # 0, as NumPy's signature has it, is not what NumPy does without it
        np.array(numpy_oracle.stand_ins(object), dtype, ndmin=ndmin, ndmax=ndmax)  # raises
    dtype = None if dtype is None else coercion.dtype_of(dtype)
    if type(object) in objects.ARRAYS or dtype is objects.OBJECT or (dtype is None and objects.holds_none(object)):
        plain = not ndmin and order in ("K", "A", None)
        return objects.array(object, dtype or objects.OBJECT, plain=plain, copy=copy is True)
    if array_protocol.converts_itself(object):
        object, copied = array_protocol.own_array(object, dtype, copy)
        copy = None if copied else copy
    result = coercion.array_of(object, dtype, copy)
    if ndmin > len(result.shape):
        result = _with_axes(result, ndmin)
    if type(object) is not ArrayProxy or result.storage is not object.storage:
        if copy is False:
            np.array([0], copy=False)  # raises: a copy cannot be avoided
        return result_layout.laid_out(result, "K" if order == "A" else order)  # what is converted keeps its order
    if copy is True:
        return result_layout.laid_out(rec.call(ops.np.copy, result, **result_layout.asked_order(result, order)), order, result)
    if copy is False and order in ("C", "F"):
        np.asarray(rec.layouts.ask(result), order=order, copy=False)  # raises where it cannot be avoided
    return result_layout.in_memory_order(result, order)


def require_like(like: Any) -> None:
    """Raises NumPy's ``TypeError`` for an object outside its protocol, ``Unsupported`` for objects
    of the program's classes.
    """
    if like is None or type(like) is ArrayProxy:
        return
    if protocols.defines(like, protocols.FUNCTION):
        raise Unsupported("E101", f"an array is to be made by `{type(like).__name__}.__array_function__`: like=")
    np.array(0, like=0)  # type: ignore[call-overload]


def _with_axes(x: Any, ndmin: int) -> Any:
    """The array with this many axes, new ones first, whose meaningless strides are NumPy's."""
    result = recorder().call(ops.np.reshape, x, ((1,) * (ndmin - len(x.shape)) + tuple(x.shape)))
    if not x.known and result.link is not None:
        result.link.mirror = np.array(mirror(x.storage, x.link), copy=False, ndmin=ndmin)
    return result


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None) -> Any:
    """``np.asarray``: the array itself if nothing has to change."""
    arguments.require_device(device)
    return array(a, dtype, copy=copy, order=arguments.known_order(order) or "K", like=like)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``np.ascontiguousarray``: at least one axis."""
    return array(a, dtype, copy=None, order="C", ndmin=1, like=like)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``np.asfortranarray``."""
    return array(a, dtype, copy=None, order="F", ndmin=1, like=like)


def copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    """``np.copy``."""
    return array(a, copy=True, order=order)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """``np.astype``."""
    arguments.require_device(device)
    if not isinstance(x, (Proxy, np.generic)) and type(x) is not ScalarProxy:
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return x.astype(dtype, copy=copy)


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """``np.fromiter``."""
    np.fromiter((), dtype, 0)  # raises for dtypes without a size
    dtype = np.float64 if dtype is None else dtype
    require_like(like)
    if count < -1:
        raise Unsupported("E101", "numpy.fromiter of a negative number of items", hint="count=-1 takes all of them.")
    if type(iter) is FilledList and count == -1:
        values = array(iter)
        if values.ndim == 1 and values.dtype == np.dtype(dtype):  # others are cast one by one
            return values
    items = list(iter)
    if any(isinstance(item, Proxy) and item.ndim for item in items[:1]):
        np.fromiter([np.zeros((1,) * items[0].ndim)], dtype)  # raises, but for dtypes of arrays
    for item in items:
        coercion.require_alike(item, np.dtype(dtype), "`np.fromiter`")
    if count >= 0:
        if len(items) < count:
            raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
        items = items[:count]
    return array(items, dtype) if items else recorder().known(np.empty(0, dtype))


# Shapes


def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    """``np.reshape``; NumPy 2.0 has no ``copy=``, neither here nor in the method."""
    return (a if type(a) is ScalarProxy else coercion.array_of(a)).reshape(shape, order=order, **({} if copy is None else {"copy": copy}))


def reshape_of_old(a: Any, newshape: Any, order: Any = "C") -> Any:
    """``np.reshape`` before NumPy 2.1."""
    return reshape(a, newshape, order)


_OLD_RESHAPE = "shape" not in inspect.signature(np.reshape).parameters


def ravel(a: Any, order: Any = "C") -> Any:
    """``np.ravel``."""
    return coercion.array_of(a).ravel(order)


def transpose(a: Any, axes: Any = None) -> Any:
    """``np.transpose``."""
    return (a if isinstance(a, np.generic) else coercion.array_of(a)).transpose(axes)


def broadcast_shapes(*shapes: Any) -> Any:
    """``np.broadcast_shapes`` of sizes that may be dynamic."""
    given = [arguments.known_parameter(np.broadcast_shapes, "shape", shape) for shape in shapes]
    tuples = [as_tuple(shape) for shape in given]
    if not all(is_size(size) for sizes in tuples for size in sizes):
        return np.broadcast_shapes(*given)
    if any(bool(size < 0) for sizes in tuples for size in sizes):
        np.broadcast_shapes(-1)  # raises
    return arguments.common_shape(*tuples)


def _iterable(function: Any) -> Callable[..., Any]:
    """A function of a sequence; NumPy refuses scalars before calling it."""
    signature = inspect.signature(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        (sequence,) = signature.bind(*args, **kwargs).args
        if not isinstance(sequence, (list, tuple)) and not getattr(sequence, "ndim", 0):
            function(numpy_oracle.stand_ins(sequence))
        return Invoke(implementation(function), (sequence,), {})

    return call


def sized(function: Any) -> Callable[..., Any]:
    """A function that stacks a sequence: its dispatcher refuses an iterator before calling it."""

    def call(tup: Any, **kwargs: Any) -> Any:
        if not hasattr(type(tup), "__getitem__"):
            function(iter(()))  # raises
        return Invoke(implementation(function), (tup,), kwargs)

    return call


def bincount(x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``np.bincount``, which treats an empty list as integers."""
    return ufuncs.model_of(np.bincount)(np.empty(0, np.intp) if isinstance(x, (list, tuple)) and not x else x, *args, **kwargs)


def lexsort(keys: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.lexsort``, which takes no iterator for a sequence of keys."""
    if isinstance(keys, np.flatiter):
        np.lexsort(np.zeros(1).flat)  # raises
    return ufuncs.model_of(np.lexsort)(keys, *args, **kwargs)


def take_along_axis(arr: Any, indices: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.take_along_axis``, which takes no list for an array."""
    _ = arr.ndim, indices.ndim  # raises
    return ufuncs.model_of(np.take_along_axis)(arr, indices, *args, **kwargs)


def vec_string(a: Any, dtype: Any, method: str, args: Any = ()) -> Any:
    """The method of text behind ``np.strings.upper`` and its kin."""
    array = coercion.array_of(a)
    if method not in CASES or args:
        raise Unsupported("E101", f"the method {method!r} of texts in an array is not modelled")
    return recorder().call(ops.np.str_case, array, method)


def matrix_power(a: Any, n: Any) -> Any:
    """``np.linalg.matrix_power``: the first power is the array itself."""
    result = ufuncs.model_of(np.linalg.matrix_power)(a, n)
    return a if type(a) is ArrayProxy and arguments.static(n) == 1 else result


def histogram(a: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram``: given edges are returned themselves."""
    bins = _bins(bins)
    counts, edges = ufuncs.model_of(np.histogram)(a, bins, *args, **kwargs)
    return counts, bins if type(bins) is ArrayProxy and bins.ndim else edges


def histogram_bin_edges(a: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram_bin_edges``: given edges are returned themselves."""
    bins = _bins(bins)
    edges = ufuncs.model_of(np.histogram_bin_edges)(a, bins, *args, **kwargs)
    if type(bins) is not ArrayProxy or not bins.ndim:
        return edges
    if not bins.known:
        hint = "Use the edges as they are."
        raise Unsupported("E103", "whether the edges given to np.histogram_bin_edges increase depends on data", hint=hint)
    return bins


def histogramdd(sample: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogramdd``: given edges are returned themselves."""
    bins = _bins(bins)
    counts, edges = ufuncs.model_of(np.histogramdd)(sample, bins, *args, **kwargs)
    return counts, _given(bins, edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram2d``: given edges are returned themselves."""
    bins = _bins(bins)
    counts, *edges = ufuncs.model_of(np.histogram2d)(x, y, bins, *args, **kwargs)
    shared = type(bins) is ArrayProxy and len(bins) not in (1, 2)
    return counts, *_given([bins, bins] if shared else bins, edges)


def _given(bins: Any, edges: Any) -> Any:
    """The edges of each axis: the arrays in ``bins`` that are edges."""
    given = bins if isinstance(bins, (tuple, list)) else [None] * len(edges)
    return type(edges)([one if type(one) is ArrayProxy and one.ndim else made for one, made in zip(given, edges, strict=True)])


def _bins(bins: Any) -> Any:
    """Edges, or a number of bins, which is a size."""
    bins = int(bins) if isinstance(bins, (bool, np.integer)) else bins
    return arguments.known_parameter(np.histogram, "bins", bins) if isinstance(bins, Proxy) and not bins.ndim else bins


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """``np.pad``; with a function as mode, NumPy's own Python is interpreted."""
    if callable(mode):
        return Invoke(implementation(np.pad), (array, pad_width, mode), kwargs)
    np.pad(np.ones(1), 0, mode, **dict.fromkeys(kwargs, 1))  # raises for what the mode does not know
    if type(pad_width) is not int or pad_width < 0:
        numpy_oracle.raise_for_stand_ins(np.pad, (np.ones((0,) * ndim(array)), pad_width), {}, (TypeError, ValueError))
    by_axis = isinstance(pad_width, dict)
    widths = tuple(pad_pairs(pad_width, ndim(array))) if by_axis else arguments.known_parameter(np.pad, "pad_width", pad_width)
    options = {name: arguments.static(value) for name, value in kwargs.items()}
    return recorder().call(ops.np.pad, coercion.array_of(array), widths, mode, **options)


def where(condition: Any, *choices: Any) -> Any:
    """``np.where`` of one or three arguments."""
    if not choices:
        return ufuncs.model_of(np.nonzero)(condition)
    if len(choices) == 1:
        raise ValueError("either both or neither of x and y should be given")
    x, y = choices
    return recorder().call(ops.np.where, coercion.operand(condition), coercion.operand(x), coercion.operand(y))


def empty_like(prototype: Any, /, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
    """``np.empty_like``; its elements are zeros."""
    return ufuncs.model_of(np.zeros_like)(prototype, dtype, order, subok, shape, device=device)


def round_(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """``np.round``."""
    return (a if isinstance(a, Proxy) else coercion.array_of(a)).round(decimals, out)


# Questions


def result_type(*arrays_and_dtypes: Any) -> Any:
    """``np.result_type``."""
    return np.result_type(*map(as_type, of_value(arrays_and_dtypes)))


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """``np.can_cast``."""
    itself = to is None or (isinstance(to, type) and issubclass(to, np.dtype))  # NumPy takes neither for what other functions do
    return np.can_cast(as_type(from_), to if itself else coercion.dtype_of(to), casting)


def shape(a: Any) -> Any:
    """``np.shape``."""
    return a.shape if isinstance(a, Proxy) else coercion.array_of(a).shape


def ndim(a: Any) -> Any:
    """``np.ndim``."""
    return len(shape(a))


def size(a: Any, axis: Any = None) -> Any:
    """``np.size``."""
    sizes = shape(a)
    if axis is None:
        return coercion.array_of(a).size
    axis = arguments.known_parameter(np.size, "axis", axis)
    np.size(np.empty((0,) * len(sizes)), axis)  # raises
    total: Any = 1
    for one in axis if isinstance(axis, tuple) else (axis,):
        total = total * sizes[one]
    return total


def isscalar(element: Any) -> bool:
    """``np.isscalar``."""
    return type(element) is ScalarProxy or type(element) in coercion.SYMBOLIC or np.isscalar(element)


def iscomplexobj(x: Any) -> bool:
    """``np.iscomplexobj``."""
    return coercion.array_of(x).dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """``np.isrealobj``."""
    return not iscomplexobj(x)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """``np.count_nonzero`` and its C function: a Python integer over all axes before NumPy 2.3."""
    found = ufuncs.model_of(np.count_nonzero)(a, axis, keepdims=keepdims)
    if NUMPY >= "2.3.0" or axis is not None or keepdims:
        return found
    return integer_of(found) if isinstance(found, Proxy) else int(found)


def eye(N: Any, M: Any = None, k: Any = 0, *args: Any, **kwargs: Any) -> Any:
    """``np.eye``, which compares the sizes."""
    _require_order(k, N if M is None else M)
    return ufuncs.model_of(np.eye)(N, M, k, *args, **kwargs)


def identity(n: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.identity``, which is `eye`."""
    _require_order(0, n)
    return ufuncs.model_of(np.identity)(n, *args, **kwargs)


def _require_order(k: Any, size: Any) -> None:
    """Raises ``TypeError`` where a size is an object that only C takes for a number."""
    if not isinstance(size, (int, np.integer, SymInt, Proxy)):
        k >= size  # noqa: B015


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only gets known values: NumPy itself runs."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not all_known(args, tuple(kwargs.values())):
            raise Unsupported("E101", f"`{function.__module__}.{function.__name__}` needs data that only the program's run knows")
        return recorder().known(function(*real_arguments(args), **real_arguments(kwargs)))

    return call


def interpreted(polyfill: Callable[..., Any]) -> Callable[..., Invoke]:
    """What is called instead of a NumPy function that has a replacement in Python."""
    return lambda *args, **kwargs: Invoke(polyfill, args, kwargs)


of_numpy(
    {
        np.array: array,
        np.asarray: asarray,
        np.asanyarray: asarray,
        np.ascontiguousarray: ascontiguousarray,
        np.asfortranarray: asfortranarray,
        np.copy: copy,
        np.astype: astype,
        np.fromiter: fromiter,
        np.reshape: reshape_of_old if _OLD_RESHAPE else reshape,
        np.ravel: ravel,
        np.transpose: transpose,
        np.permute_dims: transpose,
        np.broadcast_shapes: broadcast_shapes,
        np.pad: pad,
        np.poly: _iterable(np.poly),
        np.dstack: sized(np.dstack),
        np.bincount: bincount,
        np.compress: lambda condition, a, axis=None, out=None: methods.compress(coercion.array_of(a), condition, axis, out),
        np.lexsort: lexsort,
        np.take_along_axis: take_along_axis,
        np.linalg.matrix_power: matrix_power,
        np.histogram: histogram,
        np.histogram_bin_edges: histogram_bin_edges,
        np.histogramdd: histogramdd,
        np.histogram2d: histogram2d,
        **{method: interpreted(polyfill) for method, polyfill in indices.METHODS.items()},
        np.array_equiv: interpreted(arrays.array_equiv),
        np.array_split: interpreted(arrays.array_split),
        np.delete: interpreted(arrays.delete),
        np.piecewise: interpreted(arrays.piecewise),
        np.split: interpreted(arrays.split),
        np.block: interpreted(arrays.block),
        np.bartlett: interpreted(arrays.bartlett),
        np.blackman: interpreted(arrays.blackman),
        np.hamming: interpreted(arrays.hamming),
        np.hanning: interpreted(arrays.hanning),
        np.kaiser: interpreted(arrays.kaiser),
        np.where: where,
        np.clip: clipping.clip,
        np.empty_like: empty_like,
        np.eye: eye,
        np.identity: identity,
        np.round: round_,
        np.around: round_,
        np.amax: ufuncs.model_of(np.max),
        np.amin: ufuncs.model_of(np.min),
        np.result_type: result_type,
        np.can_cast: can_cast,
        np.promote_types: plain(np.promote_types),
        np.shape: shape,
        np.ndim: ndim,
        np.size: size,
        np.isscalar: isscalar,
        np.iscomplexobj: iscomplexobj,
        np.isrealobj: isrealobj,
        np.copyto: scatters.copyto,
        np.put: scatters.put,
        np.putmask: scatters.putmask,
        np.place: scatters.place,
        np.put_along_axis: scatters.put_along_axis,
        np.fill_diagonal: scatters.fill_diagonal,
        np.datetime_data: plain(np.datetime_data),
        np.lib.array_utils.normalize_axis_index: plain(np.lib.array_utils.normalize_axis_index),
        np.count_nonzero: count_nonzero,
        multiarray_umath.count_nonzero: count_nonzero,
        multiarray_umath._array_converter: ArrayConverter,
        multiarray_umath._place: scatters.place,
        multiarray_umath._vec_string: vec_string,
        multiarray_umath.get_handler_name: plain(multiarray_umath.get_handler_name),
    }
)
