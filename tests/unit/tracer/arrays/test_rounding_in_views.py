"""A view that was written to lies in memory as before: products and sums over it are rounded as NumPy rounds them there."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export


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


def of_one_side(x, k):
    v = x[::2]
    if k > 1:
        v = x[1::2]
    return v @ v


def of_rows_with_gaps(x, k):
    v = np.outer(x, x)[:, :-3]
    if k > 1:
        v = np.outer(x, -x)[:, 3:]
    return v.sum()


def of_an_item(x, k):
    return np.vdot([x[::2], x[1::2]][int(k) % 2], x[::2])


def of_a_sorted_one(x, k):
    first, *_ = sorted([x[::2], x[1::2]], key=lambda v: v[0] * k)
    return np.inner(first, first)


def of_an_iteration(x, k):
    v, total = x[:20], 0.0
    while k > 0:
        total += v @ v
        v, k = x[:40:2], k - 1
    return total


def of_the_last_iteration(x, k):
    v = x[::2]
    while k > 0:
        v, k = x[1::2] if v[0] > k else x[::2], k - 1
    return v @ v


def of_one_backwards(x, k):
    v = x
    while k > 0:
        v, k = v[::-1], k - 1
    return np.exp(v)


def backwards_on_one_side(x, k):
    v = x[::-1]
    if k > 1:
        v = x
    return np.exp(v) * (v @ v)


SIDES = [
    of_one_side, of_rows_with_gaps, of_an_item, of_a_sorted_one, of_an_iteration, of_the_last_iteration, of_one_backwards,
    backwards_on_one_side,
]  # fmt: skip


@pytest.mark.parametrize("program", SIDES, ids=lambda f: f.__name__)
def test_what_only_data_know_to_be_a_view_with_gaps_is_rounded_as_there_or_refused(program):
    x = np.random.default_rng(0).standard_normal(400)
    try:
        run = export(program, (x, np.array(2.0))).module()
    except ExportError as refused:
        assert refused.code in ("E103", "E104"), str(refused)
        return
    for k in (0.0, 1.0, 2.0, 3.0):
        np.testing.assert_array_equal(run(x, np.array(k)), program(x, np.array(k)))


def test_sums_of_columns_that_data_choose_are_captured():
    def f(x, k):
        v = x[:, 0]
        if k > 1:
            v = x[:, 1]
        return v.sum(), np.exp(v), v.copy() @ v.copy()

    x = np.random.default_rng(0).standard_normal((300, 3))
    run = export(f, (x, np.array(2.0))).module()
    for k in (0.0, 2.0):
        for found, expected in zip(run(x, np.array(k)), f(x, np.array(k)), strict=True):
            np.testing.assert_array_equal(found, expected)
