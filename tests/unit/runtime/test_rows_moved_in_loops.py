"""Loops that write rows of an array to other rows, and that many of them may be what a program returns."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def moved(x, n):
    y = x.copy()
    i = 0
    while y[i, 0] < 2.0 and i < 3:
        y[i][:] = y[i + 1]
        y[i, 0] += 1.0
        i += 1
    return y


def written_to_itself(x, n):
    a = x[-1]
    for r in x:
        if r[1] > 0.5:
            return a
        a[:] = a
    return a * 2


def written_within_a_row(x, n):
    row = x.copy()[1]
    k = 0
    while row[k % 3] < 1.0:
        row[:] = row
        row[k % 3] += 0.5
        k += 1
    return row, k


def written_to_two(x, n):
    y = x.copy()
    k = 0
    while k < n[0]:
        y[k][:] = y[k]
        y[0][:] = y[k]
        k += 1
    return y


def one_of_many(x, n):
    a, b = x[0].copy(), x[3] * 2
    c = a
    for row in x:
        a *= 2
        if b[2] < 0.5:
            if c[1] < -0.5:
                a = row.reshape(3)
        if a[2] > -0.5:
            c, c = b, x[1]
        elif row[0] < 0:
            a, a = c, b
            break
    return a


def found_last(x, n):
    best = x[0]
    for k in range(6):
        for row in x:
            if row[0] > best[1] + k + n[0]:
                best = row
    return best


@pytest.mark.parametrize("program", [moved, written_to_itself, written_within_a_row, written_to_two, one_of_many, found_last])
def test_rows_are_those_of_eager_execution(program):
    rng = np.random.default_rng(0)
    module = export(program, (rng.normal(size=(4, 3)), np.array([3]))).module()
    for scale in np.geomspace(0.1, 10, 30):
        args = rng.normal(size=(4, 3)) * scale, rng.integers(0, 4, 1)
        assert outcome(module, args) == outcome(program, args)
