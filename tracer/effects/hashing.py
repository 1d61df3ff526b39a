"""Copies containers that hash their contents together with the stored hashes: no ``__hash__`` or
``__eq__`` of the program's runs.

CPython keeps the hash of every key, and reuses the hashes of a dict when a set is made of it or
another dict is updated with it. It compares keys of equal hash for equality, and an ordered dict
asks its keys for their hashes. Meanwhile the keys have a twin of their class: a class of the same
layout whose instances equal only themselves and have the hash that the container stores.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import types
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE, MANAGED_DICT
from npexport.tracer.effects.policy import ATOMS, KEPT
from npexport.tracer.interpreter.class_members import find

_API: Any = ctypes.pythonapi
_OBJECT = ctypes.c_size_t  # an address: what ctypes is given as an object, it asks for its class
_POINTERS = [ctypes.POINTER(ctype) for ctype in (ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t)]
_api_set_item = _API._PyDict_SetItem_KnownHash
_api_set_item.argtypes = [_OBJECT, _OBJECT, _OBJECT, ctypes.c_ssize_t]
_api_next_member = _API._PySet_NextEntry
_api_next_member.argtypes = [_OBJECT, *_POINTERS[:2], _POINTERS[3]]
_api_next_item: Any = getattr(_API, "_PyDict_Next", None)  # none in CPython 3.13
if _api_next_item is not None:
    _api_next_item.argtypes = [_OBJECT, *_POINTERS]


def hashes(container: Any) -> dict[int, int]:
    """The hash of every key of a dict, or member of a set, by its identity."""
    if issubclass(type(container), dict):
        return _hashes_of_items(container) if _api_next_item is not None else _hashes_in_table(container)
    place, key, number = ctypes.c_ssize_t(), ctypes.c_void_p(), ctypes.c_ssize_t()
    found: dict[int, int] = {}
    while _api_next_member(id(container), ctypes.byref(place), ctypes.byref(key), ctypes.byref(number)):
        found[key.value or 0] = number.value
    return found


def _hashes_of_items(container: Any) -> dict[int, int]:
    place, key, value, number = ctypes.c_ssize_t(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_ssize_t()
    found: dict[int, int] = {}
    while _api_next_item(id(container), ctypes.byref(place), ctypes.byref(key), ctypes.byref(value), ctypes.byref(number)):
        found[key.value or 0] = number.value
    return found


class _Keys(ctypes.Structure):
    """The head of the table of a dict: ``PyDictKeysObject`` of CPython 3.13."""

    _fields_ = [
        ("references", ctypes.c_ssize_t),
        ("log2_size", ctypes.c_uint8),
        ("log2_index_bytes", ctypes.c_uint8),
        ("kind", ctypes.c_uint8),
        ("version", ctypes.c_uint32),
        ("usable", ctypes.c_ssize_t),
        ("entries", ctypes.c_ssize_t),
    ]


_GENERAL = 0  # the kind of a table whose keys are not all texts, and whose entries hold hashes
_TABLE = object.__basicsize__ + 2 * ctypes.sizeof(ctypes.c_ssize_t)  # where a dict holds the address of its table


def _hashes_in_table(container: Any) -> dict[int, int]:
    address = ctypes.c_void_p.from_address(id(container) + _TABLE).value or 0
    head = _Keys.from_address(address)
    if head.kind != _GENERAL:
        return {id(key): str.__hash__(key) for key in dict.__iter__(container)}
    first = address + ctypes.sizeof(_Keys) + (1 << head.log2_index_bytes)
    words = (ctypes.c_ssize_t * (3 * head.entries)).from_address(first)  # hash, key, value
    return {words[place + 1]: words[place] for place in range(0, 3 * head.entries, 3) if words[place + 1]}


def _is_readable() -> bool:
    """Whether tables have the layout that is assumed here, checked on one whose hashes are known.
    Builds without the interpreter's lock have another layout.
    """
    if "free-threading" in sys.version:
        return False
    known = {5: None, "text": None, (1, 2): None}
    return hashes(known) == {id(key): hash(key) for key in known}


READABLE = _is_readable()


def ordered_keys(container: Any) -> list[Any] | None:
    """The keys of an ordered dict in its order (its own iterators would ask them for hashes);
    ``None`` if that cannot be found.
    """
    keys = list(dict.__iter__(container))
    if all(type(key) in ATOMS for key in keys):
        return list(OrderedDict.__iter__(container))
    found = gc.get_referents(container)[-3 * len(keys) : -2 * len(keys)]  # after attributes, before the items of the dict
    return found if set(map(id, keys)) == set(map(id, found)) else None


def can_be_copied(container: Any) -> bool:
    """Whether a container can be copied, with the sets that its keys hold, without calling keys."""
    keys = list(_base(container).__iter__(container))
    if not READABLE or any(map(_is_mixed, keys)):
        return False
    if not all(can_be_copied(leaf) for key in keys for leaf in _leaves(key) if issubclass(type(leaf), frozenset)):
        return False
    ordered = issubclass(type(container), OrderedDict)
    if ordered and ordered_keys(container) is None:
        return False
    leaves = ((key, leaf) for key in _asked(container, hashes(container)) for leaf in _leaves(key) if _answers(type(leaf)))
    return all(_twin_of(type(leaf)) is not None and (key is leaf or not ordered) for key, leaf in leaves)


def _asked(container: Any, known: dict[int, int]) -> list[Any]:
    """The keys that CPython calls on insertion: those of equal hash, and all of an ordered dict."""
    often = Counter(known.values())
    ordered = issubclass(type(container), OrderedDict)
    return [key for key in _base(container).__iter__(container) if ordered or often[known[id(key)]] > 1]


def _base(container: Any) -> Any:
    return next(base for base in (dict, set, frozenset) if issubclass(type(container), base))


_HASHES: dict[int, int] = {}
"""The hashes of keys whose class is a twin at the moment, by identity."""


@contextmanager
def unasked(original: Any, keys: dict[int, Any]) -> Iterator[dict[int, int]]:
    """A context in which no new key is called.

    ``keys``: the new keys, by the identities of the original ones.

    Yields the hashes of the new keys, by the identities of the original ones.
    """
    known = {key: _moved(keys[key], number) for key, number in hashes(original).items()}
    changed: list[tuple[Any, type]] = []
    try:
        for key in _asked(original, known):
            for leaf in _leaves(keys[id(key)]):
                cls = type(leaf)
                twin = _twin_of(cls) if id(leaf) not in _HASHES and _answers(cls) else None
                if twin is not None:
                    _HASHES[id(leaf)] = known[id(key)]
                    changed.append((leaf, cls))
                    _set_class(leaf, twin)
        yield known
    finally:
        for leaf, cls in changed:
            _set_class(leaf, cls)
            del _HASHES[id(leaf)]


def table(entries: Iterable[tuple[Any, Any, int]]) -> dict[Any, Any]:
    """A dict of (key, value, hash of the key)."""
    made: dict[Any, Any] = {}
    for key, value, number in entries:
        _api_set_item(id(made), id(key), id(value), number)
    return made


def _leaves(key: Any) -> Iterator[Any]:
    """The key and its items, recursively: a tuple is as equal as its items are."""
    yield key
    for base in (tuple, frozenset):
        if issubclass(type(key), base):
            for item in base.__iter__(key):
                yield from _leaves(item)


def _moved(key: Any, number: int) -> int:
    """The hash of a new key: the original's, ``number``, but where it is told by addresses."""
    return hash(key) if any(map(_told_by_address, _hashed(key))) else number


