"""What blocks compute lies at once where it is written afterwards, and nobody can tell."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.blocks import compare, forced


def _array(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def _blur(a: Any) -> Any:
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def _by_iterations(a: Any, b: Any) -> None:
    b[1:-1, 1:-1] = _blur(a)
    a[1:-1, 1:-1] = np.sqrt(_blur(b))


def _read_before_the_write(a: Any, b: Any) -> Any:
    inner = b[1:-1, 1:-1]
    value = np.sqrt(_blur(a)) + 1
    total = inner.sum()
    b[1:-1, 1:-1] = value
    return total


def _part_of_the_value(a: Any, b: Any) -> None:
    b[1:-1, 1:-1] = _blur(a) + b[1:-1, 1:-1] * 2
    b[1:-1, 1:-1] = _blur(b) - a[1:-1, 1:-1]


def _twice(a: Any, b: Any) -> Any:
    one, other = _blur(a), np.sqrt(_blur(a)) * 2 + 1
    b[1:-1, 1:-1] = one
    b[2:, 2:] = other
    return b


def _what_may_raise_between(a: Any, b: Any) -> Any:
    value = np.sqrt(_blur(a)) * 2 + 1
    found = np.linalg.inv(a[:2, :2])
    b[1:-1, 1:-1] = value
    return found


def _new_grid(a: Any, b: Any) -> Any:
    grid = np.zeros_like(a)
    grid[1:-1, 1:-1] = _blur(a) * b[1:-1, 1:-1]
    grid[0] = grid[1]
    return grid


def _stretched(a: Any, b: Any) -> None:
    b[:, :, None][...] = (a[:, :1] * 2 + 1 - a[:, 1:2])[:, :, None]
    b.T[2] = np.sqrt(a[:, 0] * 2 + 1) - a[:, 1]


PROGRAMS = [_by_iterations, _read_before_the_write, _part_of_the_value, _twice, _what_may_raise_between, _new_grid, _stretched]
STATES: tuple[dict[str, Any], ...] = ({}, {"all": "raise"}, {"invalid": "raise", "over": "ignore"})


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_results_warnings_and_errors_are_those_of_eager_execution(program: Any) -> None:
    a, b = abs(_array(60, 14)), _array(60, 14, seed=1)
    compare(program, (a, b), 1, STATES[:1])
    a[:2, :2] = 0.0
    a[-9:, 3] = [np.inf, -np.inf, np.nan, 1e308, -1.0, -0.0, 1e-310, -1e308, 1.0]
    compare(program, (a, b), 2, STATES)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_that_lie_otherwise_than_assumed_are_written_when_all_is_computed(order: Any) -> None:
    a, b = abs(_array(60, 14)), _array(60, 14, seed=1)
    with forced():
        run = export(_by_iterations, (a, b)).module()
        given, wanted = (a.copy(order), b.copy(order)), (a.copy(order), b.copy(order))
        run(*given)
    _by_iterations(*wanted)
    np.testing.assert_array_equal(given, wanted)


def test_a_stencil_needs_no_array_beside_those_that_it_writes() -> None:
    a, b = abs(_array(400, 300)), abs(_array(400, 300, seed=1))
    with forced():
        run = export(lambda a, b: _by_iterations(a, b), (a, b)).module()
        run(a, b)
        tracemalloc.start()
        try:
            run(a, b)
            assert tracemalloc.get_traced_memory()[1] < a.nbytes // 4
        finally:
            tracemalloc.stop()
