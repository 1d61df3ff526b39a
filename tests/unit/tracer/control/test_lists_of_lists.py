"""Lists that loops fill with lists which have names, are of several kinds of numbers, are returned
or compared by identity: equal to eager execution, exported, saved and loaded, and decomposed; and
which lists of a result are one.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.any_size import arguments, exported, program_of
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

ANY_SIZE = {
    "a row with a name": "out = []\nfor v in x:\n  row = [v, v * 2]\n  out.append(row)\nreturn out",
    "a row that is filled": (
        "out = []\nfor v in x:\n  row = []\n  row.append(float(v))\n  row.append(v.item() + 1)\n  out.append(row)\nreturn out"
    ),
    "a row of several kinds": "out = []\nfor i, v in enumerate(x):\n  row = [i, v, None]\n  out.append(row)\nreturn out",
    "rows in a row": "out = []\nfor v in x:\n  row = [v, [v + 1, v + 2]]\n  out.append(row)\nreturn out, len(out)",
    "rows of any length": (
        "out = []\nfor i in range(len(x)):\n  row = []\n  for j in range(len(y)): row.append(x[i] * y[j])\n"
        "  out.append(row)\nreturn out, len(out)"
    ),
    "tables": "return [[i * j for j in range(len(y))] for i in range(len(x))]",
    "tables of three axes": "return [[[v + j + k for k in range(2)] for j in range(len(y))] for v in x]",
    "tables of three axes, the second known": "return [[[v + j + k for k in range(len(y))] for j in range(2)] for v in x]",
    "tuples with rows": "return [(i, [v * i for v in x]) for i in range(len(y))]",
    "two kinds in a row": "t = [[0.0] * 3 for _ in x]\nfor i in range(len(x)):\n  for j in range(3): t[i][j] = x[i] * j\nreturn t",
    "two kinds in the first row": "t = [[0.0, 0.0]]\nfor v in x: t.append([t[-1][0] + v, t[-1][1] - v])\nreturn t",
    "two kinds in a row of a row": "t = [[[1, 2], [3, 4]] for _ in x]\nfor i in range(len(x)): t[i][1][0] = x[i] + i\nreturn t",
    "two kinds in a tuple's row": "t = [(v, [1, 2], 3) for v in x]\nfor i, r in enumerate(t): r[1][1] = x[i]\nreturn t",
    "a walk": "p, path = [0.0, 1.0], []\nfor v in x:\n  path.append(p)\n  p = [p[0] + v, p[1] - v]\nreturn path, p",
    "copies of a row": (
        "p, path = [0.0, 1.0], []\nfor v in x:\n  p[0] += v.item()\n  path.append(p[:])\n  path.append(list(p))\nreturn path"
    ),
    "read after it was put in": "out, s = [], 0.0\nfor v in x:\n  row = [v, v]\n  out.append(row)\n  s += row[0]\nreturn out, s",
    "pairs": "out = []\nfor i in range(len(x)):\n  for j in range(i + 1, len(x)):\n    p = [i, j]\n    out.append(p)\nreturn out",
    "one list twice": "t = [[v, v] for v in x]\nreturn t, t",
    "a part": "t = [[v, v] for v in x]\nreturn t[1:]",
    "in another order": "t = [[v, v] for v in x]\nt.reverse()\nt.extend([[1.0, 2.0]])\nreturn t",
    "runs": (
        "runs = []\nfor v in x:\n  if runs and abs(runs[-1][-1] - v) < 0.9: runs[-1].append(v)\n  else: runs.append([v])\n"
        "return runs, [len(r) for r in runs]"
    ),
    "merged intervals": (
        "out = []\nfor v in np.sort(x):\n  if out and v <= out[-1][1]: out[-1][1] = max(out[-1][1], v + 0.5)\n"
        "  else: out.append([v, v + 0.5])\nreturn out"
    ),
    "longer": "t = [[v, v] for v in x]\nfor r in t: r.append(r[0])\nreturn t",
    "longer after it was put in": "out = []\nfor v in x:\n  row = [v]\n  out.append(row)\n  row.append(v * 2)\nreturn out",
    "of several lengths": "out = []\nfor v in x:\n  if v > 0: out.append([v])\n  else: out.append([v, v])\nreturn out, len(out)",
    "buckets": "b = [[] for _ in range(4)]\nfor v in y: b[v % 4].append(v.item())\nreturn b",
    "buckets that begin with items": "b = [[k] for k in range(4)]\nfor v in y: b[v % 4].append(v.item())\nreturn b",
    "the same item": (
        "t = [[v, v] for v in x]\nk = 0\nfor r in t:\n  if r is t[0]: k += 1\n"
        "return k, [t[i] is t[-1] for i in range(min(len(t), 2))]"
    ),
}  # fmt: skip
"""Programs that are captured for any size."""

REFUSED = {
    "returned twice": ("t = [[v, v] for v in x]\nreturn t, t.copy()", "other results may hold its lists"),
    "returned in part": ("t = [[v, v] for v in x]\nreturn t, t[1:]", "other results may hold its lists"),
    "returned with an item": ("t = [[v, v] for v in x]\nreturn t, t[0]", "other results may hold its lists"),
    "added to itself": ("t = [[v, v] for v in x]\nreturn t + t", "may hold one list twice"),
    "its parts together": ("t = [[v, v] for v in x]\nreturn t[1:] + t[:1]", "may hold one list twice"),
    "the same row again": ("r, t = [x[0], x[1]], []\nfor v in x: t.append(r)\nreturn t", "may hold one list twice"),
    "written in the other": (
        "t, u = [[v, v] for v in x], [[v, v] for v in x]\nu.append(t[0])\nu[-1][0] = x[0] * 3\nreturn t[0][0]",
        "items other lists or variables hold",
    ),
    "an item of a copy": ("t = [[v, v] for v in x]\nu = t.copy()\nreturn t[0] is u[0]", "by `is`"),
    "an item that was taken": ("t = [[v, v] for v in x]\nq = t.pop()\nreturn q is t[0]", "by `is`"),
}
"""By name, a program, and part of what the message says."""

AS_THE_EXAMPLE = {
    "written after it was put in": "out = []\nfor v in x:\n  row = [v, v]\n  out.append(row)\n  row[0] = 7.0\nreturn out",
    "a row in a row twice": "out = []\nfor v in x:\n  z = [v, v]\n  out.append((z, z))\nout[0][0][0] = 7.0\nreturn out[0][1][0]",
    "a row that is compared": (
        "out = []\nfor v in x:\n  q = [v, v]\n  out.append(q)\n  if out[-1] is not q: raise ValueError\nreturn len(out)"
    ),
    "the last row": "out, q = [], None\nfor v in x:\n  q = [v, v]\n  out.append(q)\nq[0] = 7.0\nreturn out, q",
    "all variables": "out = []\nfor v in x:\n  q = [v, v]\n  out.append(q)\nreturn out, sorted(locals())",
}
"""Programs that are exported for the size of the example alone."""


def told_apart(value: Any, met: dict[int, int]) -> Any:
    """The lists of a result by when they were first met."""
    if not isinstance(value, (list, tuple)):
        return type(value)
    if id(value) in met and type(value) is list:
        return met[id(value)]
    met[id(value)] = len(met)
    return [told_apart(item, met) for item in value]


@pytest.mark.parametrize("name", shard(ANY_SIZE, 2))
def test_they_give_what_they_give_eagerly(name: str) -> None:
    found, program = exported(ANY_SIZE[name], 0), program_of(ANY_SIZE[name])
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (0, 1, 2, 3, 5, 9):
        wanted = outcome(program, arguments(size))
        for module in modules:
            assert outcome(module, arguments(size)) == wanted, size
        if size > 1:
            assert told_apart(modules[0](*arguments(size)), {}) == told_apart(program(*arguments(size)), {})


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_two_lists_is_refused(name: str) -> None:
    body, message = REFUSED[name]
    with pytest.raises(ExportError) as refusal:
        exported(body, 3)
    assert message in refusal.value.message


def test_which_number_an_item_has_is_refused() -> None:
    with pytest.raises(ExportError, match="differs from run to run"):
        exported("t = [[v, v] for v in x]\nreturn id(t[0]) == id(t[int(y[-1]) % 3])", 3)


@pytest.mark.parametrize("name", AS_THE_EXAMPLE)
def test_what_cannot_be_told_apart_is_as_it_is_eagerly(name: str) -> None:
    program = program_of(AS_THE_EXAMPLE[name])
    module = export(program, arguments(5), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    assert outcome(module, arguments(5)) == outcome(program, arguments(5))


@pytest.mark.parametrize("name", [*ANY_SIZE, *REFUSED])
def test_lists_of_the_size_of_the_example_are_as_they_are_eagerly(name: str) -> None:
    body = ANY_SIZE[name] if name in ANY_SIZE else REFUSED[name][0]
    program = program_of(body)
    module = export(program, arguments(5)).module()
    assert outcome(module, arguments(5)) == outcome(program, arguments(5))
    assert told_apart(module(*arguments(5)), {}) == told_apart(program(*arguments(5)), {})


NEIGHBOURS = {0: [1, 2], 1: [2], 2: [0, 3, 1], 3: []}
STEPS = [[1, 2], [2], [0, 3, 1], []]


def around_the_least(x, neighbours, steps):
    place = int(np.argmin(x))
    total = 0.0
    for node in neighbours[place]:
        total += x[node]
    return total, len(steps[place]), [x[node] for node in steps[place]]


def test_lists_from_outside_are_taken_at_places_of_data_from_a_copy():
    """What the hint says is what helps."""
    x = np.array([3.0, 1.0, 2.0, 5.0])
    with pytest.raises(ExportError, match="data decide which list of a container is taken that existed before the call") as caught:
        export(lambda x: around_the_least(x, NEIGHBOURS, STEPS), (x,))
    assert caught.value.code == "E103" and "copy.deepcopy(lists)" in caught.value.hint
    run = export(lambda x: around_the_least(x, copy.deepcopy(NEIGHBOURS), copy.deepcopy(STEPS)), (x,)).module()
    for shift in range(4):
        inputs = (np.roll(x, shift),)
        assert outcome(run, inputs) == outcome(lambda x: around_the_least(x, NEIGHBOURS, STEPS), inputs)
