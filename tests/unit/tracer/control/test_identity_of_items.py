"""Items that are arrays, of lists whose length data decide, or at places that data decide: which of the results and
inputs they are. The program returns that very array, or is refused.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.functions import function_of
from tests.support.images import shared

GROWN = "\n for q in y:\n  if q > 0: s.append(x * q)"
REFUSED = {
    "an input that a list holds": "s = [x]" + GROWN + "\n return s[-1]",
    "a view that a list holds": "s = []\n for r in x.reshape(2, 2):\n  if r.sum() > 2: s.append(r)\n return s[-1] if s else y * 1",
    "an item that is an earlier array": "z = x + 1; s = [z, x * 2]\n if y[0] > 0: s.pop()\n return s[-1], z",
    "two items that may be one": "s = [x * 1]" + GROWN + "\n return s[0], s[-1]",
    "two items of a list that holds one twice": "z = x * 1; s = [z, z]" + GROWN + "\n return s[0], s[1]",
    "two items of a list that was reversed": "s = [x * 1, x * 2]" + GROWN + "\n a = s[0]; s.reverse(); return a, s[1]",
    "an item of a queue": "s = deque([x])" + GROWN + "\n return s.popleft()",
    "an item that a loop leaves": "s = [x, x * 2]" + GROWN + "\n for r in s: pass\n return r",
    "an item that an iteration makes of the last": "s = [x]; t = y[0]\n while t < 3:\n  s.append(s[-1] * 1.5); t = t + 1\n return s[-1]",
    "a value of a dict": "d = {}; d[int(y[0])] = x\n return d[int(y[1])] if int(y[1]) in d else x + 5",
}
CAPTURED = {
    "a copy of an item": "s = [x]" + GROWN + "\n return s[-1].copy()",
    "an item that nothing else holds": "s = [x * 1]" + GROWN + "\n return s[-1]",
    "two items": "s = [x * 1, x * 2]" + GROWN + "\n return s[0], s[1]",
    "two that are taken out": "s = [x * 1, x * 2]" + GROWN + "\n a = s.pop(); b = s.pop(); return a, b",
    "an item at a place": "s = [x + 1, x + 2]; return s[int(y[0] > 0)]",
    "an item at a place, and another": "s = [x + 1, x + 2]; return s[0], s[int(y[0] > 0)]",
    "an item at a place, twice": "s = [x + 1, x + 2]; return s[int(y[0] > 0)], s[int(y[0] > 0)]",
    "items at two places": "s = [x + 1, x + 2]; return s[int(y[0] > 0)], s[int(y[1] > 0)]",
    "an item that a side made, and that": "a = x + 1 if y[0] > 0 else x - 1\n return a, [a, x * 2][int(y[1] > 0)]",
    "values of a dict": "d = {0: x - 1, 1: x + 1}; return d[int(y[0] > 0)], d[0]",
    "sorted items": "s = [x + 1, x + 2]; return s, sorted(s, key=lambda v: v[0] * y[0])",
    "sorted items that are one": "z = x + 1; return sorted([z, z], key=lambda v: v[0] * y[0])",
    "the largest of two": "return max([x, x + 1], key=lambda v: v[0] * y[0]), x",
}


def program_of(body: str) -> Any:
    return function_of(f"from collections import deque\ndef program(x, y):\n {body}", {"np": np})


@pytest.mark.parametrize("name", REFUSED)
def test_items_that_somebody_else_may_have_are_refused(name: str) -> None:
    with pytest.raises(Unsupported) as found:
        export(program_of(REFUSED[name]), (np.arange(4.0), np.array([1.0, 1.0])))
    assert found.value.code == "E103" and ".copy()" in str(found.value)


@pytest.mark.parametrize("name", CAPTURED)
def test_items_are_the_arrays_that_they_are(name: str) -> None:
    program = program_of(CAPTURED[name])
    run = export(program, (np.arange(4.0), np.array([1.0, 1.0]))).module()
    for y in map(np.array, itertools.product([1.0, -1.0], repeat=2)):
        assert shown(run, y) == shown(program, y)


def shown(program: Any, y: Any) -> Any:
    """Values, which arrays are one object, and which share memory."""
    x, found = np.arange(4.0), []
    flatten([x, y, program(x, y)], found)
    return [each.tolist() for each in found], [[one is each for each in found] for one in found], shared(found)


def flatten(value: Any, found: list[Any]) -> None:
    if isinstance(value, np.ndarray):
        found.append(value)
    else:
        for each in value:
            flatten(each, found)
