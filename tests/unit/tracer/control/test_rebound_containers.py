"""Containers and objects that loops on data bind variables to anew (``state = step(state)``): equal to
eager execution, exported, saved and loaded, or refused where something else holds one of them.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import outcome


class State:
    def __init__(self, p: Any, q: Any) -> None:
        self.p, self.q = p, q

    def moved(self) -> State:
        return State(self.p * 0.5, self.q + 1)


class Slotted:
    __slots__ = ("p", "q")

    def __init__(self, p: Any, q: Any) -> None:
        self.p, self.q = p, q


@dataclasses.dataclass
class Data:
    p: Any
    q: Any = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    p: Any
    q: Any = 0


class Table(dict):  # type: ignore[type-arg]
    pass


class Number(float):
    pass


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    p: Any
    q: Any


CAPTURED = {
    "a list": "s = [x[0], 0]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s",
    "a comprehension": "s = [v for v in x]\nwhile s[0] > .1: s = [v * .5 for v in s]\nreturn s",
    "a dict": "s = {'p': x[0], 'q': 1}\nwhile s['p'] > .1: s = {'p': s['p'] * .5, 'q': s['q'] + 1}\nreturn s",
    "a dict made of the one before": "s = {'p': x[0], 'q': 1}\nwhile s['p'] > .1: s = {**s, 'p': s['p'] * .5}\nreturn s",
    "a deque": "s = collections.deque([x[0], x[1]])\nwhile s[0] > .1: s = collections.deque([s[0] * .5, s[1] + 1])\nreturn list(s)",
    "an object": "s = State(x[0], x[1])\nwhile s.p > .1: s = s.moved()\nreturn s.p, s.q",
    "an object with slots": "s = Slotted(x[0], x[1])\nwhile s.p > .1: s = Slotted(s.p * .5, s.q + 1)\nreturn s.p, s.q",
    "data": "s = Data(x[0])\nwhile s.p > .1: s = Data(s.p * .5, s.q + 1)\nreturn s.p, s.q",
    "data replaced": "s = Data(x[0])\nwhile s.p > .1: s = dataclasses.replace(s, p=s.p * .5)\nreturn s.p, s.q",
    "frozen data": "s = Frozen(x[0])\nwhile s.p > .1: s = Frozen(s.p * .5, s.q + 1)\nreturn s.p, s.q",
    "a named tuple": "s = Pair(x[0], x[1])\nwhile s.p > .1: s = s._replace(p=s.p * .5, q=s.q + 1)\nreturn s.p, s.q, s[0]",
    "a named tuple of arrays": "s = Pair(x * 2, 0)\nwhile s.p.max() > .1: s = Pair(s.p * .5, s.q + 1)\nreturn s.p, s.q",
    "swapped": "a, b = [x[0], x[1]], [0., 0.]\nwhile a[0] > .1:\n  b[0] = a[0] * .5\n  b[1] = a[1] + b[0]\n"
    "  a, b = b, a\nreturn a[0], b[1]",
    "handed on": "a, b = State(x[0], 0), State(x[1], 0)\nwhile b.p > .1: a, b = b, State(b.p * .5, a.q + 1)\nreturn a.p, a.q, b.p, b.q",
    "nested": "s = {'a': [x[0], 1], 'b': State(x[1], 2)}\nwhile s['a'][0] > .1:\n"
    "  s = {'a': [s['a'][0] * .5, s['b'].q], 'b': State(s['a'][1], s['b'].q + 1)}\nreturn s['a'], s['b'].p, s['b'].q",
    "an attribute": "o = State([x[0], 0], 1)\nwhile o.p[0] > .1: o.p = [o.p[0] * .5, o.p[1] + 1]\nreturn o.p, o.q",
    "of a closure": "s = [x[0], 0]\ndef step():\n  nonlocal s\n  s = [s[0] * .5, s[1] + 1]\nwhile s[0] > .1: step()\nreturn s",
    "written before": "s = [x[0], 0]\nwhile s[0] > .1:\n  s[1] = 7\n  s = [s[0] * .5, s[1] + 1]\nreturn s",
    "written after": "s = [x[0], 0]\nwhile s[0] > .1:\n  s = [s[0] * .5, s[1] + 1]\n  s[1] += 2\nreturn s",
    "with another name in the iteration": "s = State(x[0], 0)\nwhile s.p > .1:\n  new = State(s.p * .5, s.q)\n  new.q += 1\n  s = new\n"
    "return s.p, s.q",
    "left early": "s = [x[0], 0]\nwhile True:\n  s = [s[0] * .5, s[1] + 1]\n  if s[0] < .1: break\n"
    "  if s[1] > 5: return s, 1\n  s = [s[0], s[1] + 1]\nreturn s, 2",
    "a number of times that data say": "s = [1, 1]\nfor _ in range(int(x[1])): s = [s[1], s[0] + s[1]]\nreturn s",
    "previous rows": "a, b = [0, 1, 2], 0\nwhile b < x[0]:\n  c = [b]\n  for v in a[1:]: c.append(v + c[-1])\n"
    "  a, b = c, b + 1\nreturn a",
    "no iteration": "s = [x[0] * 0 - 1, 0]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s",
}  # fmt: skip
"""Programs that are captured."""

ON_A_SIDE = {
    "the best": "best, v = [x[0], 0], x[1]\nfor k in range(int(x[0] * 3) + 4):\n  new = [v * k, k]\n"
    "  if new[0] > best[0]: best = new\n  v = v * .9\nreturn best",
    "straight": "s = [x[0], 0]\nif x[0] > 1: s = [x[1], 1]\ns.append(x[0] * 2)\ns[0] += 1\nreturn s",
    "an object": "s = State(x[0], 0)\nif x[0] > 1: s = State(x[1], 1)\ns.q += 1\nreturn s.p, s.q",
    "an attribute": "o = State([x[0], 0], 1)\nif x[0] > 1: o.p = [x[1], o.q]\no.p[0] += 1\nreturn o.p, o.q",
    "both": "s = {'a': x[0]}\nif x[0] > 1: s = {'a': x[1]}\nelse: s = {'a': x[1] * 2}\ns['a'] += 1\nreturn s",
    "escapes": "l, s = [0], [x[0], 0]\nif x[0] > 1:\n  l[0] = s\n  s = [x[1], 1]\ns[0] += 1\nreturn s, l[0] if x[0] > 1 else 7",
    "held before": "s = [x[0], 0]\nt = s\nif x[0] > 1: s = [x[1], 1]\ns[0] += 1\nreturn s, t",
    "held after": "s, l = [x[0], 0], [None]\nif x[0] > 1:\n  s = [x[1], 1]\n  l[0] = s\ns[1] += 1\nreturn s, l[0][1] if x[0] > 1 else 0",
    "held on the other side": "s, l = [x[0], 0], [None]\nif x[0] > 1: s = [x[1], 1]\nelse: l[0] = s\ns[1] += 1\n"
    "return s, l[0][1] if x[0] <= 1 else 0",
    "swapped": "a, b = [x[0], 0], [x[1], 1]\nif x[0] > 1: a, b = b, a\na[0] += 1\nreturn a, b",
    "swapped items": "t = [[x[0], 0], [x[1], 1], [x[-1], 2]]\nif x[0] > 1: t[0], t[1] = t[1], t[0]\n"
    "if x[1] > .5: t[1], t[2] = t[2], t[1]\n"
    "t[1][0] += 5\nreturn t",
    "swapped in a loop": "t, k = [[x[0], 0], [x[1], 1]], 0\nwhile k < 4:\n"
    "  if t[0][0] > t[1][0]: t[0], t[1] = t[1], t[0]\n  t[0][0] += 1\n  k += 1\nreturn t",
    "handed on": "a, b = [x[0], 0], [x[1], 1]\nif x[0] > 1: a, b = b, [x[0] + x[1], 2]\na[0] += 1\nb[1] += 1\nreturn a, b",
    "swapped, and one bound": "a, b, c = [x[0], 0], [x[1], 1], [x[0], 2]\nif x[0] > 1: a, b = b, a\nelse: b = c\na[0] += 1\n"
    "b[1] += 1\nreturn a, b, c",
    "swapped on both": "a, b, c = [x[0], 0], [x[1], 1], [x[0], 2]\nif x[0] > 1: a, b = b, a\nelse: a, c = c, a\n"
    "a[0] += 1\nb[1] += 1\nc[0] *= 2\nreturn a, b, c",
    "swapped, and written": "a, b = [x[0], 0], [x[1], 1]\nif x[0] > 1:\n  a[1] = 7\n  a, b = b, a\n  a[1] = 8\na[0] += 1\nreturn a, b",
    "swapped, and held": "a, b, l = [x[0], 0], [x[1], 1], [0]\nif x[0] > 1:\n  a, b = b, a\n  l[0] = a\na[0] += 1\n"
    "return a, b, l[0] if x[0] > 1 else 0",
    "around": "a, b, c = [x[0], 0], [x[1], 1], [x[0], 2]\nif x[0] > 1: a, b, c = b, c, a\na[0] += 1\nb[1] += 1\nc[0] *= 2\nreturn a, b, c",
    "written, then bound": "s = [x[0], 0]\nif x[0] > 1:\n  s[1] = 9\n  s = [x[1], s[1]]\nelse: s[1] = 4\ns[0] += 1\nreturn s",
    "of another": "a, b = [x[0], 0], [x[1], 1]\nif x[0] > 1: a = b\na[0] += 1\nreturn a, b",
    "of another that nobody reads": "a, b = [x[0], 0], [x[1], 1]\nif x[0] > 1: a = b\na[0] += 1\nreturn a",
    "longer": "s = [x[0]]\nif x[0] > 1: s = [x[1], 1]\nreturn len(s)",
    "arrays in it": "s = {'a': x * 2}\nif x[0] > 1: s = {'a': x + 1}\ns['a'][0] = 5\nreturn s",
    "a view in it": "y = x * 2\ns = [y[:1]]\nif x[0] > 1: s = [y[1:]]\ns[0][0] = 5\nreturn s, y",
}
"""Programs in which a side of a branch binds a variable to another container: captured, or refused."""

RETURNED = {
    "a dict": "v, k = x[0], 0\nwhile k < 9:\n  if abs(v) < .1: return {'v': v, 'ok': True}\n"
    "  v, k = v * .5, k + 1\nreturn {'v': v, 'ok': False}",
    "a list": "v = x[0]\nfor k in range(9):\n  v = v * .5\n  if abs(v) < .1: return [v, k]\n  if v > 5: return [v, -k]\nreturn [v, 99]",
    "an object": "def f():\n  v = x[0]\n  for k in range(9):\n    if v < .01: return State(v, k)\n"
    "    w = v * .5\n    if abs(w - v) < .1: return State(w, -k)\n"
    "    v = w\n  return State(v, 99)\nr = f()\nreturn r.p, r.q",
    "with others": "def f():\n  v = x[0]\n  for k in range(9):\n    if v < .01: return v, Data(v, [k])\n    w = v * .5\n"
    "    if abs(w - v) < .1: return w, Data(w, [-k])\n    v = w\n  raise ValueError('no')\nv, r = f()\nreturn v, r.p, r.q",
    "bound": "v, k = x[0], 0\nwhile True:\n  if v < .1:\n    s = State(v, {'a': k})\n    break\n  if k > 3:\n"
    "    s = State(-v, {'a': 0})\n    break\n"
    "  v, k = v * .5, k + 1\ns.q['a'] += 1\nreturn s.p, s.q",
    "of a subclass": "v, k, t = x[0], 0, Table(v=x[0], k=1)\nwhile k < 9:\n"
    "  if abs(v) < .1: return dict(Table(v=v, k=k))\n  t = Table(v=-v, k=0)\n  v, k = v * .5, k + 1\n"
    "  if k > 4: return dict(t)\nreturn dict(Table(v=v, k=9))",
    "named tuples": "v = x[0]\nfor k in range(9):\n  v = v * .5\n  if abs(v) < .1: return Pair(v, k)\n"
    "  if v > 5: return Pair(v, -k)\nreturn Pair(v, 99)",
}
"""Programs that return a container or an object in several places."""

OPEN = {
    "other keys on the ways out": "v, k = x[0], 0\nwhile k < 9:\n  if v < .1: return {'v': v}\n  if v > 5: return {'w': v}\n"
    "  v, k = v * .5, k + 1\nreturn {'v': v}",
    "keys alike": "v, k = x[0], 0\nwhile k < 9:\n  if v < .1: return {1: v}\n  if v > 5: return {True: v}\n"
    "  v, k = v * .5, k + 1\nreturn {1: v}",
    "one object twice": "v, k = x[0], 0\nwhile k < 9:\n  if v < .1:\n    a = [v]\n    return [a, a]\n"
    "  if v > 5: return [[v], [v]]\n  v, k = v * .5, k + 1\nreturn [[v], [v]]",
    "kept elsewhere": "v, k, l = x[0], 0, [0]\ndef f():\n  global_v = v\n  for k in range(9):\n    s = [global_v * k]\n    l[0] = s\n"
    "    if s[0] > 2: return s\n    if s[0] < 0: return [s[0]]\n  return [0.]\nr = f()\nr[0] = 70.\nreturn r, l",
    "floats of a class": "v, s = x[0], Number(1)\nwhile v > .1:\n  v = v * .5\n  s = Number(s + 1)\nreturn v, float(s)",
    "members": "v, s = x[0], Level.LOW\nwhile v > .1:\n  v = v * .5\n  s = Level.HIGH\nreturn v, s.value, Level.LOW.value",
    "members on some ways": "v = x[0]\nfor k in range(9):\n  v = v * .5\n  s = Level.LOW\n  if v < .1: return v, s.value\n"
    "  s = Level.HIGH\n  if v > 5: return v, s.value\nreturn v, 0",
    "another name": "s = t = [x[0], 0]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, t",
    "another name that is written": "s = t = [x[0], 0]\nwhile s[0] > .1:\n  s = [s[0] * .5, s[1] + 1]\n  t[1] = 9\nreturn s, t",
    "held by a list": "s = [x[0], 0]\nl = [s]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nl[0][1] = 5\nreturn s, l",
    "held by a new list": "s, l = [x[0], 0], [0]\nwhile s[0] > .1:\n  s = [s[0] * .5, s[1] + 1]\n  l[0] = s\ns[1] = 99\nreturn s, l",
    "held by the next": "s = State(x[0], None)\nwhile s.p > .1: s = State(s.p * .5, s)\nreturn s.p",
    "held by a partial": "s = [x[0], 0]\nf = functools.partial(list, s)\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, f()",
    "held by a method": "s = State(x[0], 0)\nf = s.moved\nwhile s.p > .1: s = State(s.p * .5, s.q + 1)\nreturn s.p, f().p",
    "held by a method of C": "s = [x[0], 0]\nf = s.count\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, f(0)",
    "held by an iterator": "s = [x[0], 0]\nf = iter(s)\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, next(f)",
    "held by a generator": "s = [x[0], 0]\nf = (v for v in s)\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, next(f)",
    "held by a default": "s = [x[0], 0]\ndef f(t=s): return t[1]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, f()",
    "held by a cell": "s = [x[0], 0]\nt = s\ndef f(): return t[1]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, f()",
    "gone over": "s, k = [x[0], x[1]], 0\nfor v in s:\n  while s[0] > .1: s = [s[0] * .5, s[1] + 1]\n  k += v\nreturn s, k",
    "on the stack": "s = [x[0], 0]\ndef f():\n  nonlocal s\n  while s[0] > .1: s = [s[0] * .5, s[1] + 1]\n  return 1\n"
    "return s + [f()], s",
    "weakly held": "s = State(x[0], 0)\nr = weakref.ref(s)\nwhile s.p > .1: s = s.moved()\nreturn s.p, r() is None",
    "compared": "s, t, k = State(x[0], 0), State(x[1], 0), 0\nwhile s.p > .1:\n  t, s = s, s.moved()\n  k += t is s\nreturn s.p, t.p, k",
    "the same": "s, t, k = State(x[0], 0), State(x[1], 0), 0\nwhile s.p > .1:\n  s = s.moved()\n  t = s\n"
    "  k += t is s\nreturn s.p, t.p, k",
    "kept": "s, best = [x[0], 0], [0., 0]\nwhile s[0] > .1:\n  if s[0] < .7: best = s\n  s = [s[0] * .5, s[1] + 1]\nreturn s, best",
    "kept and written": "s, best = [x[0], 0], [0., 0]\nwhile s[0] > .1:\n  best = s\n  s = [s[0] * .5, s[1] + 1]\n"
    "  best[1] = 50\nreturn s, best",
    "longer": "s = [x[0]]\nwhile s[0] > .1: s = [s[0] * .5, *s]\nreturn s",
    "other keys": "s = {'p': x[0]}\nwhile s['p'] > .1: s = {'p': s['p'] * .5, 'q': 1}\nreturn s",
    "on one side": "s, k = [x[0], 0], 0\nwhile s[0] > .1 and k < 9:\n  if s[0] > .5: s = [s[0] * .5, s[1] + 1]\n  k += 1\nreturn s, k",
    "on both sides": "s = [x[0], 0]\nwhile s[0] > .1:\n  if s[0] > .5: s = [s[0] * .5, s[1] + 1]\n"
    "  else: s = [s[0] - .2, s[1]]\nreturn s",
    "shared items": "a = [x[0], 0]\ns = {'p': a, 'q': a}\nwhile s['p'][0] > .1:\n  b = [s['p'][0] * .5, 1]\n"
    "  s = {'p': b, 'q': b}\ns['p'][1] = 7\nreturn s",
    "of another class": "s = State(x[0], 0)\nwhile s.p > .1: s = Data(s.p * .5, s.q + 1)\nreturn s.p, s.q",
    "a row of a list": "t = [[v, 0] for v in x]\ns = t[0]\nwhile s[0] > .1: s = [s[0] * .5, s[1] + 1]\nreturn s, t",
}  # fmt: skip
"""Programs that are captured, or refused."""

_SPACE = {"np": np, "collections": collections, "dataclasses": dataclasses, "functools": functools, "weakref": weakref}
_SPACE |= {"Table": Table, "Number": Number, "Level": Level}
_SPACE |= {"State": State, "Slotted": Slotted, "Data": Data, "Frozen": Frozen, "Pair": Pair}
CALLS = [(np.array([3.0, 1.0]),), (np.array([0.05, 2.0]),), (np.array([0.3, 0.0]),), (np.array([40.0, 5.0]),)]


def program_of(body: str) -> Any:
    return function_of("def program(x):\n" + "\n".join("  " + line for line in body.split("\n")), dict(_SPACE))


def held_to_eager(program: Any, module: Any) -> None:
    for (array,) in CALLS:
        assert outcome(module, (array.copy(),)) == outcome(program, (array.copy(),))


@pytest.mark.parametrize("name", [*CAPTURED, *(f"returned: {name}" for name in RETURNED)])
def test_they_give_what_they_give_eagerly(name: str) -> None:
    program = program_of(CAPTURED.get(name) or RETURNED[name.removeprefix("returned: ")])
    found = export(program, (CALLS[0][0].copy(),))
    held_to_eager(program, found.module())
    held_to_eager(program, reloaded(found).module())


@pytest.mark.parametrize("name", [*OPEN, *(f"on a side: {name}" for name in ON_A_SIDE)])
def test_what_something_else_holds_is_refused_or_as_it_is_eagerly(name: str) -> None:
    program = program_of(OPEN.get(name) or ON_A_SIDE[name.removeprefix("on a side: ")])
    try:
        found = export(program, (CALLS[0][0].copy(),))
    except ExportError as refusal:
        assert refusal.code in ("E103", "E115", "E126", "E101"), refusal
        return
    held_to_eager(program, found.module())


@pytest.mark.slow
def test_most_sides_that_bind_a_variable_to_another_container_are_captured() -> None:
    for name in (
        "the best",
        "straight",
        "an object",
        "an attribute",
        "both",
        "written, then bound",
        "of another that nobody reads",
        "swapped",
        "swapped items",
        "swapped in a loop",
        "around",
    ):
        export(program_of(ON_A_SIDE[name]), (CALLS[0][0].copy(),))


def test_a_list_that_the_caller_passes_keeps_its_items() -> None:
    def program(x: Any, s: Any) -> Any:
        while s[0] > 0.1:
            s = [s[0] * 0.5, s[1] + x[0]]
        return s[0] + 1, s[1]

    with pytest.raises(ExportError, match="`s` is a list of 2 items before an iteration"):
        export(program, (np.ones(1), [np.array(3.0), np.array(1.0)]))


def edit_distance(a: Any, b: Any) -> Any:
    previous = list(range(len(b) + 1))
    for i, one in enumerate(a):
        row = [i + 1]
        for j, other in enumerate(b):
            row.append(min(row[j] + 1, previous[j + 1] + 1, previous[j] + (0 if one == other else 1)))
        previous = row
    return previous[-1], len(previous)


def test_a_row_of_a_dynamic_length_takes_the_place_of_the_one_before() -> None:
    words = [(np.arange(5) * 3 % 4, np.arange(4) % 3), (np.zeros(2, int), np.zeros(3, int)), (np.arange(7), np.arange(0))]
    found = export(edit_distance, words[0], dynamic_shapes=({0: Dim("n")}, {0: Dim("m")}))
    for arguments in words:
        assert outcome(found.module(), arguments) == outcome(edit_distance, arguments)
