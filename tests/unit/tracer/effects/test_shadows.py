"""Shadows: copies under one identity memo; nothing reachable from a shadow is an original mutable object."""

from __future__ import annotations

import array
import dataclasses
import enum
import functools
import itertools
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.difference import differences
from npexport.tracer.effects.fence import Fence
from npexport.tracer.effects.overlay import DELETED, Overlay
from npexport.tracer.effects.shadows import Shadows


class Plain:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("a", "b")


class SlottedChild(Slotted):
    __slots__ = ("__dict__", "c")


class MyList(list):
    pass


class MyDict(dict):
    pass


class MyInt(int):
    pass


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Data:
    items: list
    name: str = "n"


@dataclasses.dataclass(frozen=True)
class Frozen:
    items: tuple
    key: str = "k"


Point = __import__("collections").namedtuple("Point", "x y")


class Sneaky:
    """Whatever Python of the class would run while it is copied fails the test."""

    def __new__(cls):
        return object.__new__(cls)

    def __getattribute__(self, name):
        raise AssertionError("user code ran")

    __setattr__ = __eq__ = __hash__ = __reduce_ex__ = __deepcopy__ = __copy__ = __repr__ = __getattribute__


def lifted(value, origin):
    return ("proxy", origin) if isinstance(value, np.ndarray) else None


def shadows():
    return Shadows(lifted)


COPIED = {
    "list": [1, [2]],
    "dict": {"a": [1], 2: {}},
    "set": {1, "a"},
    "deque": deque([1, [2]], maxlen=3),
    "ordered": OrderedDict(a=1, b=[2]),
    "default": defaultdict(list, a=[1]),
    "counter": Counter("abca"),
    "bytearray": bytearray(b"abc"),
    "array": array.array("i", [1, 2]),
    "instance": Plain(a=1, b=[2]),
    "list subclass": MyList([1, [2]]),
    "dict subclass": MyDict(a=[1]),
    "dataclass": Data([1]),
    "frozen dataclass": Frozen((1,)),
    "namespace": types.SimpleNamespace(a=[1]),
    "exception": ValueError("text", [1]),
    "lock": threading.Lock(),
}
KEPT = {
    "int": 3,
    "str": "s",
    "none": None,
    "tuple": (1, ("a", None)),
    "frozenset": frozenset({1, 2}),
    "enum": Colour.RED,
    "function": lifted,
    "class": Plain,
    "module": np,
    "builtin": len,
    "ufunc": np.sin,
    "dtype": np.dtype("f4"),
    "numpy scalar": np.float32(1.5),
    "pattern": __import__("re").compile("a"),
    "sentinel": object(),
    "int subclass": MyInt,
    "property": property(lifted),
    "namedtuple": Point(1, 2),
    "range": range(3),
    "date": __import__("datetime").date(2020, 1, 1),
    "decimal": __import__("decimal").Decimal("1.5"),
    "itemgetter": __import__("operator").itemgetter(1),
    "typing": __import__("typing").Optional[int],
}


class Finalized:
    def __del__(self):
        FINALIZED.append(self)


FINALIZED = []
finalized = Finalized()
Mutable = enum.Enum("Mutable", {"LIST": ([1],)})
FENCED = {
    "finalizer": (finalized, "E125"),
    "member that holds a list": (Mutable.LIST, "E118"),
    "iterator": (iter([1]), "E113"),
    "generator": ((i for i in [1]), "E113"),
    "count": (itertools.count(), "E113"),
    "generator of numpy": (np.random.default_rng(0), "E107"),
    "random": (__import__("random").Random(0), "E107"),
    "environment": (__import__("os").environ, "E108"),
    "memory": (__import__("mmap").mmap(-1, 4), "E118"),
    "file": (__import__("sys").__stderr__, "E105"),
}


@pytest.mark.parametrize("value", COPIED.values(), ids=COPIED)
def test_mutable_objects_are_copied_once(value):
    world = shadows()
    shadow = world.enter(value, "v")
    assert shadow is not value
    assert type(shadow) is type(value)
    assert world.enter(value, "again") is shadow
    assert world.enter(shadow, "shadow") is shadow
    assert not list(differences(world, Overlay()))


