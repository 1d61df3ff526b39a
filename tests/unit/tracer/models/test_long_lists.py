"""Lists of many items, one of which data choose: they are arrays while a program is captured."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export


def counts(a: Any) -> Any:
    count = [0] * 256
    for v in a:
        count[int(v)] += 1
    return count


def counting_sort(a: Any) -> Any:
    count, found = [0] * 70, []
    for v in a:
        count[int(v)] += 1
    for v in range(70):
        for _ in range(count[v]):
            found.append(v)
    return found


def counting_sort_at_once(a: Any) -> Any:
    count = [0] * 70
    for v in a:
        count[int(v)] += 1
    return [v for v in range(70) for _ in range(count[v])]


def longest_increasing(a: Any) -> Any:
    best = [1] * 90
    for i in range(len(a)):
        for j in range(i):
            if a[j] < a[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best), best


def coins(a: Any) -> Any:
    fewest = [10**9] * 151
    fewest[0] = 0
    for c in a:
        for s in range(int(c) + 1, 151):
            if fewest[s - int(c) - 1] + 1 < fewest[s]:
                fewest[s] = fewest[s - int(c) - 1] + 1
    return fewest[150], fewest


def swapped(a: Any) -> Any:
    places = list(range(80))
    for v in a:
        i, j = int(v), int(v) * 7 % 80
        places[i], places[j] = places[j], places[i]
    return places


def sets_that_join(a: Any) -> Any:
    parent = list(range(100))

    def root(x: Any) -> Any:
        while parent[x] != x:
            x = parent[x]
        return x

    for k in range(0, len(a) - 1, 2):
        one, other = root(int(a[k])), root(int(a[k + 1]))
        if one != other:
            parent[one] = other
    return sum(1 for i in range(100) if parent[i] == i)


def two_names(a: Any) -> Any:
    count = [0.5] * 70
    other = [count, count]
    for v in a:
        other[0][int(v)] *= 2
    return count is other[1], count, other


def on_a_side(a: Any) -> Any:
    count = [0] * 80
    if a[0] > 30:
        count[int(a[1])] = 5
    return count[int(a[2])], count


def texts_and_tuples(a: Any) -> Any:
    texts, pairs = ["a"] * 70, [(0, 0)] * 70
    for v in a:
        texts[int(v)] = "b"
        pairs[int(v)] = (pairs[int(v)][0] + 1, int(v))
    return texts, pairs


OLD = sys.version_info < (3, 12)
SLOW = [
    pytest.param(counting_sort, marks=pytest.mark.slow),
    pytest.param(counting_sort_at_once, marks=[pytest.mark.slow, pytest.mark.skipif(OLD, reason="its frame holds the iterator")]),
]
PROGRAMS = [counts, *SLOW, longest_increasing, coins, swapped, sets_that_join, two_names, on_a_side, texts_and_tuples]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: getattr(program, "__name__", ""))
def test_items_at_places_of_data(program: Any) -> None:
    g = np.random.default_rng(0)
    for dynamic in (None, ({0: Dim.AUTO},)):
        run = export(program, (g.integers(0, 70, 7),), dynamic_shapes=dynamic).module()
        for size in (7, 7, 7) if dynamic is None else (7, 4, 20):
            a = g.integers(0, 70, size)
            assert run(a) == program(a)


def test_a_place_that_is_not_there() -> None:
    run = export(counts, (np.array([3, 4]),)).module()
    with pytest.raises(IndexError, match="list index out of range"):
        run(np.array([3, 256]))
    assert run(np.array([-1, 2])) == counts(np.array([-1, 2]))


def test_a_list_of_the_exported_object_is_state() -> None:
    class Histogram:
        def __init__(self) -> None:
            self.count = [0] * 80

        def __call__(self, a: Any) -> Any:
            for v in a:
                self.count[int(v)] += 1
            return self.count[3]

    a = np.array([3, 3, 70])
    run, eager = export(Histogram(), (a,)).module(), Histogram()
    assert [run(a + shift) for shift in (0, 1, 0)] == [eager(a + shift) for shift in (0, 1, 0)]


def test_a_list_from_outside_is_the_callers() -> None:
    def counted(a: Any, count: Any) -> Any:
        for v in a:
            count[int(v)] += 1
        return count

    with pytest.raises(ExportError, match="E104"):
        export(counted, (np.array([3, 4]), [0] * 70))
