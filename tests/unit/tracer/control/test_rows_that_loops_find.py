"""Rows of an array that a loop finds, keeps and writes to are views of it after the loop, as in eager execution; and results that
may be one array are one.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.functions import function_of
from tests.support.images import places_of
from tests.support.outcomes import outcome

FOUND = {
    "returned": "for r in x:\n  if r[0] > 0: return r\n return x[0]",
    "by number": "for i in range(len(x)):\n  if x[i, 0] > 0: return x[i]\n return x[-1]",
    "or none": "for r in x:\n  if r[0] > 0: return r",
    "or an error": "for r in x:\n  if r[0] > 0: return r\n raise ValueError('none')",
    "kept when the loop ends": "for r in x:\n  if r[0] > 0: break\n return r, x",
    "of an array that the program makes": "y = x * 2\n for r in y:\n  if r[0] > 0: return r, y\n return y[0], y",
    "written to": "for r in x:\n  if r[0] > 0: break\n r[1] = 5.0\n return r",
    "the last before it": "row = x[0]\n for r in x[1:]:\n  if r[0] > 0: break\n  row = r\n row *= 2\n return row.T, x[::-1]",
    "a row of a row": "a = x[-1]\n for r in x:\n  if r[0] > 0: break\n  a = r[1:]\n a[0] = 7.0\n return a.sum()",
}
REFUSED = {
    "the one before the last": "a = b = x[0]\n for r in x:\n  if r[0] > 0: break\n  a, b = b, r\n a += 1\n return a, b",
    "two results that may be an array that is gone": "a, b, c = x[0], x[1] * 2, x[2] + 1\n if a[1] > 0: a = c[:]\n"
    " for r in x:\n  if r[0] > 0: a = b\n  else: c = a\n return a, c",
    "one beside another that may be it, which is gone": "g = x[0] * 2\n c = g if x[0, 0] > 0 else x[1] * 3\n"
    " a = g if x[1, 0] > 0 else c\n del g\n return a, c",
    "both of one that is gone": "g = x[0] * 2\n c = g if x[0, 0] > 0 else x[1]\n a = g if x[1, 0] > 0 else x[1]\n del g\n return a, c",
    "several that are gone": "g, h = x[0] * 2, x[1] * 2\n c = g if x[0, 0] > 0 else h\n a = h if x[1, 0] > 0 else c\n"
    " del g, h\n return a, c, c if x[2, 0] > 0 else a",
}


@pytest.mark.parametrize("name", [*FOUND, *REFUSED])
def test_rows_are_views(name: str) -> None:
    program = function_of(f"def program(x):\n {(FOUND | REFUSED)[name]}", {"np": np})
    signs = itertools.product([1.0, -1.0], repeat=4)
    data = [np.arange(12.0).reshape(4, 3) + np.array([each]).T * [[20.0, 0, 0]] for each in signs]
    try:
        run = export(program, (data[0],)).module()
    except ExportError as refusal:
        assert (refusal.code, name in REFUSED) == ("E103", True)
        return
    for x in data:
        assert outcome(run, (x,)) == outcome(program, (x,))
        assert places_of(run, x) == places_of(program, x)
