"""Sets of sizes are counted and gone over without making sizes constants; whatever else is asked of one is right, too."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.comparison import said

SIZES = (3, 4, 0, 1, 5, 6)


def counted(x, y):
    if len({a.shape for a in (x, y)}) != 1:
        raise ValueError("the shapes differ")
    return x + y


def in_a_variable(x, y):
    shapes = {a.shape for a in (x, y)}
    return x + y if len(shapes) == 1 else np.zeros(np.broadcast_shapes(*shapes))


def popped(x, y):
    lengths = {len(a) for a in (x, y)}
    if len(lengths) > 1:
        raise ValueError("the lengths differ")
    return x[: lengths.pop() // 2] + y.sum()


def unpacked(x, y):
    (n,) = {len(x), len(y)}
    return x * n


def nested(x, y):
    return x * len({(len(a), len(b)) for a in (x, y) for b in (x, y)})


def returned_by_a_helper(x, y):
    def lengths(arrays):
        return {len(a) for a in arrays}

    return x + y if len(lengths([x, y])) == 1 else x


def of_a_generator(x, y):
    return x + y if len(set(len(a) for a in (x, y))) < 2 else y  # noqa: C401


def gone_over(x, y):
    total = x
    for n in {len(x), len(y)}:
        total = total * n
    return total


ALL_EQUAL_SIZES = [
    counted, in_a_variable, popped, unpacked, nested, returned_by_a_helper, of_a_generator, gone_over,
    lambda x, y: x + y if len(set(map(len, (x, y)))) == 1 else x,
    lambda x, y: x + y if len({x.shape, y.shape}) == 1 else x,
    lambda x, y: x * max({len(x), len(y)}) + min(set([len(x), len(y)])) + sorted({len(x), len(y)})[0],  # noqa: C405
    lambda x, y: x if {len(a) for a in (x, y) if a.ndim == 1} else y,
    lambda x, y: x * [*{len(x), len(y)}][0] + next(iter({len(y), len(x)})) + tuple({len(x)})[0] + list({len(y)})[0],
    lambda x, y: x + len({(a.shape, a.dtype.kind, None) for a in (x, y)}) + len({len(x) + 1, len(y) + 1}),
]  # fmt: skip


def test_sizes_of_data_are_equal_where_they_count_the_same():
    def f(x, y):
        parts = x[x > 1], y[x > 1]
        if len({part.shape for part in parts}) != 1:
            raise ValueError("the masks differ")
        return parts[0] * parts[1], len({len(part) for part in parts})

    run = export(f, (np.arange(3.0), np.arange(3.0))).module()
    for x in (np.arange(3.0), np.zeros(3), np.full(3, 2.0)):
        assert same(run(x, x + 1), f(x, x + 1))


def also_plain(x, y):
    return x.sum() + len({len(x), len(y), 4})


def read_otherwise(x, y):
    lengths = {len(x), len(y)}
    return x.sum() + (4 in lengths) + len(lengths)


def kept(x, y):
    lengths = {len(a) for a in (x, y)}
    return x.sum(), lengths, len(lengths)


def added_to(x, y):
    lengths = {len(a) for a in (x, y)}
    lengths.add(4)
    return x.sum() + len(lengths)


def closed_over(x, y):
    lengths = {len(a) for a in (x, y)}
    return x.sum() + (lambda n: n in lengths)(4) + len(lengths)


def looked_at(x, y):
    lengths = {len(a) for a in (x, y)}
    return x.sum() + (4 in locals()["lengths"]) + len(lengths)


def reachable_elsewhere(x, y):
    def count(values):
        return len(values | {4})

    lengths = {len(a) for a in (x, y)}
    return x.sum() + count(lengths) + len(lengths)


def bound_again(x, y):
    lengths = {len(a) for a in (x, y)}
    first = len(lengths)
    lengths = {4, first}
    return x.sum() + (len(x) in lengths)


def with_another_len(x, y):
    len = lambda values: 4 in values  # noqa: A001, E731
    lengths = {a.shape[0] for a in (x, y)}
    return x.sum() + len(lengths)


def within_one_another(x, y):
    lengths = {len(a) + len({len(b) for b in (x, y)}) for a in (x, y)}
    return x.sum() + (5 in lengths) + len(lengths)


def of_a_type(x, y):
    lengths = {len(a) for a in (x, y)}
    return x.sum() + tuple.__contains__((4, {4}), lengths) + len(lengths)


RIGHT = [
    lambda x, y: [x * n for n in {3, len(x)}][-1] + y.sum(), lambda x, y: x.sum() + sum(n for n in {len(y), 2, len(x)}),
    within_one_another, of_a_type, lambda x, y: x.sum() + len({*[len(x)], len(y), 4}),
    also_plain, read_otherwise, kept, added_to, closed_over, looked_at, reachable_elsewhere, bound_again, with_another_len,
    lambda x, y: x.sum() + len({len(x)} & {len(y), 4}) + ({len(x), 4} == {len(y), 4}),
    lambda x, y: x.sum() + sum({len(x), len(y)}) + len(frozenset((len(x), len(y)))),
    lambda x, y: x.sum() + len({len(x): 1, len(y): 2}) + len({*(len(a) for a in (x, y)), 4}),
    lambda x, y: x.sum() + [len({n, len(x), 4}) for n in {len(y), len(x)}][-1],
]  # fmt: skip


def outcome(function, *sizes):
    return said(function, *[np.arange(float(size)) for size in sizes])


def same(one, other):
    if isinstance(other, (tuple, set)):
        return type(one) is type(other) and all(map(same, one, other))
    return type(one) is type(other) and np.array_equal(one, other)


@pytest.mark.parametrize("example", [(3, 3), (3, 4)])
@pytest.mark.parametrize("function", [*ALL_EQUAL_SIZES, *RIGHT])
def test_what_a_set_of_sizes_decides_is_right(function, example):
    try:
        run = export(function, tuple(np.arange(float(size)) for size in example), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    except ValueError:
        assert outcome(function, *example)[0] is ValueError  # the example raises
        return
    compared = 0
    for sizes in itertools.product(SIZES, repeat=2):
        try:
            actual = outcome(run, *sizes)
        except InputMismatch:
            continue
        compared += 1
        assert same(actual, outcome(function, *sizes)), sizes
    assert compared


@pytest.mark.parametrize("function", ALL_EQUAL_SIZES)
def test_sizes_that_are_equal_stay_dynamic(function):
    n = Dim("n")
    run = export(function, (np.arange(3.0), np.arange(3.0)), dynamic_shapes=({0: n}, {0: n})).module()
    for size in SIZES:
        assert same(outcome(run, size, size), outcome(function, size, size)), size


def in_pieces(x):
    """Without their means, as ``scipy.signal.detrend`` takes pieces."""
    bounds, y = np.sort(np.unique(np.concatenate(np.atleast_1d(0, [5, 2], len(x))))), x.copy()
    for start, stop in itertools.pairwise(bounds):
        y[start:stop] -= np.ones((stop - start, 1)) @ x[start:stop].mean(keepdims=True)
    return y, np.sort(np.array([len(x), 3, 3])), np.unique(np.array([len(x), 2 * len(x), len(x)]))


def in_no_known_order(x):
    return np.sort(np.array([len(x), 7])), np.unique(np.array([7, len(x)]))


@pytest.mark.parametrize("program", [in_pieces, in_no_known_order])
def test_arrays_of_sizes_are_put_into_order(program):
    module = export(program, (np.arange(9.0),), dynamic_shapes=({0: Dim("n", min=6)},)).module()
    for size in (9, 6, 7, 40):
        x = np.arange(float(size)) ** 2
        assert repr(module(x)) == repr(program(x))
