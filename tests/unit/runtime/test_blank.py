"""Arrays that are filled before anything reads them are not filled with zeros first; others are."""

import numpy as np
import pytest

from npexport import export
from npexport.runtime.memory.blank import blank

X = np.arange(12.0).reshape(3, 4)


def by_rows(x):
    out = np.zeros((3, 4))
    out[:1] = x[:1]
    out[1] = x[1] * 2
    out[-1] = x[2]
    return out


def by_columns(x):
    out = np.empty((3, 4))
    out[:, 2:] = x[:, :2]
    out[..., :2] = x[:, 2:]
    return out


def all_at_once(x):
    out = np.zeros((3, 4))
    out[...] = x
    return out


def like_another(x):
    out = np.empty_like(x)
    out[0] = x[0] - x[0].mean()
    out[1:] = 0
    return out


def a_row_is_left(x):
    out = np.zeros((3, 4))
    out[0] = x[0]
    out[2] = x[2]
    return out


def a_corner_is_left(x):
    out = np.zeros((3, 4))
    out[:2] = x[:2]
    out[2, 1:] = x[2, 1:]
    return out


def every_second_row(x):
    out = np.zeros((4, 4))
    out[::2] = x[:2]
    return out


def read_in_between(x):
    out = np.zeros((3, 4))
    out[0] = x[0]
    out[1] = out[2] + x[1]
    out[2] = x[2]
    return out


def another_axis_each(x):
    out = np.zeros((3, 4))
    out[:2] = x[:2]
    out[:, :2] = x[:, :2]
    return out


@pytest.mark.parametrize(
    ("function", "filled"),
    [
        (by_rows, True),
        (by_columns, True),
        (all_at_once, True),
        (like_another, True),
        (a_row_is_left, False),
        (a_corner_is_left, False),
        (every_second_row, False),
        (read_in_between, False),
        (another_axis_each, False),
    ],
)
def test_arrays_that_are_filled(function, filled):
    program = export(function, (X,))
    assert bool(blank(program.graph)) is filled
    run = program.module()
    for _ in range(3):
        np.testing.assert_array_equal(run(X), function(X))