def _hashed(key: Any, bases: tuple[Any, ...] = (tuple, frozenset)) -> Iterator[Any]:
    """The items, recursively, of whose hashes C makes that of the key; or the key, with its own."""
    base = _hashing_items(type(key))
    if base not in bases:
        yield key
        return
    for item in base.__iter__(key):
        yield from _hashed(item, bases)


def _hashing_items(cls: type) -> Any:
    """The base that computes the hash of instances of the hashes of their items, if one does."""
    return next((base for base in (tuple, frozenset) if _method(cls, "__hash__") is vars(base)["__hash__"]), None)


Call = tuple[Any, tuple[Any, ...]]


def hash_of_origin(call: Call, key: Any, original_of: Callable[[Any], Any]) -> Call:
    """The call of ``hash``, or of a class's ``__hash__``, that gives what ``call`` gave outside."""
    function, _ = call
    owner = object if function is _HASH_OF_ADDRESS else getattr(function, "__objclass__", None)
    if owner is object:
        return _HASH_OF_ADDRESS, (original_of(key),)
    if owner is tuple:
        return hash, (_key_of_origin(tuple(tuple.__iter__(key)), original_of),)
    known = _key_of_origin(key, original_of)
    return call if known is key else (hash, (known,))


def _key_of_origin(key: Any, original_of: Callable[[Any], Any]) -> Any:
    """A key of the hash that ``key`` had outside the program, where addresses tell it: an original
    lies elsewhere than its shadow.
    """
    cls = type(key)
    if cls is types.MethodType:
        owner = original_of(key.__self__)
        return key if owner is key.__self__ else types.MethodType(key.__func__, owner)
    if _told_by_address(key):
        original = original_of(key)
        return original if _told_by_address(original) else key
    base = _hashing_items(cls)
    if base is None:
        return key
    items = {id(item): _key_of_origin(item, original_of) for item in base.__iter__(key)}
    if all(id(item) == place for place, item in items.items()):
        return key
    if base is tuple:
        return tuple(items[id(item)] for item in tuple.__iter__(key))
    with unasked(key, items) as known:
        return frozenset(table((items[place], None, number) for place, number in known.items()))


