"""Results that are one array of before or another as data decide: the program gives that very array, as in eager execution."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def written_later(x):
    z = x * 2
    y = x if x[0] > 0 else z
    z[0] = 7
    return y


@program
def best_of_several(x):
    y, best = x, x.sum()
    for k in range(3):
        z = x * k
        if z.sum() > best:
            y, best = z, z.sum()
    return y


@program
def better_one(x):
    y, z = x, x - x.mean()
    if abs(z).max() < abs(x).max():
        y = z
    return y


@program
def with_what_it_may_be(x):
    y, z = x, x - x.mean()
    if abs(z).max() < abs(x).max():
        y = z
    return y, z


@program
def chosen_twice(x):
    z = x * 2
    y = x if x[0] > 0 else z
    w = y if x[1] > 0 else z
    return y, z, w


@program
def views(x):
    z = x * 2
    return x[1:] if x[0] > 0 else z[1:]


@program
def view_of_a_result(x):
    z = x * 2
    w = z[::-1]
    y = x if x[0] > 0 else w
    return y, z, w


@program
def beside_known_data(x):
    z = np.zeros(3)
    y = x[:2] if x[0] > 0 else z[:2]
    return y, z


@program
def one_after_the_other(x):
    z = x * 2
    y = x if x[0] > 0 else z
    q = z + 1
    return (y if x[1] > 0 else q), q


@program
def written_as_the_other(x):
    a, b = x * 1, x * 2
    y = a if x[0] > 0 else b
    y[0] = 7
    return a, b, y


@program
def written_where_one_of_three_may_be(x):
    a, b, c = x * 1, x * 2, x * 3
    if x[0] > 0:
        y = a if x[1] > 0 else b
    else:
        y = c
    b[0] = 1
    return y


@program
def one_of_known_data(x):
    c = np.array([1.0, 2.0, 3.0, 4.0])[1:]
    y = x * 2
    if x[0] > 0:
        y = c[:2]
        c = 3
    else:
        c = y[:2]
        y = y[:2]
    if x[1] > 0:
        y = y[::-1] + 1
    return y


@program
def returned_early(x):
    if x[0] > 0:
        return x
    if x[1] > 0:
        return x * 2
    if x[0] < -1:
        return x[:]
    return x


@program
def on_both_conditions(x):
    if x[0] > 0 and x[1] > 0:
        x = x * 2
    return x


@program
def boolean_operators(x):
    return x if x[0] > 0 and x[1] > 0 or not x[0] else -x


@program
def one_of_three(x):
    z = x * 2
    if x[0] > 0:
        y = z
    elif x[1] > 0:
        y = x
    else:
        y = x * 3
    return y, z


@program
def chosen_by_one_after_the_other_on_one_side(x):
    c = x
    if x[0] > 0:
        if x[1] > 0:
            c = c.copy()
        if x[0] > 1:
            c = x + c
    return c


@program
def better_in_a_loop(x):
    y = x
    for k in range(3):
        if x[k % 2] > 0:
            if x[k % 2] > 1:
                y = x * k
            else:
                y = x
    return y


@program
def two_that_may_be_one(x):
    y, z = x, x
    if x[0] > 0:
        y = x * 2
    if x[1] > 0:
        z = x + 1
    return y, z


@program
def two_views_of_what_a_side_makes(x):
    y, z = x[:], x[:]
    if x[0] > 0:
        a = x * 2
        y, z = a[:], a[:]
    return (y + z).sum()


@program
def exchanged(x):
    lo, hi = x, x * 2
    if lo.sum() > hi.sum():
        lo, hi = hi, lo
    return lo, hi


@program
def reshaped(x):
    y, z = x, np.sort(x)
    if z[0] < 0:
        y = z.reshape(-1, 1)[:, 0]
    return y


@program
def none_of_the_caller_s(x):
    z, w = x * 2, x * 3
    y = z if x[0] > 0 else w
    return y, z


@program
def all_of_them(x):
    z, w = x * 2, x * 3
    y = z if x[0] > 0 else w
    q = y if x[1] > 1 else x
    return q, y, z, w


@program
def written_on_the_other_side(x):
    z = x * 2
    if x[0] > 0.5:
        y = z if x[1] > 0.5 else np.sin(z)
    else:
        z[0] = 1
        y = np.cos(z)
    return y.sum() + z


def told(f, x):
    """Results, and which arrays are one object, or share memory."""
    x = x.copy()
    result = f(x)
    arrays = [x, *(result if type(result) is tuple else (result,))]
    pairs = [(a is b, np.shares_memory(a, b)) for a in arrays for b in arrays]
    return [array.tolist() for array in arrays], pairs


def data(size):
    rng = np.random.default_rng(size)
    return [np.zeros(size), *[np.round(rng.normal(size=size) * 3, 1) for _ in range(12)]]


@pytest.mark.parametrize("f", PROGRAMS)
def test_equals_eager(f):
    x = np.array([1.0, -2.0, 3.0])
    for shapes, sizes in ((None, [3]), ({"x": {0: Dim("n", min=2)}}, [2, 3, 6])):
        run = export(f, (x,), dynamic_shapes=shapes).module()
        for each in (each for size in sizes for each in data(size)):
            assert told(run, each) == told(f, each), each


def test_state_takes_over_the_very_array():
    class Best:
        def __init__(self):
            self.best = np.zeros(3)

        def __call__(self, x):
            z = x * 2
            self.best = x if x[0] > 0 else z
            return self.best

    run, eager = export(Best(), (np.ones(3),)).module(), Best()
    for x in data(3):
        assert told(run, x) == told(eager, x)


def histograms(x):
    if x.sum() > 1:
        return np.histogramdd(np.stack([x, x * x], axis=1), 3)
    return np.histogramdd(np.stack([x, -x], axis=1), 3)


def test_one_of_several_results_within_one_of_several():
    """A result of a call that stands in a list of its results meets another: whose memory it is, the call says."""
    x = np.array([0.5, -1.0, 2.0, 3.0])
    module = export(histograms, (x,)).module()
    for given in (x, -x):
        (cells, edges), (wanted, wanted_edges) = module(given), histograms(given)
        np.testing.assert_array_equal(cells, wanted)
        np.testing.assert_array_equal(edges, wanted_edges)
