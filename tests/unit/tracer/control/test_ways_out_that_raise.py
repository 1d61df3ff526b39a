"""Loops on data that are left in several ways, some of which raise: equal to eager execution, the
exceptions included.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


def newton(x):
    root = x[0]
    for iteration in range(50):
        better = root - (root * root - x[1]) / (2 * root)
        if abs(better - root) < 1e-9:
            return better
        root = better
    raise RuntimeError(f"no convergence after {iteration} iterations, at {root:.3f}")


def bisection(x):
    low, high, iterations = x[0], x[1], 0
    if low * high > 0:
        raise ValueError("the signs are the same")
    while iterations < 60:
        middle = (low + high) / 2
        if abs(high - low) < 1e-9:
            return middle, iterations
        low, high = (low, middle) if middle > 0.1 else (middle, high)
        iterations += 1
    else:
        raise ArithmeticError("no root")


def secant(x):
    """Left in three ways, two of which raise."""
    p, q = x[0], x[1]
    for iteration in range(30):
        f, g = p * p - x[2], q * q - x[2]
        if f == g:
            raise ZeroDivisionError(f"no slope in iteration {iteration}")
        p, q = q - g * (q - p) / (g - f), p
        if abs(p - q) < 1e-10:
            return p
    raise RuntimeError("no convergence")


def first_above(x):
    for i, v in enumerate(x):
        if v > 2:
            return i
    raise KeyError("none")


def first_above_by_break(x):
    for i, v in enumerate(x):
        if v > 2:
            break
    else:
        raise KeyError("none")
    return i, v * 2


def two_tests(x):
    """The second test is on one side of the first, and both go on with the next iteration."""
    root = x[0]
    for iteration in range(40):
        better = root * 0.5 + x[1] * 0.25
        if abs(better - root) < 1e-6 and abs(better) < 1e3:
            return better
        root = better
    raise RuntimeError(f"no convergence at {root:.3f} after {iteration}")


def two_tests_turned_over(x):
    root = x[0]
    for _ in range(40):
        better = root * 0.5 + x[1] * 0.25
        if not ((abs(better - root) < 1e-6 or better > 1e3) and better != 0.0):
            root = better
        else:
            return better, root
    raise RuntimeError("no convergence")


DATA = [np.array(values) for values in ([1.0, 2, 3], [1.0, -2, 3], [-1.0, 0.5, 0], [5.0, 0.5, 0], [0.0, 0.5, 0], [2.0, 2.0, 2.0])]


PROGRAMS = [newton, bisection, secant, first_above, first_above_by_break, two_tests, two_tests_turned_over]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_they_raise_what_they_raise_eagerly(program: Callable[..., Any]) -> None:
    found = export(program, (DATA[0],))
    for module in (found.module(), reloaded(found).module(), found.run_decompositions().module()):
        for data in DATA:
            assert outcome(module, (data,)) == outcome(program, (data,))


@pytest.mark.parametrize("program", [first_above, first_above_by_break], ids=lambda f: f.__name__)
def test_so_they_do_at_any_size(program: Callable[..., Any]) -> None:
    module = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for data in (*DATA, np.array([0.5]), np.array([2.5]), np.arange(9.0)):
        assert outcome(module, (data,)) == outcome(program, (data,))


def test_newton_of_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    def program(x):
        return optimize.newton(lambda v: v * v - x[1], x[0], fprime=lambda v: 2 * v)

    module = export(program, (DATA[0],)).module()
    for data in DATA:
        assert outcome(module, (data,)) == outcome(program, (data,))


def test_a_truth_that_is_checked_stays_open_beside_a_guard() -> None:
    def program(x, k):
        y = x[:1] + x
        try:
            if int(k[0]) > 2:
                raise ValueError("large")
        except ZeroDivisionError:
            return x
        return y

    k = np.array([1, 2])
    module = reloaded(export(program, (DATA[0], k), dynamic_shapes=({0: Dim.AUTO}, None))).module()
    for k in (np.array([2, 0]), np.array([3, 0])):
        assert outcome(module, (DATA[0], k)) == outcome(program, (DATA[0], k))


def raises_one_or_the_other(x: Any) -> Any:
    if x[0] > 0:
        if x[1] > 0:
            raise ValueError("one")
        else:
            raise TypeError(f"other {x[1]}")
    return x


def catches_the_first(x: Any) -> Any:
    try:
        raises_one_or_the_other(x)
    except ValueError:
        return x + 1
    return x


def catches_the_second(x: Any) -> Any:
    try:
        raises_one_or_the_other(x)
    except TypeError:
        return x + 1
    return x


def of_what_may_be_none(x: Any) -> Any:
    y = None if x[0] > 0 else x
    if x[1] > 0:
        return y + 1 if x[2] > 0 else y * 2  # type: ignore[operator]
    return x


def in_iterations(x: Any) -> Any:
    i = 0
    while i < 5:
        if x[i % 3] > 0:
            raises_one_or_the_other(x)
        i += 1
    return i


@pytest.mark.parametrize(
    "function",
    [raises_one_or_the_other, catches_the_first, catches_the_second, of_what_may_be_none, in_iterations],
    ids=lambda f: f.__name__,
)
def test_both_sides_may_raise(function: Callable[[Any], Any]) -> None:
    run = export(function, (np.ones(3),)).module()
    for signs in itertools.product((-1.0, 1.0), repeat=3):
        expected, found = outcome(function, (np.array(signs),)), outcome(run, (np.array(signs),))
        np.testing.assert_equal(found, expected)


SETTINGS = {"mode": 1}


@contextlib.contextmanager
def set_to(mode: int) -> Any:
    before = dict(SETTINGS)
    SETTINGS.update(mode=mode)
    try:
        yield
    finally:
        SETTINGS.update(before)


def test_of_two_exceptions_of_a_call_one_is_caught_and_one_leaves_through_handlers_that_write() -> None:
    def program(x):
        with set_to(2):
            try:
                number = int(x.sum())
            except OverflowError:
                number = -1
            return x * number + SETTINGS["mode"]

    module = export(program, (np.ones(3),)).module()
    for x in (np.ones(3), np.array([np.inf, 1.0]), np.array([np.nan, 1.0, 2.0])):
        x = np.resize(x, 3)
        assert outcome(module, (x,)) == outcome(program, (x,)) and SETTINGS == {"mode": 1}
