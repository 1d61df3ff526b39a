"""What NumPy's callables mean while tracing: operators, ufuncs, models of their own, NumPy's Python to be interpreted.

``lookup(fn)`` is asked by the tracing world for every callable that is not a Python function; ufunc and array methods, which are
bound methods of C objects, are declared by name in the table of ``lookup``.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.op import REGISTRY, Namespace, Op
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_float
from npexport.tracer.arrays import methods as _methods  # noqa: F401  gives the proxies their methods
from npexport.tracer.arrays import protocols, scatters, ufuncs
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, all_known, as_number, convert_stand_in, integer_of, real_arguments
from npexport.tracer.arrays.standins import asked, numpys, raise_for_stand_ins
from npexport.tracer.current import recorder
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import answered
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import numpy_functions, numpy_random, numpy_types, numpy_views, pyfuncs  # noqa: F401  numpy_random is found by name
from npexport.tracer.models.asking import Asking
from npexport.tracer.models.lookup import MODELS, answering, models, run

Model = Callable[..., Any]
Call = Callable[..., Any]  # called as the program calls: (*args, **kwargs)
_Dispatcher = type(np.sum)

NATIVE_TYPES.update((Op, Namespace))  # calls of operators are recorded, their Python is not run

CALLS: dict[Any, Call] = {**numpy_functions.CALLS, **numpy_views.CALLS, **numpy_types.CALLS}
"""Models by callable; the call has NumPy's own signature."""
NATIVE_TYPES.update(cls for cls in CALLS if isinstance(cls, type) and not issubclass(cls, np.ndarray))
for _function in (*CALLS, *(model for op in REGISTRY for model in op.models)):
    if isinstance(_function, types.FunctionType):
        answered(_function.__code__)  # Python, but not to be interpreted


