"""Loops that are left, or gone on with, from within ``with`` blocks and inner loops: what ends a
block runs on that path, what is returned from it is what was computed inside.
"""

from __future__ import annotations

import contextlib
import itertools
import textwrap
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import one_in, shard


class Counted:
    """Counts how often it is entered, and left."""

    def __init__(self) -> None:
        self.entered = self.left = 0

    def __enter__(self) -> Counted:
        self.entered += 1
        return self

    def __exit__(self, *told: object) -> None:
        self.left += 10


MANAGERS = {
    "errstate": "np.errstate(all='ignore')",
    "suppress": "contextlib.suppress(KeyError)",
    "counted": "counted as other",
    "two": "counted, np.errstate(divide='ignore')",
    "stack": "contextlib.ExitStack() as stack",
}
WAYS = {
    "break": "break",
    "continue": "continue",
    "return": "return s, counted.left",
    "return computed": "return s / (v + 9)",
    "return array": "return x * v, s",
    "return list": "return [s, v]",
}
LOOPS = {
    "for": "for v in x:",
    "range": "for i in range(len(x)):\n        v = x[i]",
    "while": "while s < 20 and i < 9:\n        i += 1\n        v = s - 3",
    "true": "while True:\n        i += 1\n        if i >= len(x):\n            break\n        v = x[i]",
}
BODIES = {
    "in the block": """
with {manager}:
    if v > t:
        {way}
    s = s + v
s = s * 0.5""",
    "on a side": """
if v > t:
    with {manager}:
        if s > 1:
            {way}
        s = s + v
s = s * 0.5""",
    "on both sides": """
with {manager}:
    s = s + 1
    if v > t:
        if s > 1:
            {way}
        s = s + v
    else:
        {way}""",
    "at the end": """
with {manager}:
    s = s + v
    if v > t:
        {way}""",
    "in an inner loop": """
with {manager}:
    for j in range(3):
        if x[j] > s:
            {way}
        s = s + 1
    s = s + v""",
    "within an inner loop": """
for j in range(2):
    with {manager}:
        if x[j] > s:
            {way}
        s = s + v
s = s + 1""",
}


def _program(loop: str, manager: str, way: str, body: str) -> Any:
    lines = textwrap.indent(BODIES[body].format(manager=MANAGERS[manager], way=WAYS[way]), "        ")
    end = "return s, counted.entered, counted.left, i"
    text = f"def program(x, t):\n    s, i, counted = 0.0, -1, Counted()\n    {LOOPS[loop]}{lines}\n    {end}\n"
    return function_of(text, {"np": np, "contextlib": contextlib, "Counted": Counted})


@pytest.mark.parametrize(("body", "loop", "manager", "way"), one_in(6, shard(itertools.product(BODIES, LOOPS, MANAGERS, WAYS), 6)))
def test_equals_eager(body: str, loop: str, manager: str, way: str) -> None:
    f = _program(loop, manager, way, body)
    for shapes, sizes in ((None, (5,)), ({"x": {0: Dim("n", min=3)}, "t": None}, (3, 5, 8))):
        run = export(f, (np.array([0.5, -2.0, 3.0, 0.2, 1.0]), np.array(0.5)), dynamic_shapes=shapes).module()
        for size, seed in itertools.product(sizes, range(4)):
            rng = np.random.default_rng(seed)
            data = np.round(rng.normal(size=size) * 1.3, 1), np.array(rng.choice([0.5, 0.0, 1.5, -0.7]))
            assert outcome(run, data) == outcome(f, data), data


def test_what_the_loop_writes_to_is_returned_from_a_block():
    def f(x):
        y = np.zeros(3)
        for v in x:
            with contextlib.suppress(KeyError):
                y[0] = v
                if v > 1:
                    return y
        return y * 2

    exported = export(f, (np.array([0.5, -2.0]),)).module()
    for given in ([0.5, -2.0], [2.0, 3.0], [0.5, 3.0]):
        assert outcome(exported, (np.array(given),)) == outcome(f, (np.array(given),))


def test_an_error_state_that_one_path_leaves_is_refused():
    def f(x):
        for v in x:
            if v > 1:
                np.seterr(divide="ignore")
                break
        return x / 0

    with pytest.raises(ExportError, match="changes how"):
        export(f, (np.array([0.5, -2.0]),))
