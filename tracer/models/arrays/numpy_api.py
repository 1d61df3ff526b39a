"""The meaning of NumPy's callables: operators, ufuncs, models of their own, NumPy's Python code to
be interpreted.

The tracing world calls ``lookup(fn)`` for every callable that is not a Python function; methods of
ufuncs and arrays, which are bound methods of C objects, have rows by name.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import GraphModule
from npexport.ir.laws import foreign
from npexport.ir.numpy_internals import implementation, is_of_python
from npexport.ir.op import REGISTRY, Namespace, Op
from npexport.ir.ops.np_scalars import OF_SCALARS
from npexport.ir.schemas import subject_of
from npexport.runtime.operators.custom_op import CustomOp
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_bool, sym_float, sym_not
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.api import interface as _interface  # noqa: F401  gives the proxies their methods and attributes
from npexport.tracer.arrays.api import methods, numpy_iterators, operators, ufuncs
from npexport.tracer.arrays.core import complexes, object_parameters, protocols
from npexport.tracer.arrays.core.coercion import array_of, dtype_of, known_scalar
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import asked, called, raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import (
    ArrayProxy,
    Proxy,
    ScalarProxy,
    all_known,
    as_number,
    convert_stand_in,
    integer_of,
    is_text_of_data,
    operands_of,
    real_arguments,
)
from npexport.tracer.arrays.core.views import no_subclass
from npexport.tracer.control.branches import truth_of_data
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import answered, unanswered
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.arrays import numpy_types, pyfuncs
from npexport.tracer.models.containers import data_keys
from npexport.tracer.models.containers.membership import equality, ordering
from npexport.tracer.models.host_calls import answering, refuse_fences, run
from npexport.tracer.models.operators import custom_ops
from npexport.tracer.models.registry import DECLINED, OF_NUMPY, models, receiver, rows
from npexport.tracer.models.specialization import plain

Model = Callable[..., Any]
Call = Callable[..., Any]  # called as the program calls: (*args, **kwargs)
_Dispatcher = type(np.sum)

NATIVE_TYPES.update((Op, CustomOp, Namespace))  # calls of operators are recorded, their Python is not run

NATIVE_TYPES.update(cls for cls in OF_NUMPY if isinstance(cls, type) and not issubclass(cls, np.ndarray))


def answer_models() -> None:
    """Mark Python functions that have a model, so that they are not interpreted.

    Every export calls this, since records may be added at any time.
    """
    REGISTRY.provide_loaded()
    _answer_models(REGISTRY.registered, len(OF_NUMPY))


@functools.lru_cache(1)
def _answer_models(operators: int, functions: int) -> None:
    """The same, once for each number of records."""
    for function in (*OF_NUMPY, *(model for op in REGISTRY for model in op.models)):
        if isinstance(function, types.FunctionType):
            answered(function.__code__)


_OF_PYTHON = (types.FunctionType, types.MethodType, functools.partial)


_unanswered = functools.cache(unanswered)
"""What is interpreted if a call passes functions."""


def lookup(fn: Any) -> Model | None:
    """The model ``(world, vm, fn, args, kwargs)`` of NumPy's callable or operator, or ``None``."""
    op = fn if isinstance(fn, Op) else REGISTRY.modelling(fn)
    if isinstance(op, CustomOp):
        return lambda world, vm, fn, args, kwargs: custom_ops.call(world, vm, op, args, kwargs)
    call = find(fn)
    if call is None:
        return None

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(fn) is types.FunctionType and any(type(value) in _OF_PYTHON for value in (*args, *kwargs.values())):
            return Invoke(_unanswered(fn), args, kwargs)
        if protocols.may_run_python(args, kwargs):
            return _with_objects(world, fn, call, args, kwargs)
        try:
            return call(*args, **kwargs)
        except (TypeError, ValueError):
            refuse_fences((*args, *kwargs.values()))
            raise

    def dispatched(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(fn) is np.ufunc:
            return protocols.ufunc(fn, "__call__", args, kwargs) or model(world, vm, fn, args, kwargs)
        numpy_iterators.go_over(fn, args, kwargs)
        return protocols.function(fn, args, kwargs) or model(world, vm, fn, args, kwargs)

    return dispatched if type(fn) in (np.ufunc, _Dispatcher) else model


def _with_objects(world: ShadowedWorld, fn: Any, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with the program's objects; NumPy is asked if one may be a number."""
    converts = any(protocols.defines(value, protocols.CONVERSION) for value in (*args, *kwargs.values()))
    if protocols.may_be_numbers(args, kwargs) and not converts:
        answering(world, fn, raise_for_stand_ins, (fn, args, kwargs), {})
    return answering(world, fn, call, args, kwargs)


def find(fn: Any) -> Call | None:
    """What is called instead of ``fn``; its result may be an :class:`Invoke`.

    Its errors are NumPy's.
    """
    call = _find(fn)
    return None if call is None else functools.wraps(call)(lambda *args, **kwargs: called(fn, call, args, kwargs))


def _find(fn: Any) -> Call | None:
    kind = type(fn)
    try:
        call = OF_NUMPY.get(fn)
    except TypeError:  # unhashable callables are nobody's
        return None
    if call is not None:
        return call
    if kind is np.ufunc and is_of_python(fn):
        return pyfuncs.of_ufunc(fn)
    if kind is np.ufunc:
        return lambda *args, **kwargs: ufuncs.method(fn, "__call__", args, kwargs)
    if isinstance(fn, Op):
        return functools.partial(_by_name, fn)
    if REGISTRY.modelling(fn) is not None:
        found: Model = ufuncs.model_of(fn)
        return found
    if kind is _Dispatcher:
        return _dispatched(fn)
    if isinstance(fn, type) and issubclass(fn, np.generic):
        return numpy_types.scalar_type(fn)
    return None


def _by_name(op: Op, *args: Any, **kwargs: Any) -> Any:
    """A call of an operator by its own name, as `npexport.ops` gives it, with arguments as a graph
    holds them.

    Those that have to be arrays are made arrays.
    """
    bound = op.signature.bind(*args, **kwargs)
    subject = next(iter(op.signature.parameters)) if "view" in op.traits else subject_of(op)
    for name, value in bound.arguments.items():
        if name == subject and not isinstance(value, Proxy):
            bound.arguments[name] = array_of(value)
    args, kwargs = object_parameters.plain(op, bound.args, bound.kwargs)
    held = recorder().argument(op.bind(args, kwargs))
    for value in (*held[0], *held[1].values()):
        if type(value) is GraphModule and op.namespace == "control":
            continue
        if type(value) is dict or foreign(value):
            kind = "a dict" if type(value) is dict else f"an object of type {type(foreign(value)[0]).__name__}"
            hint = f"Call NumPy's function in place of `{op}`, or give pairs or lists."
            raise Unsupported("E101", f"{op} is called with {kind}, which no graph holds", hint=hint)
    return recorder().call(op, *args, **kwargs)


def _dispatched(fn: Any) -> Call:
    """A function of NumPy's array-function protocol: its Python implementation is interpreted."""
    inner = implementation(fn)
    if isinstance(inner, types.FunctionType):
        return lambda *args, **kwargs: Invoke(inner, args, kwargs)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        if all_known(args, tuple(kwargs.values())):
            return recorder().known(inner(*real_arguments(args), **real_arguments(kwargs)))
        raise Unsupported("E101", f"`numpy.{fn.__name__}` is implemented in C, and nothing is known of what it does with data")

    return refuse


# Methods of C types, by name


@models("numpy", "ufunc.reduce", "ufunc.accumulate", "ufunc.outer", "ufunc.reduceat", "ufunc.__call__")
def _ufunc_method(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ufunc, rest = receiver(fn, args)
    call = protocols.ufunc(ufunc, fn.__name__, rest, kwargs)
    return ufuncs.method(ufunc, fn.__name__, rest, kwargs) if call is None else call


@models("numpy", "ufunc.at")
def _ufunc_at(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ufunc, rest = receiver(fn, args)
    call = protocols.ufunc(ufunc, "at", rest, kwargs)
    return asked(ufunc.at, functools.partial(ufuncs.at, ufunc), rest, kwargs) if call is None else call


@models("numpy", "ufunc.resolve_dtypes")
def _plain(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    args, kwargs = plain((args, kwargs), f"`{fn.__name__}` of a scalar needs its value")
    if not all_known(args, tuple(kwargs.values())):
        raise Unsupported("E101", f"`{fn.__qualname__}` is implemented in C, and nothing is known of what it does with data")
    return world.recorder.known(run(world, vm, fn, real_arguments(args), real_arguments(kwargs)))


@models("numpy._core._multiarray_umath", "_get_extobj_dict")
def _get_error_state(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return world.errors.read(fn(*args, **kwargs))


@models("numpy._core._multiarray_umath", "_make_extobj")
def _make_error_state(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.errstate``, ``np.seterr``."""
    return world.errors.make(fn, kwargs)


_SCALARS = sorted({f"{cls.__name__}.*" for cls in np.sctypeDict.values() if isinstance(cls, type)})
"""Methods of NumPy's classes of scalars; other libraries put their dtypes into the same table."""


@models("numpy", "ndarray.*", "generic.*", *_SCALARS)
def _array_method(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.ndarray.sum(x)``, ``np.float64(2).clip(x)``."""
    owner, rest = receiver(fn, args)
    is_ours = type(owner) in NATIVE_TYPES
    if is_ours and type(owner) in (ArrayProxy, ScalarProxy):
        example = np.zeros((), owner.dtype)[()] if type(owner) is ScalarProxy else np.empty(0, owner.dtype)
        if not isinstance(example, getattr(fn, "__objclass__", object)):
            fn(example)  # raises
    if not is_ours:
        refusal = methods.REFUSED.get(fn.__name__)
        if refusal is not None and refusal[0] == "E105":
            methods.refused(fn.__name__, *refusal)(owner)
        given: list[Any] = []
        operands_of((args, tuple(kwargs.values())), given)
        of_data = not all(array.known for array in given)
        if of_data and isinstance(owner, type):
            named = [cls for cls in (*rest[:1], owner) if isinstance(cls, type)]  # `ndarray.__new__(cls, ...)` names it
            raise no_subclass(named[0])
        if not of_data or not isinstance(owner, np.generic):
            return _plain(world, vm, fn, args, kwargs)
        owner = known_scalar(owner)
    method = getattr(owner, fn.__name__, None)
    return _plain(world, vm, fn, args, kwargs) if method is None else method(*rest, **kwargs)


@models("npexport.tracer.arrays.core.proxy", "Proxy.__array__")
def _as_array(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``x.__array__()``, called by the program itself."""
    owner, rest = receiver(fn, args)
    example = np.zeros((), owner.dtype)[()] if type(owner) is ScalarProxy else np.empty(0, owner.dtype)
    dtype = example.__array__(*rest, **kwargs).dtype  # raises
    if type(owner) is ScalarProxy:
        return array_of(owner, dtype)
    if dtype != owner.dtype:
        return owner.astype(dtype, order="C")
    return owner.copy() if kwargs.get("copy") else owner


models("numpy", "dtype.*")(_plain)
rows("numpy", "fromiter", iterates="items")


@models("_operator", "concat", iterates="items")
@models("_operator", "iconcat")
def _concatenation(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Arrays are not sequences to C: NumPy refuses to join them by this name."""
    if args and type(args[0]) is ArrayProxy:
        fn(np.empty(0), *args[1:])
    return run(world, vm, fn, args, kwargs)


@models("builtins", "int", pure=True)
@models("_operator", "index", scalars="integers")
def _number(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``int(x)`` of a number that only the data know is a size."""
    if (
        len(args) == 1
        and type(args[0]) in (ArrayProxy, ScalarProxy)
        and not args[0].known
        and args[0].size == 1
        and args[0].dtype.kind in ("biuf" if fn is int else "iu")
    ):
        if args[0].ndim:
            convert_stand_in(fn, args[0])
        return integer_of(args[0])
    return run(world, vm, fn, args, kwargs)


@models("builtins", "float", pure=True)
def _float(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``float(x)`` of a number that only the data know is a Python float that depends on data."""
    if len(args) == 1 and type(args[0]) in (ArrayProxy, ScalarProxy) and not args[0].known:
        convert_stand_in(fn, args[0])
        return sym_float(as_number(args[0], "float()"))
    return run(world, vm, fn, args, kwargs)


@models("builtins", "bool", pure=True)
@models("_operator", "truth")
def _truth(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``bool(x)`` of a value that only the data know is a truth that depends on data, and of a size
    one of sizes.
    """
    truth = _truth_of(args, kwargs)
    return run(world, vm, fn, args, kwargs) if truth is None else truth


@models("_operator", "not_")
def _not(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    truth = _truth_of(args, kwargs)
    return run(world, vm, fn, args, kwargs) if truth is None else sym_not(truth)


def _truth_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs:
        return None
    return sym_bool(args[0]) if is_symbolic(args[0]) else truth_of_data(args[0])


_REFLECTED = {"eq": operator.eq, "ne": operator.ne, "lt": operator.gt, "gt": operator.lt, "le": operator.ge, "ge": operator.le}


def _of_dtype(fn: Any, args: tuple[Any, ...]) -> Any:
    """A dtype compares itself with names of dtypes, not with arrays: then ``DECLINED``."""
    if len(args) == 2 and isinstance(args[0], np.dtype) and isinstance(args[1], Proxy):
        if type(args[1]) is ArrayProxy:
            return Invoke(_REFLECTED[fn.__name__], args[::-1])
        dtype_of(args[1])  # refuses texts
    return DECLINED


@models("_operator", "eq", "ne")
def _equality(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``1j == x``: Python complex numbers compare themselves with NumPy doubles, as floats."""
    if len(args) == 2 and type(args[0]) is complex and type(args[1]) is ScalarProxy and args[1].dtype == float:
        return complexes.binary(fn.__name__, *args)
    found = equality(fn.__name__, *args) if len(args) == 2 else None
    found = data_keys.equality(fn.__name__, *args) if found is None and len(args) == 2 else found
    found = _of_dtype(fn, args) if found is None else found
    return run(world, vm, fn, args, kwargs) if found is DECLINED else found


@models("_operator", "lt", "le", "gt", "ge", pure=True, asks=False)
def _ordering(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``1 < s[0]``: Python's error names the types from left to right."""
    found = data_keys.of_counters(world, vm, fn, args, kwargs)
    found = ordering(fn, *args) if found is DECLINED and len(args) == 2 else found
    found = _of_dtype(fn, args) if found is DECLINED else found
    if found is DECLINED and len(args) == 2 and is_text_of_data(args[1]):
        raise_for_stand_ins(fn, args, kwargs)
    return found


# The protocols by which NumPy itself asks


def _array_ufunc(self: ArrayProxy, *args: Any, **kwargs: Any) -> Any:
    if len(args) < 2 or type(args[0]) is not np.ufunc:
        np.empty(0).__array_ufunc__(*args, **kwargs)  # raises
    ufunc, method, *inputs = args
    if method == "at":
        return ufuncs.at(ufunc, *inputs, **kwargs)
    op = REGISTRY.modelling(ufunc)
    if op in OF_SCALARS and len(inputs) == 2 and method == "__call__" and not kwargs:  # calls of ufuncs have their model
        return operators.binary(op, *[item[()] if type(item) is np.ndarray else item for item in inputs])  # NumPy made it of a scalar
    if any(type(each) is np.ndarray for each in kwargs.get("out", ())):
        raise Unsupported("E101", f"C code that npexport does not know writes the result of `np.{ufunc.__name__}` into an array of its own")
    return ufuncs.method(ufunc, method, tuple(inputs), kwargs)


def _array_function(self: ArrayProxy, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    call = find(func)
    if call is None:
        raise Unsupported("E101", f"`{func.__module__}.{func.__name__}` is not modelled")
    result = call(*args, **kwargs)
    return recorder().session.invoke(*result) if type(result) is Invoke else result


Proxy.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Proxy.__array_function__ = _array_function  # type: ignore[attr-defined]
