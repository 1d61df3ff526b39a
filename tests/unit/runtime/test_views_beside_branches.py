"""What is written to a view stays as it is where a branch or a loop computes on from the whole array."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export


def branch(x):
    y = x * 2
    view = y[::-1]
    view[0] = 3.5
    if y.max() > 1:
        y = y * 2
    return y, view + 7


def part(x):
    y = x * 2
    view = y[1:]
    view += 1
    if y.max() > 1:
        y = np.exp(y)
    return y, view + 7


def loop(x):
    y = x * 2
    view = y[::-1]
    view[0] = 3.5
    while y.max() < 50:
        y = y * 2 + 1
    return y, view + 7


def transposed(x):
    y = np.outer(x, x)
    view = y.T
    view[-1] *= 2
    if y.sum() > 1:
        y = y * 2
    return y, view + 7


@pytest.mark.parametrize("program", [branch, part, loop, transposed])
def test_views_keep_what_was_written(program):
    run = export(program, (np.array([1.0, 2.0, -3.0]),)).module()
    for x in (np.array([1.0, 2.0, -3.0]), np.array([-1.0, -2.0, -3.0]), np.array([5.0, 0.0, 1.0])):
        for found, wanted in zip(run(x), program(x), strict=True):
            np.testing.assert_array_equal(found, wanted)
