"""A view that was written to lies in memory as before: products and sums over it are rounded as NumPy rounds them there."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export


def of_every_other(x):
    y = x * 2
    view = y[:, ::2]
    view -= 1
    return view @ view.T, view.sum(), np.dot(view[0], view[1]), view


def of_columns(x):
    y = x * 2
    view = y[:, 1]
    view *= 0.3
    return view @ view, view.sum(), np.linalg.norm(view)


def of_a_part_of_a_view(x):
    y = x * 2
    view = y[::2]
    view[0] -= 1
    return view @ view.T, view.mean(), y


def of_the_transpose(x):
    y = x * 2
    view = y.T
    view += 0.1
    return view @ y, view.sum(axis=0), view.std()


@pytest.mark.parametrize("dims", [None, ({0: Dim.AUTO, 1: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", [of_every_other, of_columns, of_a_part_of_a_view, of_the_transpose], ids=lambda f: f.__name__)
def test_to_the_bit(program, dims):
    rng = np.random.default_rng(0)
    run = export(program, (rng.standard_normal((5, 7)),), dynamic_shapes=dims).module()
    for _ in range(60):
        x = rng.standard_normal((5, 7) if dims is None else rng.integers(2, 16, 2)).round(2)
        for got, expected in zip(run(x), program(x), strict=True):
            assert got.tobytes() == expected.tobytes() and got.strides == expected.strides


def written_by_columns(x):
    y = np.add(x, 1.1, out=np.empty(x.shape, order="F"))
    return y.var(), y.sum(axis=0), y.T @ y, np.sum(y, where=y > 0)


def written_whole(x):
    y = np.array(x, order="F")
    y[...] = x * 1.1
    y[0] = 3.3
    return y.ravel("K").sum(), y.mean(axis=1), y @ y.T


def written_from_the_other_order(x):
    y = x.T.copy("K")
    y += np.ascontiguousarray(x.T)
    return y.sum(axis=0), np.average(y, axis=1), y


@pytest.mark.parametrize("program", [written_by_columns, written_whole, written_from_the_other_order], ids=lambda f: f.__name__)
def test_what_is_written_as_a_whole_lies_as_before(program):
    rng = np.random.default_rng(1)
    run = export(program, (rng.standard_normal((12, 23)),)).module()
    for _ in range(20):
        x = rng.standard_normal((12, 23))
        for got, expected in zip(run(x), program(x), strict=True):
            assert got.tobytes() == expected.tobytes() and got.strides == expected.strides
