"""One container under several names of the exported object, in whose place a call puts another one under all of them."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

ONE = "self.a = self.b = {'p': np.zeros(3)}"
PROGRAMS = {
    "both anew": (ONE, "r = self.a['p'] + self.b['p']\nself.a = self.b = {'p': x + r}\nreturn r, self.a is self.b"),
    "written under one name": (
        ONE,
        "self.a['p'][0] += 1; r = self.b['p'] * 1\nself.a = self.b = {'p': x + r}; self.b['p'][1] = 7\nreturn r",
    ),
    "an object": ("self.a = self.b = Kept(np.zeros(3))", "r = self.b.p * 1\nself.a = Kept(x + r)\nself.b = self.a\nreturn r"),
    "and in a list": (
        "self.a = self.b = [np.zeros(3)]; self.c = [self.a, self.b]",
        "r = [v[0] * 1 for v in (self.a, self.b, *self.c)]\nself.a = self.b = [x + r[0]]; self.c = [self.b, self.a]\nreturn r",
    ),
    "further names": (
        ONE + "; self.c = []",
        "n = {'p': x + self.b['p']}\nself.a = self.b = n; self.c = [n, n]\nreturn self.c[1] is self.a",
    ),
    "the last of a history": (
        "self.last = None; self.log = []",
        "r = 0.0 if self.last is None else self.last['p'].sum()\nself.last = {'p': x * 2}; self.log = [self.last]\nreturn x + r",
    ),
    "the caches of the steps": (
        "self.cell = Kept(None); self.caches = []",
        "h = np.zeros(3); self.caches = []\nfor t in range(3):\n    h = np.tanh(x * t + h); self.cell.p = {'h': h, 't': x}\n"
        "    self.caches.append(self.cell.p)\nreturn h, self.cell.p is self.caches[-1]",
    ),
    "which the next call reads": (
        "self.caches = [{'h': np.zeros(3)}, {'h': np.ones(3)}]; self.cell = Kept(self.caches[1])",
        "r = [c['h'] * 2 for c in self.caches]; self.caches = []\nfor t in range(2):\n    self.cell.p = {'h': x * t}\n"
        "    self.caches.append(self.cell.p)\nself.cell.p['h'][0] += 5\nreturn r",
    ),
    "a name that is given up": (
        ONE + "; self.c = [self.a]",
        "r = self.b['p'] * 1\nself.a = {'p': x + r}; self.c = [self.a]\nreturn r, self.a is self.b",
    ),
}


class Kept:
    def __init__(self, p: Any) -> None:
        self.p = p


def _made(init: str, body: str) -> Any:
    lines = ["class M:", f"    def __init__(self): {init}", "    def __call__(self, x):", *[f"        {line}" for line in body.split("\n")]]
    source, file, names = "\n".join(lines) + "\n", f"<several names {hash((init, body))}>", {"np": np, "Kept": Kept}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), names)
    return names["M"]()


@pytest.mark.parametrize("name", PROGRAMS)
def test_another_container_takes_all_names(name):
    eager, program = _made(*PROGRAMS[name]), export(_made(*PROGRAMS[name]), (np.arange(3.0),))
    for module in (program.module(), reloaded(program).module()):
        eager = _made(*PROGRAMS[name])
        for number in range(4):
            x = np.arange(3.0) + number
            assert outcome(module, (x,)) == outcome(eager, (x,)), number
