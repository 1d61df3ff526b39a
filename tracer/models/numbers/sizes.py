"""Builtins, ``math`` and NumPy scalars applied to dynamic sizes: `npexport.symshapes.functions`
computes the result if an argument is one.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import types
from typing import Any

from npexport.ir import ops
from npexport.ir.ops.complex_numbers import PAIRS, TRUTHS
from npexport.ir.ops.evaluation import UNKNOWN
from npexport.ir.ops.python_numbers import OPERATION
from npexport.symshapes.foreign import SPECIAL_NAMES
from npexport.symshapes.functions import MODELS, sym_float
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_unbacked, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.api import operators
from npexport.tracer.arrays.core import complexes
from npexport.tracer.arrays.core.data_numbers import of_data
from npexport.tracer.arrays.core.numpy_oracle import raise_for_stand_ins
from npexport.tracer.arrays.core.protocols import may_run_python
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number, number_of
from npexport.tracer.control.refusals import require_few
from npexport.tracer.diagnostics.hints import IN_C
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES, stands_in_for
from npexport.tracer.models.containers.filled_lists import repeated
from npexport.tracer.models.iteration import extremes
from npexport.tracer.models.registry import Row, said
from npexport.tracer.models.specialization import plain

SYMBOLIC = frozenset({SymInt, SymBool, SymFloat})
NATIVE_TYPES.update(SYMBOLIC)
stands_in_for(SymRange, range)

OPERATORS = {
    "fadd": ops.np.add, "fsub": ops.np.subtract, "fmul": ops.np.multiply, "fdiv": ops.np.divide, "ffloordiv": ops.np.floor_divide,
    "fmod": ops.np.remainder, "fpow": ops.np.power, "eq": ops.np.equal, "ne": ops.np.not_equal, "lt": ops.np.less, "le": ops.np.less_equal,
    "gt": ops.np.greater, "ge": ops.np.greater_equal,
    "bit_and": ops.np.bitwise_and, "bit_or": ops.np.bitwise_or, "bit_xor": ops.np.bitwise_xor, "left_shift": ops.np.left_shift,
    "right_shift": ops.np.right_shift,
}  # fmt: skip
"""The meaning of an operator between a NumPy scalar and a size: the size is a weak Python
number.
"""


def has_sizes(args: tuple[Any, ...]) -> bool:
    """Whether an argument, or an item of a list or tuple among the arguments, is a size."""
    for arg in args:
        kind = type(arg)
        if kind in SYMBOLIC or (kind in (list, tuple) and not SYMBOLIC.isdisjoint(map(type, arg))):
            return True
    return False


def sized(fn: Any, row: Row, model: Any) -> Any:
    """The model of ``fn`` that handles sizes; ``model`` if ``fn`` has none."""
    if row.typed is not None:
        return _isinstance(model, row.typed)
    if type(fn) in _METHODS and fn.__objclass__ in NUMBERS:
        return method_of_number(model)
    function = row.sizes or MODELS.get(fn) or (functools.partial(mathematics, fn) if fn in OPERATION else None)
    if function is None:
        return model
    convert = _CONVERSIONS.get(said(fn.__module__, fn.__qualname__, "scalars"))

    def choose(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        of_numbers = row.scalars != "kept" or (fn is round and len(args) == 1)
        if fn in OPERATION and any(type(arg) in (*_PROXIES, SymFloat) for arg in args):
            raise_for_stand_ins(fn, args, kwargs)  # of other types than it takes
        if of_numbers and any(type(arg) in _PROXIES or type(arg) is list for arg in args):
            args = tuple([_plain_numbers(arg, convert) for arg in args])
        decided = (world.captures and _is_decided_by_data(fn, args)) or (fn is sum and complexes.are_summed_as_complex(*args, **kwargs))
        if has_sizes(args) and kwargs.get("key") is None and not decided:
            if not may_run_python(args, kwargs):
                if fn in (min, max) and any(map(is_unbacked, args)):
                    require_few(world, vm.current_frame)  # data decide which it is, as a branch does
                try:
                    return function(*args, **kwargs)
                except TypeError:
                    _require_arguments(fn, function, args, kwargs)
                    raise
            args = plain(args, "it meets an object that the program defines")
        return model(world, vm, fn, args, kwargs)

    return choose


def _is_decided_by_data(fn: Any, args: tuple[Any, ...]) -> bool:
    """Whether the function's own model decides: what is the smallest argument, or item of the only
    one, may need branches, and so may the kind of a power.
    """
    if fn is pow:
        return len(args) == 2
    return fn in (min, max) and extremes.needs_branches(args[0] if len(args) == 1 and type(args[0]) in (list, tuple) else args)


def _require_arguments(fn: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what C raises for arguments that it does not accept."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        fn(*[python_type(arg)(1) if type(arg) in SYMBOLIC else arg for arg in args], **kwargs)


_PROXIES = frozenset({ArrayProxy, ScalarProxy})


def _plain_numbers(value: Any, convert: Any) -> Any:
    """The number that NumPy computes from sizes alone, or ``convert`` applied to any scalar, also
    in a list; other values unchanged. Raises what C raises where it takes integers alone.
    """
    if type(value) is list and convert is not None:
        return [_plain_numbers(item, convert) for item in value]
    if type(value) not in _PROXIES:
        return value
    if convert is as_number:
        operator.index(value.example_of_type())
    number = UNKNOWN if value.known or value.ndim else number_of(value)
    if number is UNKNOWN and convert is not None and value.ndim == 0 and value.dtype.kind in "biuf":
        return convert(value, "a function of math")
    return value if number is UNKNOWN else number


def _as_float(proxy: ArrayProxy, what: str) -> Any:
    return sym_float(as_number(proxy, what))


_CONVERSIONS: dict[str | None, Any] = {"integers": as_number, "floats": _as_float}


def mathematics(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of ``math`` without a special meaning for sizes. For numbers that only the data
    know, it is computed at run time.
    """
    if not _of_data(args):
        args, kwargs = plain((args, kwargs), f"`{fn.__name__}` {IN_C} its value")
        return fn(*args, **kwargs)
    return fn(*args, **kwargs) if kwargs else of_data(OPERATION[fn], *args)


