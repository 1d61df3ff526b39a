"""Functions of C that take integers or numbers alone, given what NumPy computes of sizes: other things are refused as there."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import result_or_error

GIVEN: dict[str, Callable[[int], Any]] = {
    "no axes": np.array, "one axis": lambda n: np.array([n]), "two axes": lambda n: np.array([[n]]), "float": lambda n: np.array(n * 1.0),
    "scalar": np.int64, "scalar of a float": np.float64, "truth": lambda n: np.bool_(n > 2),
}  # fmt: skip
FUNCTIONS: dict[str, Callable[[Any, int], Any]] = {
    "range": lambda value, n: list(range(value)),
    "range with a step": lambda value, n: len(range(1, value, n)),
    "index": lambda value, n: operator.index(value),
    "int": lambda value, n: int(value),
    "float": lambda value, n: float(value),
    "gcd": lambda value, n: math.gcd(value, n),
    "factorial": lambda value, n: math.factorial(value),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))
@pytest.mark.parametrize("given", GIVEN.values(), ids=list(GIVEN))
def test_they_take_and_refuse_what_they_do_in_eager_execution(given: Callable[[int], Any], function: Callable[[Any, int], Any]) -> None:
    def program(x: Any) -> Any:
        return function(given(len(x)), len(x))

    x = np.ones(3)
    wanted = result_or_error(program, x)
    found = result_or_error(lambda: export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()(x))
    assert (type(found), repr(found)) == (type(wanted), repr(wanted))


def test_how_often_a_range_has_a_scalar() -> None:
    def counted(x: Any) -> Any:
        return range(len(x)).count(np.int8(2)), range(len(x)).count(np.float32(9))

    found = export(counted, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()(np.ones(3))
    assert found == (1, 0)
    assert [*map(type, found)] == [int, int]


@pytest.mark.parametrize("other", ["a", None, [1]])
@pytest.mark.parametrize("function", [math.pow, math.comb, math.log])
def test_what_is_no_number_is_refused_beside_a_size(function: Callable[..., Any], other: Any) -> None:
    def program(x: Any) -> Any:
        return function(len(x), other)

    x = np.ones(3)
    wanted = result_or_error(program, x)
    found = result_or_error(lambda: export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()(x))
    assert (type(found), repr(found)) == (type(wanted), repr(wanted))
