"""Branches of a loop that raise on one side, beside a handler of another exception, and decide the
loop by what follows them: equal to eager execution, or refused.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.fuzz.branches import outcome

SOURCE = """
def f(x):
    lst, acc = [], 0.0
    for i in range({count}):
        t = float(x[i])
        try:
            if t > 1:
                {side}
            else:
                acc = acc + 1
        except {caught}:
            {handler}
        if t > 2:
            {end}
        acc = acc * 2
    return acc
"""
SIDES = ("lst[0] = acc", "raise KeyError(i)", "acc = acc - 1")
HANDLERS = ("return acc", "acc = 5.0", "pass")
ENDS = ("break", "return -acc", "continue", "acc = acc + 3")
VALUES = ([0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 1.5, 2.5], [1.5, 0, 3], [0, 0, 4])
DATA = [np.array(values, float) for values in VALUES]


def compiled(**parts):
    namespace = {}
    exec(compile(SOURCE.format(**parts), "<program>", "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("caught", ["ValueError", "IndexError"])
@pytest.mark.parametrize("side", SIDES)
def test_what_a_side_did_before_is_kept(side, caught):
    captured = 0
    for handler, end, count in itertools.product(HANDLERS, ENDS, (2, 3)):
        f = compiled(side=side, caught=caught, handler=handler, end=end, count=count)
        try:
            run = export(f, (DATA[0],)).module()
        except ExportError as error:
            assert error.code in ("E103", "E126"), error
            continue
        captured += 1
        for x in DATA:
            assert outcome(run, (x,)) == outcome(f, (x,)), (handler, end, count, x)
    assert captured >= 6


def after_a_handler(x, k):
    i = int(k[0])
    for _ in range(len(x)):
        try:
            if all(v > 0 for v in x):
                return i
        except IndexError:
            i = 5
        else:
            i = i + 1
        i = i + 1
    return i


def test_the_jump_of_a_handler_is_no_loop():
    run = export(after_a_handler, (DATA[0], np.array([1])), dynamic_shapes=({0: Dim.AUTO}, None)).module()  # did not end
    for x in (*DATA, np.ones(2), np.zeros(5), np.zeros(0)):
        assert outcome(run, (x, np.array([2]))) == outcome(after_a_handler, (x, np.array([2])))
