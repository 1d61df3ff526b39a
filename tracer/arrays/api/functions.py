"""NumPy functions that are one operator: they have NumPy's signature, with ``out=`` and other
parameters that no functional operator has.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import is_default
from npexport.ir.facts import OVERWRITES
from npexport.ir.numpy_internals import NO_VALUE, NUMPY, implementation
from npexport.ir.op import Op
from npexport.ir.ops.stand_ins import example
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_unbacked
from npexport.tracer.arrays.analysis.signatures import by_name, signature_of
from npexport.tracer.arrays.api import scatters
from npexport.tracer.arrays.api.arguments import DataNeeded, copies, known_order, out_array, raise_for_out, static, unknown_part
from npexport.tracer.arrays.api.partial_results import require_one_rounding, survive
from npexport.tracer.arrays.api.result_layout import laid_out
from npexport.tracer.arrays.core import coercion, failing_writes, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import WRITE_AFTERWARDS, raise_for_stand_ins
from npexport.tracer.arrays.core.ownership import are_one
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, operands_of, unknown_data

_SEQUENCES = frozenset({"arrays", "tup", "condlist", "choicelist", "choices", "xi", "keys"})
"""Parameters that take a sequence of arrays."""
_OPERANDS = frozenset("a_min a_max min max weights sorter initial where mean posinf neginf operands varargs".split())
"""Parameters that take an array, or a value by which they are left out."""
_DATA = frozenset(
    "q constant_values end_values multi_index left right period rcond rtol bins sample w".split()
    + "ddof correction range repeats indices b shift".split()
)
"""Parameters that may depend on data here, but have to be concrete in other functions."""
_WRAPPING = ("k", "shift") if NUMPY < "2.1.0" else ("k",)  # with which NumPy computes in the dtype that they have
_COUNTS = frozenset("repeats indices multi_index shift ddof correction".split())
"""Those of them that count: Python integers mean the same there. For all others the dtype
matters.
"""
_MEANINGLESS = {
    "subok": (True, False), "overwrite_input": (False, None), "device": (None, "cpu"), "optimize": (True, False),
    "overwrite_x": (False, True), "workers": (None, -1, *range(1, 129)),
}  # fmt: skip
"""Parameters of NumPy's functions, with the values that change nothing here."""


