"""Rows and columns at places that data decide are views of their array behind branches and loops, at any size: returned, kept,
written to, or absent.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.images import places_of
from tests.support.outcomes import outcome

BRANCHES = {
    "the greatest or none": "i = int(np.argmax(x[:, 0]))\n return x[i] if x[i, 0] > 0.5 else None",
    "an integer of NumPy": "i = x[:, 0].argmax()\n if x[i, 1] < 0: return None\n return x[i]",
    "a column": "j = np.argmax(np.abs(x).sum(axis=0))\n return x[:, j] if x[0, j] > 0 else x[:, 0]",
    "or a new one": "i = int(np.argmax(x[:, 0]))\n return x[i] if x[i, 1] > 0 else x[i] * 2",
    "written to": "i = int(np.argmax(x[:, 0]))\n r = x[i] if x[i, 1] > 0 else x[0]\n r[0] = 9.0\n return r",
    "a place that is not there": "i = 3 + 2 * int(x[0, 0] > 0)\n if x[0, 1] > 0: return x[i]\n return None",
    "where a loop has stopped": "i = 0\n while i < len(x) and x[i, 0] <= 0: i += 1\n return None if i == len(x) else x[i]",
}
LOOPS = {
    "the first": "for r in x:\n  if r[0] > 0: return r\n return None",
    "the first, with its number": "for i, r in enumerate(x):\n  if r[0] > 0: return i, r\n return -1, None",
    "the first or an error": "for r in x:\n  if r[0] > 0: return r\n raise ValueError('none')",
    "the first or the first of all": "for r in x:\n  if r[0] > 0: return r\n return x[0]",
    "the first or zeros": "for r in x:\n  if r[0] > 0: return r\n return np.zeros(x.shape[1])",
    "the first column": "for j in range(x.shape[1]):\n  if x[0, j] > 0: return x[:, j]\n return None",
    "two of them": "for i in range(len(x) - 1):\n  if x[i, 0] > x[i + 1, 0]: return x[i], x[i + 1]\n return None",
    "found and left": "found = None\n for r in x:\n  if r[0] > 0:\n   found = r\n   break\n return found",
    "the best": "best, most = None, -1.0\n for r in x:\n  if r.sum() > most: best, most = r, r.sum()\n return best, most",
    "the best of all": "best = x[0]\n for i in range(len(x)):\n  if x[i, 0] > best[0]: best = x[i]\n return best",
    "from behind": "best = x[-1]\n for i in range(1, len(x) + 1):\n  if x[-i, 0] > best[0]: best = x[-i]\n return best",
    "a part of it": "best = x[0, 1:]\n for i in range(len(x)):\n  if x[i, 0] > 0: best = x[i, 1:]\n return best",
    "of an array that the program makes": "y = x * 2\n for r in y:\n  if r[0] > 0: return r, y\n return None, y",
    "one of these or a new one": "for r in x:\n  if r[0] > 1: return r * 2\n  if r[1] > 1: return r\n return x[0]",
    "from within": "for i in range(len(x)):\n  for j in range(len(x)):\n   if x[i, j] > 1: return x[i]\n return None",
    "of a function": "def find(a):\n  for r in a:\n   if r[0] > 0: return r\n r = find(x)\n return 0.0 if r is None else r.sum()",
    "written to afterwards": "best = x[0]\n for i in range(len(x)):\n"
    "  if x[i, 0] > best[0]: best = x[i]\n best[1] = 7.0\n return x.sum(), best",
    "written to meanwhile": "best = x[0]\n for i in range(len(x)):\n  if x[i, 0] > best[0]:\n"
    "   best = x[i]\n   best[0] -= 1\n return x, best",
    "exchanged and written to": "a, b = x[0], x[-1]\n for i in range(len(x)):\n"
    "  if a[0] > b[0]: a, b = b, a\n  a[0] += 1\n return a.sum(), b.sum()",
    "again and again": "t = 0.0\n for k in range(3):\n  best = x[0]\n  for r in x:\n   if r[k % 2] > best[k % 2]: best = r\n"
    "  t += best.sum()\n  best[0] = 0.5\n return t",
    "in an array that is written to": "y = x + 1\n best = y[0]\n for r in y:\n  if r[0] > best[0]: best = r\n y[0] = 0\n return best",
    "in an array that is made anew": "y = x.copy()\n best = y[0]\n for r in x:\n"
    "  if r[0] > 0:\n   y = x * 2\n   best = y[1 % len(y)]\n return best.sum()",
}
REFUSED = {
    "two that may be one object": "best = last = x[0]\n for i in range(len(x)):\n"
    "  last = x[i]\n  if x[i, 0] > best[0]: best = last\n return best, last",
    "whether two are one object": "best = last = x[0]\n for i in range(len(x)):\n"
    "  last = x[i]\n  if x[i, 0] > best[0]: best = last\n return best is last",
}


_places = functools.partial(places_of, refused=(ValueError, IndexError))


def _data(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    return [random.normal(size=(count, count)) - shift for shift in (0, 0, 0, 1, 4) for _ in range(4)]


@pytest.mark.parametrize("name", [*BRANCHES, *LOOPS])
def test_they_are_views_at_any_size(name: str) -> None:
    program = function_of(f"def program(x):\n {(BRANCHES | LOOPS)[name]}", {"np": np})
    n = Dim("n", min=2)
    run = export(program, (_data(4)[0],), dynamic_shapes={"x": {0: n, 1: n}}).module()
    for x in (each for count in (4, 2, 7) for each in _data(count)):
        assert outcome(run, (x,)) == outcome(program, (x,))
        assert _places(run, x) == _places(program, x)


@pytest.mark.parametrize("name", BRANCHES)
def test_they_are_views_at_one_size(name: str) -> None:
    program = function_of(f"def program(x):\n {BRANCHES[name]}", {"np": np})
    run = export(program, (_data(4)[0],)).module()
    for x in _data(4):
        assert outcome(run, (x,)) == outcome(program, (x,))
        assert _places(run, x) == _places(program, x)


@pytest.mark.parametrize("name", REFUSED)
def test_objects_are_told_apart_or_refused(name: str) -> None:
    program = function_of(f"def program(x):\n {REFUSED[name]}", {"np": np})
    n = Dim("n", min=2)
    with pytest.raises(ExportError) as refusal:
        export(program, (_data(4)[0],), dynamic_shapes={"x": {0: n, 1: n}})
    assert refusal.value.code == "E103"


def test_an_array_without_rows_is_excluded() -> None:
    def first(x: np.ndarray) -> Any:
        for row in x:
            if row[0] > 0:
                return row
        return None

    with pytest.raises(ConstraintViolation) as violation:
        export(first, (np.ones((3, 2)),), dynamic_shapes={"x": {0: Dim("n")}})
    assert violation.value.suggested_fixes == {"n": "Dim('n', min=1)"}
