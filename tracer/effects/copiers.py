"""How each kind of mutable object is copied: one row a kind, by the first type of C layout among the bases of its class.

``make(original, cls)`` gives an empty object of the class, without running any Python of the class; ``fill`` enters the contents.
A row without ``fill`` has no mutable contents beside its ``__dict__`` and slots, which are copied for all.
"""

from __future__ import annotations

import array
import functools
import threading
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

_Answer = TypeVar("_Answer")
Enter = Callable[[Any, str], Any]


class Copier(NamedTuple):
    """One row. ``parts(object)`` lists the contents as (path step, value), by which originals and shadows are compared."""

    make: Callable[[Any, type], Any]
    fill: Callable[[Any, Any, Enter, str], None] | None = None
    parts: Callable[[Any], Iterator[tuple[str, Any]]] | None = None


def step(key: Any) -> str:
    """The path step of a container's key, without running a user's ``__repr__``."""
    return f"[{key!r}]" if type(key) in (str, int, bool, float, bytes, type(None)) else f"[<{type(key).__name__}>]"


def _new(base: Any) -> Callable[[Any, type], Any]:
    return lambda original, cls: base.__new__(cls)


def _new_value(base: Any) -> Callable[[Any, type], Any]:
    return lambda original, cls: base.__new__(cls, base(original))


def _items_of(base: Any) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    return lambda original: ((step(key), value) for key, value in base.items(original))


def _elements_of(base: Any) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    return lambda original: ((f"[{index}]", value) for index, value in enumerate(base.__iter__(original)))


def _members_of(base: Any) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    """In an order that does not depend on how the set grew."""
    return lambda original: ((f"{{{key!r}}}", key) for key in sorted(base.__iter__(original), key=hash))


def _fill_mapping(base: Any) -> Callable[[Any, Any, Enter, str], None]:
    def fill(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
        for key, value in base.items(original):
            base.__setitem__(shadow, enter(key, f"{origin} key"), enter(value, origin + step(key)))

    return fill


def _fill_default(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    shadow.default_factory = enter(original.default_factory, f"{origin}.default_factory")
    _fill_mapping(dict)(shadow, original, enter, origin)


def _fill_list(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    list.extend(shadow, [enter(value, f"{origin}[{index}]") for index, value in enumerate(list.__iter__(original))])


def _fill_deque(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    items = [enter(value, f"{origin}[{index}]") for index, value in enumerate(deque.__iter__(original))]
    deque.__init__(shadow, items, original.maxlen)


def _fill_set(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    set.update(shadow, [enter(value, f"{origin} member") for value in set.__iter__(original)])


def _make_exception(original: Any, cls: type) -> Any:
    base = next(c for c in cls.__mro__ if c.__module__ == "builtins")
    return base.__new__(cls, *original.args)


def _fill_exception(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    shadow.args = enter(original.args, f"{origin}.args")
    shadow.__cause__ = enter(original.__cause__, f"{origin}.__cause__")
    shadow.__context__ = enter(original.__context__, f"{origin}.__context__")
    shadow.__suppress_context__ = original.__suppress_context__


def _bytes_of(original: Any) -> Iterator[tuple[str, Any]]:
    yield "[:]", bytes(original)


COPIERS: dict[type, Copier] = {
    object: Copier(_new(object)),
    types.SimpleNamespace: Copier(_new(types.SimpleNamespace)),
    list: Copier(_new(list), _fill_list, _elements_of(list)),
    dict: Copier(_new(dict), _fill_mapping(dict), _items_of(dict)),
    OrderedDict: Copier(_new(OrderedDict), _fill_mapping(OrderedDict), _items_of(OrderedDict)),
    defaultdict: Copier(_new(defaultdict), _fill_default, _items_of(dict)),
    deque: Copier(_new(deque), _fill_deque, _elements_of(deque)),
    set: Copier(_new(set), _fill_set, _members_of(set)),
    bytearray: Copier(lambda original, cls: bytearray.__new__(cls), lambda s, o, e, p: bytearray.extend(s, bytes(o)), _bytes_of),
    array.array: Copier(lambda original, cls: array.array.__new__(cls, original.typecode, bytes(original)), None, _bytes_of),
    BaseException: Copier(_make_exception, _fill_exception, lambda original: iter([(".args", original.args)])),
    **{base: Copier(_new_value(base)) for base in (int, float, complex, str, bytes)},
    type(threading.Lock()): Copier(lambda original, cls: threading.Lock()),
    type(threading.RLock()): Copier(lambda original, cls: threading.RLock()),
    functools._lru_cache_wrapper: Copier(lambda original, cls: functools.lru_cache(**original.cache_parameters())(original.__wrapped__)),
}
LATE: tuple[type, ...] = (dict, OrderedDict, defaultdict, set)
"""Containers that hash what they hold: filled after the objects that they hold have their attributes."""


def by_class(function: Callable[[type], _Answer]) -> Callable[[type], _Answer]:
    """Remembers the answers for the classes asked for lately."""
    return functools.lru_cache(maxsize=4096)(function)


@by_class
def copier_of(cls: type) -> Copier | None:
    """The row for instances of this class; ``None`` where C keeps state in them that no row knows of."""
    base: type | None = cls
    while base is not None and base not in COPIERS:
        base = base.__base__
    if base is None or (base is not BaseException and _size_of_state(cls, base) != 0):
        return None
    return COPIERS[base]


_MANAGED_WEAKREF, _MANAGED_DICT = 1 << 3, 1 << 4


def _size_of_state(cls: type, base: type) -> int:
    """The bytes in an instance that neither its base, nor its slots, nor the pointers to its ``__dict__`` and weak references explain."""
    pointers = len(slots_of(cls)) + _pointers(cls) - _pointers(base)
    return cls.__basicsize__ - base.__basicsize__ - 8 * pointers


def _pointers(cls: type) -> int:
    return (cls.__dictoffset__ != 0 and not cls.__flags__ & _MANAGED_DICT) + (
        cls.__weakrefoffset__ != 0 and not cls.__flags__ & _MANAGED_WEAKREF
    )


@by_class
def slots_of(cls: type) -> tuple[tuple[str, Any], ...]:
    """Name and member descriptor of every ``__slots__`` entry of Python classes among the bases."""
    found = {}
    for base in reversed(cls.__mro__):
        if "__slots__" in vars(base):  # a class made by a class statement, not by C
            found.update({n: d for n, d in vars(base).items() if type(d) is types.MemberDescriptorType})
    return tuple(found.items())


def state_of(obj: Any) -> dict[str, Any] | None:
    """The instance's ``__dict__``, without running Python of its class."""
    try:
        state = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return None
    return state if type(state) is dict else None


def parts_of(obj: Any) -> Iterator[tuple[str, Any]]:
    """The contents of a container as (path step, value); of any other object, nothing."""
    if isinstance(obj, tuple):
        return _elements_of(tuple)(obj)
    copier = copier_of(type(obj))
    return iter(()) if copier is None or copier.parts is None else copier.parts(obj)


def attributes_of(obj: Any) -> Iterator[tuple[str, Any]]:
    """Every attribute in the ``__dict__`` and the slots that is set."""
    yield from (state_of(obj) or {}).items()
    for name, descriptor in slots_of(type(obj)):
        try:
            yield name, descriptor.__get__(obj)
        except AttributeError:
            continue
