"""A number of Python that goes among floats which cannot hold it overflows in its cast, whatever else the operator does: that raises,
warns or is ignored as the program has said.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export

A = np.array([1.5, 2], np.float32)
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "full": lambda v, a: np.full(2, v, np.float32),
    "full of an array": lambda v, a: np.full(2, np.array([v, v]), np.float32),
    "full of integers": lambda v, a: np.full(2, np.array(v), np.int8),
    "where": lambda v, a: np.where(a > 0, v, a),
    "where of scalars": lambda v, a: np.where(a > 0, v, a[0]),
    "linspace": lambda v, a: np.linspace(0, v, 3, dtype=np.float32),
    "logspace": lambda v, a: np.logspace(0, v, 3),
    "maximum": lambda v, a: np.maximum(a, v),
    "minimum of halves": lambda v, a: np.minimum(v, a.astype(np.float16)),
    "maximum of complex": lambda v, a: np.maximum(a.astype(np.complex64), v),
    "max": lambda v, a: np.max(a, initial=v),
    "reduce": lambda v, a: np.minimum.reduce(a, initial=v),
    "less": lambda v, a: a < v,
    "equal": lambda v, a: a == v,
    "equal to complex": lambda v, a: a.astype(np.complex64) == v,
    "scalars in order": lambda v, a: a[0] < v,
    "equal scalars": lambda v, a: a[0] != v,
    "a known scalar": lambda v, a: np.float32(2) > v,
    "a known number": lambda v, a: a * np.float32(v > 0) < 1e300,
    "a known maximum": lambda v, a: np.maximum(a, 1e300),
    "a known choice": lambda v, a: np.where(a > 0, a, 1e300),
    "a known integer": lambda v, a: a.astype(np.float16) < 100000,
}


def called(function: Callable[..., Any], *args: Any) -> Any:
    """The result or the error, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function(*args))
        except FloatingPointError as error:
            result = repr(error)
    return result, sorted({str(each.message) for each in caught})


def within(call: Callable[[Any, Any], Any], action: Any) -> Callable[[Any, Any], Any]:
    def program(x: Any, a: Any) -> Any:
        v = float(x[0])
        with np.errstate(all=action):
            return call(v, a)

    return program


@pytest.mark.parametrize("action", ["raise", "warn", "ignore"])
@pytest.mark.parametrize("name", CALLS)
def test_a_cast_that_overflows_is_told_of_as_the_program_says(name: str, action: str) -> None:
    program = within(CALLS[name], action)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # exporting a program warns of nothing
        run = export(program, (np.ones(2), A)).module()
    for value in (2.5, 0.1, 1e300, -1e300, 1e-300, np.inf, np.nan, 0.0):
        x = np.array([value, 1.0])
        assert called(run, x, A) == called(program, x, A), value


def test_a_fill_that_is_known_and_overflows_is_ignored_where_the_program_says_so() -> None:
    def filled(x: Any) -> Any:
        with np.errstate(over="ignore"):
            return x + np.full(2, 1e300, np.float32)

    run = export(filled, (A,)).module()
    assert called(run, A) == called(filled, A) == (repr(filled(A)), [])
