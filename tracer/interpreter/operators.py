"""Operators: the host's own for builtin and native operands; otherwise CPython's order of special
methods, with frames for the user's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import GeneratorType, MethodType
from typing import Any, NamedTuple

from npexport.symshapes.symint import SymFloat, SymInt
from npexport.tracer.bytecode.host import HEAP_TYPE, NOT_A_CONTAINER
from npexport.tracer.interpreter.attributes import bind_special, python_method
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL, Continuation, Machine, Steps
from npexport.tracer.interpreter.native import ASKED, NATIVE_TYPES
from npexport.tracer.interpreter.polyfills.stepping import Placed, one_by_one, placed_items

SCALARS = frozenset({int, float, bool, str, bytes, complex, type(None), type(Ellipsis)})
"""Types whose objects the host operates on without ever calling Python."""

_OF_MATH = [fn for name, fn in sorted(vars(math).items()) if callable(fn) and not name.startswith("_")]
OF_SCALARS = {id(fn): fn for fn in (abs, bin, bool, chr, complex, divmod, float, hex, int, len, max, min, oct, ord, pow, round, *_OF_MATH)}
"""By identity, C callables that depend on their arguments alone and, if these are such objects,
call nothing back.
"""


class Binary(NamedTuple):
    """A binary operator: the host's function, its symbol in messages, and its special methods:
    left, reflected, in place.
    """

    host: Callable[[Any, Any], Any]
    symbol: str
    left: str
    right: str
    inplace: str | None


_NAMES = (  # in the order of CPython's BINARY_OP arguments
    ("add", "+"), ("and_", "&"), ("floordiv", "//"), ("lshift", "<<"), ("matmul", "@"), ("mul", "*"), ("mod", "%"), ("or_", "|"),
    ("pow", "**"), ("rshift", ">>"), ("sub", "-"), ("truediv", "/"), ("xor", "^"),
)  # fmt: skip


def _row(name: str, symbol: str, inplace: bool) -> Binary:
    stem = name.rstrip("_")
    host = getattr(operator, f"i{stem}" if inplace else name)
    shown = f"{symbol}=" if inplace else "** or pow()" if symbol == "**" else symbol
    return Binary(host, shown, f"__{stem}__", f"__r{stem}__", f"__i{stem}__" if inplace else None)


BINARY = tuple(_row(name, symbol, inplace) for inplace in (False, True) for name, symbol in _NAMES)


def sign(row: int) -> str:
    """The operator of a row of `BINARY` as it is written, without the ``=`` of in-place ones."""
    return _NAMES[row % len(_NAMES)][1]


def is_in_place(row: int) -> bool:
    """Whether a row of `BINARY` is for ``+=`` and its kin."""
    return row >= len(_NAMES)


_REFLECTED = {"<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"), "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"),
              ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__")}  # fmt: skip

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

UNARY: dict[str, tuple[Callable[[Any], Any], str]] = {
    "-": (operator.neg, "__neg__"),
    "+": (operator.pos, "__pos__"),
    "~": (operator.invert, "__invert__"),
}


def is_user_type(tp: type) -> bool:
    """Whether special methods of the type's objects may be the user's Python."""
    return bool(tp.__flags__ & HEAP_TYPE) and tp not in NATIVE_TYPES


def is_stepped(value: Any) -> bool:
    """Whether an object, or its iterator, may be stepped by the user's Python."""
    return python_method(type(value), "__next__" if hasattr(type(value), "__next__") else "__iter__") is not None


def stepped(value: Any) -> Steps:
    """The iterator of such an object; if Python steps it, as a generator."""
    iterator = yield iter, (value,)
    if python_method(type(iterator), "__next__") is None:
        return iterator
    return (yield placed_items if isinstance(iterator, Placed) else one_by_one, (iterator,))


