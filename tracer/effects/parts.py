"""What objects hold, as *parts* (attributes, slots, items) that can be compared, and restored in
place.

No code of the program runs here: containers are read past the methods of their subclasses,
attributes past their descriptors.
"""

from __future__ import annotations

import _random
import contextvars
import functools
import itertools
import operator
import re
import struct
import sys
import types
import warnings
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from npexport.tracer.arrays.api.flat import FlatIterator
from npexport.tracer.arrays.api.nditer import NestedIterator
from npexport.tracer.arrays.api.objects import Objects, SizedObjects
from npexport.tracer.arrays.core.array_iterator import Rows
from npexport.tracer.arrays.core.filled_dict import FilledDict, FilledView
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER, Store
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.effects.copiers import LOCKS, RLOCK, by_class, copier_of, slots_of, state_of, step
from npexport.tracer.effects.hashing import ordered_keys, table, unasked
from npexport.tracer.effects.policy import ATOMS, KEPT
from npexport.tracer.interpreter import generators, partial_objects, suspended
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.polyfills.stepping import Placed
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion


class Part(NamedTuple):
    """One part of an object's contents.

    ``kind``: its row in `KINDS`. ``keys``: the names of the values: a tuple, or a copy of the keys.
    """

    kind: str
    keys: Any
    values: tuple[Any, ...]


def _put_list(owner: Any, part: Part) -> None:
    list.__setitem__(owner, slice(None), part.values)


def _put_deque(owner: Any, part: Part) -> None:
    deque.clear(owner)
    deque.extend(owner, part.values)


def _put_dict(owner: Any, part: Part) -> None:
    """Restore a dict without asking keys of the program for their hashes."""
    items = list(zip(part.keys, part.values, strict=True))
    if isinstance(owner, OrderedDict) or all(type(key) in ATOMS for key in part.keys):
        base: Any = OrderedDict if isinstance(owner, OrderedDict) else dict
        base.clear(owner)
        for key, value in items:
            base.__setitem__(owner, key, value)
        return
    dict.clear(owner)
    with unasked(part.keys, {id(key): key for key in part.keys}) as known:
        dict.update(owner, table((key, value, known[id(key)]) for key, value in items))


def _put_set(owner: Any, part: Part) -> None:
    set.clear(owner)
    with unasked(part.keys, {id(key): key for key in part.keys}):
        set.update(owner, part.keys)


def _put_attributes(owner: Any, part: Part) -> None:
    state: Any = state_of(owner)
    state.clear()
    state.update([(name, value) for name, value in zip(part.keys, part.values, strict=True) if value is not NULL])


def _put_slots(owner: Any, part: Part) -> None:
    for (_, descriptor), value in zip(slots_of(type(owner)), part.values, strict=True):
        if value is not NULL:
            descriptor.__set__(owner, value)
        elif _slot(descriptor, owner) is not NULL:
            descriptor.__delete__(owner)


def _put_cell(owner: Any, part: Part) -> None:
    if part.values[0] is not NULL:
        owner.cell_contents = part.values[0]
    else:
        del owner.cell_contents


def _put_named(owner: Any, part: Part) -> None:
    for name, value in zip(part.keys, part.values, strict=True):
        setattr(owner, name, value)


def _put_bytes(owner: Any, part: Part) -> None:
    owner[:] = part.keys if isinstance(owner, bytearray) else type(owner)(owner.typecode, part.keys)


def _put_lock(owner: Any, part: Part) -> None:
    for _ in range(times_held(owner)):
        owner.release()
    for _ in range(part.keys):
        owner.acquire()


def _put_class(owner: Any, part: Part) -> None:
    if type(owner) is not part.keys[0]:
        owner.__class__ = part.keys[0]


def _put_position(owner: Any, part: Part) -> None:
    """Restore an iterator that has not ended: a C iterator drops its container when it ends."""
    owner.__setstate__(part.values[1])


def _put_frame(owner: Any, part: Part) -> None:
    count = len(owner.fast)
    owner.fast[:] = part.values[:count]
    owner.stack[:] = part.values[count:]


def _put_generator(owner: Any, part: Part) -> None:
    suspended.put_back(owner, part.values)


KINDS: dict[str, Callable[[Any, Part], None] | None] = {
    "list": _put_list,
    "deque": _put_deque,
    "dict": _put_dict,
    "set": _put_set,
    "attributes": _put_attributes,
    "slots": _put_slots,
    "cell": _put_cell,
    "named": _put_named,
    "bytes": _put_bytes,
    "lock": _put_lock,
    "class": _put_class,
    "position": _put_position,
    "hidden": None,
    "frame": _put_frame,
    "generator": _put_generator,
    "fixed": None,
}
"""How a part is restored into its owner; ``None``: it cannot be.

A ``hidden`` part cannot even be read.
"""


