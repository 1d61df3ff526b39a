"""Iterators of which data decide how many items are taken: what ``iter`` gives for a sequence, and
iterators that are written in Python.
"""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def token_by_token(x):
    tokens, out = iter(x.tolist()), []
    while True:
        token = next(tokens, None)
        if token is None:
            break
        if token > 0:
            out.append(next(tokens, -1.0) * 10)
        else:
            out.append(token)
    return out


def until_it_stops(x):
    numbers, total = iter(x), 0.0
    try:
        while True:
            v = next(numbers)
            total += next(numbers) * 10 if v > 0 else v
    except StopIteration:
        pass
    return total


def pairs_that_may_raise(x):
    numbers, total = iter(x), 0.0
    for v in numbers:
        if v > 0:
            total += v * next(numbers)
    return total


def one_side_takes_one(x):
    numbers = iter(x)
    first = next(numbers)
    if first > 0:
        second = next(numbers, 0.0)
    else:
        second = 1.0
    return first + second, list(numbers), next(numbers, None)


def rejected_proposals(x):
    drawn, at, kept = itertools.cycle(x.tolist()), 0.0, 0
    given = iter([0.5, -0.25, 1.5, 2.0, -1.0] * 4)
    for v in x:
        while abs(at) < 1 and next(given, 9.0) < v:
            at += 0.5
            kept += 1
        at -= 0.25
    return at, kept, next(drawn), sum(given)


class Reader:
    def __init__(self, values):
        self.values, self.calls = iter(values), 0

    def read(self):
        self.calls += 1
        return next(self.values, 0.0)


def held_by_an_object(x):
    reader, total = Reader(x), 0.0
    for _ in range(4):
        v = reader.read()
        if v > 0:
            total += reader.read()
        else:
            total -= v
    return total, reader.calls


def two_of_them(x):
    numbers, places, out = iter(x), iter(range(3, 3 + 2 * len(x), 2)), []
    while True:
        v = next(numbers, None)
        if v is None:
            break
        out.append(next(places, -1) if v > 0 else 100)
    return out, list(places)


def rows_but_one(x):
    rows = iter(np.stack([x, 2 * x], axis=1))
    first = next(rows)
    if first[0] > 0:
        next(rows, None)
    return sum([row.sum() for row in rows], 0.0), max(map(operator.itemgetter(1), iter(np.stack([x, x], axis=1))))


def as_before(x):
    numbers = iter(x)
    if x[0] > 0:
        next(numbers)
    return iter(numbers) is numbers, hasattr(numbers, "items"), hasattr(numbers, "__next__"), list(map(operator.neg, numbers))


PROGRAMS = [
    token_by_token, until_it_stops, pairs_that_may_raise, one_side_takes_one, held_by_an_object, two_of_them, rows_but_one, as_before,
]  # fmt: skip


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_side_takes_what_it_takes_eagerly(program, dynamic):
    rng = np.random.default_rng(1)
    module = export(program, (rng.normal(size=5),), dynamic_shapes={"x": {0: Dim("n", min=1)}} if dynamic else None).module()
    for size in (1, 2, 3, 6, 7) if dynamic else (5,):
        for _ in range(6):
            x = (rng.normal(size=size),)
            assert outcome(module, x, memory=True) == outcome(program, x, memory=True)


def test_draws_of_a_sampler():
    module = export(rejected_proposals, (np.zeros(3),)).module()
    rng = np.random.default_rng(2)
    for _ in range(8):
        x = (rng.normal(size=3),)
        assert outcome(module, x) == outcome(rejected_proposals, x)


def test_at_its_end_it_stays():
    def f(x):
        values = x.tolist()
        numbers = iter(values)
        if x[0] > 0:
            for _ in numbers:
                pass
        values.append(7.0)
        return list(numbers)

    module = export(f, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3)):
        assert module(x) == f(x)


class Steps:
    def __init__(self, values):
        self.values, self.place = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place >= len(self.values):
            raise StopIteration
        self.place += 1
        return self.values[self.place - 1]


def test_an_iterator_written_in_python():
    def f(x):
        steps, total = Steps(x.tolist()), 0.0
        for v in steps:
            if v > 0.3:
                total += next(steps, 5.0)
            total += v
        return total, steps.place

    module = export(f, (np.zeros(5),)).module()
    rng = np.random.default_rng(3)
    for _ in range(12):
        x = rng.normal(size=5)
        assert module(x) == f(x)


def test_who_examines_it_is_refused():
    def f(x):
        numbers = iter(x)
        if x[0] > 0:
            next(numbers)
        return type(numbers).__name__

    with pytest.raises(ExportError) as refusal:
        export(f, (np.zeros(3),))
    assert refusal.value.code in ("E103", "E119")
