"""While objects from outside are copied and compared, no Python of their classes runs, whatever they define."""

from __future__ import annotations

import array
import dataclasses
import sys
import types
from collections import OrderedDict, defaultdict, deque

import pytest

from npexport import ExportError, export
from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.difference import differences
from npexport.tracer.effects.fence import Fence
from npexport.tracer.effects.overlay import Overlay
from npexport.tracer.effects.shadows import Shadows

RAN: list[str] = []
ARMED = [False]
METHODS = (
    "__getattribute__ __getattr__ __setattr__ __delattr__ __eq__ __ne__ __lt__ __hash__ __repr__ __str__ __format__ __bytes__ __bool__ "
    "__int__ __float__ __complex__ __index__ __len__ __iter__ __reversed__ __contains__ __getitem__ __setitem__ __missing__ __call__ "
    "__copy__ __deepcopy__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __sizeof__ __dir__ __buffer__ __add__ "
    "__iadd__ __or__ __ior__ keys items values get update append extend pop popitem add copy tobytes"
).split()
OF_CLASSES = "__getattr__ __instancecheck__ __subclasscheck__ __call__ __repr__ __dir__".split()


def _noting(name, base):
    def method(self, *args, **kwargs):
        if ARMED[0]:
            RAN.append(name)
        if not hasattr(base, name):
            raise AttributeError(name)
        return getattr(base, name)(self, *args, **kwargs)

    return method


def _noting_property(name):
    def read(self):
        if ARMED[0]:
            RAN.append(name)
        raise AttributeError(name)

    return property(read)


Noting = type("Noting", (type,), {name: _noting(name, type) for name in OF_CLASSES})


def noting(base, *slots, meta=type):
    """A class over ``base`` that notes whatever of its Python runs while the test is armed."""
    space = {name: _noting(name, base) for name in METHODS}
    space |= {name: _noting_property(name) for name in ("maxlen", "default_factory", "args", "typecode") if hasattr(base, name)}
    space |= {"__class__": property(_noting("__class__", base))} if base is object else {}
    return meta("Noted", (base,), space | ({"__slots__": slots} if slots else {}))


def _of(base, meta=type):
    """An instance of a class over the base, with something mutable in it."""
    cls = noting(base, meta=meta)
    held = [[1], 2]
    value = {
        int: lambda: int.__new__(cls, 7),
        float: lambda: float.__new__(cls, 7.5),
        complex: lambda: complex.__new__(cls, 1j),
        str: lambda: str.__new__(cls, "text"),
        bytes: lambda: bytes.__new__(cls, b"text"),
        tuple: lambda: tuple.__new__(cls, held),
        frozenset: lambda: frozenset.__new__(cls, [1, 2]),
        array.array: lambda: array.array.__new__(cls, "i", [1, 2]),
        Exception: lambda: Exception.__new__(cls, held),
        ValueError: lambda: ValueError.__new__(cls, "text"),
    }.get(base, lambda: base.__new__(cls))()
    fill = {list: list.extend, deque: deque.extend}.get(base)
    if fill is not None:
        fill(value, held)
    if base in (dict, defaultdict, OrderedDict):
        base.__setitem__(value, "k", held)
        base.__setitem__(value, 1, 2)
    if base is set:
        set.update(value, [1, "a"])
    if base is bytearray:
        bytearray.extend(value, b"text")
    object.__getattribute__(value, "__dict__")["attribute"] = held
    return value


BASES = (
    object, types.SimpleNamespace, list, dict, OrderedDict, defaultdict, deque, set, frozenset, tuple, bytearray, array.array,
    Exception, ValueError, int, float, complex, str, bytes,
)  # fmt: skip
PLAIN = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
    bytes: lambda v: bytes.__getitem__(v, slice(None)),
}


def _watched(original):
    RAN.clear()
    shadows = Shadows(lambda array, origin: array)
    ARMED[0] = True
    try:
        shadow = shadows.enter(original, "global m:value")
        assert list(differences(shadows, Overlay())) == []
    finally:
        ARMED[0] = False
    return shadow