STAND_INS: dict[type, tuple[str, ...]] = {
    ArrayProxy: ("storage", "link", "meta", "array", "writeable"),
    FlatIterator: ("_array", "_position"),
    FilledDict: ("rows",),
    FilledView: ("part", "table"),
    FilledList: ("own", "length", "frozen", "within", "own_item"),
    **dict.fromkeys(INNER, ("store", "number")),
    Store: ("counts", "table"),
    Objects: ("items", "places"),
    SizedObjects: ("items",),
    SymbolicUnion: ("options",),
}
"""The contents of npexport's objects that stand for those of the program, or refer to them. Models
that have such objects add theirs.
"""
HIDING: set[type] = {NestedIterator}
"""Types whose contents cannot be read."""


PLACED = frozenset({"position", "generator"})
"""The kinds of parts that say where an iterator stands."""


_OF_FUNCTIONS = (
    *("__code__", "__defaults__", "__kwdefaults__", "__name__", "__qualname__", "__module__", "__doc__"),
    *(("__type_params__",) if hasattr(types.FunctionType, "__type_params__") else ()),
)

_OF_CLASSES = ("__name__", "__qualname__", "__bases__")

_OF_EXCEPTIONS = ("args", "__cause__", "__context__", "__suppress_context__")


def parts_of(value: Any) -> tuple[Part, ...]:
    """The parts of an object. Nothing of the program runs."""
    kind = type(value)
    if kind is Frame:
        return Part("frame", value.info.slots, (*value.fast, *value.stack)), _named(value, ("handled", "poison"))
    names = STAND_INS.get(kind)
    return tuple(_parts(value, kind)) if names is None else (_named(value, names),)


def _named(value: Any, names: tuple[str, ...]) -> Part:
    return Part("named", names, tuple([getattr(value, name) for name in names]))


def _parts(value: Any, kind: type) -> Iterator[Part]:
    if kind is Rows:
        yield Part("position", (), (value.array, value.position))
        return
    if kind in HIDING:
        yield Part("hidden", (), ())
        return
    if kind is types.CellType:
        yield Part("cell", ("",), (_held(value),))
        return
    if kind is types.FunctionType:
        yield _named(value, _OF_FUNCTIONS)
        if getattr(value, "__annotate__", None) is None:  # they are there, and no Python makes them
            yield _named(value, ("__annotations__",))
        yield Part("fixed", (), tuple(value.__closure__ or ()))
    elif issubclass(kind, type):
        own = [vars(type)[name].__get__(value) for name in _OF_CLASSES]  # whatever its metaclass says
        yield Part("fixed", (*vars(value), *_OF_CLASSES), (*vars(value).values(), *own))
        return
    elif kind is types.MethodType:
        yield Part("fixed", (), (value.__self__, value.__func__))
    else:
        if kind.__flags__ & HEAP_TYPE:
            yield Part("class", (kind,), ())
        yield from _contents(value, kind)
    slots = slots_of(kind)
    if slots:
        yield Part("slots", tuple([f".{name}" for name, _ in slots]), tuple([_slot(descriptor, value) for _, descriptor in slots]))
    state = state_of(value)
    if state is not None:
        names = partial_objects.names_of(value)
        yield named_attributes(names, state) if names else Part("attributes", tuple(state), tuple(state.values()))


def named_attributes(names: Iterable[str], state: Mapping[str, Any]) -> Part:
    """The attributes of an object that may lack some of these, which are `NULL` then."""
    names = tuple(dict.fromkeys((*names, *state)))
    return Part("attributes", names, tuple([state.get(name, NULL) for name in names]))


def _slot(descriptor: Any, value: Any) -> Any:
    try:
        return descriptor.__get__(value)
    except AttributeError:
        return NULL


