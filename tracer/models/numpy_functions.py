"""Functions of NumPy that no operator stands for: conversions, creation, questions about types and shapes, writes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.np_strings import CASES
from npexport.ir.ops.rules import as_tuple
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays import coercion, functions, objects, scatters, standins, ufuncs
from npexport.tracer.arrays.layout import mirror
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, all_known, real_arguments
from npexport.tracer.current import recorder
from npexport.tracer.interpreter.polyfills import arrays
from npexport.tracer.interpreter.world import Invoke

_SYMBOLIC_TYPES: dict[type, Any] = {SymInt: int, SymFloat: float, SymBool: bool}


# Conversions


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
) -> Any:
    """``np.array``."""
    rec = recorder()
    functions.require_order(order)
    dtype = None if dtype is None else coercion.dtype_of(dtype)
    if type(object) is objects.Objects or dtype is objects.OBJECT:
        return objects.array(object, dtype or objects.OBJECT, plain=not ndmin and order in ("K", "A", None))
    result = coercion.array_of(object, dtype)
    if ndmin > len(result.shape):
        result = _with_axes(result, ndmin)
    if type(object) is not ArrayProxy or result.storage is not object.storage:
        if copy is False:
            np.array([0], copy=False)  # raises: a copy cannot be avoided
        return functions.laid_out(result, "K" if order in ("A", "a") else order)  # what is converted keeps its order
    if copy is True:
        return functions.laid_out(rec.call(ops.np.copy, result), order, result)
    if copy is False and order in ("C", "F"):
        np.asarray(rec.layouts.ask(result), order=order, copy=False)  # raises where it cannot be avoided
    return functions.in_memory_order(result, order)


def _with_axes(x: Any, ndmin: int) -> Any:
    """The array with so many axes, of which the first ones are new: their strides, which mean nothing, are NumPy's."""
    result = recorder().call(ops.np.reshape, x, ((1,) * (ndmin - len(x.shape)) + tuple(x.shape)))
    if not x.known and result.link is not None:
        result.link.mirror = np.array(mirror(x.storage, x.link), copy=False, ndmin=ndmin)
    return result


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None) -> Any:
    """``np.asarray``: the array itself where nothing needs to change."""
    return array(a, dtype, copy=copy, order=order or "K")


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``np.ascontiguousarray``: at least one axis."""
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``np.asfortranarray``."""
    return array(a, dtype, copy=None, order="F", ndmin=1)


def copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    """``np.copy``."""
    return array(a, copy=True, order=order)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """``np.astype``."""
    if not isinstance(x, (ArrayProxy, np.generic)) and type(x) is not ScalarProxy:
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return x.astype(dtype, copy=copy)


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """``np.fromiter``."""
    items = list(iter)
    if count >= 0:
        if len(items) < count:
            raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
        items = items[:count]
    return array(items, dtype) if items else recorder().known(np.empty(0, dtype))


def fromfunction_source(*args: Any, **kwargs: Any) -> NoReturn:
    """Text and bytes as data."""
    raise Unsupported(
        "E105", "an array is read from text, bytes or a file", hint="Read the data outside the exported function and pass the array in."
    )


# Shapes


def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    """``np.reshape``."""
    return coercion.array_of(a).reshape(shape, order=order, copy=copy)


def ravel(a: Any, order: Any = "C") -> Any:
    """``np.ravel``."""
    return coercion.array_of(a).ravel(order)


def transpose(a: Any, axes: Any = None) -> Any:
    """``np.transpose``."""
    return (a if isinstance(a, np.generic) else coercion.array_of(a)).transpose(axes)


def broadcast_shapes(*shapes: Any) -> Any:
    """``np.broadcast_shapes`` of sizes that may be dynamic."""
    from npexport.ir.ops.rules import Rejected, broadcast, is_size

    given = [functions.known_parameter(np.broadcast_shapes, "shape", shape) for shape in shapes]
    tuples = [as_tuple(shape) for shape in given]
    if not all(is_size(size) for sizes in tuples for size in sizes):
        return np.broadcast_shapes(*given)
    try:
        return broadcast(*tuples) if tuples else ()
    except Rejected:
        return np.broadcast_shapes(*tuples)