class Function:
    """The model of one NumPy function: ``function`` is NumPy's, ``op`` the operator. A call returns
    what the program sees.
    """

    __slots__ = (
        "_arrays",
        "_extras",
        "_free",
        "_lenient",
        "_named",
        "_names",
        "_overwriting",
        "_places",
        "_signature",
        "_typed",
        "function",
        "op",
    )

    def __init__(self, function: Any, op: Op) -> None:
        self.function = function
        self.op = op
        mine = inspect.signature(op.rule).parameters
        self._arrays = frozenset(name for name, p in mine.items() if p.annotation == "Array")
        self._names = [name for name, p in mine.items() if p.kind is not p.KEYWORD_ONLY]
        self._overwriting = frozenset(name for name in mine if name.startswith(OVERWRITES))
        self._typed = "typed_parameters" in op.traits
        self._signature = signature_of(function) or op.signature
        self._lenient = by_name(self._signature)
        theirs = self._signature.parameters
        self._extras = frozenset(name for name, p in theirs.items() if name not in mine and p.default is not p.empty) | {"kwargs"} & set(
            theirs
        )
        self._named = frozenset(name for name, p in theirs.items() if p.kind in _BY_NAME) - self._extras
        self._places = [name for name, p in theirs.items() if p.kind in _BY_PLACE]
        places = len(self._places) if "operands" not in theirs else 99
        self._free = next((i for i, name in enumerate(theirs) if name in self._extras), places)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plain = len(args) <= self._free and (not kwargs or kwargs.keys() <= self._named.difference(self._places[: len(args)]))
        if plain and not _leaves_out((*args, *kwargs.values())):
            return self._call(args, kwargs)
        return self._bound(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        names = self._names
        last = len(names) - 1
        if not (_USUAL.issuperset(map(type, args)) and _USUAL.issuperset(map(type, kwargs.values()))):
            named = {names[min(i, last)]: arg for i, arg in enumerate(args)} | kwargs
            if any(self._strange(name, value) for name, value in named.items()) and _is_small(named.values()):
                raise_for_stand_ins(self.function, args, kwargs, (TypeError, ValueError, OverflowError))
        try:
            given = tuple([self._argument(names[min(i, last)], arg) for i, arg in enumerate(args)])
            named = {name: self._argument(name, arg) for name, arg in kwargs.items()} if kwargs else kwargs
        except DataNeeded as needed:
            raise_for_stand_ins(self.function, args, kwargs)
            raise unknown_data(needed.proxy, f"`{needed.name}` of numpy.{self.function.__name__}") from None
        for name in self._overwriting & named.keys():
            if named[name]:
                _require_own(self.function, dict(zip(names, given, strict=False)) | named, name)
        try:
            return recorder().call(self.op, *given, **named)
        except TypeError:
            if not _binds(self.op.signature, given, named):
                raise_for_stand_ins(self.function, args, kwargs)
                if _binds(self._signature, args, kwargs):
                    raise Unsupported("E101", f"{_shown(self.function)} with {', '.join(kwargs)} is not modelled") from None
            raise

    def _strange(self, name: str, value: Any) -> bool:
        """Whether an argument is of a type that NumPy may refuse."""
        parameter = self._signature.parameters.get(name)
        default = None if parameter is None else parameter.default
        if value is None:
            return default is not None
        if self._typed or name in self._arrays or name in _OPERANDS or name in _SEQUENCES or name == "dtype":
            return False
        if isinstance(value, (tuple, list)):
            return type(default) is int or any(type(item) is bool or self._strange(name, item) for item in value)
        if type(value) is bool:
            return name in _EXCLUDING or (type(default) is not bool and default is not NO_VALUE)
        return type(value) not in _PLAIN and not (name in _DATA and isinstance(value, (float, np.number)))

    def _argument(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind is int or value is None or kind is str or value is NO_VALUE:
            return value
        if name == "where":
            mask = coercion.mask_of(value)
            if "averaging" in self.op.traits and value is not True and coercion.array_of(value).dtype != bool:  # NumPy divides by their sum
                raise Unsupported("E101", f"np.{self.op.name} with where= of numbers", hint="Make truths of them: where=mask.astype(bool).")
            if mask is True and value is not True:  # which NumPy takes as any other mask
                return coercion.array_of(np.True_)
            return mask
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
        if name in _WRAPPING and isinstance(value, np.unsignedinteger):
            hint = f"Make an integer of Python of it: int({name})."
            raise Unsupported("E101", f"{_shown(self.function)} computes with {name} in {value.dtype}, in which it wraps", hint=hint)
        if name in _DATA:
            as_data = kind is ArrayProxy and (not value.known or name not in _COUNTS or not value.array.size)  # an empty list has no dtype
            return value if as_data else static(value)
        value = static(value)
        needed = unknown_part(value)
        if needed is not None:
            raise DataNeeded(name, needed)
        return value

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call with its arguments bound as by NumPy, without those equal to defaults."""
        try:
            bound = self._signature.bind(*args, **kwargs).arguments
        except TypeError:
            raise_for_stand_ins(self.function, args, kwargs)
            bound = self._lenient.bind(*args, **kwargs).arguments  # what C takes by name, whatever its documentation says
        parameters = self._signature.parameters
        bound = {name: value for name, value in bound.items() if value is not NO_VALUE or parameters[name].default is not NO_VALUE}
        given = {name: value for name, value in bound.items() if name not in self._extras}
        extras = {name: bound[name] for name in bound if name in self._extras and name != "kwargs"}
        given |= bound.get("kwargs", {})
        unusual = {
            name: value
            for name, value in extras.items()
            if not is_default(parameters[name].default, value)
            and not any(value is v for v in _MEANINGLESS.get(name, ()))
            and not (name == "like" and type(value) is ArrayProxy)
        }
        last = sorted(unusual, key="out".__eq__)  # it is what the call returns
        finish = [(_EXTRAS[name], unusual[name]) for name in last if name in _EXTRAS]
        if len(finish) < len(unusual):
            raise_for_stand_ins(self.function, args, kwargs, (TypeError, ValueError))
            raise Unsupported("E101", f"{_shown(self.function)} with {', '.join(unusual)} is not modelled")
        out = unusual.get("out")
        if out is not None and _accumulates(self.op) and given.get("dtype") is None:
            types = (out_array(out).dtype, coercion.array_of(given["a"]).dtype, None)
            dtype = self.op.method.__self__.resolve_dtypes(types, casting="unsafe", reduction=True)[0]
            given["dtype"] = dtype if dtype.kind not in "mM" else None

        def run() -> Any:
            result = self._call_named(given)
            for end, value in finish:
                result = end(self, result, value, given)
            return result

        return failing_writes.written(run, out)

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


def _require_own(function: Any, given: dict[str, Any], name: str) -> None:
    """Raises ``Unsupported`` (E120) if others may see memory that SciPy may overwrite: its contents
    are unspecified then, like those of an empty array.
    """
    array = given.get(name.removeprefix(OVERWRITES))
    if type(array) is ArrayProxy and (array.storage.outside is not None or (array.known and not array.storage.version)):
        hint = f"Leave {name} out, or pass a copy."
        raise Unsupported("E120", f"`{function.__name__}` with {name}=True writes to an array that others hold", hint=hint)


def _accumulates(op: Op) -> bool:
    """Whether a function computes in the dtype of ``out``: ufunc methods that take a dtype."""
    return op.method is not None and "dtype" in op.signature.parameters


def _leaves_out(values: tuple[Any, ...]) -> bool:
    """Whether a value means that its parameter is left out."""
    return any(value is NO_VALUE for value in values)


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_PLAIN = frozenset({ArrayProxy, ScalarProxy, SymInt, int, bool, str, type(None), type(NO_VALUE), type})
_USUAL = _PLAIN - {bool, type(None)}
"""The types of arguments that NumPy does not refuse, whatever the default of the parameter is."""
_EXCLUDING = frozenset({"descending"})
"""What NumPy refuses beside other arguments, also where it is what it would be if left out."""
_SMALL = 1 << 16


def _is_small(values: Iterable[Any]) -> bool:
    """Whether NumPy may be asked about this many elements even if it refuses nothing."""
    return all(type(value) is not ArrayProxy or bool(math.prod(map(example, value.shape)) <= _SMALL) for value in values)


def end_out(model: Function, result: Any, out: Any, given: dict[str, Any]) -> Any:
    """``result`` written to ``out``, as ``out=`` of this function does; ``given`` are its other
    arguments. A function that calls the method of a scalar then returns a scalar, not ``out``.
    """
    empty = model.op.out.empty
    if empty is not None and _is_empty(given["a"], result, out):
        named: dict[str, Any] = {name: given[name] for name in ("axis", "keepdims") if name in given}
        return recorder().session.invoke(empty, (given["a"],), {**named, "out": out})
    try:
        written = _written_out(model, result, out, given)
    except (TypeError, ValueError) as problem:
        raise_for_out(model.function, problem)
    of_scalar = isinstance(given.get("a"), (ScalarProxy, np.generic)) and hasattr(np.generic, model.op.name)
    return written[()] if of_scalar and type(written) is ArrayProxy and not written.ndim else written  # type: ignore[index]


def _keeps_order(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether casts keep the order of numbers."""
    return other.kind in "fc" or np.can_cast(one, other)


def _rounds_alike(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether two dtypes are the same but for the order of bytes."""
    return one.newbyteorder("=") == other.newbyteorder("=")


def _require_survival(model: Function, result: Any, out: ArrayProxy, given: dict[str, Any]) -> None:
    """Refuses an output of a dtype in which the results of a reduction's steps would be others."""
    method = model.op.method
    sums = method is not None or "averaging" in model.op.traits or model.op.out.passes == "value"
    if sums and "reduction" in model.op.traits:
        ufunc = None if method is None else method.__self__
        require_one_rounding(_shown(model.function), result.dtype, out, (coercion.array_of(given["a"]),), ufunc)
    into_text = out.dtype.kind in "SUT"  # in which "False" is true
    if method is None or not (_accumulates(model.op) or into_text) or method.__name__ != "reduce" or result.dtype.kind in "mM":
        return
    if out.dtype != result.dtype and not survive(method.__self__, coercion.array_of(given["a"]).dtype, result.dtype, out.dtype):
        what = f"numpy.{model.function.__name__} of {result.dtype} passes through the dtype {out.dtype} of out="
        raise Unsupported("E101", what, hint=WRITE_AFTERWARDS)


def _require_dtype(model: Function, result: Any, out: ArrayProxy, given: dict[str, Any]) -> None:
    """Raises NumPy's error for an output of a dtype that the function does not write to, whatever
    the data. What a function leaves there before it raises, its own code shows.
    """
    how, into_text = model.op.out, out.dtype.kind in "SUT" and result.dtype.kind not in "SUT"
    if how.stepwise:
        return
    if np.can_cast(result.dtype, out.dtype, "same_kind") and np.can_cast(out.dtype, result.dtype, "same_kind"):
        return
    parameters = model._signature.parameters
    if into_text and (how.passes or how.broadcasts):
        what = f"numpy.{model.function.__name__} leaves in the texts of out= what it has so far"
        raise Unsupported("E101", what, hint=WRITE_AFTERWARDS)
    if "operands" not in parameters and _is_small(given.values()):
        places = [name for name in given if name in parameters and parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY]
        named = {name: value for name, value in given.items() if name not in places}
        raise_for_stand_ins(model.function, tuple([given[name] for name in places]), {**named, "out": out})
    if how.unsafe and model.op.method is None and into_text:
        what = f"numpy.{model.function.__name__} reads numbers in the texts of out="
        raise Unsupported("E101", what, hint=WRITE_AFTERWARDS)


def _written_out(model: Function, result: Any, out: Any, given: dict[str, Any]) -> Any:
    how = model.op.out
    if isinstance(out, tuple):
        raise_for_stand_ins(model.function, (), {**given, "out": out}, Exception)
        if how.broadcasts:
            raise Unsupported("E101", f"numpy.{model.function.__name__} gives a tuple for out= of one", hint="Pass the array: out=y.")
    out = out_array(out)
    _require_dtype(model, result, out, given)
    if how.stepwise and out.dtype != result.dtype and type(given["a"]) is ScalarProxy:
        raise Unsupported("E101", f"numpy.{model.function.__name__} of a scalar with out= of {out.dtype}", hint=WRITE_AFTERWARDS)
    trapping = recorder().session.traps()
    half = out.dtype.char == "e"  # in which no result is, so far
    _require_survival(model, result, out, given)
    starts = how.passes == "order" and given.get("initial", NO_VALUE) is not NO_VALUE  # in the dtype of ``out``
    if starts and out.dtype != result.dtype and implementation(model.function) is not None:
        return recorder().session.invoke(implementation(model.function), (), {**given, "out": out})
    if how.stepwise and (how.precise or out.dtype != result.dtype or half or trapping or shared(coercion.array_of(given["a"]), out)):
        return recorder().session.invoke(implementation(model.function), (), {**given, "out": out})
    if how.rounds and out.dtype.kind in "biu" and type(given["a"]) is ArrayProxy and are_one(out, given["a"]):
        return out  # integers are copied
    if how.rounds and out.dtype != result.dtype and given.get("decimals", 0) != 0:
        hint = "Round first, and then write it: out[...] = np.round(x, decimals)."
        raise Unsupported("E101", f"numpy.{model.function.__name__} computes in the dtype of out=", hint=hint)
    kept = given.get("keepdims", NO_VALUE) not in (False, NO_VALUE) and not writes.same(tuple(out.shape), tuple(result.shape))
    if how.broadcasts and kept:
        hint = "Compute first, and then write it: out[..., :1] = result."
        raise Unsupported("E101", f"numpy.{model.function.__name__} with keepdims= writes to some places of out=", hint=hint)
    steps = how.broadcasts and np.can_cast(result.dtype, out.dtype, "same_kind")  # go through it
    if not _rounds_alike(out.dtype, result.dtype) and (steps or (how.precise and result.dtype.char not in "dD")):
        raise Unsupported("E101", f"numpy.{model.function.__name__} of {result.dtype} with out= of {out.dtype}", hint=WRITE_AFTERWARDS)
    if how.passes and out.dtype != result.dtype and not (how.passes == "order" and _keeps_order(result.dtype, out.dtype)):
        raise Unsupported(
            "E101", f"numpy.{model.function.__name__} of {result.dtype} passes through the dtype {out.dtype} of out=", hint=WRITE_AFTERWARDS
        )
    casting = "unsafe" if how.unsafe else given.get("casting", "same_kind")
    if how.rounds and bool(out.size != result.size):
        raise ValueError("invalid output shape")
    if "elementwise" not in model.op.traits and not how.broadcasts:
        _require_known_length(model.function, out, result)
    if "elementwise" not in model.op.traits and not how.broadcasts and not writes.same(tuple(out.shape), tuple(result.shape)):
        named = {name: value for name, value in given.items() if name != "operands"}
        raise_for_stand_ins(model.function, given.get("operands", ()), {**named, "out": out}, ValueError)
        raise ValueError(
            f"output array has shape {tuple(out.shape)}, but the result of numpy.{model.function.__name__} has {tuple(result.shape)}"
        )
    if how.parts:
        if given.get("dtype") is not None:
            model.function([np.empty(1)], out=np.empty(1), dtype=given["dtype"])  # raises
        operands: list[ArrayProxy] = []
        operands_of(tuple(given.values()), operands)
        if any(shared(array, out) for array in operands):
            return _joined(model, out, casting, given)
    if how.exact:
        if out.dtype != result.dtype or not recorder().layouts.ask(out, aligned=True).flags.c_contiguous:
            raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
        written = writes.put(out, result, casting, function=model.function)
        return written if out.ndim else written[()]  # C gives the element
    return writes.put(out, result, casting, function=how.ufunc or model.function)


def _require_known_length(function: Any, out: Any, result: Any) -> None:
    """Raises ``Unsupported`` where data decide how long the result is: the array that it is written
    to has a length of its own.
    """
    for room, size in zip(out.shape, result.shape, strict=False):
        if is_unbacked(size) and getattr(room, "expression", room) != size.expression:
            what = f"data decide how long the result of numpy.{function.__name__} is, which is written to out= of {room} elements"
            raise Unsupported("E103", what, hint=WRITE_AFTERWARDS)


def _is_empty(x: Any, result: Any, out: Any) -> bool:
    """Whether an array has no elements, where ``out`` is not of the shape of the result."""
    array = coercion.array_of(x)
    return type(out) is ArrayProxy and not writes.same(tuple(out.shape), tuple(result.shape)) and bool(array.size == 0)


def shared(x: ArrayProxy, out: ArrayProxy) -> bool:
    """Whether what is written to ``out`` may be read through ``x``."""
    return recorder().overlaps.meet(x.storage, out.storage)


def _joined(model: Function, out: ArrayProxy, casting: str, given: dict[str, Any]) -> Any:
    """The arrays written to ``out`` one by one, as NumPy does, which may read what it wrote."""
    arrays = [coercion.array_of(array) for array in given.get("arrays", given.get("tup", ()))]
    axis = given.get("axis", 0)
    if axis is None:
        hint = "Join them first, and then write: out[...] = np.concatenate(...)."
        raise Unsupported("E120", f"numpy.{model.function.__name__} writes to memory that it still reads", hint=hint)
    axis = axis % out.ndim
    start: Any = 0
    for array in arrays:
        if model.op.out.parts == "stack":
            array = recorder().call(ops.np.expand_dims, array, axis)
        end = start + array.shape[axis]
        part = out[(slice(None),) * axis + (slice(start, end),)]  # type: ignore[index]
        scatters.copyto(part, array, casting)
        start = end
    return out


def _end_order(model: Function, result: Any, order: Any, given: dict[str, Any]) -> Any:
    if model._signature.parameters["order"].default == "C":  # what makes arrays knows no "A" and "K"
        np.empty(0, order=order)  # raises
    order = known_order(order)
    operands: list[ArrayProxy] = []
    operands_of(tuple(given.values()), operands)
    return laid_out(result, order, *operands)


def _end_overwrite(model: Function, result: Any, overwrite: Any, given: dict[str, Any]) -> Any:
    """The input is left in the order of NumPy's own steps."""
    if not overwrite or type(given["a"]) is not ArrayProxy:
        return result
    if model.function.__name__.startswith("nan"):  # whose steps depend on where the NaNs are
        hint = "Leave overwrite_input out: the result is the same."
        raise Unsupported("E101", f"numpy.{model.function.__name__} with overwrite_input=True reorders its input as data decide", hint=hint)
    return recorder().session.invoke(implementation(model.function), (), {**given, "overwrite_input": True})


def _end_copy(model: Function, result: Any, copy: Any, given: dict[str, Any]) -> Any:
    copy = copies(copy)
    source = next(iter(given.values()))
    if "view" in model.op.traits:
        shares = type(source) is ArrayProxy and result.storage is source.storage
        if copy:
            return recorder().call(ops.np.copy, result) if shares else result
        if not shares:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        return result
    if type(source) is not ArrayProxy:
        if copy is False:
            np.array([0], copy=False)  # raises: a copy cannot be avoided
        return result
    if not copy:
        if source.dtype.kind in "fc":
            writes.put(source, result, "unsafe")
        return source if source.ndim else source[()]  # type: ignore[index]
    return result


def _end_output(model: Function, result: Any, output: Any, given: dict[str, Any]) -> Any:
    """What functions of SciPy write to an array; of a dtype those of truths take no notice."""
    returns, is_array = model.op.out.output, type(output) is ArrayProxy
    if not returns or (returns == "second" and not (is_array and output.dtype in _LABELS)):
        raise Unsupported("E101", f"{_shown(model.function)} with output is not modelled", hint="Use what the function returns.")
    if not is_array:
        return result
    value, second = result if returns == "second" else (result, None)
    if output.dtype.kind == "c" or not writes.same(tuple(output.shape), tuple(value.shape)):
        raise_for_stand_ins(model.function, (), {**given, "output": output})
    writes.put(output, value, "unsafe")
    return output if returns == "given" else second


_LABELS = (np.dtype(np.int32), np.dtype(np.int64))


def _shown(function: Any) -> str:
    """The name of a function by the package that users know."""
    return f"{function.__module__.partition('._')[0]}.{function.__name__}"


_EXTRAS: dict[str, Callable[[Function, Any, Any, dict[str, Any]], Any]] = {
    "out": end_out,
    "order": _end_order,
    "copy": _end_copy,
    "overwrite_input": _end_overwrite,
    "output": _end_output,
}
"""What is done with the result for parameters that no operator has."""


def _binds(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
