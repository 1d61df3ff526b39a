"""Results that are one array of before or another as data decide: the program gives that very array, as in eager execution."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export

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


def test_what_is_written_later_is_refused():
    def f(x):
        y = x if x[0] > 0 else x * 2
        x[0] = 7
        return y

    with pytest.raises(ExportError) as caught:
        export(f, (np.ones(3),))
    assert caught.value.code == "E103"


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
