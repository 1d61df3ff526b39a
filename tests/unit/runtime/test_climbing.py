"""Numbers that loops raise by little need no test where they are places of a list."""

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

X = np.random.default_rng(2).integers(-9, 10, 150)


def evens(x):
    return [v * 2 for v in x.tolist() if v % 2 == 0]


def runs(x):
    found, last, count = [], None, 0
    for v in x.tolist():
        if v % 3 == last:
            count += 1
        else:
            found.append(count)
            count, last = 1, v % 3
    return found


def twice(x):
    found = []
    for v in x.tolist():
        if v > 0:
            found.append(v)
            if v > 5:
                found.append(-v)
    return found


def in_an_array(x):
    y, n = np.zeros(20, np.int64), 0
    for v in x.tolist():
        if v > 4:
            y[n] = v
            n += 2
    return y, n


def up_and_down(x):
    y, n = np.zeros(40, np.int64), 3
    for v in x.tolist():
        y[n] = v
        n = n + 1 if v > 0 else n - 1
    return y, n


def nested(x):
    found, n = [], 0
    for v in x.tolist():
        for w in range(3):
            if v > w:
                found.append(n)
                n += 1
    return found


def from_the_end(x):
    y, n = np.zeros(150, np.int64), 0
    for v in x.tolist():
        y[-1 - n] = v
        if v > 0:
            n += 1
    return y, n


@pytest.mark.parametrize("f", [evens, runs, twice, nested, in_an_array, up_and_down, from_the_end])
@pytest.mark.parametrize("dynamic", [False, True])
def test_places_raise_what_they_raise(f, dynamic):
    module = export(f, (X,), dynamic_shapes={"x": {0: Dim("n")}} if dynamic else None).module()
    for seed in range(6):
        x = np.random.default_rng(seed).integers(-9 + seed * 2, 10 + seed * 2, 150)
        try:
            expected = f(x)
        except IndexError as error:
            with pytest.raises(IndexError, match=f"^{error}"):
                module(x)
        else:
            assert repr(module(x)) == repr(expected)


@pytest.mark.parametrize("f", [evens, runs])
def test_places_that_are_surely_there_are_not_tested(f):
    code = export(f, (X,)).module().code
    assert "150 <=" not in code and "< 150" not in code and ">= 150" not in code


def test_places_of_arrays_that_are_too_short_are():
    assert "20" in export(in_an_array, (X,)).module().code
    with pytest.raises(IndexError, match="index 20 is out of bounds for axis 0 with size 20"):
        export(in_an_array, (X,)).module()(np.full(150, 9))


def read_once(x, k):
    a, i = x.copy(), int(k[0])
    a[0] = x[1]
    return float(a[i])


def read_from_the_front(x, k):
    a, i = x.copy(), abs(int(k[0]))
    a[0] = x[1]
    return float(a[i])


def read_in_vain(x, k):
    a, i = x.copy(), int(k[0])
    a[i % 3] = 1
    a[i] -= 1
    return i


def read_and_written(x, k):
    a, i, j = x.copy(), int(k[0]), int(k[1])
    a[0] = x[1]
    a[j] = a[i]
    return float(a[0] + a[2])


@pytest.mark.parametrize("f", [read_once, read_from_the_front, read_in_vain, read_and_written])
def test_a_place_that_one_read_makes_sure_of_is_tested_by_it(f):
    run = export(f, (np.ones(3), np.array([2, 0]))).module()
    for k in ([2, 0], [3, 0], [-4, 1], [1, 5], [0, -4], [2**62, 0]):
        args = np.array([2.0, 3.0, 4.0]), np.array(k)
        assert outcome(run, args) == outcome(f, args)
