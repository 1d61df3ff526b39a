"""Loops that are left, or gone on with, where a condition of several tests says so: every shape of
the condition in every shape of loop, on data by which the tests are decided in all ways.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

CONDITIONS = (
    "{0} and {1}",
    "{0} or {1}",
    "({0} or {1}) and {2}",
    "{0} and {1} or {2}",
    "not ({0} and ({1} or {2}))",
    "({0} and {1}) != {2}",
    "not (a[1] < y < a[0])",
)
TESTS = ("y < a[0]", "y > a[1]", "x != a[2]")

LEFT = {
    "return": "if {condition}:\n    return y\nx = y",
    "return tuple in else": "if not ({condition}):\n    x = y\nelse:\n    return y, x",
    "break": "if {condition}:\n    break\nx = y",
    "break behind": "x = y\nif {condition}:\n    break",
    "continue": "if {condition}:\n    x = x * 0.75\n    continue\nx = y",
    "raise": "if {condition}:\n    raise ArithmeticError('left')\nx = y",
}
LOOPS = {
    "range": "for _ in range(5):\n    y = x * 0.5\n{body}",
    "while": "turns = 0\nwhile turns < 5:\n    turns += 1\n    y = x * 0.5\n{body}",
    "else": "for _ in range(5):\n    y = x * 0.5\n{body}\nelse:\n    x = x + 100",
}
ENDS = {"return": "return x", "raise": "raise ValueError(f'{x:.2f}')"}

DATA = [np.array(values) for values in ([1.0, 9, 0], [0.1, 2.5, 0], [9.0, 3, 4], [0.3, 0.5, 1], [0.0, 9.0, 8], [1.5, 1.5, 2])]


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _program(condition: str, left: str, loop: str, end: str) -> Callable[..., Any]:
    body = LEFT[left].format(condition=condition.format(*TESTS))
    lines = _indented("x = a.sum() * 0.5\n" + LOOPS[loop].format(body=_indented(body)) + "\n" + ENDS[end])
    return function_of(f"def program(a):\n{lines}")  # type: ignore[no-any-return]


ENDING = [(left, end) for left in LEFT for end in ENDS if end == "return" or left.startswith("return")]  # not always by an exception


@pytest.mark.parametrize(("left", "end"), ENDING)
@pytest.mark.parametrize("loop", ["range", *[pytest.param(loop, marks=pytest.mark.slow) for loop in LOOPS if loop != "range"]])
def test_every_condition_decides_as_in_eager_execution(left: str, loop: str, end: str) -> None:
    for condition in CONDITIONS:
        program = _program(condition, left, loop, end)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = export(program, (DATA[0],)).module()
            for data in DATA:
                assert outcome(module, (data,)) == outcome(program, (data,)), (condition, data)


def writes_behind_a_break(x):
    rows, turns = np.sort(x), 0
    while turns < 8:
        if rows.max() > 6 and rows[0] > rows[1] - 1:
            break
        if rows[0] > 0.5:
            rows[-1] = rows[0] * 1.5
        else:
            rows[0] += 0.75
        turns += 1
        rows = np.take(rows, np.argsort(rows), 0)
    return rows, turns


def counts_on_the_way_to_a_break(x):
    rows, seen = x.copy(), 0
    for turn in range(8):
        if rows[0] < 1:
            seen += 1
            if rows.sum() > 3:
                break
        rows[turn % 3] += 0.5
        rows = rows * 1.125
    return rows, seen


def ends_in_finally(x):
    rows, turns = np.sort(x), 0
    while turns < 6:
        try:
            if rows.max() > 6 or (rows[0] > 1 and rows[1] < 4):
                break
            rows[-1] = rows[0] + 0.75
        finally:
            rows = rows[np.argsort(-rows)]
        turns += 1
    return rows, turns


def keeps_the_one_that_is_left_with(x):
    rows = best = x.copy()
    for _ in range(8):
        if rows[0] > 1 and rows[1] > 1:
            best = rows
            break
        if rows[2] < 1:
            rows[2] += 0.25
        rows = rows + 0.5
    return best * 2, rows


def goes_on_early(x):
    rows, total = x.copy(), np.zeros(3)
    for turn in range(6):
        rows = rows * 0.75
        if rows[0] < 1 and rows[1] > rows[2]:
            rows[1] = 0.25
            continue
        if rows[2] > 2 or rows[0] > 2:
            total[turn % 3] += rows[2]
        total = total + rows
    return total, rows


def three_ways_out(x):
    rows, turns = np.sort(x), 0
    last = rows
    while turns < 2:
        turns += 1
        try:
            if rows[2] < 3:
                break
            if rows.sum() < 12:
                continue
            if x[0] > x[1]:
                return 7
        finally:
            last = np.sort(rows)
    last = rows * 0.5
    return last.sum(), turns


@pytest.mark.parametrize(
    "program",
    [three_ways_out, writes_behind_a_break, counts_on_the_way_to_a_break, ends_in_finally, keeps_the_one_that_is_left_with, goes_on_early],
)
def test_arrays_are_written_and_bound_anew_behind_such_conditions(program: Callable[..., Any]) -> None:
    module = export(program, (DATA[0],)).module()
    for data in [*DATA, *(each + 0.75 for each in DATA)]:
        assert outcome(module, (data.copy(),)) == outcome(program, (data.copy(),)), data


def test_what_follows_such_conditions_is_recorded_once() -> None:
    def conditions(count: int) -> int:
        tests = "".join(f"    if x[0] > {place} and x[1] < {place}:\n        break\n" for place in range(count))
        function = function_of(f"def program(x):\n  x = x * 1\n  for _ in range(9):\n{tests}    x = x * 2\n  return x")
        program = export(function, (DATA[0],))
        return sum(len(graph.nodes) for graph in program.graph.all_graphs())

    few, more, most = map(conditions, (2, 4, 6))
    assert most - more == more - few


def always_raises_behind(a):
    x = a.sum()
    while x > 1:
        x = x * 0.5
    raise ValueError("left")


def always_raises_in_the_middle(a):
    x = a.sum()
    while True:
        if x < 1:
            raise ValueError("left")
        x = x * 0.5


def always_raises_after_a_break(a):
    x = a.sum()
    for _ in range(5):
        x = x * 0.5
        if (x < a[0] and x > a[1]) != (x != a[2]):
            break
    raise ValueError("left")


@pytest.mark.parametrize("program", [always_raises_behind, always_raises_in_the_middle, always_raises_after_a_break])
def test_the_only_way_out_of_a_loop_is_no_check(program: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="^left$"):
        export(program, (DATA[0],))


def test_an_iteration_whose_paths_do_not_end_is_refused() -> None:
    """The counter is known in each iteration, and data say whether there is another: no path comes to an end, unless CPython's
    code for `continue` is one that the counter leads out of.
    """

    def f(x, k):
        place, scale, turns = int(k[0]), (float(k[1]), x), 0
        while 0 <= place < len(x):
            turns += 1
            if turns > 4:
                break
            if scale[0] == 0:
                continue
            x = x * 2
        return x

    try:
        run = export(f, (np.ones(3), np.array([1.0, 2.0]))).module()
    except Unsupported as error:
        assert error.code == "E103" and "nested" in error.message
    else:
        assert sys.version_info >= (3, 14)
        for k in ([1.0, 2.0], [1.0, 0.0], [5.0, 2.0], [-1.0, 0.0], [0.0, np.nan]):
            assert outcome(run, (np.ones(3), np.array(k))) == outcome(f, (np.ones(3), np.array(k)))
