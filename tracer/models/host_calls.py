"""Calls C callables that simply run while tracing, and explains the error if C rejects a
stand-in.
"""

from __future__ import annotations

import gc
import json
import operator
import re
import struct
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.op import REGISTRY, Op
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core import filled_dict, protocols, run_dependent_numbers
from npexport.tracer.arrays.core.filled_dict import FilledDict, FilledView
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.numpy_oracle import takes_stand_ins
from npexport.tracer.arrays.core.proxy import ScalarProxy
from npexport.tracer.arrays.core.run_dependent_numbers import Identity
from npexport.tracer.arrays.core.texts import DataText, refusal
from npexport.tracer.diagnostics.hints import IN_C
from npexport.tracer.effects.fence import Fence, refuse
from npexport.tracer.effects.host_warnings import listening
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.frames import CallbackAborted
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES, natives
from npexport.tracer.interpreter.stand_ins import is_of_c, method_of_c_as_text
from npexport.tracer.interpreter.unwind import raised_by_program
from npexport.tracer.models.specialization import plain


def run(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The model of pure callables.

    Python that C calls back is interpreted, or refused if the frame hook cannot answer for it.
    Operators of NumPy's scalars make arrays of known data (``np.float64(2)[None]``).
    """
    if _is_operator(fn):
        args = _beside_sequences(world, fn, args)
    result = answering(world, fn, fn, args, kwargs)
    if type(result) is str and "<bound method " in result and _reaches_method_of_c((getattr(fn, "__self__", None), args, kwargs)):
        raise method_of_c_as_text()
    is_new = type(result) is np.ndarray or (type(result) is tuple and [*map(type, result)] == [np.ndarray] * 2)
    return world.recorder.known(result) if is_new and _is_operator(fn) else result


def _reaches_method_of_c(value: Any) -> bool:
    """Whether a method of a stand-in, which C shows as one of Python, is among what is shown."""
    pending, met = [value], set[int]()
    while pending:
        for each in gc.get_referents(pending.pop()):
            if is_of_c(each):
                return True
            if id(each) not in met and type(each) not in NATIVE_TYPES and not isinstance(each, _NOT_SHOWN):
                met.add(id(each))
                pending.append(each)
    return False


_NOT_SHOWN = (type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType)
"""What shows itself without what it holds."""


def _is_operator(fn: Any) -> bool:
    return fn is divmod or fn is pow or getattr(fn, "__module__", None) == operator.add.__module__


def _beside_sequences(world: ShadowedWorld, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of an operator, with arrays for NumPy's scalars beside sequences of numbers that
    are not plain: NumPy would make arrays of objects. A product repeats the sequence.
    """
    scalars = [issubclass(type(arg), np.generic) for arg in args]  # unlike those that stand for data
    if fn in (operator.mul, operator.imul) or not any(scalars):
        return args
    if not any(type(arg) in (list, tuple) and any(map(is_symbolic, leaves_of(arg))) for arg in args):
        return args
    return tuple([world.recorder.known(np.asarray(arg)) if scalar else arg for arg, scalar in zip(args, scalars, strict=True)])


def run_on_numbers(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`run` for C that reads numbers itself: sizes become constants."""
    shown = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    args, kwargs = plain((args, kwargs), f"`{shown}` {IN_C} its value")
    return run(world, vm, fn, args, kwargs)


RUN = (run, run_on_numbers)


def own(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """npexport's own Python: if it gets nothing of the program's, nothing can call back.

    A kernel that a captured program calls is recorded as its operator.
    """
    op = _operator_of(fn) if "out" not in kwargs and type(fn) is types.FunctionType else None
    if op is not None:
        return world.recorder.call(op, *args, **kwargs)
    if protocols.is_plain((*args, *kwargs.values()) if kwargs else args):
        with listening(world, _given(world, fn, args, kwargs)):
            return fn(*args, **kwargs)
    return answering(world, fn, fn, args, kwargs)


_TRACER = "npexport.tracer."
"""Where no operator has its kernel: nothing that is declared below knows of it."""


def _operator_of(kernel: types.FunctionType) -> Op | None:
    """The operator that a function computes, if there is exactly one. Kernels are imported on
    demand, and a captured program has already needed its own: no others are examined.
    """
    if kernel.__module__.startswith(_TRACER):
        return None
    op = next((op for op in REGISTRY if vars(op).get("kernel") is kernel), None)
    name = None if op is None else vars(op).get("kernel_name")
    shared = name is not None and sum(vars(other).get("kernel_name") == name for other in REGISTRY) > 1
    return None if shared else op


def _given(world: ShadowedWorld, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterable[Any]:
    """What a call computes with, if the program has filters of its own."""
    return leaves_of((getattr(fn, "__self__", None), args, kwargs)) if world.filtering else ()


def answering(world: ShadowedWorld, fn: Any, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``call(*args, **kwargs)``, made on behalf of ``fn``."""
    told: list[Any] = []
    refused: list[ExportError] = []

    def called_back(function: types.FunctionType, localsplus: dict[str, Any]) -> Any:
        if function is json.JSONEncoder.default:
            _require_no_number(fn, localsplus.values())
        try:
            value = world.called_back(function, localsplus)
        except ExportError as refusal:
            refused.append(refusal)
            raise
        if type(value) is DataText:
            told.append(value)
        return value

    try:
        with listening(world, _given(world, fn, args, kwargs)):
            result = world.answer(called_back, call, args, kwargs)
    except CallbackAborted as aborted:
        raise _not_answered(fn, aborted.code) from None
    except Exception as error:
        require_own(error)
        if refused and error is not refused[0]:  # C has put an exception of its own in the place
            raise refused[0] from None
        if isinstance(error, _OF_C) and not isinstance(error, ExportError):  # C that asks for the type itself does not take a stand-in
            _explain(fn, call, args, kwargs, error, told)
        raise
    if refused:  # C has swallowed it
        raise refused[0]
    return result


def _explain(fn: Any, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception, told: list[Any]) -> None:
    """Raises a refusal if C raised ``error`` of a stand-in, or of texts that it was ``told``."""
    found = [*natives((getattr(fn, "__self__", None), *args, *kwargs.values())), *told]
    for value in found:
        _refuse_stand_in(fn, value)
    _say_type(fn, args, error)
    of_c = call is fn and type(fn) is not types.FunctionType and type(fn) not in NATIVE_TYPES  # stand-ins raise what NumPy raises
    if found and of_c and not raised_by_program(error):
        _ask(fn, args, kwargs, error)


def _not_answered(fn: Any, code: types.CodeType) -> Unsupported:
    receiver = type(getattr(fn, "__self__", None))  # whose class a qualified name would tell
    shown = f"{receiver.__name__}.{fn.__name__}" if receiver in NATIVE_TYPES else getattr(fn, "__qualname__", fn)
    return Unsupported("E119", f"`{shown}` is implemented in C and calls the Python function `{code.co_qualname}`")


def _say_type(fn: Any, args: tuple[Any, ...], error: Exception) -> None:
    """Let an error of C name the types of NumPy's scalars as it would; or raise the error that it
    raises of them, which are not integers.
    """
    dtypes = {value.dtype for value in leaves_of(args) if type(value) is ScalarProxy}
    if type(error) is not TypeError or len(dtypes) != 1:
        return
    kind = dtypes.pop().type
    owner, name = type(getattr(fn, "__self__", None)), getattr(fn, "__name__", "")
    if name in _SUBSCRIPTS and owner in _SUBSCRIPTED and args and type(args[0]) is ScalarProxy:
        getattr(owner(), name)(kind(0), *args[1:])
    if len(error.args) == 1 and type(error.args[0]) is str:
        error.args = (error.args[0].replace("numpy.generic", f"numpy.{kind.__name__}"),)


_SUBSCRIPTS = ("__getitem__", "__setitem__", "__delitem__")
_SUBSCRIPTED = (list, tuple, str, bytes, bytearray)
_OF_C = (TypeError, ValueError, AttributeError, OverflowError, struct.error)
_UNCHANGING = (type(None), types.ModuleType, type, str, bytes, int, float, complex, tuple, frozenset, re.Pattern)
"""The owners of C functions that may be called once more."""
_HOLDING = (list, dict, set, deque, OrderedDict, defaultdict, Counter)
"""Owners that take objects of all types."""


def _ask(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> None:
    """Raise what C raises for real objects of the stand-ins' types, or the refusal if it takes
    them, or may. Of a number that it asks for its value, a class of C may have replaced the refusal
    by an error of values.
    """
    owner = type(getattr(fn, "__self__", None))
    of_types = isinstance(error, (TypeError, struct.error)) and owner not in _HOLDING
    takes = takes_stand_ins(fn, args, kwargs) if owner in _UNCHANGING else of_types
    replaced = isinstance(fn, type) and isinstance(error, (ValueError, OverflowError))
    if replaced if takes is None else takes:
        raise _needed(fn)


def _require_no_number(fn: Any, values: Iterable[Any]) -> None:
    """Raises ``Unsupported`` if C did not know a number by its stand-in, and asks Python what to
    write for it.
    """
    for value in natives(values):
        if is_symbolic(value) or (type(value) is ScalarProxy and issubclass(value.dtype.type, float)):
            raise _needed(fn)


def _needed(fn: Any) -> Unsupported:
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    return Unsupported("E104", f"`{name}` {IN_C} a value that is known only when the program runs")


def refuse_fences(values: Iterable[Any]) -> None:
    """Raises ``Unsupported`` if one of the values, or an item of containers, is fenced."""
    for value in natives(values):
        if type(value) is Fence:
            refuse(value)


def _refuse_stand_in(fn: Any, value: Any) -> None:
    """Raises ``Unsupported`` if C would have accepted what the value stands for."""
    kind = type(value)
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    if kind is Fence:
        refuse(value)
    if kind is Identity:
        run_dependent_numbers.refuse("a value of the program")
    if kind is Mixed:
        value.refuse(f"`{name}`")
    if kind is DataText:
        raise refusal(f"`{name}`, which is implemented in C, reads it")
    if kind is FilledList:
        raise refused(f"is passed to `{name}`, which is implemented in C")
    if kind in (FilledDict, FilledView):
        raise filled_dict.refused(f"is passed to `{name}`, which is implemented in C")
