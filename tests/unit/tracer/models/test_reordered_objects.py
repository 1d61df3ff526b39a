"""Lists, dicts and instances that ``sorted`` and ``list.sort`` put in an order that the data decide: beam searches, schedules, greedy
choices. Refused where something else holds one of them, and so would see which one it is."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome


@dataclass
class Item:
    weight: float
    value: float
    tag: str = "a"
    parts: list[Any] = field(default_factory=list)


@dataclass(order=True)
class Event:
    time: float
    kind: int
    note: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Score:
    value: float
    place: int


class Body:
    def __init__(self, mass: Any, place: int) -> None:
        self.mass, self.place = mass, place


class Population:
    def __init__(self, x: Any) -> None:
        self.bodies = [Body(value, place) for place, value in enumerate(x)]

    def best(self) -> Body:
        self.bodies.sort(key=lambda body: body.mass)
        return self.bodies[0]


def beam(x: Any) -> Any:
    beams: Any = [([], 0.0)]
    for value in x:
        found = []
        for tokens, score in beams:
            for token in range(3):
                found.append((tokens + [token], score + np.cos(value * token)))
        found.sort(key=lambda beam: beam[1], reverse=True)
        beams = found[:2]
    return beams


def beam_of_dicts(x: Any) -> Any:
    beams: Any = [{"tokens": [], "score": 0.0}]
    for value in x:
        found = [{"tokens": one["tokens"] + [k], "score": one["score"] + np.cos(value * k)} for one in beams for k in range(2)]
        beams = sorted(found, key=lambda beam: beam["score"])[:2]
    return beams[0]


def rows(x: Any) -> Any:
    found = [[value, place % 2] for place, value in enumerate(x)]
    found.sort(key=lambda row: row[0])
    found[0][0] = 9.0
    return found, sorted([value, place] for place, value in enumerate(x[::-1]))


def intervals(x: Any) -> Any:
    found: list[Any] = []
    for start, stop in sorted([sorted(pair) for pair in zip(x.tolist(), x[::-1].tolist(), strict=True)]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], stop))
        else:
            found.append((start, stop))
    return found


def knapsack(x: Any) -> Any:
    items = [Item(abs(value) + 1, abs(value) + place) for place, value in enumerate(x)]
    items.sort(key=lambda item: item.value / item.weight, reverse=True)
    left, total = 3.0, 0.0
    for item in items:
        if item.weight <= left:
            left -= item.weight
            total += item.value
        else:
            return total + item.value * left / item.weight, item.tag
    return total, "all"


def sweep(x: Any) -> Any:
    events = [Event(value, 1, 2 * value) for value in x] + [Event(value + 0.5, -1, value) for value in x]
    events.sort()
    count = most = 0
    for event in events:
        count += event.kind
        most = max(most, count)
    return (
        most,
        [event.note for event in events],
        [event.kind for event in sorted([Event(v, k % 2) for k, v in enumerate(x)], reverse=True)],
    )


def scores(x: Any) -> Any:
    return [
        score.value for score in sorted((Score(value, k) for k, value in enumerate(x)), key=lambda score: (score.value > 0, score.place))
    ]


def generations(x: Any) -> Any:
    population = Population(x)
    for turn in range(2):
        population.bodies[-1] = Body(population.best().mass + 1, turn)
    return [body.mass for body in population.bodies]


def bound_anew(x: Any) -> Any:
    bodies = [Body(value, place) for place, value in enumerate(x)]
    bodies = sorted(bodies, key=lambda body: -body.mass)
    bodies[0].mass = 7.0
    return [(body.mass, body.place) for body in bodies]


def on_a_side(x: Any) -> Any:
    found = [[value, place] for place, value in enumerate(x)]
    if x[0] > 0:
        found.sort()
    found[0][0] = 3.0
    return found


PROGRAMS = [beam, beam_of_dicts, rows, intervals, knapsack, sweep, scores, generations, bound_anew, on_a_side]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_orders_of_objects_are_those_of_eager_execution(program: Any) -> None:
    run, rng = export(program, (np.array([0.5, 1.0, 2.0, -1.0]),)).module(), np.random.default_rng(2)
    for given in [*rng.integers(-3, 4, (12, 4)) / 2, np.zeros(4)]:
        assert outcome(run, (given,)) == outcome(program, (given,))


def _program(held: str, then: str, sort: str = "rows.sort()") -> str:
    return f"def program(x):\n rows = [[x[0], 1], [x[1], 2]]\n {held}\n {sort}\n {then}\n return rows"


def _run(row: Any) -> Any:
    yield 0
    row[0] = 9.0


HELD = {
    "a variable": _program("first = rows[0]", "first[0] = 9.0"),
    "a closure": _program("first = rows[0]; show = lambda: first", "show()[0] = 9.0"),
    "a method": _program("put = rows[0].append", "put(1)"),
    "an iterator": _program("rest = iter(rows[0])", "next(rest)"),
    "a container": _program("names = {'first': rows[0]}", "names['first'][0] = 9.0"),
    "a key's tuple": _program("pair = (0, rows[0])", "pair[1][0] = 9.0"),
    "the list itself": _program("", "rows.append(found[0])", "found = sorted(rows)"),
    "a slice of it": _program("part = rows[:1]", "part[0][0] = 9.0"),
    "a partial": _program("import functools; put = functools.partial(rows[0].append, 1)", "put()"),
    "a partial of it": _program("import functools; put = functools.partial(lambda row: row.append(1), rows[0])", "put()"),
    "a call of map": _program("steps = map(lambda row: row.append(1), [rows[0]])", "next(steps)"),
    "its id": _program("number = id(rows[0])", "rows.append(id(rows[0]) == number)"),
    "a deque": _program("import collections; queue = collections.deque(rows)", "queue[0][0] = 9.0", "rows = sorted(queue)"),
    "a dict's values": _program("names = dict(enumerate(rows))", "names[0][0] = 9.0", "rows = sorted(names.values())"),
    "a generator that runs": _program("steps = run(rows[0]); next(steps)", "next(steps, None)"),
    "a generator": _program("steps = (value for value in rows[0])", "next(steps)"),
    "its variables": _program("", "names['rows'][0][0] = 9.0", "names = locals(); found = sorted(names['rows'])"),
}


@pytest.mark.parametrize("name", HELD)
def test_what_something_else_holds_is_refused(name: str) -> None:
    names: dict[str, Any] = {"run": _run}
    exec(HELD[name], names)
    with pytest.raises(ExportError) as refusal:
        export(names["program"], (np.ones(2),))
    assert refusal.value.code == "E103"
    assert "held by" in refusal.value.message


def _twice(x: Any) -> Any:
    row = [x[0]]
    rows = [row, row, [x[1]]]
    rows.sort()
    rows[0][0] = 7.0
    return rows


def _of_attributes(x: Any) -> Any:
    bodies = [Body(x[0], 1), Body(x[1], 2)]
    held = vars(bodies[0])
    bodies.sort(key=lambda body: body.mass)
    held["mass"] = 5.0
    return bodies[0].mass


def _of_hashes(x: Any) -> Any:
    bodies = [Body(x[0], 1), Body(x[1], 2)]
    number = hash(bodies[0])
    bodies.sort(key=lambda body: body.mass)
    return hash(bodies[0]) == number


def _of_weak_references(x: Any) -> Any:
    bodies = [Body(x[0], 1), Body(x[1], 2)]
    first = weakref.ref(bodies[0])
    bodies.sort(key=lambda body: body.mass)
    return first().place  # type: ignore[union-attr]


def _of_several_lengths(x: Any) -> Any:
    return sorted([[x[0]], [x[1], x[2]]], key=lambda row: row[0])


REFUSED = [
    (_twice, "twice"),
    (_of_attributes, "held by"),
    (_of_hashes, "held by"),
    (_of_weak_references, "held by"),
    (_of_several_lengths, "another length"),
]


@pytest.mark.parametrize(("program", "text"), REFUSED)
def test_what_cannot_be_told_apart_is_refused(program: Any, text: str) -> None:
    with pytest.raises(ExportError, match=text) as refusal:
        export(program, (np.ones(3),))
    assert refusal.value.code == "E103"


def test_an_object_of_the_callers_is_refused() -> None:
    bodies = [Body(1.0, 1), Body(2.0, 2)]

    def program(x: Any) -> Any:
        found = [bodies[0], bodies[1]]
        found.sort(key=lambda body: x[body.place])
        return found[0].mass * x

    with pytest.raises(ExportError):
        export(program, (np.ones(3),))
