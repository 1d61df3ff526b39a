"""Arrays that are written to although the data say which other array shares their memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export


def unit(v):
    n = np.abs(v).max()
    if n <= 1:
        return v
    return v / n


def a_row(x):
    x[0] = unit(x[0])
    return x.sum()


def every_row(x):
    for k in range(len(x)):
        row = unit(x[k] - 0.25)
        x[k] = row
        x[k, 1:] = unit(x[k, 1:])
    return x * 1


def every_column(x):
    y = x.copy()
    for j in range(y.shape[1]):
        y[:, j] = unit(y[:, j])
    return y


def a_sum(x):
    total = np.zeros(x.shape[1])
    for row in x:
        total = unit(total)
        total += row
    return total


def until_large(x):
    v, n = x[0].copy(), 0
    while v.sum() < 9 and n < 20:
        v = unit(v)
        v += 1
        n += 1
    return v, n


def either_way(x):
    y = x[0].copy()
    same = unit(y)
    y[0] = 5.0
    same[1] = 7.0
    return y.sum(), same * 1, y * 2


def exchanged(x):
    a, b = x[0], x[1]
    if a.sum() > b.sum():
        a, b = b, a
    a[0] += 10
    x[1, 1] = 4.0
    b[1:] *= 2
    return a + b


def on_a_side(x):
    x = x.copy()
    y = unit(x[0])
    if x[1, 0] > 0:
        y[0] = 2.0
    elif x[1, 0] < -1:
        x[0, 1] = 3.0
    return y * 1, x


def twice(x):
    y = unit(x[0])
    z = y if x[1, 0] > 0 else x[1]
    z[0] = 2.0
    x[0, 1:] = 3.0
    return y + z


def an_attribute(x):
    p = SimpleNamespace(x=x[0].copy(), v=x[1] * 0.5)
    for _ in range(4):
        p.x = unit(p.x)
        p.x += p.v
    return p.x


def backwards(x):
    y = unit(x[0])[::-1]
    y[:2] = x[0, 1:]
    return y * 1


PROGRAMS = [a_row, every_row, every_column, a_sum, until_large, either_way, exchanged, on_a_side, twice, an_attribute, backwards]


@pytest.mark.parametrize("shapes", [None, ({0: Dim.DYNAMIC},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_write_reaches_every_array_that_shares_the_memory(program: Any, shapes: Any) -> None:
    module, rng = export(program, (np.full((3, 3), 0.5),), dynamic_shapes=shapes).module(), np.random.default_rng(1)
    for call in range(12):
        x = rng.standard_normal((3 + (call % 3 if shapes else 0), 3)) * (0.4, 1, 3)[call % 3]
        eager, ours = x.copy(), x.copy()
        assert repr(module(ours)) == repr(program(eager))
        np.testing.assert_array_equal(ours, eager)


def _chosen_views(x, y, truth):
    v = y[::-1] if truth[0] > 0 else y
    if x.sum() > y.sum():
        x[0] = 7.0
    else:
        y[:] = y * 2
    w = y[::-1] if x[0] > 0.5 else y
    return v.sum(), w.sum()


def test_a_view_that_sides_within_sides_take_is_made_on_each() -> None:
    shapes = ({0: Dim.AUTO}, {0: Dim.AUTO}, None)
    module = export(_chosen_views, (np.ones(3), np.ones(3), np.ones(1)), dynamic_shapes=shapes).module()
    for x, y, truth in ((0.0, 1.0, 1.0), (2.0, 1.0, -1.0), (0.2, -1.0, 1.0)):
        args = np.array([x, 0.1, 0.2]), np.array([y, 0.5, 0.25]), np.array([truth])
        eager = [each.copy() for each in args]
        assert repr(module(*args)) == repr(_chosen_views(*eager))
        np.testing.assert_array_equal(args[:2], eager[:2])


def _both_of_a_side(x):
    z = x * 2
    a, b = (z, z) if x[0] > 0 else (x, x[1:])
    a[1] = 1.0
    return b * 1


def _after_a_loop(x):
    v, n = x, 0
    while v.sum() < 9 and n < 5:
        w = v
        v = unit(v + x)
        n += 1
        x[0] = 1.0
    return v * 1, w * 1


@pytest.mark.parametrize("program", [_both_of_a_side, _after_a_loop])
def test_what_no_branch_alone_decides_is_not_written_to(program: Any) -> None:
    with pytest.raises(ExportError) as refused:
        export(program, (np.array([0.5, 1.5, -2.0]),))
    assert refused.value.code == "E103"
