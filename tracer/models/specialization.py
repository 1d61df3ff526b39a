"""Sizes passed to C functions that read numbers themselves: they become constants, with a guard
that names the callable.

A row says if its C function reads none (``asks=False``). C code that passes objects on, compares
them or uses their operators needs nothing else of a size; neither does C code that calls
``__index__``, ``__float__`` or makes text, all of which specialise. Every other C function, also
one of which nothing is said, gets numbers.
"""

from __future__ import annotations

import operator
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.proxy import Proxy, ScalarProxy
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.native import NATIVE_TYPES


def plain(value: Any, reason: str, inside: tuple[int, ...] = ()) -> Any:
    """The value with sizes replaced by their numbers in the example, in containers too; the value
    itself if there are none.

    ``inside``: the ids of the enclosing containers, one of which the value may be itself.
    """
    kind = type(value)
    if is_symbolic(value):
        return value._constant(reason)
    if kind is DataText:
        return value.constant()
    if kind is SymRange:
        return value.plain()
    if kind not in _CONTAINERS or id(value) in inside:
        return value
    inside = (*inside, id(value))
    if kind is slice:
        return slice(*[plain(part, reason, inside) for part in (value.start, value.stop, value.step)])
    old = [*value, *value.values()] if kind is dict else list(value)
    new = [plain(item, reason, inside) for item in old]
    if all(map(operator.is_, new, old)):
        return value
    return dict(zip(new[: len(value)], new[len(value) :], strict=True)) if kind is dict else kind(new)


def has_sizes_within(value: Any) -> bool:
    """Whether tuples and dicts of plain data, as in keys and arguments, contain a size."""
    if type(value) is dict:
        return any(map(has_sizes_within, value.values()))
    return any(map(has_sizes_within, value)) if type(value) is tuple else is_symbolic(value)


_CONTAINERS = frozenset({tuple, list, set, frozenset, dict, slice})


_CONVERSIONS = ("__index__", "__int__", "__float__", "__complex__", "__bool__", "__hash__", "__len__", "__length_hint__")
"""Special methods from which C code accepts only a number of its own type."""
_TAKEN = {"__float__": float, "__complex__": complex}
"""The types of Python's of which scalars of NumPy are: C accepts those."""


def converted(value: Any, function: Any, receiver: Any) -> Any:
    """What C gets after it called Python's ``function`` on ``receiver`` with this result."""
    if isinstance(value, Proxy) and find(type(receiver).__mro__, "__array__") is function:
        raise Unsupported("E101", f"C makes an array of an object of type {type(receiver).__name__}, whose `__array__` gives one of data")
    if type(value) not in NATIVE_TYPES:
        return value
    name = next((name for name in _CONVERSIONS if find(type(receiver).__mro__, name) is function), None)
    if name is None:
        return value
    told = f"`{function.__qualname__}` gives it to C"
    if is_symbolic(value):
        return value._constant(told)
    if type(value) is ScalarProxy:
        return value.value(told)[()] if issubclass(value.dtype.type, _TAKEN.get(name, ())) else value
    if isinstance(value, (int, float, complex)):
        raise Unsupported("E104", f"a number of Python depends on data, and {told}")
    return value