def _iterable(function: Any) -> Callable[[Any], Any]:
    """A function of a sequence; scalars are refused by NumPy before it is called."""

    def call(sequence: Any) -> Any:
        if not isinstance(sequence, (list, tuple)) and not getattr(sequence, "ndim", 0):
            function(standins.stand_ins(sequence))
        return Invoke(function._implementation, (sequence,), {})

    return call


def _sized(function: Any) -> Callable[..., Any]:
    """A function that stacks a sequence: its dispatcher refuses an iterator before it is called."""

    def call(tup: Any, **kwargs: Any) -> Any:
        if not hasattr(type(tup), "__getitem__"):
            function(iter(()))  # raises
        return Invoke(function._implementation, (tup,), kwargs)

    return call


def bincount(x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``np.bincount``, for which an empty list holds integers."""
    return ufuncs.model_of(np.bincount)(np.empty(0, np.intp) if isinstance(x, (list, tuple)) and not x else x, *args, **kwargs)


def vec_string(a: Any, dtype: Any, method: str, args: Any = ()) -> Any:
    """The method of text behind ``np.strings.upper`` and its kin."""
    array = coercion.array_of(a)
    if method not in CASES or args:
        raise Unsupported("E101", f"the method {method!r} of texts in an array is not modelled")
    return recorder().call(ops.np.str_case, array, method)


def matrix_power(a: Any, n: Any) -> Any:
    """``np.linalg.matrix_power``: the first power is the array itself."""
    result = ufuncs.model_of(np.linalg.matrix_power)(a, n)
    return a if type(a) is ArrayProxy and functions.static(n) == 1 else result


def histogram(a: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram``: edges that are given come back themselves."""
    bins = _bins(bins)
    counts, edges = ufuncs.model_of(np.histogram)(a, bins, *args, **kwargs)
    return counts, bins if type(bins) is ArrayProxy and bins.ndim else edges


def histogram_bin_edges(a: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram_bin_edges``: edges that are given come back themselves."""
    bins = _bins(bins)
    edges = ufuncs.model_of(np.histogram_bin_edges)(a, bins, *args, **kwargs)
    if type(bins) is not ArrayProxy or not bins.ndim:
        return edges
    if not bins.known:
        hint = "Use the edges as they are."
        raise Unsupported("E103", "whether the edges given to np.histogram_bin_edges increase depends on data", hint=hint)
    return bins


def histogramdd(sample: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogramdd``: edges that are given come back themselves."""
    bins = _bins(bins)
    counts, edges = ufuncs.model_of(np.histogramdd)(sample, bins, *args, **kwargs)
    return counts, _given(bins, edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """``np.histogram2d``: edges that are given come back themselves."""
    bins = _bins(bins)
    counts, *edges = ufuncs.model_of(np.histogram2d)(x, y, bins, *args, **kwargs)
    shared = type(bins) is ArrayProxy and len(bins) not in (1, 2)
    return counts, *_given([bins, bins] if shared else bins, edges)


def _given(bins: Any, edges: Any) -> Any:
    """The edges of each axis: the arrays of ``bins`` where those are edges."""
    given = bins if isinstance(bins, (tuple, list)) else [None] * len(edges)
    return type(edges)([one if type(one) is ArrayProxy and one.ndim else made for one, made in zip(given, edges, strict=True)])


def _bins(bins: Any) -> Any:
    """Edges, or a number of bins, which is a size."""
    return functions.known_parameter(np.histogram, "bins", bins) if isinstance(bins, ArrayProxy) and not bins.ndim else bins


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """``np.pad``; with a function as mode, NumPy's own Python is interpreted."""
    if callable(mode):
        return Invoke(np.pad._implementation, (array, pad_width, mode), kwargs)  # type: ignore[attr-defined]
    np.pad(np.ones(1), 0, mode, **dict.fromkeys(kwargs, 1))  # raises for what the mode does not know
    if type(pad_width) is not int or pad_width < 0:
        standins.raise_for_stand_ins(np.pad, (np.ones((0,) * ndim(array)), pad_width), {}, (TypeError, ValueError))
    return recorder().call(
        ops.np.pad,
        coercion.array_of(array),
        functions.known_parameter(np.pad, "pad_width", pad_width),
        mode,
        **{name: functions.static(value) for name, value in kwargs.items()},
    )


def arange(*limits: Any, dtype: Any = None, **options: Any) -> Any:
    """``np.arange``: integers that only the data know are sizes."""
    unknown = [limit for limit in (*limits, *options.values()) if isinstance(limit, ArrayProxy) and not limit.known]
    if unknown and all(limit.dtype.kind in "iu" and not limit.ndim for limit in unknown):
        if dtype is None:
            dtype = np.arange(*standins.stand_ins(limits), **standins.stand_ins(options)).dtype
        limits, options = functions.static(limits), {name: functions.static(value) for name, value in options.items()}
    return ufuncs.model_of(np.arange)(*limits, dtype=dtype, **options)


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """``np.linspace``."""
    num = functions.known_parameter(np.linspace, "num", num)
    points = recorder().call(
        ops.np.linspace,
        coercion.operand(start),
        coercion.operand(stop),
        num,
        endpoint,
        dtype=None if dtype is None else coercion.dtype_of(dtype),
        axis=functions.known_parameter(np.linspace, "axis", axis),
    )
    if not retstep:
        return points
    steps = num - 1 if endpoint else num
    length = ufuncs.call(np.subtract, stop, start, dtype=result_type(coercion.operand(start), coercion.operand(stop), 1.0))
    return points, length / steps if steps > 0 else np.nan


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
    return ufuncs.model_of(np.zeros_like)(prototype, dtype, order=order, shape=shape)


def round_(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """``np.round``."""
    return coercion.array_of(a).round(decimals, out)


# Questions


def as_type(value: Any) -> Any:
    """What decides the dtype of a result: Python's types are weak."""
    if isinstance(value, ArrayProxy):
        return value.dtype
    return _SYMBOLIC_TYPES[type(value)](1) if type(value) in _SYMBOLIC_TYPES else value


def result_type(*arrays_and_dtypes: Any) -> Any:
    """``np.result_type``."""
    return np.result_type(*map(as_type, arrays_and_dtypes))


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """``np.can_cast``."""
    return np.can_cast(as_type(from_), coercion.dtype_of(to), casting)


def min_scalar_type(a: Any) -> Any:
    """``np.min_scalar_type``: for arrays with axes their own dtype."""
    if isinstance(a, ArrayProxy) and not a.ndim:
        return np.min_scalar_type(a.value("np.min_scalar_type"))
    return np.min_scalar_type(np.empty(1, a.dtype) if isinstance(a, ArrayProxy) else a)


def shape(a: Any) -> Any:
    """``np.shape``."""
    return a.shape if isinstance(a, ArrayProxy) else coercion.array_of(a).shape


def ndim(a: Any) -> Any:
    """``np.ndim``."""
    return len(shape(a))


def size(a: Any, axis: Any = None) -> Any:
    """``np.size``."""
    sizes = shape(a)
    if axis is None:
        return coercion.array_of(a).size
    axis = functions.known_parameter(np.size, "axis", axis)
    np.size(np.empty((0,) * len(sizes)), axis)  # raises
    total: Any = 1
    for one in axis if isinstance(axis, tuple) else (axis,):
        total = total * sizes[one]
    return total


def isscalar(element: Any) -> bool:
    """``np.isscalar``."""
    return type(element) is ScalarProxy or type(element) in _SYMBOLIC_TYPES or np.isscalar(element)


def iscomplexobj(x: Any) -> bool:
    """``np.iscomplexobj``."""
    return coercion.array_of(x).dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """``np.isrealobj``."""
    return not iscomplexobj(x)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The function of C behind ``np.count_nonzero``."""
    return ufuncs.model_of(np.count_nonzero)(a, axis, keepdims=keepdims)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is given nothing but what is known: NumPy itself is run."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not all_known(args, tuple(kwargs.values())):
            raise Unsupported("E101", f"`{function.__module__}.{function.__name__}` needs data that only the program's run knows")
        return recorder().known(function(*real_arguments(args), **real_arguments(kwargs)))

    return call


def interpreted(polyfill: Callable[..., Any], *args: Any, **kwargs: Any) -> Invoke:
    """The call of a function in Python that stands for one of NumPy."""
    return Invoke(polyfill, args, kwargs)


class ArrayConverter:
    """The helper of C by which NumPy's Python converts arguments and wraps results."""

    __slots__ = ("_arrays", "_values", "scalar_input")

    def __init__(self, *values: Any) -> None:
        self._values = values
        self._arrays = [coercion.array_of(value) for value in values]
        self.scalar_input = tuple([not isinstance(value, (ArrayProxy, list, tuple)) or type(value) is ScalarProxy for value in values])

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: int) -> Any:
        return self._arrays[index]

    def __iter__(self) -> Any:
        return iter(self._arrays)

    def as_arrays(self, *, subok: bool = True, pyscalars: Any = "convert_if_no_array") -> Any:
        """The arguments as arrays; Python scalars stay themselves where they are to stay weak."""
        weak = pyscalars == "preserve" or (
            pyscalars == "convert_if_no_array" and any(isinstance(v, (ArrayProxy, np.generic)) for v in self._values)
        )
        return tuple(
            [
                value if weak and type(value) in (int, float, complex, *_SYMBOLIC_TYPES) else made
                for value, made in zip(self._values, self._arrays, strict=True)
            ]
        )

    def result_type(self, extra_dtype: Any = None, ensure_inexact: bool = False) -> Any:
        """The common dtype."""
        kinds = [
            as_type(value) if type(value) in (int, float, complex, *_SYMBOLIC_TYPES) else made.dtype
            for value, made in zip(self._values, self._arrays, strict=True)
        ]
        if extra_dtype is not None:
            kinds.append(as_type(extra_dtype))
        if ensure_inexact:
            kinds.append(1.0)
        return np.result_type(*kinds)

    def wrap(self, value: Any, /, to_scalar: Any = None) -> Any:
        """The result, a scalar where all arguments were."""
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        if to_scalar and isinstance(value, ArrayProxy) and type(value) is ArrayProxy and not value.ndim:
            return recorder().call(ops.np.scalar, value) if not value.known else value.array[()]  # type: ignore[index]
        return value


_umath: Any = np._core._multiarray_umath  # type: ignore[attr-defined]

CALLS: dict[Any, Callable[..., Any]] = {
    np.array: array,
    np.asarray: asarray,
    np.asanyarray: asarray,
    np.ascontiguousarray: ascontiguousarray,
    np.asfortranarray: asfortranarray,
    np.copy: copy,
    np.astype: astype,
    np.fromiter: fromiter,
    np.frombuffer: fromfunction_source,
    np.fromfile: fromfunction_source,
    np.fromstring: fromfunction_source,
    np.from_dlpack: fromfunction_source,
    np.reshape: reshape,
    np.ravel: ravel,
    np.transpose: transpose,
    np.permute_dims: transpose,
    np.broadcast_shapes: broadcast_shapes,
    np.pad: pad,
    **{function: _iterable(function) for function in (np.poly, np.roots)},
    **{function: _sized(function) for function in (np.hstack, np.vstack, np.dstack, np.column_stack)},
    np.bincount: bincount,
    np.linalg.matrix_power: matrix_power,
    np.histogram: histogram,
    np.histogram_bin_edges: histogram_bin_edges,
    np.histogramdd: histogramdd,
    np.histogram2d: histogram2d,
    **{function: functools.partial(interpreted, polyfill) for function, polyfill in arrays.FUNCTIONS.items()},
    np.arange: arange,
    np.linspace: linspace,
    np.where: where,
    np.empty_like: empty_like,
    np.round: round_,
    np.around: round_,
    np.amax: ufuncs.model_of(np.max),
    np.amin: ufuncs.model_of(np.min),
    np.result_type: result_type,
    np.can_cast: can_cast,
    np.min_scalar_type: min_scalar_type,
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
    _umath.count_nonzero: count_nonzero,
    _umath._array_converter: ArrayConverter,
    _umath._place: scatters.place,
    _umath._vec_string: vec_string,
    _umath.get_handler_name: plain(_umath.get_handler_name),
}
