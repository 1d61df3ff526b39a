"""Whether two arrays are one object, where data decide which arrays variables hold: the answer of eager execution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

BODIES = {
    "one of two inputs": "m = x if x[0] > 0 else y\n return m is x, m is not y",
    "an array or a view of it": "m = x if x[0] > 0 else x[:]\n return m is x, m.view() is x, m[:] is m, np.asarray(m) is m",
    "one that a side makes": "z = x + 1\n m = z if x[0] > 0 else x * 2\n return m is z, m is x",
    "a chosen one that is chosen again": "m = x if x[0] > 0 else x * 2\n n = m if y[0] > 0 else y\n return m is n, n is x, n is y, m is x",
    "two choices of one that is gone": "m = x * 1 if x[0] > 0 else x * 2\n n = m if y[0] > 0 else y\n k = m if x[1] > 0 else y\n del m\n"
    " return n is k, k is y",
    "exchanged": "a, b = x + 1, y + 1\n if x[0] > y[0]: a, b = b, a\n c = b if x[1] > 0 else a\n return a is b, a is c, b is c",
    "several names": "if x[0] > 0: a, b = x, y\n else: a = b = y\n c = a if y[0] > 0 else b\n"
    " return a is b, a is x, b is y, c is a, c is b, c is x",
    "the best of several": "s = [x, y, x + y, x - y]; best = s[0]\n for c in s:\n  if c.sum() > best.sum(): best = c\n"
    " return [c is best for c in s]",
    "the best and the last of a loop": "best = last = x; k = 0\n for i in range(12):\n  k = k * 2 + (best is last)\n"
    "  c = y * i - x\n  if c[0] > best[1]: best = c\n  last = c\n return k, best is last, best is x",
    "one that two carries may become": "a, b, c = x, y, x + y\n for _ in range(12):\n  if y.sum() > 0: c = b\n  else: a = c\n  y = y - 1\n"
    " return a is c, c is b, a is x",
    "exchanged in iterations": "a, c, k = x + 1, x + y, 0\n for _ in range(12):\n  k = k * 2 + (a is c)\n  if y.sum() > 0: a, c = c, a\n"
    "  y = y - 1\n return k, a is c",
    "written to": "a, c = x + 1, x + y\n while y.sum() > 0:\n  if y[0] > 0: c = a\n  else: a = c\n  y = y - 1\n c[0] = 5\n"
    " return a, c, a is c",
    "a branch on it": "m = x if x[0] > y[1] else y\n if m is x: return x * 2\n return y - 1",
}


@pytest.mark.parametrize("name", BODIES)
def test_which_arrays_are_one_is_told(name: str) -> None:
    program = function_of(f"def program(x, y):\n {BODIES[name]}", {"np": np})
    signs = [np.array(each) for each in itertools.product([2.0, -1.5], repeat=2)]
    run = export(program, (signs[0], signs[1])).module()
    for one, other in itertools.product(signs, signs):
        args = one, other.copy()
        assert outcome(run, args) == outcome(program, args)
