"""How mutable objects are copied: one row per kind, chosen by the first type of C layout among the
bases of the object's class.

``make(original, cls)`` returns an empty object of the class without running any Python of the
class; ``fill`` enters the contents. A row without ``fill`` has no mutable contents beside its
``__dict__`` and slots, which are copied for all.
"""

from __future__ import annotations

import _random
import array
import enum
import functools
import threading
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from npexport.tracer.bytecode.host import HEAP_TYPE, MANAGED_DICT, MANAGED_WEAKREF
from npexport.tracer.effects.hashing import ordered_keys, table, unasked
from npexport.tracer.effects.policy import ATOMS

_Answer = TypeVar("_Answer")
Enter = Callable[[Any, str], Any]


class Copier(NamedTuple):
    """One row.

    ``contents(object)`` lists the contents as pairs of path step and value, by which originals and
    shadows are compared.
    """

    make: Callable[[Any, type], Any]
    fill: Callable[[Any, Any, Enter, str], None] | None = None
    contents: Callable[[Any], Iterator[tuple[str, Any]]] | None = None


def step(key: Any) -> str:
    """The path step for a container's key, without running a user's ``__repr__``."""
    return f"[{key!r}]" if _plain(key) else f"[<{type(key).__name__}>]"


def _plain(key: Any) -> bool:
    return all(map(_plain, key)) if type(key) is tuple else type(key) in ATOMS


def _new(base: Any) -> Callable[[Any, type], Any]:
    return lambda original, cls: base.__new__(cls)


def _new_value(base: Any) -> Callable[[Any, type], Any]:
    return lambda original, cls: base.__new__(cls, _VALUES[base](original))


def _items_of(base: Any) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    return lambda original: ((step(key), value) for key, value in base.items(original))


def _ordered_parts(original: Any) -> Iterator[tuple[str, Any]]:
    return ((step(key), value) for key, value in _items_in_order(original))


def _elements_of(base: Any) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    return lambda original: ((f"[{index}]", value) for index, value in enumerate(base.__iter__(original)))


def _members_of(original: Any) -> Iterator[tuple[str, Any]]:
    """The members in an order independent of how the set grew, if that runs nothing of theirs."""
    members = [("{" + step(key)[1:-1] + "}", key) for key in set.__iter__(original)]
    return iter(sorted(members, key=lambda member: member[0]))


