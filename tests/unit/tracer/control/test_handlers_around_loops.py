"""Loops with several conditions that are left by what a handler takes: the branch before the first
iteration meets where the loop and the handler do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def doubled(x: Any) -> Any:
    if np.isnan(x) or x == 11:
        raise ValueError(f"not doubled: {x}")
    return x * 2 - 1


def returned(a: Any) -> Any:
    x, n = float(a[1]), 0
    try:
        while x < 10 and n < 20:
            n += 1
            x = float(doubled(x) + a[0])
        return x, n
    except ValueError as error:
        return str(error), n


def two_of_data(a: Any) -> Any:
    x = float(a[1])
    try:
        while x < 40 and a[0] < 20:
            x = float(doubled(x) + a[0])
    except ValueError as error:
        return str(error)
    return x


def by_a_statement(a: Any) -> Any:
    x, n = float(a[1]), 0
    try:
        while True:
            if not (x < 10 and n < 9):
                break
            n += 1
            x = float(doubled(x) + a[0])
    except ValueError:
        x = -1.0
    return x, n


def before_the_loop(a: Any) -> Any:
    try:
        x, n = doubled(float(a[0])) + a[1], 0
        while x < 30 or n < 3:
            n += 1
            x = doubled(x) + 2
            if x == 13:
                return n
        return x
    except ValueError as error:
        return str(error)


DATA = [np.array(each, float) for each in ([1, 2], [np.nan, 2], [20, 2], [5, 5], [1, 11], [0, np.nan], [3, 6], [6, 0], [2.5, 3])]


@pytest.mark.parametrize("f", [returned, two_of_data, by_a_statement, before_the_loop])
def test_results_are_those_of_eager_execution(f: Any) -> None:
    run = export(f, (DATA[0],)).module()
    for given in DATA:
        assert outcome(run, (given,)) == outcome(f, (given,))
