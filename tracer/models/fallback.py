"""C that calls Python where the frame hook cannot answer for that: the same with stand-ins, over iterators of the machine, or in Python.

What is in none of the tables runs as it is, and is refused (E119) where it does call Python.
"""

from __future__ import annotations

import _bisect
import _heapq
import array
import cmath
import collections
import contextvars
import itertools
import json.encoder
import json.scanner
import math
import operator
import re
import struct
import sys
import types
import typing
from collections import deque
from collections.abc import Callable
from typing import Any

from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.attributes import find, python_method, special_method
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.polyfills import libraries
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.asking import Asking

_FUNCTIONS = (
    abs, all, any, ascii, bin, bytearray, bytes, chr, complex, divmod, float, format, hex, int, oct, pow, range, repr, round, str, sum,
)  # fmt: skip
_METHODS: dict[type, str] = {
    list: "count index pop remove __mul__",
    tuple: "count index __mul__",
    slice: "indices",
    re.Pattern: "sub subn",
    struct.Struct: "pack",
    BaseExceptionGroup: "split subgroup",
    contextvars.Context: "run",
}
_OPERATORS = "eq ge gt imul index le length_hint lt mod mul ne truth abs countOf indexOf"


def _functions_of(*modules: types.ModuleType) -> list[Any]:
    return [value for module in modules for value in vars(module).values() if type(value) is types.BuiltinFunctionType]


_ASKED: frozenset[Any] = frozenset({
    *_FUNCTIONS,
    *_functions_of(math, cmath, _heapq, _bisect),
    *(getattr(operator, name) for name in _OPERATORS.split()),
    *(getattr(kind, name) for kind, names in _METHODS.items() for name in names.split()),
    *(value for kind in (str, bytes) for name, value in vars(kind).items() if callable(value) and name not in ("join", "__new__")),
    struct.pack,
})  # fmt: skip
"""They ask their arguments, and what these give, and keep none."""
_ASKED_TYPES = (operator.attrgetter, operator.itemgetter)
_ATTRIBUTES = (str.format, str.format_map)
_KEYED = frozenset({operator.getitem, operator.setitem, operator.delitem, list.insert})
"""They ask a key where the container is of C, and keep other arguments."""