def _fill_mapping(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    if all(type(key) in ATOMS for key in dict.__iter__(original)):
        for key, value in dict.items(original):
            dict.__setitem__(shadow, key, enter(value, origin + step(key)))
        return
    items = [(key, enter(value, origin + step(key))) for key, value in dict.items(original)]
    keys = {id(key): enter(key, f"{origin} key") for key, _ in items}
    with unasked(original, keys) as known:
        dict.update(shadow, table((keys[id(key)], value, known[id(key)]) for key, value in items))


def _fill_ordered(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    items = [(key, enter(value, origin + step(key))) for key, value in _items_in_order(original)]
    keys = {id(key): enter(key, f"{origin} key") for key, _ in items}
    with unasked(original, keys):
        for key, value in items:
            OrderedDict.__setitem__(shadow, keys[id(key)], value)


def _items_in_order(original: Any) -> list[tuple[Any, Any]]:
    values = {id(key): value for key, value in dict.items(original)}
    return [(key, values[id(key)]) for key in ordered_keys(original) or ()]


def _fill_default(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    factory = _FACTORY.__get__(original)
    _FACTORY.__set__(shadow, enter(factory, f"{origin}.default_factory"))
    _fill_mapping(shadow, original, enter, origin)


def _fill_list(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    list.extend(shadow, [enter(value, f"{origin}[{index}]") for index, value in enumerate(list.__iter__(original))])


def _fill_deque(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    items = [enter(value, f"{origin}[{index}]") for index, value in enumerate(deque.__iter__(original))]
    deque.__init__(shadow, items, _MAXLEN.__get__(original))


def _fill_set(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    members = {id(value): enter(value, f"{origin} member") for value in set.__iter__(original)}
    with unasked(original, members) as known:
        set.update(shadow, table((members[key], None, number) for key, number in known.items()))


def _make_random(original: Any, cls: type) -> Any:
    """Python's own generator, which draws the same numbers again."""
    made: Any = _random.Random.__new__(cls)
    _random.Random.setstate(made, _random.Random.getstate(original))
    return made


def _make_exception(original: Any, cls: type) -> Any:
    base: Any = next(base for base in cls.__mro__ if "__slots__" not in vars(base) and not base.__flags__ & HEAP_TYPE)
    return base.__new__(cls, *_ARGS.__get__(original))


def _fill_exception(shadow: Any, original: Any, enter: Enter, origin: str) -> None:
    for name in ("args", "__cause__", "__context__"):
        part = vars(BaseException)[name]
        part.__set__(shadow, enter(part.__get__(original), f"{origin}.{name}"))
    suppressed = vars(BaseException)["__suppress_context__"]
    suppressed.__set__(shadow, suppressed.__get__(original))


def _bytes_of(original: Any) -> Iterator[tuple[str, Any]]:
    yield "[:]", _bytes_in(original)


def _bytes_in(original: Any) -> bytes:
    return array.array.tobytes(original) if issubclass(type(original), array.array) else bytes(bytearray.__getitem__(original, slice(None)))


_FACTORY, _MAXLEN, _ARGS = vars(defaultdict)["default_factory"], vars(deque)["maxlen"], vars(BaseException)["args"]
_TYPECODE = vars(array.array)["typecode"]
_VALUES: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
    bytes: lambda original: bytes.__getitem__(original, slice(None)),
}
"""Reads the plain value of an instance of a subclass without its methods."""


LOCK, RLOCK = LOCKS = type(threading.Lock()), type(threading.RLock())
COPIERS: dict[type, Copier] = {
    object: Copier(_new(object)),
    types.SimpleNamespace: Copier(_new(types.SimpleNamespace)),
    list: Copier(_new(list), _fill_list, _elements_of(list)),
    dict: Copier(_new(dict), _fill_mapping, _items_of(dict)),
    OrderedDict: Copier(_new(OrderedDict), _fill_ordered, _ordered_parts),
    defaultdict: Copier(_new(defaultdict), _fill_default, _items_of(dict)),
    deque: Copier(_new(deque), _fill_deque, _elements_of(deque)),
    set: Copier(_new(set), _fill_set, _members_of),
    bytearray: Copier(lambda original, cls: bytearray.__new__(cls), lambda s, o, e, p: bytearray.extend(s, _bytes_in(o)), _bytes_of),
    array.array: Copier(lambda original, cls: array.array.__new__(cls, _TYPECODE.__get__(original), _bytes_in(original)), None, _bytes_of),
    BaseException: Copier(_make_exception, _fill_exception, lambda original: iter([(".args", _ARGS.__get__(original))])),
    **{base: Copier(_new_value(base)) for base in _VALUES},
    LOCK: Copier(lambda original, cls: threading.Lock()),
    RLOCK: Copier(lambda original, cls: threading.RLock()),
    threading.local: Copier(_new(threading.local)),
    _random.Random: Copier(_make_random),
    functools._lru_cache_wrapper: Copier(lambda original, cls: functools.lru_cache(**original.cache_parameters())(original.__wrapped__)),
}
LATE: tuple[type, ...] = (dict, OrderedDict, defaultdict, set)
"""Containers that hash their contents: filled after the objects in them have their attributes."""


def by_class(function: Callable[[type], _Answer]) -> Callable[[type], _Answer]:
    """Cache the results for the classes used most recently."""
    return functools.lru_cache(maxsize=4096)(function)


@by_class
def copier_of(cls: type) -> Copier | None:
    """The row for instances of this class; ``None`` if C keeps state in them that no row covers."""
    base: type | None = cls
    while base is not None and base not in COPIERS:
        base = base.__base__
    if base is BaseException:
        return COPIERS[base]
    if base is threading.local and cls is not base:
        return None  # its instances have a ``__dict__`` beside those of the threads
    if base is None or _size_of_state(cls, base) != 0 or not issubclass(base, _made_by(cls)):
        return None
    return COPIERS[base]


def _made_by(cls: type) -> type:
    """The C class whose ``__new__`` makes the instances: no other may."""
    return next(base for base in cls.__mro__ if isinstance(vars(base).get("__new__"), types.BuiltinFunctionType))


def is_stateless(obj: Any) -> bool:
    """Whether an object has nothing that could change, in C or in Python: a sentinel."""
    cls = type(obj)
    return state_of(obj) is None and not slots_of(cls) and cls.__dictoffset__ == 0 and _size_of_state(cls, object) == 0


def _size_of_state(cls: type, base: type) -> int:
    """The bytes in an instance that are not accounted for by its base, its slots, and the pointers
    to its ``__dict__`` and weak references.
    """
    pointers = len(slots_of(cls)) + _pointers(cls) - _pointers(base)
    return cls.__basicsize__ - base.__basicsize__ - 8 * pointers


def _pointers(cls: type) -> int:
    return (cls.__dictoffset__ != 0 and not cls.__flags__ & MANAGED_DICT) + (
        cls.__weakrefoffset__ != 0 and not cls.__flags__ & MANAGED_WEAKREF
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
    """The instance's ``__dict__``, without running Python of its class; of `threading.local` that
    of this thread.
    """
    try:
        state = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        if type(obj) is not threading.local:
            return None
        state = threading.local.__getattribute__(obj, "__dict__")
    return state if type(state) is dict else None


def copy_contents(copy: Any, source: Any, enter: Enter, origin: str) -> None:
    """Enter the contents of ``source`` (items, slots, attributes) into an empty object."""
    copier = copier_of(type(source))
    if copier is not None and copier.fill is not None:
        copier.fill(copy, source, enter, origin)
    for name, descriptor in slots_of(type(source)):
        try:
            held = descriptor.__get__(source)
        except AttributeError:
            continue
        descriptor.__set__(copy, enter(held, f"{origin}.{name}"))
    enter_state(copy, source, enter, origin)


def enter_state(copy: Any, source: Any, enter: Enter, origin: str) -> None:
    """Enter the ``__dict__`` of ``source`` into that of ``copy``."""
    state, target = state_of(source), state_of(copy)
    if state and target is not None:
        target.update({name: enter(held, f"{origin}.{name}") for name, held in state.items()})


def is_listed(member: enum.Enum) -> bool:
    """Whether a member of an enumeration is one that its class knows: defined, or a combination of
    flags made before. Runs no Python of its class.
    """
    space = vars(type(member))
    return any(member is known for names in _MEMBERS for known in space.get(names, {}).values())


_MEMBERS = ("_member_map_", "_value2member_map_")


def listed(member: enum.Enum) -> enum.Enum:
    """The member as callers find it: a combination of flags that the program was first to make is
    entered in the table of its class, as the first to make it does; not one of a size.
    """
    if is_listed(member) or not isinstance(member, enum.Flag) or type(member._value_) is not int:
        return member
    found: enum.Enum = vars(type(member))["_value2member_map_"].setdefault(member._value_, member)
    return found


def contents_of(obj: Any) -> Iterator[tuple[str, Any]]:
    """The contents of a container as pairs (path step, value); empty for any other object."""
    if issubclass(type(obj), tuple):
        return _elements_of(tuple)(obj)
    copier = copier_of(type(obj))
    return iter(()) if copier is None or copier.contents is None else copier.contents(obj)


def places_of(obj: Any) -> Iterator[tuple[str, Any]]:
    """Every place in an object: the step to it, as the program writes it, and the value."""
    yield from ((f".{name}", value) for name, value in attributes_of(obj))
    yield from contents_of(obj)


def attributes_of(obj: Any) -> Iterator[tuple[str, Any]]:
    """Every attribute in ``__dict__`` and slots that is set."""
    yield from (state_of(obj) or {}).items()
    for name, descriptor in slots_of(type(obj)):
        try:
            yield name, descriptor.__get__(obj)
        except AttributeError:
            continue
