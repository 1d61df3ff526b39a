"""NumPy functions that an operator stands for: their signatures are NumPy's, with ``out=`` and what else no functional operator has."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.rules import example
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays import coercion, writes
from npexport.tracer.arrays.binding import is_default
from npexport.tracer.arrays.layout import C_ORDER, Layout
from npexport.tracer.arrays.lying import any_order, asked, lies
from npexport.tracer.arrays.numbers import UNKNOWN
from npexport.tracer.arrays.owners import are_one
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, as_size, operands_of, unknown_data
from npexport.tracer.arrays.standins import raise_for_stand_ins, stand_ins
from npexport.tracer.current import recorder

_SEQUENCES = frozenset({"arrays", "tup", "condlist", "choicelist", "choices", "xi", "keys"})
"""Parameters that take a sequence of arrays."""
_OPERANDS = frozenset("a_min a_max min max weights sorter initial where mean posinf neginf operands varargs".split())
"""Parameters that take an array, or something else by which they are left out."""
_DATA = frozenset(
    "q constant_values end_values multi_index left right period rcond rtol bins sample w".split()
    + "ddof correction range repeats indices b shift".split()
)
"""Parameters that may be data, and are known values elsewhere."""
_TYPED = frozenset({ops.np.arange, ops.np.linspace, ops.np.where, ops.np.getitem, ops.np.index, ops.np.setitem})
"""Operators to whose parameters NumPy integers mean more than Python's."""
_ACCUMULATING = {ops.np.sum: np.add, ops.np.prod: np.multiply, ops.np.cumsum: np.add, ops.np.cumprod: np.multiply}
"""Functions that compute in the dtype of ``out``, with the ufuncs that they reduce by."""
_MEANINGLESS = {
    "subok": (True, False), "overwrite_input": (False, True), "device": (None, "cpu"), "optimize": (True, False),
    "overwrite_x": (False, True), "workers": (None, -1, *range(1, 129)),
}  # fmt: skip
"""Parameters of NumPy's functions, and the values of them that change nothing here."""
NO_VALUE: Any = np._NoValue  # type: ignore[attr-defined]