@pytest.mark.parametrize("name", [name for name in COPIED if name not in ("lock", "instance", "namespace", "exception")])
def test_copies_are_equal(name):
    assert shadows().enter(COPIED[name], "v") == COPIED[name]


@pytest.mark.parametrize("value", KEPT.values(), ids=KEPT)
def test_immutable_objects_are_kept(value):
    assert shadows().enter(value, "v") is value


@pytest.mark.parametrize(("value", "code"), FENCED.values(), ids=FENCED)
def test_uncopyable_objects_are_fenced(value, code):
    fence = shadows().enter(value, "global thing")
    assert type(fence) is Fence and isinstance(fence, type(value))
    for use in (next, len, list, lambda v: v[0], lambda v: setattr(v, "x", 1), bool, str, repr, lambda v: v + 1, lambda v: v == 1):
        with pytest.raises(Unsupported) as caught:
            use(fence)
        assert caught.value.code == code and "global thing" in caught.value.message


def test_slots_attributes_and_cycles():
    original = SlottedChild()
    original.a, original.c, original.extra = [1], {"self": original}, "x"
    shadow = shadows().enter(original, "o")
    assert shadow.a == [1] and shadow.a is not original.a
    assert shadow.c["self"] is shadow and shadow.extra == "x"
    assert not hasattr(shadow, "b")


def test_identity_is_preserved_between_containers():
    shared = [1]
    original = {"a": shared, "b": (shared, 2), "c": Plain(s=shared), "m": shared.append, "p": functools.partial(min, shared)}
    shadow = shadows().enter(original, "o")
    assert shadow["b"][0] is shadow["a"] is shadow["c"].s is shadow["m"].__self__ is shadow["p"].args[0]
    shadow["m"](5)
    assert shadow["a"] == [1, 5] and shared == [1]


def test_arrays_are_lifted_with_their_path():
    weights = np.ones(3)
    original = Plain(layers=[{"w": weights}, {"w": weights}], named=Point(1, np.zeros(1)))
    shadow = shadows().enter(original, "self")
    assert shadow.layers[0]["w"] == ("proxy", "self.layers[0]['w']")
    assert shadow.layers[1]["w"] is shadow.layers[0]["w"]
    assert shadow.named.y == ("proxy", "self.named[1]")


def test_bound_methods_get_their_shadow():
    original = Plain(a=[1])
    original.method = types.MethodType(lambda self: self.a, original)
    shadow = shadows().enter(original.method, "m")
    assert shadow.__self__ is not original and shadow().append(2) is None and original.a == [1]


def test_no_user_code_runs_while_copying():
    original = Sneaky()
    object.__getattribute__(original, "__dict__")["x"] = [1]
    shadow = shadows().enter(original, "o")
    assert object.__getattribute__(shadow, "__dict__")["x"] == [1]


def test_keys_with_state_are_copied_and_found():
    key = Frozen((1,))
    shadow = shadows().enter({key: [1]}, "d")
    assert shadow[Frozen((1,))] == [1] and next(iter(shadow)) is not key


def test_a_deep_chain_does_not_overflow_the_host():
    head = None
    for _ in range(20_000):
        head = [head]
    assert shadows().enter(head, "head") is not head


def test_cells_get_shadow_cells():
    cell = types.CellType([1])
    world = shadows()
    shadow = world.enter_cell(cell, "closure f.x")
    assert shadow is world.enter_cell(cell, "again") is world.enter_cell(shadow, "shadow")
    shadow.cell_contents.append(2)
    assert cell.cell_contents == [1]
    assert [write.path for write in differences(world, Overlay())] == ["closure f.x[1]"]