def lookup(fn: Any) -> Model | None:
    """The model ``(world, vm, fn, args, kwargs)`` of a callable of NumPy, or of an operator; ``None`` for all others."""
    call = find(fn)
    if call is None:
        return None

    def model(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return _with_objects(world, vm, fn, call, args, kwargs) if protocols.may_run_python(args, kwargs) else call(*args, **kwargs)

    def dispatched(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(fn) is np.ufunc:
            return protocols.ufunc(fn, "__call__", args, kwargs) or model(world, vm, fn, args, kwargs)
        return protocols.function(fn, args, kwargs) or model(world, vm, fn, args, kwargs)

    return dispatched if type(fn) in (np.ufunc, _Dispatcher) else model


def _with_objects(world: Any, vm: Any, fn: Any, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with objects of the program's classes: whether one of them may be a number there, NumPy is asked."""
    asking = Asking(vm, only="__index__")
    given = tuple([asking.stand_in(arg) for arg in args])
    named = {name: asking.stand_in(arg) for name, arg in kwargs.items()}
    if not asking.found or any(protocols.defines(value, protocols.CONVERSION) for value in (*args, *kwargs.values())):
        return answering(world, fn, call, args, kwargs)
    answering(world, fn, raise_for_stand_ins, (fn, given, named), {})
    result = answering(world, fn, asking.call, (call, given, named), {})
    return call(*args, **kwargs) if type(result) is Invoke else result


def find(fn: Any) -> Call | None:
    """What is called in place of ``fn``; its result may be an :class:`Invoke`. Its errors are NumPy's."""
    call = _find(fn)
    return None if call is None else numpys(fn, call)


def _find(fn: Any) -> Call | None:
    kind = type(fn)
    try:
        call = CALLS.get(fn)
    except TypeError:  # unhashable callables are nobody's
        return None
    if call is not None:
        return call
    if kind is np.ufunc and pyfuncs.is_python(fn):
        return pyfuncs.of_ufunc(fn)
    if kind is np.ufunc:
        return lambda *args, **kwargs: ufuncs.call(fn, *args, **kwargs)
    if isinstance(fn, Op):
        return lambda *args, **kwargs: recorder().call(fn, *args, **kwargs)
    if REGISTRY.modelling(fn) is not None:
        return ufuncs.model_of(fn)
    if kind is _Dispatcher:
        return _dispatched(fn)
    if isinstance(fn, type) and issubclass(fn, np.generic):
        return numpy_types.scalar_type(fn)
    return None


def _dispatched(fn: Any) -> Call:
    """A function of NumPy's array-function protocol: its Python implementation is interpreted."""
    implementation = fn._implementation
    if isinstance(implementation, types.FunctionType):
        return lambda *args, **kwargs: Invoke(implementation, args, kwargs)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        if all_known(args, tuple(kwargs.values())):
            return recorder().known(implementation(*real_arguments(args), **real_arguments(kwargs)))
        raise Unsupported("E101", f"`numpy.{fn.__name__}` is implemented in C, and nothing is known of what it does with data")

    return refuse


# Methods of C types, by name


@models("numpy", "ufunc.reduce", "ufunc.accumulate", "ufunc.outer", "ufunc.reduceat", "ufunc.__call__")
def _ufunc_method(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ufunc, rest = _receiver(fn, args)
    call = protocols.ufunc(ufunc, fn.__name__, rest, kwargs)
    return ufuncs.method(ufunc, fn.__name__, rest, kwargs) if call is None else call


@models("numpy", "ufunc.at")
def _ufunc_at(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ufunc, rest = _receiver(fn, args)
    call = protocols.ufunc(ufunc, "at", rest, kwargs)
    return asked(ufunc.at, functools.partial(scatters.at, ufunc), rest, kwargs) if call is None else call


@models("numpy", "ufunc.resolve_dtypes")
def _plain(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return recorder().known(fn(*real_arguments(args), **real_arguments(kwargs)))


@models("numpy._core._multiarray_umath", "_get_extobj_dict")
def _get_error_state(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


@models("numpy._core._multiarray_umath", "_make_extobj")
def _make_error_state(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.errstate``: whether to warn is no part of what a program computes, whether to raise is."""
    trapping = [f"{name}={value!r}" for name, value in kwargs.items() if value in ("raise", "call", "print", "log")]
    if trapping:
        hint = "Use 'ignore' or 'warn', and test the results with np.isfinite where they matter."
        raise Unsupported("E101", f"`np.errstate({', '.join(trapping)})` makes what happens depend on data", hint=hint)
    return fn(*args, **kwargs)


@models("numpy", "ndarray.*")
def _array_method(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.ndarray.sum(x)``."""
    receiver, rest = _receiver(fn, args)
    if type(receiver) not in NATIVE_TYPES:
        return recorder().known(fn(*args, **kwargs))
    return getattr(receiver, fn.__name__)(*rest, **kwargs)


def _receiver(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The object that a bound or unbound method of C is called on, and the other arguments."""
    bound = getattr(fn, "__self__", None)
    return (args[0], args[1:]) if bound is None or isinstance(bound, types.ModuleType) else (bound, args)


for _owner in ("generic", "dtype", *sorted({cls.__name__ for cls in np.sctypeDict.values()})):
    MODELS.setdefault(("numpy", f"{_owner}.*"), _plain if _owner != "generic" else _array_method)


@models("builtins", "int")
@models("_operator", "index")
def _number(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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


@models("builtins", "float")
def _float(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``float(x)`` of a number that only the data know is a float of Python that depends on data."""
    if len(args) == 1 and type(args[0]) in (ArrayProxy, ScalarProxy) and not args[0].known:
        convert_stand_in(fn, args[0])
        return sym_float(as_number(args[0], "float()"))
    return run(world, vm, fn, args, kwargs)


@models("_operator", "eq", "ne")
def _equality(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``1j == x``: complex numbers of Python compare themselves with NumPy's doubles, which are floats of Python."""
    if len(args) == 2 and type(args[0]) is complex and type(args[1]) is ScalarProxy and args[1].dtype == float:
        hint = "Write the NumPy scalar first: x == 1j is an array operator."
        raise Unsupported("E104", "a complex number of Python compares itself with a np.float64, which is data", hint=hint)
    return run(world, vm, fn, args, kwargs)


# The protocols by which NumPy itself asks


def _array_ufunc(self: ArrayProxy, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if method == "at":
        return scatters.at(ufunc, *inputs, **kwargs)
    return ufuncs.method(ufunc, method, inputs, kwargs)


def _array_function(self: ArrayProxy, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    call = find(func)
    if call is None:
        raise Unsupported("E101", f"`{func.__module__}.{func.__name__}` is not modelled")
    result = call(*args, **kwargs)
    return recorder().session.invoke(*result) if type(result) is Invoke else result


ArrayProxy.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
ArrayProxy.__array_function__ = _array_function  # type: ignore[attr-defined]
__all__ = ["CALLS", "ScalarProxy", "find", "lookup"]