def _held(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


def _contents(value: Any, kind: type) -> Iterator[Part]:
    """The contents of a container; for a C object, what it shows."""
    if issubclass(kind, list):
        yield Part("list", len(value), tuple(list.__iter__(value)))
    elif issubclass(kind, dict):
        if issubclass(kind, OrderedDict):  # which has an order of its own
            keys = tuple(ordered_keys(value) or OrderedDict.keys(value))
            values = {id(key): item for key, item in dict.items(value)}
            yield Part("dict", keys, tuple([values[id(key)] for key in keys]))
        else:
            yield Part("dict", dict.copy(value), tuple(dict.values(value)))
        if hasattr(kind, "default_factory"):
            yield _named(value, ("default_factory",))
    elif issubclass(kind, deque):
        yield Part("deque", len(value), tuple(deque.__iter__(value)))
    elif issubclass(kind, set):
        yield Part("set", set.copy(value), tuple(set.__iter__(value)))
    elif issubclass(kind, (tuple, frozenset)):
        base = tuple if issubclass(kind, tuple) else frozenset
        yield Part("fixed", (), tuple(base.__iter__(value)))
    elif issubclass(kind, bytearray) or kind.__module__ == "array":
        yield Part("bytes", bytes(value), ())
    elif issubclass(kind, BaseException):
        yield _named(value, _OF_EXCEPTIONS)
        members = _members_in_c(kind)
        if members:
            yield Part("fixed", tuple(members), tuple([member.__get__(value) for member in members.values()]))
    elif issubclass(kind, property):
        yield _named(value, ("__doc__",))
        yield Part("fixed", (), (value.fget, value.fset, value.fdel))
    elif kind in LOCKS:
        yield Part("lock", times_held(value), ())
    elif kind is functools._lru_cache_wrapper:
        yield Part("fixed", ("calls",), tuple(value.cache_info()))
    elif kind in generators._PREFIX:
        yield _generator(value, kind)
    elif kind in _PLACED and len(state_in_c := value.__reduce__()) == 3:
        yield Part("position", (), (state_in_c[1][0], state_in_c[2]))
    elif hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools", "collections"):
        position = _position(value)
        yield Part("fixed", (), position or ())
        if position is None or any(isinstance(part, types.BuiltinFunctionType) or _hides(part) for part in position):
            yield Part("hidden", (), ())
    elif issubclass(kind, _random.Random):
        yield Part("fixed", (), _random.Random.getstate(value))
    elif copier_of(kind) is None and kind.__module__.partition(".")[0] in sys.stdlib_module_names:
        told = _state_in_c(value)
        yield Part("fixed", (), told or ())
        if told is None and kind not in _UNCHANGING and (kind.__module__, kind.__name__) != _OF_FORTRAN:
            yield Part("hidden", (), ())


@by_class
def _members_in_c(kind: type) -> dict[str, Any]:
    """What exceptions of C hold beside their arguments, such as ``errno`` and ``value``."""
    bases = [base for base in kind.__mro__ if not base.__flags__ & HEAP_TYPE and base is not BaseException]
    return {name: member for base in bases for name, member in vars(base).items() if type(member) is types.MemberDescriptorType}


def _generator(value: Any, kind: type) -> Part:
    state = generators.state_of(value)
    own = generators.host_attribute(value, "frame")
    if state is not None and state.running:
        return Part("fixed", (), ())  # it is its frame
    if state is None and own is not None:
        return Part("fixed", (), (own.f_lasti, *own.f_locals.values()))
    where = () if state is None else suspended.stands(state)
    return Part("generator" if kind is types.GeneratorType else "fixed", (), where)


_UNCHANGING = frozenset({
    types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items()), weakref.ref, contextvars.ContextVar, contextvars.Token,
    struct.Struct, re.Match, super, types.FrameType, types.MethodWrapperType,
})  # fmt: skip
"""C types whose instances do not show what they hold, and never change."""


_OF_FORTRAN = ("builtins", "fortran")
"""The type of the functions of BLAS and LAPACK, which never change either."""

_PLACED: tuple[type, ...] = (type(iter([])), type(iter(())))
"""C iterators whose position can be restored as long as they are not exhausted."""


def _hides(value: Any) -> bool:
    """Whether a C iterator hides its position."""
    return hasattr(type(value), "__next__") and any(part.kind == "hidden" for part in parts_of(value))


def times_held(lock: Any) -> int:
    """How often this thread has acquired a lock of the program's own.

    No other thread can see it.
    """
    kind: Any = type(lock)
    if kind is not RLOCK:
        return int(lock.locked())
    if not lock._is_owned():
        return 0
    held = lock._release_save()
    lock._acquire_restore(held)
    return int(held[0])


_PLAIN = (int, str, bytes, bool, float, range)


def _state_in_c(value: Any) -> tuple[Any, ...] | None:
    """What an object of the standard library keeps in C; ``None`` if it cannot be read."""
    try:
        pending = [value.__reduce_ex__(2)]
    except Exception:  # whatever it raises
        return None
    found: list[Any] = []
    while pending:
        part = pending.pop()
        if type(part) in (tuple, list):
            found.append(len(part))
            pending += part
        elif type(part) is dict:
            pending += [*part, *part.values()]
        elif type(part) in _PLAIN or isinstance(part, type):  # such as the signals that a decimal context has met
            found.append(part)
    return tuple(found)