def given_stepped(function: Any, iterable: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Steps:
    """What a function that consumes such an object returns."""
    return (yield function, ((yield from stepped(iterable)), *args), kwargs)


def _is_hosts(left: type, right: type) -> bool:
    """Whether the host operates on objects of these types directly."""
    return left in NATIVE_TYPES and left not in ASKED and right not in ASKED and not is_user_type(right)


def binary(vm: Machine, row: Binary, left: Any, right: Any, then: Continuation | None) -> Any:
    """``left op right``: the value, or `PUSHED`."""
    left_type, right_type = type(left), type(right)
    signed = (
        row.left == "__pow__" and right_type in (SymInt, SymFloat, float) and left_type is not float
    )  # a branch may have to tell the kind of the power
    if left_type in SCALARS and right_type in SCALARS or (_is_hosts(left_type, right_type) and not signed):
        return row.host(left, right)
    if (
        python_method(left_type, row.left) is None
        and python_method(right_type, row.right) is None
        and (row.inplace is None or python_method(left_type, row.inplace) is None)
    ):
        return vm.native(row.host, (left, right), {}, then)
    return vm.start(_binary_steps(row, left, right), then)


def _binary_steps(row: Binary, left: Any, right: Any) -> Steps:
    left_type, right_type = type(left), type(right)
    if row.inplace is not None:
        method = find(left_type.__mro__, row.inplace)
        if method is not NULL:
            fn, leading = bind_special(method, left)
            value = yield fn, (*leading, right)
            if value is not NotImplemented:
                return value
    for method, obj, other in _candidates(row, left, right, left_type, right_type):
        if method is None:
            break
        fn, leading = bind_special(method, obj)
        value = yield fn, (*leading, other)
        if value is not NotImplemented:
            return value
    if row.left in ("__add__", "__mul__") and _is_sequence(left_type):
        return getattr(left_type, row.left)(left, right)
    raise TypeError(f"unsupported operand type(s) for {row.symbol}: {left_type.__name__!r} and {right_type.__name__!r}")


def _is_sequence(tp: type) -> bool:
    """Builtin sequences concatenate and repeat only after both sides' operators were asked."""
    return issubclass(tp, (list, tuple, str, bytes, bytearray))


def _candidates(row: Binary, left: Any, right: Any, left_type: type, right_type: type) -> list[tuple[Any, Any, Any]]:
    """The methods in CPython's order: a right subclass's own reflected method comes first."""
    own = find(left_type.__mro__, row.left)
    if _is_sequence(left_type) and python_method(left_type, row.left) is None and row.left in ("__add__", "__mul__"):
        own = NULL
    reflected = find(right_type.__mro__, row.right) if right_type is not left_type else NULL
    candidates = [(own, left, right)] if own is not NULL else []
    if reflected is not NULL:
        overrides = left_type in right_type.__mro__ and reflected is not find(left_type.__mro__, row.right)
        candidates.insert(0 if overrides else len(candidates), (reflected, right, left))
    return candidates


def is_one(vm: Machine, left: Any, right: Any, inverted: bool) -> Any:
    """``left is right``, or ``is not``: a truth, which may stay open."""
    same = left is right
    types = type(left), type(right)
    told = not NATIVE_TYPES.isdisjoint(types) or (not same and all(issubclass(each, (tuple, slice)) for each in types))
    if told or types == (MethodType, MethodType) or (not same and GeneratorType in types):
        same = vm.world.same(left, right)
    return same is not inverted if type(same) is bool else same == (not inverted)


def compare(vm: Machine, symbol: str, left: Any, right: Any, then: Continuation | None) -> Any:
    """``left < right`` and its kin: the value, or `PUSHED`."""
    left_type, right_type = type(left), type(right)
    if left_type in SCALARS and right_type in SCALARS or _is_hosts(left_type, right_type):
        return COMPARE[symbol](left, right)
    name, reflected = _REFLECTED[symbol]
    if not (_compares(left_type, name) or _compares(right_type, reflected)):
        return vm.native(COMPARE[symbol], (left, right), {}, then)
    return vm.start(_compare_steps(symbol, name, reflected, left, right), then)


def _compares(tp: type, name: str) -> bool:
    if python_method(tp, name) is not None:
        return True
    return name == "__ne__" and python_method(tp, "__eq__") is not None


def _compare_steps(symbol: str, name: str, reflected: str, left: Any, right: Any) -> Steps:
    left_type, right_type = type(left), type(right)
    asks = [(left, right, name), (right, left, reflected)]
    if left_type is not right_type and left_type in right_type.__mro__:
        asks.reverse()
    for obj, other, method_name in asks:
        method = find(type(obj).__mro__, method_name)
        if method is object.__ne__:
            value = yield from _not_equal(obj, other)
        else:
            fn, leading = bind_special(method, obj)
            value = yield fn, (*leading, other)
        if value is not NotImplemented:
            return value
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    raise TypeError(f"{symbol!r} not supported between instances of {left_type.__name__!r} and {right_type.__name__!r}")


def _not_equal(obj: Any, other: Any) -> Steps:
    """``object.__ne__``: the negation of ``__eq__``."""
    fn, leading = bind_special(find(type(obj).__mro__, "__eq__"), obj)
    value = yield fn, (*leading, other)
    if value is NotImplemented:
        return value
    return not (yield bool, (value,))


def unary(vm: Machine, symbol: str, operand: Any, then: Continuation | None) -> Any:
    host, name = UNARY[symbol]
    method = python_method(type(operand), name)
    return vm.native(host, (operand,), {}, then) if method is None else vm.call(method, (operand,), {}, then)


def truth(vm: Machine, value: Any, then: Continuation | None) -> Any:
    """``bool(value)``: the value, or `PUSHED`."""
    tp = type(value)
    if not is_user_type(tp):
        return bool(value)
    method = python_method(tp, "__bool__")
    if method is not None:
        return vm.start(_bool_steps(vm, method, value), then)
    if find(tp.__mro__, "__bool__") is NULL:
        method = python_method(tp, "__len__")
        if method is not None:
            return vm.start(_nonzero_length(vm, value), then)
        if find(tp.__mro__, "__len__") is NULL:
            return True
    return vm.native(bool, (value,), {}, then)


def _bool_steps(vm: Machine, method: Any, value: Any) -> Steps:
    result = yield method, (value,)
    if vm.world.type_of(result) is not bool:
        raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
    return result


def _nonzero_length(vm: Machine, value: Any) -> Steps:
    return (yield bool, ((yield from length_steps(vm, value)),))


def length(vm: Machine, value: Any, then: Continuation | None) -> Any:
    if python_method(type(value), "__len__") is None:
        return vm.native(len, (value,), {}, then)
    return vm.start(length_steps(vm, value), then)


def length_steps(vm: Machine, value: Any) -> Steps:
    result = yield python_method(type(value), "__len__"), (value,)
    return vm.world.length(result)


def contains(vm: Machine, item: Any, container: Any, then: Continuation | None) -> Any:
    """``item in container``."""
    tp = type(container)
    method = find(tp.__mro__, "__contains__") if is_user_type(tp) else NULL
    searches = method is NULL and is_user_type(tp) and find(tp.__mro__, "__iter__") is not None
    if searches and (python_method(tp, "__iter__") or python_method(tp, "__getitem__")):
        return vm.start(_search_steps(item, container), then)
    if python_method(tp, "__contains__") is None:
        return vm.native(operator.contains, (container, item), {}, then)
    return vm.start(_contains_steps(method, item, container), then)


def _contains_steps(method: Any, item: Any, container: Any) -> Steps:
    return (yield bool, ((yield method, (container, item)),))


def _search_steps(item: Any, container: Any) -> Steps:
    iterator: Any = NULL
    try:
        iterator = yield iter, (container,)
    except TypeError:
        pass
    if iterator is NULL:
        raise TypeError(NOT_A_CONTAINER.format(type(container).__name__))
    while True:
        try:
            element = yield next, (iterator,)
        except StopIteration:
            return False
        if element is item or (yield bool, ((yield operator.eq, (element, item)),)):
            return True


def get_item(vm: Machine, container: Any, key: Any, then: Continuation | None) -> Any:
    """``container[key]``."""
    tp = type(container)
    method = python_method(tp, "__getitem__")
    if method is not None:
        return vm.call(method, (container, key), {}, then)
    if isinstance(container, type) and tp not in NATIVE_TYPES:
        hook = find(container.__mro__, "__class_getitem__")
        if type(hook) is classmethod and find(tp.__mro__, "__getitem__") is NULL:
            return vm.call(hook.__func__, (container, key), {}, then)
    if tp is dict and type(key) not in SCALARS or not (tp is dict or tp is list or tp is tuple or tp is str):
        return vm.native(operator.getitem, (container, key), {}, then)
    if type(key) is not int and any(type(part) in NATIVE_TYPES or is_user_type(type(part)) for part in _parts(key)):
        return vm.native(operator.getitem, (container, key), {}, then)
    return container[key]


def _parts(key: Any) -> tuple[Any, ...]:
    """What C reads of an index."""
    return (key.start, key.stop, key.step) if type(key) is slice else (key,)


def set_item(vm: Machine, container: Any, key: Any, value: Any, then: Continuation | None) -> Any:
    """``container[key] = value``. The result is `PUSHED`, or has no meaning."""
    tp = type(container)
    if tp is dict and type(key) in SCALARS or tp is list and type(key) is int:
        container[key] = value
        return None
    method = python_method(tp, "__setitem__")
    if method is not None:
        return vm.call(method, (container, key, value), {}, then)
    return vm.native(operator.setitem, (container, key, value), {}, then)


def delete_item(vm: Machine, container: Any, key: Any, then: Continuation | None) -> Any:
    """``del container[key]``. The result is `PUSHED`, or has no meaning."""
    method = python_method(type(container), "__delitem__")
    if method is not None:
        return vm.call(method, (container, key), {}, then)
    return vm.native(operator.delitem, (container, key), {}, then)


_ITERABLES: tuple[Any, ...] = ([], (), "", "é", b"", {}, {}.values(), {}.items(), set(), range(0), range(1 << 70, 1 << 71), reversed([]))
BUILTIN_ITERATORS = frozenset(type(iter(value)) for value in _ITERABLES)
"""Iterators that never call Python."""


# -- iteration


def iterate(vm: Machine, value: Any, then: Continuation | None) -> Any:
    """``iter(value)``."""
    method = python_method(type(value), "__iter__")
    if method is None:
        if is_user_type(type(value)):
            return vm.native(iter, (value,), {}, then)
        return iter(vm.world.in_order(value) if vm.tracing and isinstance(value, (set, frozenset)) else value)
    return vm.start(_iter_steps(method, value), then)


def _iter_steps(method: Any, value: Any) -> Steps:
    iterator = yield method, (value,)
    if find(type(iterator).__mro__, "__next__") is NULL:
        raise TypeError(f"iter() returned non-iterator of type {type(iterator).__name__!r}")
    return iterator