class Function:
    """The model of one NumPy function: ``function`` is NumPy's, ``op`` the operator. Calling it gives what the program sees."""

    __slots__ = ("_arrays", "_extras", "_free", "_names", "_signature", "_typed", "function", "op")

    def __init__(self, function: Any, op: Op) -> None:
        self.function = function
        self.op = op
        mine = inspect.signature(op.rule).parameters
        self._arrays = frozenset(name for name, p in mine.items() if p.annotation == "Array")
        self._names = [name for name, p in mine.items() if p.kind is not p.KEYWORD_ONLY]
        self._typed = op in _TYPED
        try:
            self._signature = inspect.signature(function)
        except ValueError:
            self._signature = op.signature
        theirs = self._signature.parameters
        self._extras = frozenset(name for name, p in theirs.items() if name not in mine and p.default is not p.empty) | {"kwargs"} & set(
            theirs
        )
        self._free = next((i for i, name in enumerate(theirs) if name in self._extras), len(theirs) if "operands" not in theirs else 99)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) > self._free or not self._extras.isdisjoint(kwargs):
            return self._with_extras(args, kwargs)
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        names = self._names
        last = len(names) - 1
        if not (_PLAIN.issuperset(map(type, args)) and _PLAIN.issuperset(map(type, kwargs.values()))):
            named = {names[min(i, last)]: arg for i, arg in enumerate(args)} | kwargs
            if any(self._strange(name, value) for name, value in named.items()) and _is_small(named.values()):
                raise_for_stand_ins(self.function, args, kwargs, (TypeError, ValueError))
        try:
            given = tuple([self._argument(names[min(i, last)], arg) for i, arg in enumerate(args)])
            named = {name: self._argument(name, arg) for name, arg in kwargs.items()} if kwargs else kwargs
        except DataNeeded as needed:
            raise_for_stand_ins(self.function, args, kwargs)
            raise unknown_data(needed.proxy, f"`{needed.name}` of numpy.{self.function.__name__}") from None
        try:
            return recorder().call(self.op, *given, **named)
        except TypeError:
            if not _binds(self.op.signature, given, named):
                raise_for_stand_ins(self.function, args, kwargs)
                if _binds(self._signature, args, kwargs):
                    raise Unsupported("E101", f"numpy.{self.function.__name__} with {', '.join(kwargs)} is not modelled") from None
            raise

    def _strange(self, name: str, value: Any) -> bool:
        """Whether a parameter is of a type that NumPy may refuse."""
        if self._typed or name in self._arrays or name in _OPERANDS or name in _SEQUENCES or name == "dtype":
            return False
        if isinstance(value, (tuple, list)):
            return any(type(item) is bool or self._strange(name, item) for item in value)
        return type(value) not in _PLAIN and not (name in _DATA and isinstance(value, (float, np.number)))

    def _argument(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind is int or value is None or kind is str or value is NO_VALUE:
            return value
        if name in self._arrays or name in _OPERANDS:
            return value if kind is ArrayProxy or kind is float or kind is bool else coercion.operand(value)
        if name in _SEQUENCES:
            if name == "arrays" and not hasattr(kind, "__getitem__"):
                self.function(iter(()))  # raises
            return [coercion.operand(item) for item in value]
        if name == "dtype":
            return coercion.dtype_of(value)
        if self._typed:
            return value
        if name in _DATA:
            return value if kind is ArrayProxy and not value.known else static(value)
        value = static(value)
        needed = _unknown(value)
        if needed is not None:
            raise DataNeeded(name, needed)
        return value

    def _with_extras(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            bound = self._signature.bind(*args, **kwargs).arguments
        except TypeError:
            raise_for_stand_ins(self.function, args, kwargs)
            raise
        given = {name: value for name, value in bound.items() if name not in self._extras}
        extras = {name: bound[name] for name in bound if name in self._extras and name != "kwargs"}
        given |= bound.get("kwargs", {})
        parameters = self._signature.parameters
        unusual = {
            name: value
            for name, value in extras.items()
            if not is_default(parameters[name].default, value) and not any(value is v for v in _MEANINGLESS.get(name, ()))
        }
        finish = [(_EXTRAS[name], value) for name, value in unusual.items() if name in _EXTRAS]
        if len(finish) < len(unusual):
            raise Unsupported("E101", f"numpy.{self.function.__name__} with {', '.join(unusual)} is not modelled")
        out = unusual.get("out")
        if out is not None and self.op in _ACCUMULATING and given.get("dtype") is None:
            types = (out_array(out).dtype, coercion.array_of(given["a"]).dtype, None)
            dtype = _ACCUMULATING[self.op].resolve_dtypes(types, casting="unsafe", reduction=True)[0]
            given["dtype"] = dtype if dtype.kind not in "mM" else None
        result = self._call_named(given)
        for end, value in finish:
            result = end(self, result, value, given)
        return result

    def _call_named(self, given: dict[str, Any]) -> Any:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for name, value in given.items():
            parameter = self._signature.parameters.get(name)
            if parameter is not None and parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(value)
            elif parameter is not None and parameter.default is parameter.empty and not kwargs:
                args.append(value)
            else:
                kwargs[name] = value
        return self._call(tuple(args), kwargs)


_PLAIN = frozenset({ArrayProxy, ScalarProxy, SymInt, int, bool, str, type(None), type(NO_VALUE), type})
_SMALL = 1 << 16


def _is_small(values: Iterable[Any]) -> bool:
    """Whether NumPy may be asked about so many elements, also where it refuses nothing."""
    return all(type(value) is not ArrayProxy or bool(math.prod(map(example, value.shape)) <= _SMALL) for value in values)


def end_out(model: Function, result: Any, out: Any, given: dict[str, Any]) -> Any:
    """``result`` written to ``out``, as ``out=`` of this function does; ``given`` are its other arguments."""
    out = out_array(out)
    if model.op in _STEPWISE and (out.dtype != result.dtype or shared(coercion.array_of(given["a"]), out)):
        return recorder().session.invoke(model.function._implementation, (), {**given, "out": out})
    if model.op is ops.np.round and out.dtype.kind in "biu" and type(given["a"]) is ArrayProxy and are_one(out, given["a"]):
        return out  # integers are copied
    casting = "unsafe" if model.op in _UNSAFE_OUT else given.get("casting", "same_kind")
    if model.op is ops.np.round and bool(out.size != result.size):
        raise ValueError("invalid output shape")
    if "elementwise" not in model.op.traits and model.op not in _ENDING and not writes.same(tuple(out.shape), tuple(result.shape)):
        named = {name: value for name, value in given.items() if name != "operands"}
        raise_for_stand_ins(model.function, given.get("operands", ()), {**named, "out": out}, ValueError)
        raise ValueError(
            f"output array has shape {tuple(out.shape)}, but the result of numpy.{model.function.__name__} has {tuple(result.shape)}"
        )
    if model.op in _UNGUARDED:
        if given.get("dtype") is not None:
            model.function([np.empty(1)], out=np.empty(1), dtype=given["dtype"])  # raises
        operands: list[ArrayProxy] = []
        operands_of(tuple(given.values()), operands)
        if any(shared(array, out) for array in operands):
            return _joined(model, out, casting, given)
    if model.op in (ops.np.dot, ops.np.inner) and (out.dtype != result.dtype or not recorder().layouts.ask(out).flags.c_contiguous):
        raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
    return writes.put(out, result, casting, function=_UFUNCS.get(model.op, model.function))


def shared(x: ArrayProxy, out: ArrayProxy) -> bool:
    """Whether what is written to ``out`` may be read through ``x``."""
    mine, other = x.storage, out.storage
    if mine is other or mine is None or mine.outside is None or other.outside is None:
        return mine is other
    return other.outside in recorder().overlaps.of(mine.outside)


def _joined(model: Function, out: ArrayProxy, casting: str, given: dict[str, Any]) -> Any:
    """The arrays written to ``out`` one after the other, as NumPy does, which may read what it has written."""
    from npexport.tracer.arrays import scatters

    arrays = [coercion.array_of(array) for array in given.get("arrays", given.get("tup", ()))]
    axis = given.get("axis", 0)
    if axis is None:
        hint = "Join them first, and then write: out[...] = np.concatenate(...)."
        raise Unsupported("E120", f"numpy.{model.function.__name__} writes to memory that it still reads", hint=hint)
    axis = axis % out.ndim
    start: Any = 0
    for array in arrays:
        if model.op is ops.np.stack:
            array = recorder().call(ops.np.expand_dims, array, axis)
        end = start + array.shape[axis]
        part = out[(slice(None),) * axis + (slice(start, end),)]  # type: ignore[index]
        scatters.copyto(part, array, casting)
        start = end
    return out


_STEPWISE = frozenset({ops.np.mean, ops.np.var, ops.np.std, ops.np.ptp})
"""Functions that keep what they have so far in ``out``."""
_UNGUARDED = frozenset({ops.np.concatenate, ops.np.stack})
"""Functions that fill ``out`` part by part, whatever shares its memory."""
_UFUNCS = {ops.np.clip: np._core.umath.clip, ops.np.round: np.rint}  # type: ignore[attr-defined]
"""Functions that are ufuncs within: their errors say so."""


def _end_order(model: Function, result: Any, order: Any, given: dict[str, Any]) -> Any:
    if model.op in _BY_FIELDS:
        raise_for_stand_ins(model.function, (), {**given, "order": order}, ValueError)
        raise Unsupported("E101", "sorting by fields is not modelled")
    operands: list[ArrayProxy] = []
    operands_of(tuple(given.values()), operands)
    return laid_out(result, order, *operands)


_BY_FIELDS = frozenset({ops.np.sort, ops.np.argsort, ops.np.partition, ops.np.argpartition})
"""Functions whose ``order`` names fields."""


def _end_copy(model: Function, result: Any, copy: Any, given: dict[str, Any]) -> Any:
    source = next(iter(given.values()))
    if model.op is ops.np.reshape:
        shares = type(source) is ArrayProxy and result.storage is source.storage
        if copy:
            return recorder().call(ops.np.copy, result) if shares else result
        if not shares:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        return result
    if not copy and type(source) is ArrayProxy:
        if source.dtype.kind in "fc":
            writes.put(source, result, "unsafe")
        return source if source.ndim else source[()]  # type: ignore[index]
    return result


_ENDING = frozenset({ops.np.quantile, ops.np.percentile, ops.np.nanquantile, ops.np.nanpercentile, ops.np.nanmedian})
"""Functions that end in a ufunc, whose result broadcasts to ``out``."""
_UNSAFE_OUT = frozenset(_ACCUMULATING) | frozenset(
    {
        ops.np.mean,
        ops.np.var,
        ops.np.std,
        ops.np.nanmean,
        ops.np.nanvar,
        ops.np.nanstd,
        ops.np.median,
        ops.np.max,
        ops.np.min,
        ops.np.all,
        ops.np.any,
        ops.np.take,
    }
)
"""Functions that cast to ``out`` whatever its dtype."""
_EXTRAS: dict[str, Callable[[Function, Any, Any, dict[str, Any]], Any]] = {"out": end_out, "order": _end_order, "copy": _end_copy}
"""What is done with the result for parameters that no operator has."""


def out_array(out: Any) -> Any:
    """``out=`` as one array: ufuncs take a tuple too. Raises ``TypeError`` where it is no array."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if type(out) is not ArrayProxy:
        raise TypeError("return arrays must be of ArrayType")
    return out


def _binds(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


class DataNeeded(Exception):
    """A parameter that must be known while tracing is data."""

    def __init__(self, name: str, proxy: ArrayProxy) -> None:
        super().__init__(name)
        self.name = name
        self.proxy = proxy


def _unknown(value: Any) -> ArrayProxy | None:
    """An array or scalar of unknown data in a parameter."""
    kind = type(value)
    if kind is ArrayProxy or kind is ScalarProxy:
        return value
    if kind is tuple or kind is list:
        return next((found for item in value if (found := _unknown(item)) is not None), None)
    return None


def known_parameter(function: Callable[..., Any], name: str, value: Any) -> Any:
    """A parameter that is no array. Raises ``Unsupported`` (E104) where it is data."""
    value = static(value)
    needed = _unknown(value)
    if needed is not None:
        raise unknown_data(needed, f"`{name}` of numpy.{function.__name__}")
    return value


def static(value: Any) -> Any:
    """A parameter that is no array: NumPy integers as ints, known arrays as lists, integers of data as sizes."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([static(item) for item in value])
    if kind is range:
        return list(value)
    if kind is ScalarProxy or (kind is ArrayProxy and not value.known and not value.ndim):
        return as_size(value, "a parameter that must be known") if value.dtype.kind in "iu" else value
    if isinstance(value, np.integer):
        return int(value)
    if kind is np.bool_:
        return bool(value)
    if kind is ArrayProxy and value.known:
        return value.array.tolist()
    if kind is ArrayProxy and len(value.meta.shape) == 1 and value.dtype.kind in "iu":
        numbers = recorder().number(value.node())
        return value if numbers is UNKNOWN else numbers
    return value


_ORDERS = frozenset("CFAKcfak")


def require_order(order: Any) -> None:
    """Raises NumPy's error where a memory order is none."""
    if order is not None and (type(order) is not str or order not in _ORDERS):
        np.empty(0).copy(stand_ins(order))


def laid_out(result: Any, order: Any, *operands: Any) -> Any:
    """``result``, which NumPy makes in this memory order: "A" is that of ``operands``, "K" leaves it as it is."""
    order = (order or "K").upper()
    if type(result) is not ArrayProxy or result.link is not None or order == "K" or len(result.meta.shape) < 2:
        return result
    layout = C_ORDER
    if order == "A":
        layout = any_order([value for value in operands if type(value) is ArrayProxy], len(result.meta.shape))
    elif order == "F":
        layout = Layout(tuple(range(len(result.meta.shape)))[::-1])
    return lies(result, layout)


def lies_as(result: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``result``, new arrays, which NumPy lays out as this call of a function does."""
    operands: list[ArrayProxy] = []
    operands_of((*args, *kwargs.values()), operands)
    several = isinstance(result, tuple)
    results = result if several else (result,)
    metas = tuple([item.meta if type(item) is ArrayProxy else None for item in results])
    if any(meta is not None and len(meta.shape) > 1 for meta in metas):
        layouts = asked(function, operands, args, kwargs, metas if several else metas[0])
        for item, layout in zip(results, layouts if several else (layouts,), strict=True):
            if type(item) is ArrayProxy and item.link is None:
                lies(item, layout)
    return result


def in_memory_order(x: ArrayProxy, order: Any) -> Any:
    """``x`` contiguous in this order: itself where it lies so, else a copy. Orders other than "C" and "F" ask for nothing."""
    layouts = recorder().layouts
    if order not in ("C", "F") or not x.ndim:
        return x
    if layouts.lies(x, order) and not layouts.doubtful:
        return x
    result = recorder().call(ops.np.as_contiguous, x, order)
    layouts.note_twin(result, x)
    return result
