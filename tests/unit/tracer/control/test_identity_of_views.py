"""Whether two views are one array, where branches on data decide that: refused where it is asked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.functions import function_of

BODIES = {
    "a new one on one side": "a = x[::2]; b = a\n if y[0] > 0: b = x[::2]",
    "new ones on both sides": "a = x[::2]\n if y[0] > 0: b = x[::2]\n else: b = a",
    "one with two names on one side": "if y[0] > 0: a = x[1:]; b = a\n else: a = x[1:]; b = x[1:]",
    "nested": "a = b = x[1:]\n if y[0] > 0:\n  a = x[1:]\n  if y[1] > 0: b = a",
    "nested, never one": "a = b = x[1:]\n if y[0] > 0:\n  a = x[1:]\n  if y[1] > 0: b = x[1:]\n  else: a = x[1:]\n else: b = x[1:]",
    "both of one": "a = b = x[1:]\n if y[0] > 0: a = b = x[1:]",
    "of memory that both make": "if y[0] > 0: s = x + 1; a = s[1:]; b = a\n else: s = x + 2; a = s[1:]; b = s[1:]",
    "both of memory that both make": "if y[0] > 0: s = x + 1; a = s[1:]; b = a\n else: s = x + 2; a = s[1:]; b = a",
}


@pytest.mark.parametrize("name", BODIES)
def test_whether_views_are_one_is_known_or_refused(name: str) -> None:
    program = function_of(f"def program(x, y):\n {BODIES[name]}\n return a is b, a + b")
    x = np.arange(5.0)
    signs = [np.array(each) for each in itertools.product([1.0, -1.0], repeat=2)]
    wanted = {program(x, y)[0] for y in signs}
    for example in signs:
        try:
            run = export(program, (x, example)).module()
        except Unsupported as error:
            assert error.code == "E103" and len(wanted) == 2
            continue
        for y in signs:
            assert run(x, y)[0] is program(x, y)[0]
            np.testing.assert_array_equal(run(x, y)[1], program(x, y)[1])


RETURNED = {
    "a new one on one side": "a = x[::2]; b = a\n if y[0] > 0: b = x[::2]",
    "one with two names on one side": "if y[0] > 0: a = x[1:]; b = a\n else: a = x[1:]; b = x[1:]",
    "nested": "a = b = x[1:]\n if y[0] > 0:\n  a = x[1:]\n  if y[1] > 0: b = a",
    "both of one": "a = b = x[1:]\n if y[0] > 0: a = b = x[1:]",
    "two views on both sides": "if y[0] > 0: a = x[1:]; b = x[1:]\n else: a = x[1:]; b = x[1:]",
    "a view or the array, and that": "a = x[:] if y[0] > 0 else x\n b = x\n if y[1] > 0: b = a",
    "one of several, and that": "a = x[:] if y[0] > 0 else np.clip(x, 0, 3, out=x)\n b = x\n if y[1] > 0: b = a",
}


@pytest.mark.parametrize("name", RETURNED)
def test_results_are_one_where_they_are_one_or_are_refused(name: str) -> None:
    program = function_of(f"def program(x, y):\n {RETURNED[name]}\n return a, b", {"np": np})
    signs = [np.array(each) for each in itertools.product([1.0, -1.0], repeat=2)]
    for example in signs:
        wanted = {identities(program, y) for y in signs}
        try:
            run = export(program, (np.arange(5.0), example)).module()
        except Unsupported as error:
            assert error.code == "E103" and len(wanted) > 1
            continue
        for y in signs:
            assert identities(run, y) == identities(program, y)


def identities(program: Any, y: Any) -> tuple[bool, ...]:
    """Which of the input and the two results are one object."""
    x = np.arange(5.0)
    a, b = program(x, y)
    return a is b, a is x, b is x