def _of_data(args: tuple[Any, ...]) -> bool:
    return any(is_unbacked(item) for arg in args for item in (arg if type(arg) is list else (arg,)))


def kind_of_float(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """``math.isnan`` and its kin: all integers are finite numbers."""
    integer = len(args) == 1 and type(args[0]) in (SymInt, SymBool) and not kwargs
    return fn(0) if integer else mathematics(fn, *args, **kwargs)


def isclose(*args: Any, **kwargs: Any) -> Any:
    """``math.isclose``."""
    if _of_data(args) and kwargs.keys() <= {"rel_tol", "abs_tol"}:
        return of_data("isclose_to", *args, kwargs.get("rel_tol", 1e-09), kwargs.get("abs_tol", 0.0))
    return mathematics(math.isclose, *args, **kwargs)


def _is_operation(number: type, name: str) -> bool:
    """Whether a method of numbers declines other operands."""
    try:
        return name != "__subclasshook__" and getattr(number(1), name)(object()) is NotImplemented
    except TypeError:
        return False


NUMBERS = (int, float, bool, complex)
_OPERATIONS: dict[type, frozenset[str]] = {
    number: frozenset(name for name in dir(number) if _is_operation(number, name)) for number in NUMBERS
}
"""The methods of operators: ``(1).__add__(1.0)`` is ``NotImplemented``, and ``1 + 1.0`` is not."""


def _declines(number: type, name: str, other: Any) -> bool:
    """Whether the method of a number declines an operand."""
    return name in _OPERATIONS[number] and getattr(number(1), name)(_example(other)) is NotImplemented


def _operation(name: str, size: Any) -> Any:
    """``n.__add__`` of a size, which declines what the method of a number declines."""

    def operation(number: Any, *others: Any) -> Any:
        if others and _declines(python_type(number), name, others[0]):
            return NotImplemented
        return getattr(number, name)(*[float(other) if isinstance(other, float) else other for other in others])

    return types.MethodType(operation, size)


_METHODS = frozenset({types.WrapperDescriptorType, types.MethodDescriptorType})


def method_of_number(model: Any) -> Any:
    """A method of numbers by its name, with sizes or numbers of data among its arguments: it takes
    the types that C takes, and declines what C declines.
    """

    def choose(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        bound = type(fn) not in _METHODS
        given = (fn.__self__, *args) if bound else args
        of_class = bound and isinstance(fn.__self__, type)
        if of_class or not any(type(arg) in SYMBOLIC or type(arg) in _PROXIES for arg in given):
            return model(world, vm, fn, args, kwargs)
        cls, name = getattr(fn, "__objclass__", None) or type(fn.__self__), fn.__name__
        examples = [_example(arg) for arg in given]
        if not examples or not isinstance(examples[0], cls):
            getattr(cls, name)(*examples)  # raises
        if name not in _OPERATIONS[cls]:
            number = _of_python(given[0])
            if type(number) not in SYMBOLIC:
                return model(world, vm, fn, args, kwargs)
            return attribute(vm, number, name, None)(*given[1:], **kwargs)
        if getattr(cls, name)(*examples, **kwargs) is NotImplemented:
            return NotImplemented
        numbers = [_of_python(arg) for arg in given]
        reflected = f"__{name[3:]}" if name.startswith("__r") else ""
        if reflected in _OPERATIONS[cls]:
            name, numbers[:2] = reflected, numbers[1::-1]
        function = _BUILTIN.get(name) or getattr(operator, name)
        return function(*numbers)

    return choose


_BUILTIN: dict[str, Any] = {"__divmod__": divmod, "__pow__": pow}
"""The operators that are not functions of `operator`, or take a third operand."""


def _example(value: Any) -> Any:
    """A number of the type of a size or of a number of data, by which neither division fails."""
    if type(value) in SYMBOLIC:
        return python_type(value)(1)
    value = value.example_of_type() if type(value) in _PROXIES else value
    return type(value)(1) if isinstance(value, (int, float, complex)) else value


def _of_python(value: Any) -> Any:
    """The Python number that C reads of a scalar whose type is derived from one."""
    return value.item() if type(value) is ScalarProxy else value


def attribute(vm: Machine, size: Any, name: str, then: Any) -> Any:
    """``n.name`` of a size is that of a number; a method that sizes lack makes it a constant."""
    number = python_type(size)
    if name == "__class__":
        return number
    if not hasattr(number, name):
        return getattr(number(), name)
    if name in _OPERATIONS[number]:
        return _operation(name, size)
    if isinstance(find(type(size).__mro__[:-1], name), (types.FunctionType, property)):
        return getattr(size, name)
    return getattr(size._constant(f"its attribute {name} is used"), name)


SPECIAL_GETTERS.update(dict.fromkeys(SYMBOLIC, attribute))


def _isinstance(model: Any, at: int) -> Any:
    """A size is an ``int``, a truth about sizes a ``bool``, a float of sizes a ``float``; stand-ins
    of arrays are of the types that they stand for.
    """

    def choose(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > at and type(args[at]) in SYMBOLIC:
            args = (*args[:at], python_type(args[at])(), *args[at + 1 :])
        elif len(args) > at and type(args[at]) in _PROXIES:
            args = (*args[:at], args[at].example_of_type(), *args[at + 1 :])
        return model(world, vm, fn, args, kwargs)

    return choose


def foreign(op: str, a: Any, b: Any) -> Any:
    """The value of ``ShapeEnv.foreign`` while tracing."""
    if type(a) is complex or type(b) is complex:
        name = SPECIAL_NAMES.get(op, op)
        return complexes.binary(name, a, b) if name in PAIRS or name in TRUTHS else NotImplemented
    if type(a) is list or type(b) is list:
        return repeated(op, a, b)
    return operators.binary(OPERATORS[op], a, b) if op in OPERATORS else NotImplemented
