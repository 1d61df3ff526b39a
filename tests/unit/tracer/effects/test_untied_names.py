"""One array under several names of the exported object, which calls replace one by one."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome

TWO, THREE = "self.a = self.b = np.ones(3)", "self.a = self.b = self.c = np.zeros(3)"

ALONE = {
    "the better one": (TWO, "self.a = self.a + x\nif self.a.sum() > self.b.sum(): self.b = self.a\nreturn self.b"),
    "the best copy": (
        "self.a = self.b = np.zeros(3); self.s = -np.inf",
        "self.a = self.a * .5 + x\nif self.a.sum() > self.s: self.s = self.a.sum(); self.b = self.a.copy()\nreturn self.b, self.s",
    ),
    "a swarm": (
        "self.a = np.ones(3); self.v = np.zeros(3); self.b = self.a; self.f = np.inf",
        "f = (self.a ** 2).sum()\nif f < self.f: self.f = f; self.b = self.a\n"
        "self.v = .5 * self.v + x\nself.a = self.a + self.v\nreturn self.b",
    ),
    "two moments": (
        "self.w = np.ones(3); self.m = self.v = np.zeros(3)",
        "self.m = .9 * self.m + x; self.v = .99 * self.v + x * x\nself.w = self.w - self.m / (np.sqrt(self.v) + 1)\nreturn self.w",
    ),
    "both anew": (TWO, "self.a = self.a + x; self.b = self.b * 2\nreturn self.a, self.b"),
    "exchanged": (TWO, "self.a, self.b = self.b, self.a + x\nreturn self.a"),
    "what it was": (TWO, "old = self.a\nself.a = old + x; self.b = self.b - x\nreturn old"),
    "where data say": (TWO, "if x.sum() > 3: self.a = self.a + x\nreturn self.a.sum(), self.b.sum()"),
    "three": (THREE, "if x[1] > 1: self.c = self.a\nself.a = self.a + x\nif x[0] > 1: self.b = self.a\nreturn self.a, self.c.sum()"),
    "items": ("self.d = [np.zeros(3)] * 3", "for i in range(3): self.d[i] = self.d[i] + x * i\nreturn self.d[1], sum(self.d)"),
    "keys": ("z = np.ones(3); self.d = {'a': z, 'b': z}", "self.d['a'] = self.d['a'] + x\nreturn self.d['b'], self.d['a']"),
    "an earlier exception": (TWO, "self.a = self.a + x\nif x[0] > 3: raise ValueError('big')\nself.b = self.b - x\nreturn self.a"),
    "beside a count": ("self.a = self.b = np.ones(3); self.n = 0", "self.n += 1; self.a = self.a + x\nreturn self.b * self.n, self.a"),
    "beside a list": ("self.a = self.b = np.ones(3); self.h = []", "self.h.append(x[0])\nself.a = self.a + x\nreturn self.b * len(self.h)"),
}
TOLD = {
    "compared": (TWO, "r = self.a is self.b\nself.a = self.a + x\nreturn r"),
    "shared memory": (TWO, "r = np.shares_memory(self.a, self.b)\nself.a = self.a + x\nreturn r"),
    "written to": (TWO, "self.a = self.a + x\nself.b += x\nreturn self.a"),
    "both returned": (TWO, "a, b = self.a, self.b\nself.a = a + x; self.b = b - x\nreturn a, b"),
    "one returned, another stays": (TWO, "old = self.a\nself.a = old + x\nreturn old, self.b.sum()"),
    "one returned where both may stay": (TWO, "if x.sum() > 3: self.a = self.a + x\nreturn self.a"),
    "one returned, by which another is chosen": (
        TWO,
        "old = self.b if x[0] > 1 else self.a\nif x[1] > 2: self.b = self.a\nself.a = self.a + x\nreturn old",
    ),
    "a view beside": ("self.a = self.b = np.ones(3); self.c = self.a[:2]", "if x[0] > 1: self.a = self.a + x\nreturn self.c"),
}


def _made(init: str, body: str) -> Any:
    lines = ["class M:", f"    def __init__(self): {init}", "    def __call__(self, x):", *[f"        {line}" for line in body.split("\n")]]
    source, file, names = "\n".join(lines) + "\n", f"<untied {hash((init, body))}>", {"np": np}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), names)
    return names["M"]


def _change(value: Any) -> None:
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, np.ndarray):
            each[...] = 7.0


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("writes", [False, True])
def test_names_of_one_array_are_several_where_nobody_can_tell(name: str, writes: bool) -> None:
    """``writes``: callers write into what they get."""
    kind = _made(*ALONE[name])
    rng = np.random.default_rng(3)
    calls = [rng.normal(1, 1.5, 3) for _ in range(8)]
    eager, module = kind(), export(kind(), (calls[0],)).module()
    for x in calls:
        found = [outcome(call, (x,)) for call in (eager, module)]
        assert found[0] == found[1]
        if writes:
            with np.errstate(all="ignore"):
                for call in (eager, module):
                    try:
                        _change(call(x.copy()))
                    except ValueError:
                        continue


@pytest.mark.parametrize("name", TOLD)
def test_names_of_one_array_stay_together_where_somebody_can_tell(name: str) -> None:
    with pytest.raises(ExportError, match="^E112.* are one array before the call, and two after it"):
        export(_made(*TOLD[name])(), (np.array([1.0, 2.0, 4.0]),))