_SETS = "difference difference_update intersection intersection_update isdisjoint issubset issuperset symmetric_difference union update"
_FIRST = "batched combinations combinations_with_replacement cycle islice permutations tee"
_ALL = "chain compress pairwise product zip_longest"
_CONSUMED: dict[Any, tuple[int, float]] = {
    **{value: (0, 1) for name in _FIRST.split() if (value := vars(itertools).get(name)) is not None},
    **{getattr(itertools, name): (0, math.inf) for name in _ALL.split()},
    **{vars(kind)[name]: (0, math.inf) for kind in (set, frozenset) for name in _SETS.split() if name in vars(kind)},
    **dict.fromkeys((deque.extend, deque.extendleft, deque, dict, vars(dict)["fromkeys"], bytearray.extend), (0, 1)),
    **dict.fromkeys((dict.update, array.array, collections._count_elements), (0, 2)),  # type: ignore[attr-defined]
    operator.iadd: (1, 2),
    operator.setitem: (2, 3),
}
"""They go over arguments that are iterators of the machine as they go over others: those between these places."""
_EXTENDED = (list, deque, bytearray, array.array)
"""What ``+=`` goes over its right operand for."""
_ITERATED = ("__iter__", "__next__", "__getitem__")
_PLAIN = (type, types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def instead(vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call to interpret instead, (a call of C, its arguments, its keywords), or ``None``: C is to be called as it is."""
    key = _key(fn)
    if fn is operator.getitem and isinstance(args[0], type):
        key = find(args[0].__mro__, "__class_getitem__")
        if type(key) is classmethod:
            return Invoke(key.__func__, args)
    other = _OTHERS.get(key)
    call = None if other is None else other(fn, args, kwargs)
    if call is not None:
        return call
    if fn is sorted:
        return _sorted(vm, args, kwargs)
    if key in _CONSUMED and (key is not operator.iadd or isinstance(args[0], _EXTENDED)):
        first, last = _CONSUMED[key]
        lazily = [first <= place < last and is_iterated(arg) for place, arg in enumerate(args)]
        if any(lazily):
            return Invoke(polyfills.consume, (fn, args, kwargs, lazily))
    if key in _KEYED and not isinstance(args[0], dict):
        asking = Asking(vm, only="__index__")
        place = len(args) - 2 if fn.__name__ == "insert" else 1
        given, named = (*args[:place], asking.stand_in(args[place]), *args[place + 1 :]), kwargs
    elif key in _ASKED or type(fn) in _ASKED_TYPES:
        asking = Asking(vm, attributes=key in _ATTRIBUTES or type(fn) in _ASKED_TYPES)
        given = tuple([asking.stand_in(arg) for arg in args])
        named = {name: asking.stand_in(arg) for name, arg in kwargs.items()}
        owner = getattr(fn, "__self__", None)
        if type(owner) in (list, tuple):
            fn = getattr(asking.stand_in(owner), fn.__name__)
    else:
        return None
    return (asking.call, (fn, given, named), {}) if asking.found else None


def _sorted(vm: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Sorting by what a list holds: C compares stand-ins of that, as often as it compares."""
    asking, key = Asking(vm), kwargs.get("key")
    if type(key) is not types.BuiltinMethodType or type(key.__self__) is not list:
        return None
    keys = asking.stand_in(key.__self__)
    return (asking.call, (sorted, args, {**kwargs, "key": keys.__getitem__}), {}) if asking.found else None


def is_iterated(value: Any) -> bool:
    """Whether Python of the program's goes over the value."""
    return any(python_method(type(value), name) is not None for name in _ITERATED)


def _key(fn: Any) -> Any:
    """What the tables know the callable by: that of a bound method is the method."""
    if isinstance(fn, _PLAIN):
        return fn
    owner = getattr(fn, "__self__", None)
    if owner is None or type(owner) is types.ModuleType:
        return fn if type(fn) is types.BuiltinFunctionType else None
    if isinstance(owner, type):  # super() may have passed over Python's
        found = (vars(cls).get(fn.__name__) for cls in owner.__mro__)
        return next((method for method in found if type(method) in _PLAIN and method.__get__(None, owner) == fn), None)  # type: ignore[union-attr]
    return getattr(type(owner), fn.__name__, None)


# What is interpreted in its place


def _iter(fn: Any, args: Any, kwargs: Any) -> Any:
    """C's iterator over the items of a class that has no ``__iter__`` calls ``__getitem__``."""
    if len(args) == 1 and special_method(type(args[0]), "__iter__") is NULL and python_method(type(args[0]), "__getitem__") is not None:
        return Invoke(libraries.by_position, args)
    return None


def _updated(fn: Any, args: Any, kwargs: Any) -> Any:
    """``dict(mapping)`` and ``dict.update``."""
    given = args if fn is dict or getattr(fn, "__self__", None) is not None else args[1:]
    if len(given) != 1 or python_method(type(given[0]), "keys") is None:
        return None
    if fn is dict:
        return Invoke(libraries.dict_of, (*given, kwargs))
    return Invoke(libraries.update, (getattr(fn, "__self__", args[0]), *given, kwargs))


def _missing(fn: Any, args: Any, kwargs: Any) -> Any:
    """An item that a dict lacks is asked for."""
    container, *rest = args if fn is operator.getitem or fn is dict.__getitem__ else (fn.__self__, *args)
    method = python_method(type(container), "__missing__") if isinstance(container, dict) else None
    if method is None or type(rest[0]) not in SCALARS or dict.__contains__(container, rest[0]):
        return None
    return Invoke(method, (container, *rest))


def _as(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda fn, args, kwargs: Invoke(function, args, kwargs)


def _of_class(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda fn, args, kwargs: Invoke(function, args if fn is operator.getitem else (fn.__self__, *args), kwargs)


_OTHERS: dict[Any, Callable[..., Any]] = {
    iter: _iter,
    operator.getitem: _missing,
    dict.__getitem__: _missing,
    dict: _updated,
    dict.update: _updated,
    vars(itertools.chain)["from_iterable"]: _as(libraries.chained),
    json.encoder.c_make_encoder: _as(libraries.encoder),  # type: ignore[attr-defined]
    json.scanner.c_make_scanner: _as(libraries.scanner),  # type: ignore[attr-defined]
}
if sys.version_info >= (3, 12):  # typing.Generic is of C, and does in Python what its class methods do
    _OTHERS[vars(typing.Generic)["__class_getitem__"]] = _of_class(typing._generic_class_getitem)  # type: ignore[attr-defined]
    _OTHERS[vars(typing.Generic)["__init_subclass__"]] = _of_class(typing._generic_init_subclass)  # type: ignore[attr-defined]