WRITES = {
    "item": (lambda o: o.d.__setitem__("k", 2), ["o.d['k']"]),
    "new item": (lambda o: o.d.__setitem__("new", 2), ["o.d['new']"]),
    "deleted item": (lambda o: o.d.pop("k"), ["o.d['k']"]),
    "append": (lambda o: o.l.append(1), ["o.l[1]"]),
    "nested": (lambda o: o.l[0].append(1), ["o.l[0][0]"]),
    "attribute": (lambda o: setattr(o, "n", 2), ["o.n"]),
    "new attribute": (lambda o: setattr(o, "new", 2), ["o.new"]),
    "deleted attribute": (lambda o: delattr(o, "n"), ["o.n"]),
    "set": (lambda o: o.s.add(7), ["o.s{7}"]),
    "bytes": (lambda o: o.b.append(7), ["o.b[:]"]),
    "slot": (lambda o: setattr(o.slotted, "a", 5), ["o.slotted.a"]),
    "rebound list": (lambda o: setattr(o, "l", []), ["o.l"]),
    "array attribute": (lambda o: setattr(o, "w", "other proxy"), ["o.w"]),
    "same value": (lambda o: setattr(o, "n", 1), []),
    "undone": (lambda o: (o.l.append(1), o.l.pop()), []),
    "same object": (lambda o: setattr(o, "l", o.l), []),
    "nan": (lambda o: setattr(o, "nan", float("nan")), []),
}


@pytest.mark.parametrize(("write", "paths"), WRITES.values(), ids=WRITES)
def test_surviving_writes_are_found(write, paths):
    slotted = Slotted()
    slotted.a = 1
    original = Plain(d={"k": 1}, l=[[]], n=1, s={1}, b=bytearray(b"x"), slotted=slotted, w=np.ones(1), nan=float("nan"))
    world = shadows()
    write(world.enter(original, "o"))
    assert [found.path for found in differences(world, Overlay())] == paths


def test_overlay_keeps_the_last_write_and_drops_what_was_undone():
    overlay, space = Overlay(), {"__name__": "mod", "A": 1, "B": 2}
    overlay.write(space, "A", 5, ())
    overlay.write(space, "A", 6, ())
    overlay.write(space, "B", 3, ())
    overlay.write(space, "B", 2, ())
    overlay.write(space, "C", DELETED, ())
    assert overlay.find(space, "A").value == 6 and space["A"] == 1
    assert [(write.path, write.after) for write in differences(shadows(), overlay)] == [("global mod.A", 6)]


class Asked:
    """A key that counts who asks it."""

    asked = 0
    hashes = 2

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        type(self).asked += 1
        return self.number % self.hashes

    def __eq__(self, other):
        type(self).asked += 1
        return self.number == other.number

    def __repr__(self):
        type(self).asked += 1
        return "Asked"


class AskedSlots(Asked):
    __slots__ = ()


@pytest.mark.parametrize("cls", [Asked, AskedSlots])
@pytest.mark.parametrize(
    "build",
    [
        set,
        frozenset,
        dict.fromkeys,
        lambda keys: defaultdict(int, dict.fromkeys(keys)),
        lambda keys: Counter(keys),
        lambda keys: {(key, 1): key for key in keys},
        lambda keys: {frozenset([key]) for key in keys},
        lambda keys: {"nested": [{key: {key} for key in keys}]},
    ],
)
def test_no_python_of_the_keys_runs_and_reading_is_no_effect(cls, build):
    cls.hashes = 2
    original = build([cls(number) for number in range(6)])
    cls.asked = 0
    shadows = Shadows(lambda array, origin: array)
    shadow = shadows.enter(original, "global m:keys")
    assert list(differences(shadows, Overlay())) == []
    assert cls.asked == 0
    assert len(shadow) == len(original) and type(shadow) is type(original) and shadow is not original
    if isinstance(shadow, (set, frozenset)):
        assert all(type(member) in (cls, frozenset) for member in shadow)
        assert all(member in shadow for member in list(shadow))


def test_members_that_the_program_adds_and_removes_are_effects():
    kept, removed, added = Asked(1), Asked(2), Asked(3)
    original = {kept, removed, "text", 1.5}
    shadows = Shadows(lambda array, origin: array)
    shadow = shadows.enter(original, "global m:keys")
    shadow.discard(shadows.shadow_of(removed))
    shadow |= {added}
    shadow.discard("text")
    shadow.discard(1.5)
    shadow.add(1.5)
    found = {(write.before, write.after) for write in differences(shadows, Overlay())}
    assert found == {(removed, DELETED), (DELETED, added), ("text", DELETED)}
