"""Generators that yield where data say so, and iterators that choose by data: equal to eager execution on data that takes every side, at
other sizes."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.declaring import declaring
from tests.support.outcomes import outcome

STATIC, DYNAMIC, static, dynamic = declaring()


# What is gone over to its end


def local_maxima(a):
    for i in range(1, len(a) - 1):
        if a[i] > a[i - 1] and a[i] > a[i + 1]:
            yield i


@static
def chosen_among_values(x):
    b = None
    if x[0] > 0.5:
        b = x[1] * 1
    return sum(1.0 for n in (None, b) if n is not None) + x.sum()


@dynamic
def peaks(x):
    return np.array(list(local_maxima(x)), dtype=int), len(list(local_maxima(x)))


def runs(a):
    start = 0
    for i in range(1, len(a)):
        if (a[i] > 0) != (a[i - 1] > 0):
            yield start, i
            start = i
    yield start, len(a)


@dynamic
def runs_of_one_sign(x):
    return list(runs(x))


def delegating(a):
    yield from until_negative(a)
    if a.sum() > 0:
        yield from (1.0, 2.0)


@dynamic
def what_others_yield(x):
    total = 0.0
    for v in delegating(x):
        total += v
        if total > 2:
            break
    return total, list(delegating(-x)), max(delegating(x), default=0.0)


def until_negative(a):
    for v in a:
        if v < 0:
            return
        yield v


@dynamic
def sum_until_negative(x):
    return sum(until_negative(x + 1)), list(until_negative(x))


@dynamic
def sums_and_counts(x):
    return sum(v * v for v in x if v > 0), sum(1 for v in x if v > 0.5), min(abs(v) for v in x if v != 7)


@dynamic
def largest_of_some(x):
    return max((v for v in x if v < 0), default=0.0), max(((v, i) for i, v in enumerate(x) if v > 0), default=None)


@static
def below_the_diagonal(x):
    m = x[:, np.newaxis] * x
    return sum(m[i, j] for i in range(len(x)) for j in range(i) if m[i, j] > 0)


# What is gone over until something is found


@dynamic
def first_place(x):
    return next((i for i, v in enumerate(x) if v > 0), -1), next((v for v in x if v > 5), None)


@dynamic
def first_or_stop_iteration(x):
    return next(v for v in x if v > 0)


@dynamic
def quantified(x):
    return all(v < 1.5 for v in x), any(v > 1 for v in x), any(v > 1 for v in x if v < 2), all(v < 2 for v in x if v > -1)


@dynamic
def one_that_is_asked_no_further(x):
    return any(1 / v > 1 for v in x), all(np.sqrt(v) > 0.5 for v in x)


@static
def over_two_loops(x):
    m = x[:, np.newaxis] * x
    return any(m[i, j] > 2 for i in range(len(x)) for j in range(i)), all(m[i, i] < 4 for i in range(len(x)))


# Iterators of C


@dynamic
def filtered(x):
    y = x * 2
    return list(filter(lambda v: v > 0, y)), sum(filter(None, y)), list(itertools.filterfalse(lambda v: v < 0, y))


@dynamic
def taken_and_dropped(x):
    return list(itertools.takewhile(lambda v: v < 1, x)), sum(itertools.dropwhile(lambda v: v < 1, x))


@static
def compressed(x):
    return list(itertools.compress(x.tolist(), x > 0)), list(itertools.accumulate(x.tolist(), max))


@dynamic
def added_up(x):
    return list(itertools.accumulate(x)), list(itertools.accumulate(x, lambda total, v: total * 0.5 + v))


def data(size, count=40):
    rng = np.random.default_rng(size)
    return [rng.choice((-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0), size) for _ in range(count)]


@pytest.mark.parametrize("function", STATIC)
def test_equals_eager(function):
    run = export(function, (np.array([0.5, -1.0, 2.0, 1.0]),)).module()
    for x in data(4):
        assert outcome(run, (x,), warns=True) == outcome(function, (x,), warns=True), x


@pytest.mark.parametrize("function", DYNAMIC)
def test_equals_eager_at_other_sizes(function):
    run = export(function, (np.array([0.5, -1.0, 2.0, 1.0]),), dynamic_shapes={"x": {0: Dim("n", min=3)}}).module()
    for size in (3, 4, 9):
        for x in data(size, 15):
            assert outcome(run, (x,), warns=True) == outcome(function, (x,), warns=True), x


def asked_again(x):
    g = (v for v in x if v > 0)
    return next(g, 0.0), next(g, 0.0)


def gone_on_with(x):
    total, values = 0.0, until_negative(x)
    for v in values:
        total = total * 0.5 + v
    return total, next(values, 0.0)


@pytest.mark.parametrize("function", [asked_again, gone_on_with])
def test_generators_that_somebody_goes_on_with_are_refused(function):
    with pytest.raises(ExportError) as caught:
        export(function, (np.ones(3),))
    assert caught.value.code == "E103"


def test_what_to_write_is_said():
    def f(x):
        total, places = 0.0, local_maxima(x)
        for place in places:
            total = total * 0.5 + x[place]
        return total, next(places, 0)

    with pytest.raises(ExportError) as caught:
        export(f, (np.ones(4),))
    assert caught.value.code == "E103" and "list(generator(x))" in caught.value.hint


def test_a_list_of_what_they_yield_is_gone_over():
    def f(x):
        longest = 0
        for start, end in list(runs(x)):
            longest = max(longest, end - start)
        return longest

    for dynamic in (None, {"x": {0: Dim("n", min=2)}}):
        run = export(f, (np.ones(4),), dynamic_shapes=dynamic).module()
        for x in data(4):
            assert run(x) == f(x)


def test_what_is_not_captured_is_refused_as_before():
    with pytest.raises(ExportError) as caught:
        export(first_place, (np.ones(3),), capture_control_flow=False)
    assert caught.value.code == "E103"


def test_generators_without_data_are_python_s():
    def speaking(n):
        for i in range(n):
            if i % 2:
                yield i

    def f(x):
        g = speaking(4)
        first = next(g)
        return x * first + sum(g), next((i for i in range(5) if i > 2), None), any(i > 1 for i in range(3))

    run = export(f, (np.ones(2),)).module()
    assert [str(part) for part in run(np.ones(2))] == ["[4. 4.]", "3", "True"]


def test_a_sum_of_arrays_holds_no_more_of_them_than_eager_execution():
    def f(x):
        return sum(np.cumsum(x + k) for k in range(9))

    def peak(run):
        tracemalloc.start()
        result = run(x)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found, result.tobytes()

    x = np.ones(100_000)
    run = export(f, (x,)).module()
    run(x)
    (ours, mine), (eager, theirs) = peak(run), peak(f)
    assert mine == theirs and ours < 1.1 * eager
