"""Names of the state that get one array, or may as the data decide, where the program writes into one of them."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome

REFUSED = {
    "the best is the present one": "if x[0] > 0: self.v = self.w\nself.w += x\nreturn self.v * 1",
    "written under its new name": "if x[0] > 0: self.v = self.w\nself.v[0] = x[1]\nreturn self.w.sum()",
    "a conditional expression": "self.v = self.w if x[0] > 0 else self.v\nself.v[1] -= 1\nreturn self.w.sum()",
    "read before": "y = self.w.sum()\nif x[0] > 0: self.v = self.w\nself.v[0] = x[0]\nreturn y",
    "a number of the state decides": "self.n += 1\nif self.n == 2: self.v = self.w\nself.v += x\nreturn self.w * 1",
    "exchanged, and then one": "self.w, self.v = self.v, self.w\nif x[0] > 0: self.w = self.v\nself.v[1] -= 1\nreturn self.w.sum()",
    "no array at first": "self.w += x\nif self.best is None or x[0] > 0: self.best = self.w\nreturn self.best * 1",
    "where the call raises": (
        "self.w += x\ny = self.v * 1\nif x[0] > 0: self.v = self.w\nif x[1] > 4: raise ValueError('late')\nself.v = y\nreturn y"
    ),
}
CAPTURED = {
    "nothing is written": "if x[0] > 0: self.v = self.w\nreturn self.w * 1, self.v * 2",
    "exchanged": "if x[0] > 0: self.v, self.w = self.w, self.v\nself.v += x\nreturn self.w * 1",
    "both written, exchanged": (
        "if x[0] > 0: y = self.v; self.v = self.w; self.w = y\nself.v[0] = x[0]; self.w[1] = x[1]\nreturn self.w * 1"
    ),
    "a copy": "if x[0] > 0: self.v = self.w.copy()\nself.w += x\nreturn self.v * 1",
    "the other one anew": "y = self.w + x\nif x[0] > 0: self.v = self.w\nself.v[0] = x[0]\nself.w = y\nreturn self.v.sum()",
    "one or the other": "y = x * 1\nif x[0] > 0: self.v = y\nelse: self.w = y\nself.v[0] += 1\nreturn self.v * 1, self.w * 1",
}


def _made(body: str) -> Any:
    begin = "self.w, self.v, self.n, self.best = np.zeros(3), np.ones(3), 0, None"
    lines = [
        "class M:",
        f"    def __init__(self): {begin}",
        "    def __call__(self, x):",
        *[f"        {line}" for line in body.split("\n")],
    ]
    source, file, names = "\n".join(lines) + "\n", f"<tied {hash(body)}>", {"np": np}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), names)
    return names["M"]()


@pytest.mark.parametrize("name", REFUSED)
def test_two_names_that_may_become_one_are_told(name):
    with pytest.raises(ExportError, match=r"E112[^\n]*one (after it|where it raises)"):
        export(_made(REFUSED[name]), (np.ones(3),))


@pytest.mark.parametrize("name", CAPTURED)
def test_what_nobody_can_tell_is_captured(name):
    eager, program = _made(CAPTURED[name]), export(_made(CAPTURED[name]), (np.ones(3),)).module()
    for number in range(8):
        x = np.array([(-1.0) ** (number // 2), number, 0.5 - number])
        assert outcome(program, (x,)) == outcome(eager, (x,)), number
