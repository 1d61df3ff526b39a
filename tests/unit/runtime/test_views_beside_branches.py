"""What is written to a view stays as it is where a branch or a loop computes on from the whole array."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export


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


SCATTERS = {
    "where=": lambda x: np.multiply(x, 2, out=x, where=x > 0),
    "copyto": lambda x: np.copyto(x, 2, where=x > 0),
    "putmask": lambda x: np.putmask(x, x > 0, 2),
    "put": lambda x: np.put(x, [1], 2),
    "at": lambda x: np.add.at(x, ([0], [1]), 2),
    "mask": lambda x: x.__setitem__(x > 0, 2),
    "diagonal": lambda x: np.fill_diagonal(x, 2),
}


@pytest.mark.parametrize("write", SCATTERS.values(), ids=SCATTERS)
@pytest.mark.parametrize("dim", [None, Dim.AUTO], ids=str)
def test_elements_that_a_later_write_leaves_were_written_through_another_dtype(write, dim):
    def program(x):
        x.view("u1")[..., 0] = 1
        write(x)

    x = np.arange(10.0).reshape(5, 2) - 3
    found, wanted = x.copy(), x.copy()
    export(program, (x.copy(),), dynamic_shapes=({0: dim},)).module()(found)
    program(wanted)
    assert found.tobytes() == wanted.tobytes()
