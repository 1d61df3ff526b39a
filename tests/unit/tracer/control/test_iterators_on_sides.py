"""An iterator of which one side of a branch takes more items than the other, and a place that says the same."""

from __future__ import annotations

import numpy as np

from npexport import export
from tests.support.outcomes import outcome

X = np.arange(1.0, 7.0)


def skipping(x):
    items, total = iter(x.tolist()), 0.0
    for v in items:
        if v > 2:
            total += next(items)
        total += v
    return total


def by_place(x):
    values, i, total = x.tolist(), 0, 0.0
    while i < len(values):
        if values[i] > 2:
            total += values[i + 1]
            i += 1
        total += values[i]
        i += 1
    return total


def test_the_items_that_one_side_takes_are_taken():
    run = export(skipping, (X,)).module()
    for x in (X, X[::-1].copy(), X * 0, np.where(X == 3, 0, X), -X):
        assert outcome(run, (x,)) == outcome(skipping, (x,))


def test_the_place_may_be_kept():
    run = export(by_place, (X,)).module()
    for x in (X, X[::-1].copy(), X * 0, np.where(X == 3, 0, X), -X):
        assert outcome(run, (x,)) == outcome(by_place, (x,))
