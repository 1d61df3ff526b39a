"""What builtins, ``math`` and NumPy scalars mean for dynamic sizes: `npexport.symshapes.functions` answers where an argument is one."""

from __future__ import annotations

import _abc
import math
import operator
import types
from typing import Any

import numpy as np

from npexport.symshapes.functions import MODELS
from npexport.symshapes.membership import sym_contains
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, python_type
from npexport.symshapes.symrange import SymRange, sym_range
from npexport.tracer.arrays.numbers import UNKNOWN
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, as_number, number_of
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, find
from npexport.tracer.interpreter.native import NATIVE_TYPES

SYMBOLIC = frozenset({SymInt, SymBool, SymFloat})
NATIVE_TYPES.update((*SYMBOLIC, SymRange))

UFUNCS = {
    "fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.true_divide, "ffloordiv": np.floor_divide, "fmod": np.remainder,
    "fpow": np.power,
}  # fmt: skip
"""What an operator between a NumPy scalar and a size means: the size is a weak Python number."""


def has_sizes(args: tuple[Any, ...]) -> bool:
    """Whether an argument, or an item of a list or tuple among the arguments, is a size."""
    for arg in args:
        kind = type(arg)
        if kind in SYMBOLIC or (kind in (list, tuple) and not SYMBOLIC.isdisjoint(map(type, arg))):
            return True
    return False


def sized(fn: Any, model: Any) -> Any:
    """The model of ``fn`` that knows sizes; ``model`` where ``fn`` means nothing special for them."""
    if fn in _INSTANCE:
        return _isinstance(model, _INSTANCE[fn])
    if type(fn) in _METHODS and fn.__objclass__ in (int, float, bool):
        return _method(model)
    function = _MODELS.get(fn)
    if function is None:
        return model
    plain = fn not in _KEEP_SCALARS
    of_data = fn.__module__ == "math"

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (plain or (fn is round and len(args) == 1)) and any(type(arg) in _PROXIES for arg in args):
            args = tuple([_plain_number(arg, of_data) if type(arg) in _PROXIES else arg for arg in args])
        if has_sizes(args) and kwargs.get("key") is None:
            return function(*args, **kwargs)
        return model(world, vm, fn, args, kwargs)

    return choose


_INSTANCE = {isinstance: 0, _abc._abc_instancecheck: 1}
"""Functions that ask for the type of an argument, and its position."""


_MODELS: dict[Any, Any] = {**MODELS, range: sym_range, operator.contains: sym_contains}
_KEEP_SCALARS = frozenset({min, max, sum, abs, round, divmod, pow, math.prod, operator.contains})
"""Functions that give one of their arguments, or what its operators give: of a scalar of NumPy another one."""
_PROXIES = frozenset({ArrayProxy, ScalarProxy})


def _plain_number(proxy: ArrayProxy, of_data: bool) -> Any:
    """The number that NumPy computes from sizes alone, or ``of_data`` any scalar's; the proxy itself where that is not so."""
    number = UNKNOWN if proxy.known else number_of(proxy)
    if number is UNKNOWN and of_data and type(proxy) is ScalarProxy and proxy.dtype.kind in "iuf":
        return as_number(proxy, "a function of math")
    return proxy if number is UNKNOWN else number


_METHODS = frozenset({types.WrapperDescriptorType, types.MethodDescriptorType})


def _method(model: Any) -> Any:
    """``int.__add__(n, 2)``: a method of numbers, found in their class, is the size's own."""

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if SYMBOLIC.isdisjoint(map(type, args)):
            return model(world, vm, fn, args, kwargs)
        if type(args[0]) in SYMBOLIC:
            return attribute(vm, args[0], fn.__name__, None)(*args[1:], **kwargs)
        return getattr(operator, fn.__name__)(*args)

    return choose


def attribute(vm: Any, size: Any, name: str, then: Any) -> Any:
    """``n.name`` is what it is of a number; a method that sizes do not have is that of a constant."""
    number = python_type(size)
    if name == "__class__":
        return number
    if not hasattr(number, name):
        return getattr(number(), name)
    if isinstance(find(type(size).__mro__[:-1], name), (types.FunctionType, property)):
        return getattr(size, name)
    return getattr(size._constant(f"its attribute {name} is used"), name)


SPECIAL_GETTERS.update(dict.fromkeys(SYMBOLIC, attribute))


def _isinstance(model: Any, at: int) -> Any:
    """A size is an ``int``, a truth about sizes a ``bool``, a float of sizes a ``float``; stand-ins of arrays are what they stand for."""

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > at and type(args[at]) in SYMBOLIC:
            args = (*args[:at], python_type(args[at])(), *args[at + 1 :])
        elif len(args) > at and type(args[at]) in _PROXIES:
            args = (*args[:at], args[at].example_of_type(), *args[at + 1 :])
        return model(world, vm, fn, args, kwargs)

    return choose


def foreign(world: Any, vm: Any) -> Any:
    """What ``ShapeEnv.foreign`` is while tracing."""
    return lambda op, a, b: world.call_native(vm, UFUNCS[op], (a, b), {}) if op in UFUNCS else NotImplemented