def _is_mixed(key: Any) -> bool:
    """Whether nobody knows the hash of a tuple's copy: some items tell their hash by their address,
    and for others Python code computes it. (A set knows the hashes of its members.)
    """
    if _hashing_items(type(key)) is not tuple or not any(_told_by_address(leaf) and type(leaf) not in KEPT for leaf in _hashed(key)):
        return False
    return any(_is_of_python(_method(type(leaf), "__hash__")) for leaf in _hashed(key, (tuple,)))


def _told_by_address(leaf: Any) -> bool:
    """Whether the hash is told by the address, of the object or of a method's object."""
    return type(leaf) is types.MethodType or _method(type(leaf), "__hash__") is _HASH_OF_ADDRESS


def _answers(cls: type) -> bool:
    """Whether Python code computes the hash of instances, or compares them."""
    return any(_is_of_python(_method(cls, name)) for name in ("__hash__", "__eq__"))


def _is_of_python(method: Any) -> bool:
    """Members of enumerations are identified by their names."""
    return type(method) not in _OF_C and getattr(method, "__module__", "") != "enum"


def _method(cls: type, name: str) -> Any:
    return find(cls.__mro__, name)


_HASH_OF_ADDRESS = vars(object)["__hash__"]
_OF_C = (types.WrapperDescriptorType, type(None))
_set_class = vars(object)["__class__"].__set__  # a class may have a property of that name


def _make_twin(cls: type) -> type | None:
    """A class of the same layout whose instances run nothing of the program's; ``None`` if CPython
    does not allow one.

    No class of the program is its base: that would run ``__init_subclass__``, and be visible.
    """
    layout = cls
    while layout.__base__ is not None and _sizes(layout.__base__) == _sizes(layout):
        layout = layout.__base__
    own = {"__hash__": lambda self: _HASHES[id(self)], "__eq__": object.__eq__, "__ne__": object.__ne__}
    if not layout.__flags__ & HEAP_TYPE:
        return type("Twin", (layout,), own | {"__slots__": ()})
    base = layout.__base__
    assert base is not None
    told_by_length = layout.__itemsize__ and layout.__dictoffset__ and not layout.__flags__ & MANAGED_DICT  # where the attributes are
    if told_by_length or (base.__flags__ & HEAP_TYPE and base.__module__ != "typing"):
        return None
    slots = {"__slots__": vars(layout)["__slots__"]} if "__slots__" in vars(layout) else {}
    return type.__new__(type(base), "Twin", (base,), own | slots)


_twin_of: Callable[[type], type | None] = lru_cache(maxsize=256)(_make_twin)


def _sizes(cls: type) -> tuple[int, ...]:
    return cls.__basicsize__, cls.__itemsize__, cls.__dictoffset__, cls.__weakrefoffset__
