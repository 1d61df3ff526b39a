"""Lists, deques and dicts of which data choose one, which is then made longer, written to or bound anew (``(a if c else b).append(v)``):
equal to eager execution at any size, saved and loaded, and decomposed. What else refers to a container stays what it is.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.any_size import arguments, exported, program_of
from tests.support.calls_in_turn import require_eager_calls
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

ANY_SIZE = {
    "one of two": "a, b = [], []\n(a if x[0] > 0 else b).append(x[0])\nreturn a, b",
    "a partition": "a, b = [], []\nfor v in x:\n  (a if v > 0 else b).append(v)\nreturn a, b",
    "by name": "a, b = [], []\nt = a if x[0] > 0 else b\nt.append(1.0)\nt.append(x[0])\nreturn a, b, t is a",
    "by key": "g = {'a': [], 'b': []}\nfor v in x:\n  g['a' if v > 0 else 'b'].append(v)\nreturn g",
    "by place": "a, b = [], [1.0]\n(a, b)[int(x[0] > 0)].append(x[0])\nreturn a, b",
    "begun anew first": "a = []\nfor v in x:\n  if v > 0: a = []\n  a.append(v)\nreturn a",
    "extended": "a, b = [0.5], []\nt = b if x[0] > 0 else a\nt.extend([x[0], 2.0])\nt += [1.0]\nreturn a, b, len(t)",
    "emptied": "a, b = [0.5], [1.5, 2.5]\nt = b if x[0] > 0 else a\nt.clear()\nt.append(x[0])\nreturn a, b",
    "taken from": "a, b = [0.5], [1.5, 2.5]\nt = b if x[0] > 0 else a\nlast = t.pop()\nreturn a, b, last",
    "a deque": (
        "from collections import deque\na, b = deque(), deque([1.0])\n(a if x[0] > 0 else b).appendleft(x[0])\nreturn list(a), list(b)"
    ),
}  # fmt: skip
FIXED_SIZE = {
    "a dict begun anew": "d, n = {}, 0\nfor v in x:\n  if v > 0: d = {3: v}\n  d[int(v * 3)] = v\n  n += len(d)\nreturn d, n",
    "begun late": "a = None\nfor v in x:\n  if v > 0:\n    if a is None: a = []\n    a.append(v)\nreturn a",
    "the longest": (
        "best, c = [], []\nfor v in x:\n  if v > 0: c.append(v)\n  else: c = []\n  if len(c) > len(best): best = c\nreturn best, c"
    ),
}
HELD = {
    "by a list at a place": "a, b = [], []\nt = (b, a)[int(x[0] > 0)]\nfor v in x:\n  if y[1] > 2: b = b[1:]\nreturn t is b, len(b)",
    "by the values of a dict": (
        "d = {'a': 1.0}\nt, k = d.values(), d.items()\nfor v in x:\n  if v > 0: d = {'a': v}\nreturn list(t), list(k), d"
    ),
    "by a proxy of a dict": (
        "import types\nd = {'a': 1.0}\nt = types.MappingProxyType(d)\nfor v in x:\n  if v > 0: d = {'a': v}\nreturn t['a'], d"
    ),
    "by the keys of a dict of data": "d = {int(v): 1.0 for v in y}\nt = d.keys()\nfor v in x:\n  if v > 0: d = {2: v}\nreturn len(t), d",
}  # fmt: skip


@pytest.mark.parametrize("name", shard(ANY_SIZE, 2))
def test_they_give_what_they_give_eagerly(name: str) -> None:
    found, program = exported(ANY_SIZE[name], 1), program_of(ANY_SIZE[name])
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (1, 2, 3, 5, 9):
        for x, y in (arguments(size), tuple(-each for each in arguments(size))):
            for module in modules:
                assert outcome(module, (x, y)) == outcome(program, (x, y)), size


@pytest.mark.parametrize("name", [*HELD, *FIXED_SIZE, *ANY_SIZE])
def test_so_they_do_at_the_size_of_the_example_on_all_sides(name: str) -> None:
    program = program_of({**HELD, **FIXED_SIZE, **ANY_SIZE}[name])
    module = export(program, arguments(5)).module()
    for signs in range(32):
        x, y = arguments(5)
        x = abs(x) * [1 if signs >> place & 1 else -1 for place in range(5)]
        assert outcome(module, (x, y)) == outcome(program, (x, y))


class Episodes:
    def __init__(self):
        self.rewards = []

    def __call__(self, x):
        if x[0] < 0:
            self.rewards = []
        self.rewards.append(float(x.sum()))
        return len(self.rewards), sum(self.rewards)


class Begun(Episodes):
    def __init__(self):
        self.rewards = [1.0, 2.0]


class Sides:
    def __init__(self):
        self.gains, self.losses = [], []

    def __call__(self, x):
        target = self.gains if x.sum() > 0 else self.losses
        target.append(x.sum())
        return len(self.gains), len(self.losses)


class Named:
    def __init__(self):
        self.logs = {"up": [], "down": [0.0]}

    def __call__(self, x):
        self.logs["up" if x.sum() > 0 else "down"].append(x.sum())
        return [len(log) for log in self.logs.values()]


class Numbered:
    def __init__(self):
        self.bins = [[], [], []]

    def __call__(self, x):
        self.bins[int(abs(x[0])) % 3].append(x.sum())
        return [sum(each) for each in self.bins]


class Table:
    def __init__(self):
        self.values = {}

    def __call__(self, x):
        if x.sum() < 0:
            self.values = {}
        self.values[int(x[0])] = self.values.get(int(x[0]), 0) + 1
        return len(self.values), sum(self.values.values())


class Forgotten(Table):
    def __call__(self, x):
        self.values[int(x[0])] = float(x.sum())
        if x.sum() < 0:
            self.values = {}
        return len(self.values)


class Seen:
    def __init__(self):
        self.seen = set()

    def __call__(self, x):
        if x.sum() < 0:
            self.seen = set()
        self.seen.add(int(x[0]))
        return len(self.seen)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", [Episodes, Begun, Sides, Named, Numbered, Table, Forgotten, Seen])
def test_those_of_the_exported_object_are_state(kind: type, dynamic: bool) -> None:
    rng = np.random.default_rng(7)
    inputs = [rng.normal(size=4) * 2 for _ in range(9)]
    found = export(kind(), (inputs[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    require_eager_calls(found, kind, inputs)