@pytest.mark.parametrize("meta", [type, Noting], ids=["type", "metaclass"])
@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_no_method_of_an_object_runs_while_it_is_copied(base, meta):
    original = _of(base, meta)
    shadow = _watched([original])[0]
    assert RAN == []
    assert type(shadow) is type(original) and shadow is not original
    held = object.__getattribute__(shadow, "__dict__")["attribute"]
    assert held == [[1], 2] and held is not object.__getattribute__(original, "__dict__")["attribute"]
    if base in PLAIN:
        assert PLAIN[base](shadow) == PLAIN[base](original)


def _hash(self):
    if ARMED[0]:
        RAN.append("__hash__")
    return 5


def _equals(self, other):
    if ARMED[0]:
        RAN.append("__eq__")
    return self is other


def key(name, bases, **space):
    """A class of keys that collide, and note who asks them."""
    return type(name, bases, {"__hash__": _hash, "__eq__": _equals, **space})


Empty = type("Empty", (), {"__slots__": ()})
Slots = key("Slots", (), __slots__=("a", "_Slots__b"))
KEYS = [
    key("Attributes", ()), Slots, key("OverTuple", (tuple,)), key("OverInt", (int,)), key("OverList", (list,)),
    key("OverFrozen", (frozenset,)),
    key("MoreSlots", (Slots,), __slots__=("c",)), key("Mixed", (Empty,)),
]  # fmt: skip
UNCOPIED = ["MoreSlots", "Mixed"]  # CPython lets nobody make a class of their layout but below the program's classes
UNCOPIED += ["OverTuple", "OverInt"] if sys.version_info < (3, 12) else []


def _ordered(keys):
    made = OrderedDict.fromkeys(keys, 1)
    made.move_to_end(keys[0])
    return made


CONTAINERS = {
    "set": set,
    "frozenset": frozenset,
    "dict": dict.fromkeys,
    "defaultdict": lambda keys: defaultdict(int, dict.fromkeys(keys)),
    "ordered": _ordered,
    "tuples": lambda keys: {(1, key): 2 for key in keys},
    "ordered tuples": lambda keys: OrderedDict(((1, key), 2) for key in keys),
    "frozensets": lambda keys: {frozenset([key, number]) for number, key in enumerate(keys)},
    "proxy": lambda keys: types.MappingProxyType(dict.fromkeys(keys)),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("cls", KEYS, ids=lambda cls: cls.__name__)
def test_no_key_is_asked_for_its_hash_or_whether_it_equals_another(cls, container):
    original = CONTAINERS[container]([cls() for _ in range(5)])
    order = list(original)
    shadows = Shadows(lambda array, origin: array)
    RAN.clear()
    ARMED[0] = True
    try:
        (shadow,) = shadows.enter([original], "global m:value")
        assert list(differences(shadows, Overlay())) == []
    finally:
        ARMED[0] = False
    assert RAN == []
    if type(shadow) is Fence:  # what cannot be copied so is not copied
        assert cls.__name__ in UNCOPIED or container == "ordered tuples"
        with pytest.raises(Unsupported, match="E118"):
            len(shadow)
        return
    assert type(shadow) is type(original) and len(shadow) == 5
    assert all(type(key) in (cls, tuple, frozenset) for key in shadow)
    if not isinstance(original, (set, frozenset)):
        assert [id(shadows.shadow_of(key)) for key in order] == list(map(id, shadow))
    assert all(key in shadow for key in list(shadow))


@dataclasses.dataclass(frozen=True)
class Cell:
    column: int


GRID = OrderedDict((Cell(number), float(number)) for number in (-1, -2, 3))
GRID.move_to_end(Cell(-1))
STREAMS = {iter([1]), 3}


def test_programs_read_such_containers():
    assert list(export(lambda x: [x * value for value in GRID.values()], (2.0,)).module()(2.0)) == [-4.0, 6.0, -2.0]


def test_a_set_that_holds_what_cannot_be_copied_is_refused_where_it_is_used():
    def program(x):
        return [x if type(member) is int else next(member) for member in STREAMS]

    with pytest.raises(ExportError) as refusal:
        export(program, (1.0,))
    assert refusal.value.code == "E113"
    assert sorted(map(str, map(type, STREAMS))) == ["<class 'int'>", "<class 'list_iterator'>"]
