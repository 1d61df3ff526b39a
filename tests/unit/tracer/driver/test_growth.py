"""Exports, compilations and checks take work that grows with the size of a program, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export


def added_to(xs: list[Any]) -> Any:
    """All inputs are written to."""
    for number, x in enumerate(xs):
        x += number
    return xs[0] + 1


def returned(xs: list[Any]) -> Any:
    """They are outputs too."""
    for x in xs:
        x *= 2
    return list(xs)


class State:
    """The same of arrays of the state."""

    def __init__(self, count: int) -> None:
        self.arrays = [np.ones(3) for _ in range(count)]

    def __call__(self, xs: list[Any]) -> Any:
        for x, array in zip(xs, self.arrays, strict=True):
            array += x
        return xs[0] + 1


def calls(run: Callable[[], Any]) -> int:
    """How many functions are called."""
    count = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def work(program: Any, count: int) -> list[int]:
    """The calls that an export makes, and ``module()``, of so many arrays."""
    args = ([np.ones(3) for _ in range(count)],)
    found: list[Any] = []
    return [
        calls(lambda: found.append(export(program(count) if program is State else program, args, unroll=True))),
        calls(lambda: found[0].module()),
    ]


@pytest.mark.parametrize("program", [added_to, returned])
def test_many_written_inputs(program: Any) -> None:
    """Each was compared with each, by functions of Python."""
    work(program, 10)
    few, many = work(program, 50), work(program, 400)
    assert [one < 10 * other for one, other in zip(many, few, strict=True)] == [True, True], (few, many)


def test_much_written_state() -> None:
    work(State, 10)
    few, many = work(State, 20), work(State, 160)
    assert [one < 12 * other for one, other in zip(many, few, strict=True)] == [True, True], (few, many)