def _position(iterator: Any) -> tuple[Any, ...] | None:
    """The position of a C iterator; ``None`` if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of itertools are going out of use
            parts = iterator.__reduce__()
    except (TypeError, AttributeError, NotImplementedError, RuntimeError):  # the last: its container has changed
        return None
    return tuple(_nested(tuple(parts[1:]), 4))


def _nested(value: Any, depth: int) -> Iterator[Any]:
    """The parts of an iterator's state: its containers are made anew at every call, and only how
    many they hold tells some states apart.
    """
    if depth and type(value) in (list, tuple):
        yield len(value)
        for item in value:
            yield from _nested(item, depth - 1)
    else:
        yield value


def same(one: Any, other: Any) -> bool:
    """Whether two values are identical, or plain and equal to the bit."""
    if one is other:
        return True
    if type(one) is not type(other) or type(one) not in _PLAIN:
        return False
    return repr(one) == repr(other) if type(one) is float else bool(one == other)


def same_places(old: Any, new: Any) -> bool:
    """Whether two parts have the same places, by the same keys in the same order."""
    if len(old.values) != len(new.values) or (KINDS[old.kind] is None or old.kind in ("set", "bytes")):
        return False
    if old.kind in ("lock", "class"):
        return same_keys(old.keys, new.keys)
    if old.kind not in ("dict", "attributes"):
        return True
    return all(a is b or (type(a) is type(b) and a == b) for a, b in zip(list(old.keys), list(new.keys), strict=True))


def same_keys(one: Any, other: Any) -> bool:
    """Whether the names of two parts are the same, in the same order."""
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, (int, bytes)):
        return type(one) is type(other) and bool(one == other)
    return len(one) == len(other) and (_are(one, other) or all(map(same, one, other)))


def same_parts(one: tuple[Part, ...], other: tuple[Part, ...]) -> bool:
    """Whether an object holds the same."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other, strict=True):
        if a.kind == b.kind == "attributes" and len(a.keys) != len(b.keys):
            a, b = _without_gaps(a), _without_gaps(b)
        if a.kind != b.kind or len(a.values) != len(b.values):
            return False
        if not (_are(a.values, b.values) or all(map(same, a.values, b.values))) or not same_keys(a.keys, b.keys):
            return False
    return True


def _without_gaps(part: Part) -> Part:
    """Attributes without those that the object lacks."""
    held = [(name, value) for name, value in zip(part.keys, part.values, strict=True) if value is not NULL]
    return part._replace(keys=tuple([name for name, _ in held]), values=tuple([value for _, value in held]))


def _are(one: Any, other: Any) -> bool:
    """Whether values are the same objects: a fast check that decides most cases."""
    return all(map(operator.is_, one, other))


LEAVES: frozenset[type] = (KEPT - {types.FunctionType, property, type, types.ModuleType}) | {types.CodeType, types.BuiltinFunctionType}
"""Types (not their subclasses) whose instances are not examined further."""


def is_own(cls: type) -> bool:
    """Whether the contents of an object belong to npexport, not to the program."""
    return cls.__module__.startswith(_OWN) and cls not in STAND_INS and not issubclass(cls, (Rows, Placed)) and cls not in HIDING


_OWN = ("npexport.tracer.", "npexport.symshapes.", "npexport.ir.", "npexport.runtime.operators.custom_op")


def held_in(parts: tuple[Part, ...]) -> Iterator[tuple[Any, tuple[Part, int] | str]]:
    """The values of parts, and the keys of dicts, that hold something themselves: each with its
    part and place, a key with no step of its own.
    """
    for part in parts:
        yield from [(item, (part, place)) for place, item in enumerate(part.values) if type(item) not in LEAVES]
        if part.kind == "dict":
            yield from [(item, "") for item in part.keys if type(item) not in LEAVES]


def step_of(part: Part, place: int) -> str:
    """The step from an owner to a value of a part, as the program writes it."""
    if part.kind in ("list", "deque"):
        return f"[{place}]"
    if part.kind == "dict":
        return step(next(itertools.islice(part.keys, place, None)))
    if part.kind == "attributes":
        return f".{part.keys[place]}"
    if part.kind == "frame" and place >= len(part.keys):
        return f"value {place - len(part.keys)} of an expression"
    return str(part.keys[place]) if part.kind in ("slots", "frame") else ""
