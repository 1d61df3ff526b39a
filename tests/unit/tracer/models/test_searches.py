"""``bisect``, ``heapq``, ``list.insert`` and ``list.pop`` of what only the data know: as C compares, beside NaN too."""

from __future__ import annotations

import bisect
import heapq
import sys

import numpy as np
import pytest

from npexport import Dim, export, load, save
from tests.support.comparison import said
from tests.support.shards import shard

DATA = [
    np.array(data)
    for data in (
        [0.5, -1.0, 2.0, 0.25, 3.0, -2.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 4.0, 3.0, 2.0, 1.0, 0.0],
        [np.nan, 1.0, 0.0, np.nan, 2.0, -1.0], [2.0, np.nan, np.inf, -np.inf, 0.0, -0.0],
    )
]  # fmt: skip
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def places(x):
    a = x[:5].tolist()
    v = float(x[5])
    return [find(a, v) for find in (bisect.bisect_left, bisect.bisect_right, bisect.bisect)], bisect.bisect_left(a, v, 1, 4)


@case
def grades(x):
    return "FDCBA"[bisect.bisect([-1.0, 0.0, 1.0, 2.0], x[0])], bisect.bisect_left([3, 2, 1], -x[1], key=lambda v: -v)


@case
def sorted_by_insertion(x):
    kept = []
    for v in x[:5]:
        bisect.insort(kept, float(v))
    bisect.insort_left(kept, 0.5)
    return kept


@case
def heaps(x):
    heap = x[:5].tolist()
    heapq.heapify(heap)
    shown = heap[:]
    first = heapq.heappop(heap)
    heapq.heappush(heap, float(x[5]))
    return shown, first, heapq.heapreplace(heap, 0.75), heapq.heappushpop(heap, float(x[0]) + 1), heap


def with_the_largest_first(x):
    heap = x[:4].tolist()
    heapq.heapify_max(heap)
    heapq.heappush_max(heap, float(x[5]))
    return heapq.heappop_max(heap), heapq.heapreplace_max(heap, 0.75), heapq.heappushpop_max(heap, float(x[0]) - 1), heap


def largest_pairs_first(x):
    heap = []
    for k in range(4):
        heapq.heappush_max(heap, (float(x[k]), k))
    return heapq.heappop_max(heap), heapq.heappop_max(heap)


if sys.version_info >= (3, 14):
    case(with_the_largest_first)
    case(largest_pairs_first)


@case
def of_scalars(x):
    heap = []
    for v in x[:4]:
        heapq.heappush(heap, v * 2)
    return [heapq.heappop(heap) for _ in range(3)]


@case
def of_pairs(x):
    heap = []
    for k in range(4):
        heapq.heappush(heap, (float(x[k]), k))
    return heapq.heappop(heap), heapq.heappop(heap)


@case
def codes(x):
    heap = [(float(v) * float(v), k) for k, v in enumerate(np.nan_to_num(x[:4]))]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        cost += a[0] + b[0]
        heapq.heappush(heap, (a[0] + b[0], len(heap) + 10))
    return cost


@case
def inserted_and_popped(x):
    items, place = [1, 2, 3, 4], int(np.nan_to_num(x[2], posinf=9, neginf=-9))
    items.insert(place, 7)
    popped = items.pop(place)
    return items, popped


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", shard(CASES, 2))
def test_what_is_found_is_that_of_eager_execution(name, dynamic, tmp_path):
    f = CASES[name]
    program = export(f, (DATA[0],), dynamic_shapes=({0: Dim("n", min=6)},) if dynamic else None)
    save(program, tmp_path / "program.np2")
    for run in (program.module(), load(tmp_path / "program.np2").module()):
        for x in DATA:
            assert repr(said(run, x.copy())) == repr(said(f, x.copy()))


def _one_object_twice(x):
    v = float(x[0])
    heap = [(v, 2), (v, 1)]
    heapq.heapify(heap)
    return heap


def _pushed_twice(x):
    v, heap = float(x[0]), []
    heapq.heappush(heap, (v, 2))
    heapq.heappush(heap, (float(x[1]), 3))
    heapq.heappush(heap, (v, 1))
    return heap


def _popped_and_pushed(x):
    heap = [(float(x[0]), 1), (float(x[1]), 2)]
    heapq.heapify(heap)
    first = heapq.heappop(heap)
    heapq.heappush(heap, first)
    heapq.heappush(heap, first)
    return heap


@pytest.mark.parametrize("f", [_one_object_twice, _pushed_twice, _popped_and_pushed])
def test_tuples_that_may_hold_one_object_are_compared_unless_both_hold_nan(f):
    run = export(f, (DATA[0],)).module()
    for x in DATA:
        found = repr(said(run, x.copy()))
        assert found == repr(said(f, x.copy())) or (np.isnan(x[0]) and "NaN in the same place" in found)
