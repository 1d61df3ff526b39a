"""`np.piecewise` calls no function where its condition holds nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.dynamic_programs import outcome


def counted(x):
    calls = []
    result = np.piecewise(x, [x > 2], [lambda values: (calls.append(1), values * 2)[1], -1])
    return result, len(calls)


def filled(x):
    sums = np.zeros(2)

    def add(values):
        sums[0] += values.sum()
        return values

    return np.piecewise(x, [x < 1, x > 2], [add, add]), sums


PROGRAMS = {
    "counted": counted,
    "filled": filled,
    "extremes": lambda x: np.piecewise(x, [x < 1, x > 2], [lambda values: values.max(), lambda values: values / values.min()]),
    "arguments": lambda x: np.piecewise(x, [x < 1, x > 2], [lambda values, by: values - by, lambda values, by: values * by, -1], 3),
    "branch": lambda x: np.piecewise(x, [x < 1], [lambda values: values if values.sum() > 1 else -values, np.sin]),
    "error": lambda x: np.piecewise(x, [x > 2], [lambda values: values / (1 // 0), -1]),
    "never": lambda x: np.piecewise(x, [x > 100], [lambda values: values / (1 // 0), -1]),
    "other form": lambda x: np.piecewise(x, [x > 100], [lambda values, more: values, -1]),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("dim", [None, Dim.AUTO], ids=["static", "dynamic"])
def test_functions_are_called_where_conditions_hold(program, dim):
    x = np.arange(4.0)
    run = export(program, (x,), dynamic_shapes=({0: dim},)).module()
    for given in (x, x * 0, x * 0 + 5, -x, x[::-1].copy(), *([x[:2], x[:0], np.append(x, x)] if dim else [])):
        assert repr(outcome(run, (given.copy(),))) == repr(outcome(program, (given.copy(),)))
