"""Tuples that hold arrays behind what tells them apart are put in order as Python does: the arrays
are never compared.
"""

from __future__ import annotations

import bisect
import heapq
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def items_of_a_dict(x: Any, y: Any) -> Any:
    named = {"weight": x, "bias": y, "gain": x * y}
    return [(name, value * 2) for name, value in sorted(named.items(), reverse=True)]


def texts_and_numbers(x: Any, y: Any) -> Any:
    found = [(0.5, "z", x), (0.5, "c", y), (0.1, "q", x + y)]
    found.sort()
    return [value for *_, value in found], sorted([[2, x], [1, y]]), sorted([((1, 2), x), ((1, 1), y)])


def sizes(x: Any, y: Any) -> Any:
    return [value.sum() for *_, value in sorted([(x.shape[0], "x", x), (y.shape[0], "y", y)])]


def one_nan(x: Any, y: Any) -> Any:
    nan = float("nan")
    return sorted([(nan, 2, x), (nan, 1, y), (1.0, 0, x)])


def kinds_without_an_order(x: Any, y: Any) -> Any:
    return sorted([("a", x), (1, y)])


def put_into_a_list(x: Any, y: Any) -> Any:
    found = [(1, x), (4, y)]
    bisect.insort(found, (2, x * y))
    return [value for _, value in found], bisect.bisect(found, (3, x))


def one_array_twice_in_a_heap(x: Any, y: Any) -> Any:
    heap: list[Any] = []
    for count in (2, 1, 3):
        heapq.heappush(heap, (x, count))
    return [heapq.heappop(heap)[1] for _ in range(3)]


PROGRAMS = [items_of_a_dict, texts_and_numbers, sizes, one_nan, put_into_a_list, one_array_twice_in_a_heap]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_orders_are_those_of_eager_execution(program: Any, dynamic: bool) -> None:
    rng = np.random.default_rng(0)
    shapes = {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}} if dynamic else None
    run = export(program, (rng.standard_normal(3), rng.standard_normal(3)), dynamic_shapes=shapes).module()
    for size in (3, 3, 7, 1) if dynamic else (3, 3):
        given = rng.standard_normal(size), rng.standard_normal(size)
        assert outcome(run, given) == outcome(program, given)


def test_what_has_no_order_raises() -> None:
    given = np.ones(3), np.ones(3)
    with pytest.raises(TypeError, match="'<' not supported between instances of 'int' and 'str'"):
        export(kinds_without_an_order, given)
