"""``zip`` of lists that loops fill, of their reversals, and of lists that are still empty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def both_backwards(x: Any) -> Any:
    one, other, total = [], [], 0.0
    for value in x:
        if value > 0:
            one.append(value)
            other.append(value + 1)
    for a, b in zip(reversed(one), reversed(other)):  # noqa: B905
        total = total * 0.5 + a * b
    return total


def filled_while_gone_over(x: Any) -> Any:
    one, other, total = [], [], 0.0
    for value in x:
        for a, b in zip(one, other):  # noqa: B905
            total = total * 0.5 + a * b
        if value > 0:
            one.append(value)
            other.append(value + total)
    return total


def two_loops(x: Any) -> Any:
    """As the two loops of L-BFGS."""
    one, other, total = [], [], 0.0
    for value in x:
        found = []
        for a, b in zip(reversed(one), reversed(other)):  # noqa: B905
            found.append(a * b)
            total = total + a
        for a, b, c in zip(one, other, reversed(found)):  # noqa: B905
            total = total * 0.5 + (a - b) * c
        one.append(value)
        other.append(value + total)
    return total


def beside_a_short_one(x: Any) -> Any:
    found, total = [], 0.0
    for value in x:
        if value > 0:
            found.append(value)
        for a, b in zip(found, [1.0, 2.0]):  # noqa: B905
            total = total * 0.5 + a * b
    return total


X = np.array([1.0, 2.0, -0.5, 3.0])


@pytest.mark.parametrize("function", [both_backwards, filled_while_gone_over, two_loops, beside_a_short_one])
def test_lists_are_gone_over_together(function: Any) -> None:
    fixed, program = export(function, (X,)), export(function, (X,), dynamic_shapes={"x": {0: Dim("n")}})
    for x in (X, -X, np.zeros(4)):
        assert outcome(fixed.module(), (x,)) == outcome(function, (x,))
    for size in (0, 1, 2, 4, 7):
        x = np.resize(X, size)
        assert outcome(program.module(), (x,)) == outcome(function, (x,))
