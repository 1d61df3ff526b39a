"""What is known of sizes that only sub-graphs have is known again when an archive is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import diff, export
from tests.support.forms import reloaded


def side_within_a_side(x):
    if x[0] > 0:
        y = x[:2] if x[1] > 0 else x[1:]
        return y[:2] * 2
    return x[:2]


def side_of_a_side_of_a_side(x):
    y = x
    if x[0] > 0:
        if x[1] > 0:
            y = x[:3] if x[2] > 0 else x[1:]
        z = y[:3] + y[-3:]
    else:
        z = x[:3]
    return z


def shortened_by_iterations(x):
    if x[0] > 0:
        y = x
        while y[0] > 0 and y.shape[0] > 2:
            y = y[1:]
        return y[:2] * 2
    return x[:2]


def at_most_as_many(x):
    if x[0] > 0:
        found = x[x > 0.5]
        return np.concatenate([found, x])[:4] * 2
    return x * 1


PROGRAMS = [side_within_a_side, side_of_a_side_of_a_side, shortened_by_iterations, at_most_as_many]
DATA = [np.array(signs, float) for signs in ([1, 1, 1, 1], [1, 1, -1, 2], [1, -1, 1, -1], [-1, 1, 1, 3], [0.25, 0.25, 1, 0])]


@pytest.mark.parametrize("function", PROGRAMS)
def test_sizes_of_sub_graphs_are_known_again(function):
    program = export(function, (DATA[0],))
    again = reloaded(program)
    again.validate()
    assert not diff(program, again) and not diff(program, reloaded(again))
    for x in DATA:
        np.testing.assert_array_equal(again.module()(x.copy()), function(x.copy()))
