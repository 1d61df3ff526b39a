"""Loops that are left, or gone on with, where a condition of several tests says so: every shape of
the condition in every shape of loop, on data by which the tests are decided in all ways.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
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
    namespace: dict[str, Any] = {}
    exec(f"def program(a):\n{lines}", namespace)
    return namespace["program"]  # type: ignore[no-any-return]


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
    """The counter is known in each iteration, and data say whether there is another: no path comes to an end."""

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

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(3), np.array([1.0, 2.0])))
    assert caught.value.code == "E103" and "nested" in caught.value.message
