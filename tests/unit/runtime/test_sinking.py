"""What is needed late is computed late, where nobody can tell but by the memory that it takes."""

from __future__ import annotations

import gc
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export

X, I = np.arange(14400.0).reshape(120, 120), np.arange(14400).reshape(120, 120)


def generated(x):
    return sum(np.roll(x, k) for k in range(8))


def listed(x):
    return sum([np.roll(x, k, axis=1) for k in range(8)])


def of_views(x):
    return sum([np.roll(x.T[::-1], k) for k in range(8)])


def chained(x):
    return sum([np.tile(np.roll(x, k), (2, 1)) for k in range(6)])


def of_a_value(x):
    y = np.roll(x, 3)
    parts = [np.roll(y, k) for k in range(6)]
    return sum(parts) + y


def compared(x):
    return sum([np.tril(x, k) for k in range(6)]) * 2


def neighbours(x):
    return sum(np.roll(np.roll(x, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


LATE = {
    "neighbours": neighbours,
    "generated": generated,
    "listed": listed,
    "of_views": of_views,
    "chained": chained,
    "of_a_value": of_a_value,
    "compared": compared,
}


def of_what_is_written(x):
    parts = [np.roll(x, k) for k in range(4)]
    x += 1
    return sum(parts)


def of_what_dies(x):
    y = np.roll(x, 3)
    a, b = np.roll(y, 1), np.roll(y, 2)
    z = np.roll(x, 1) * np.roll(x, 2)
    return z * a + b


def returned(x):
    parts = [np.roll(x, k) for k in range(4)]
    return parts, sum(parts)


EARLY = {"of_what_is_written": of_what_is_written, "of_what_dies": of_what_dies, "returned": returned}


def peak(call: Callable[..., Any], x: Any) -> int:
    call(x)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    call(x)
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("name", LATE)
def test_no_more_memory_than_a_generator_takes(name: str) -> None:
    run = export(LATE[name], (X,)).module()
    assert np.array_equal(run(X), LATE[name](X))
    assert peak(run, X) <= (8 if name == "chained" else 4) * X.nbytes


@pytest.mark.parametrize("name", EARLY)
def test_what_stays(name: str) -> None:
    run = export(EARLY[name], (X.copy(),)).module()
    mine, theirs = X.copy(), X.copy()
    found, expected = run(mine), EARLY[name](theirs)
    assert repr(found) == repr(expected)
    assert np.array_equal(mine, theirs)
    assert peak(run, mine) <= peak(EARLY[name], theirs) + (1 << 14)


def test_what_may_warn_or_raise_stays_in_its_order() -> None:
    def program(x, k):
        parts = [x * c for c in (1e308, 1e-308, 2.0)]
        taken = x[k]
        return parts[2] + parts[1] + parts[0], taken

    x = X + 1e3
    run = export(program, (x, np.array([0]))).module()
    told = []
    for call in (run, program):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(IndexError):
                call(x, np.array([500]))
        told.append([str(each.message) for each in caught])
    assert told[0] == told[1] != []
