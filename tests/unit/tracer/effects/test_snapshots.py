"""Snapshots: what interpreted code changes is found and put back in place."""

from __future__ import annotations

import collections
from typing import Any

import pytest

from npexport.ir.report import Report
from npexport.symshapes.errors import Location
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.parts import parts_of, same_parts
from npexport.tracer.effects.snapshots import Changed, Spoiled, snapshot
from npexport.tracer.interpreter.vm import VM


class Host:
    def __init__(self) -> None:
        self.report = Report()

    def lift(self, array: Any, origin: str) -> Any:
        return array

    def tie(self, first: Any, second: Any) -> None:
        return None

    def stack(self) -> tuple[Location, ...]:
        return ()

    def where(self) -> Location | None:
        return None

    def run_bound(self, function: Any, localsplus: dict[str, Any]) -> Any:
        return None


class Plain:
    def __init__(self) -> None:
        self.a, self.b = 1, [2]


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self) -> None:
        self.x = 1


class Key:
    """The hash runs no Python while it is put back."""

    asked = 0

    def __hash__(self) -> int:
        Key.asked += 1
        return 7


def _cell() -> Any:
    held = 1

    def read() -> int:
        return held

    return read.__closure__[0]  # type: ignore[index]


def _attributes(obj: Any) -> None:
    obj.a = 2
    obj.c = 3
    obj.b.append(4)


def _slots(obj: Any) -> None:
    del obj.x
    obj.y = 3


_KEY = Key()
CASES: list[tuple[str, Any, Any]] = [
    ("list", lambda: [1, 2, 3], lambda v: (v.reverse(), v.append(5))),
    ("dict", lambda: {"a": 1, "b": 2}, lambda v: (v.pop("a"), v.update(c=3))),
    ("keys of a class", lambda: {_KEY: 1}, lambda v: v.clear()),
    ("ordered", lambda: collections.OrderedDict(a=1, b=2), lambda v: v.move_to_end("a")),
    ("default", lambda: collections.defaultdict(list, a=1), lambda v: v["z"].append(1)),
    ("deque", lambda: collections.deque([1, 2], 2), lambda v: v.append(3)),
    ("set", lambda: {1, 2}, lambda v: (v.discard(1), v.add(3))),
    ("bytes", lambda: bytearray(b"ab"), lambda v: v.extend(b"c")),
    ("instance", Plain, _attributes),
    ("slots", Slotted, _slots),
    ("cell", _cell, lambda v: setattr(v, "cell_contents", 9)),
    ("nested", lambda: [{"a": [1]}], lambda v: v[0]["a"].append(2)),
    ("function", lambda: lambda a=1: a, lambda v: (setattr(v, "__defaults__", (2,)), setattr(v, "mark", 1))),
    ("minus zero", lambda: [0.0], lambda v: v.__setitem__(0, -0.0)),
]  # fmt: skip


@pytest.mark.parametrize(("make", "change"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_changes_are_found_and_put_back(make: Any, change: Any) -> None:
    world = TracingWorld(Host())
    value = make()
    before = parts_of(value)
    with snapshot(world, VM(world), (value,)) as taken:
        assert taken.changes() == {}
        asked = Key.asked
        change(value)
        found = taken.changes()
        assert len(found) == 1 or type(value) in (Plain, collections.defaultdict)
        taken.restore()
        assert Key.asked == asked
        assert taken.changes() == {} and same_parts(parts_of(value), before)


@pytest.mark.parametrize("make", [lambda: iter([1, 2]), lambda: iter((1, 2))])
def test_iterators_of_sequences_are_put_back_as_long_as_they_are_not_over(make: Any) -> None:
    world = TracingWorld(Host())
    iterator = make()
    with snapshot(world, VM(world), (iterator,)) as taken:
        next(iterator)
        assert len(taken.changes()) == 1
        taken.restore()
        assert not taken.changes() and next(iterator) == 1
        list(iterator)
        with pytest.raises(Spoiled, match="tuple_iterator|list_iterator"):
            taken.restore()


@pytest.mark.parametrize("make", [lambda: iter({1: 2}), lambda: enumerate([1])])
def test_iterators_that_were_advanced_are_refused(make: Any) -> None:
    world = TracingWorld(Host())
    iterator = make()
    with snapshot(world, VM(world), (iterator,)) as taken:
        next(iterator)
        with pytest.raises(Changed, match="iterator|enumerate|zip"):
            taken.changes()


def test_what_cannot_be_put_back_is_told() -> None:
    world = TracingWorld(Host())
    iterator = enumerate([1])
    with snapshot(world, VM(world), (iterator,)) as taken:
        next(iterator)
        with pytest.raises(Spoiled, match="enumerate"):
            taken.restore()


def test_what_enters_later_is_saved_as_it_enters() -> None:
    world = TracingWorld(Host())
    outside = [1, {"a": 2}]
    with snapshot(world, VM(world)) as taken:
        shadow = world.enter(outside, "global module:outside")
        shadow[1]["a"] = 3
        found = taken.changes()
        assert [change.path for change in found.values()] == ["module.outside[1]"]
        taken.restore()
        assert shadow == outside


def test_written_names_are_put_back() -> None:
    world = TracingWorld(Host())
    space = {"__name__": "module", "a": 1}
    world.write_global(space, "a", 2)
    with snapshot(world, VM(world)) as taken:
        world.write_global(space, "a", 3)
        world.write_global(space, "b", 4)
        assert {name for _, name in taken.written_names()} == {"a", "b"}
        taken.restore()
        assert world.overlay.names(space) == {"a": 2}


def test_equal_keys_and_items_that_are_others_are_changes():
    first, other = Plain(), Plain()
    for before, after in (({1: 2}, {True: 2}), ({1: 2}, {1: 2.0}), ([0.0], [-0.0]), ([first], [other]), ({"a": 1, 2: 1}, {2: 1, "a": 1})):
        assert not same_parts(parts_of(before), parts_of(after)), (before, after)
        assert same_parts(parts_of(before), parts_of(before.copy())), before
