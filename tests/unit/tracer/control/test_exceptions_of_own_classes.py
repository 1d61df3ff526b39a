"""Sides that raise exceptions of the user's classes, which have an ``__init__`` of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export


class Plain(Exception):
    def __init__(self):
        super().__init__("nothing is left")


class Held(Exception):
    def __init__(self, value="none", *, where=None):
        self.value, self.where = value, where

    def __str__(self):
        return f"{self.value!r} at {self.where!r}"


class NoConvergence(ArithmeticError):
    def __init__(self, steps, error):
        self.steps, self.error = steps, error
        super().__init__(f"no convergence after {steps} steps, {error:.3g}")


class Derived(NoConvergence):
    limit = 4

    def __init__(self, error):
        super().__init__(self.limit, error)


class Slotted(ValueError):
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Stopped(StopIteration):
    def __init__(self, value):
        super().__init__(value)


def without_arguments(x):
    if x.sum() < 0:
        raise Plain()
    return x * 2


def with_what_data_say(x):
    if x.sum() < 0:
        raise Held(x.sum(), where=int(x.argmin()))
    return x * 2


def derived(x):
    for _ in range(3):
        x = x * 0.5
        if x.sum() < 0:
            raise Derived(x[0])
    return x


def from_another(x):
    try:
        return np.linalg.inv(x.reshape(2, 2))
    except np.linalg.LinAlgError as error:
        raise NoConvergence(1, 0.5) from error


def in_a_loop(x):
    steps = 0
    while np.abs(x).max() > 1e-3:
        x, steps = x * 0.5, steps + 1
        if steps > 5:
            raise NoConvergence(steps, np.abs(x).max())
    return x


def caught(x):
    try:
        if x.sum() < 0:
            raise NoConvergence(2, x[1])
        return x
    except ArithmeticError as error:
        return x * 0 + error.error


PROGRAMS = (without_arguments, with_what_data_say, derived, from_another, in_a_loop, caught)


def _outcome(function: Any, x: np.ndarray) -> Any:
    try:
        return repr(function(x.copy()))
    except Exception as error:
        held = {name: value for name, value in vars(error).items() if name != "__notes__"}
        return repr((type(error), error.args, str(error), held, error.__cause__, error.__context__, error.__suppress_context__))


@pytest.mark.parametrize("program", PROGRAMS)
def test_exceptions_equal_eager(program: Any) -> None:
    first = np.array([1.0, 2.0, 3.0, 4.0])
    exported = export(program, (first,))
    for run in (exported.module(), exported.run_decompositions().module()):
        for x in (first, -first, first * 0, first * 1e-5, first * 1e5, np.ones(4)):
            assert _outcome(run, x) == _outcome(program, x)


@pytest.mark.parametrize("made", [Slotted, Stopped])
def test_what_a_class_keeps_elsewhere_is_refused(made: Any) -> None:
    def program(x):
        if x.sum() < 0:
            raise made(3)
        return x

    with pytest.raises(ExportError, match="a branch depends on data"):
        export(program, (np.ones(2),))
