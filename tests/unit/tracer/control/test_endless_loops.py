"""Loops on data that no path leaves: they are refused at once, and no other way to run what is
around them is tried. Those that an exception leaves are captured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome


def halves(x):
    n = int(x[0])
    if n < 1:
        return -1
    while n % 2 == 0:
        n //= 2
    while True:
        while n > 3:
            n -= 2
        if n < 2:
            n += 9


def behind_loops(pair):
    a, b = int(pair[0]), int(pair[1])
    if a == 0:
        return b
    if b == 0:
        return a
    while (a | b) & 1 == 0:
        a >>= 1
        b >>= 1
    while True:
        while b & 1 == 0:
            b >>= 1
        if a > b:
            a, b = b, a
        b -= a


def _spin(n):
    while True:
        while n > 3:
            n -= 1
        n += 5


def of_a_callee(x):
    return x * 2 if x[0] > 0 else _spin(int(x[1]))


@pytest.mark.parametrize("program", [halves, behind_loops, of_a_callee])
def test_a_loop_that_no_path_leaves_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported, match="no path leaves it") as refused:
        export(program, (np.array([0, 4]),))
    assert refused.value.code == "E103"


def doubled_until_raised(x):
    n = int(x[0])
    if n < 0:
        return x
    while True:
        if n > 100:
            raise ValueError(n)
        n *= 2


def doubled_until_handled(x):
    n = abs(int(x[0]))
    try:
        while True:
            if n > 100:
                raise ValueError(n)
            n *= 2
    except ValueError as error:
        return n, error.args


def _largest(values, found):
    while True:
        value = next(values)
        if value > found[0]:
            found[0] = value


def largest(x):
    found = [x[0]]
    try:
        _largest(iter(x), found)
    except StopIteration:
        return found[0]


@pytest.mark.parametrize("program", [doubled_until_raised, doubled_until_handled, largest])
def test_a_loop_that_an_exception_leaves_is_captured(program: Callable[..., Any]) -> None:
    run = export(program, (np.array([3, 4]),)).module()
    for values in ([3, 4], [200, 7], [7, -2], [-2, 7]):
        assert outcome(run, (np.array(values),)) == outcome(program, (np.array(values),))
