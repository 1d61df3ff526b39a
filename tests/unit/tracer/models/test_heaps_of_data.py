"""``heapq.nlargest``, ``nsmallest`` and ``merge`` of what only the data know."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def _neighbours(x: Any, y: Any) -> Any:
    distances = [(float((value - 0.5) ** 2), place % 2) for place, value in enumerate(x)]
    return sum(label for _, label in heapq.nsmallest(3, distances)) > 1


def _merged_in_loop(x: Any, y: Any) -> Any:
    one, other, found = sorted(x), sorted(y), []
    for value in heapq.merge(one, other):
        found.append(value * 2)
    return found, one


def _medians(x: Any, y: Any) -> Any:
    total = 0.0
    for place, value in enumerate(heapq.merge(np.sort(x), np.sort(y))):
        total = total * 0.5 + value * place
    return total


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "largest": lambda x, y: (heapq.nlargest(2, x), heapq.nlargest(1, y), heapq.nlargest(9, x.tolist())),
    "smallest pairs": lambda x, y: heapq.nsmallest(3, [(abs(value), place) for place, value in enumerate(x)]),
    "of a generator": lambda x, y: heapq.nsmallest(2, ((abs(value), place) for place, value in enumerate(x))),
    "places by key": lambda x, y: heapq.nlargest(2, range(len(x)), key=lambda place: x[place]),
    "values by key": lambda x, y: heapq.nsmallest(iterable=x, n=2, key=abs),
    "neighbours": _neighbours,
    "merged": lambda x, y: list(heapq.merge(sorted(x), [0.5, 1.0])),
    "merged out of order": lambda x, y: list(heapq.merge(x, y)),
    "merged backwards": lambda x, y: list(heapq.merge(sorted(x, reverse=True), y.tolist(), reverse=True)),
    "merged by key": lambda x, y: list(heapq.merge([(v, 0) for v in x], [(v, 1) for v in y], key=lambda pair: pair[0])),
    "merged in a loop": _merged_in_loop,
    "of known keys in no order": lambda x, y: (heapq.nlargest(2, [{1}, {2}, {1, 2}, {3}], key=set), heapq.nsmallest(2, "badc", key=ord), x),
    "merged of known items": lambda x, y: (list(heapq.merge([1, 3], [2], key=lambda v: v)), heapq.nlargest(1, [1, 2], key=lambda v: -v), x),
}
DYNAMIC = {**PROGRAMS, "merged at any size": _medians}


@pytest.mark.parametrize("name", [*PROGRAMS, *(f"{name}, any size" for name in DYNAMIC)])
def test_what_heaps_order_is_that_of_eager_execution(name: str) -> None:
    rng, dynamic = np.random.default_rng(3), name.endswith(", any size")
    program = DYNAMIC[name.removesuffix(", any size")]
    n = Dim("n", min=1)
    run = export(program, (np.ones(4), np.ones(4)), dynamic_shapes=({0: n}, {0: n}) if dynamic else None).module()
    for size in (1, 2, 3, 5, 8, 4) if dynamic else (4,) * 6:
        given = tuple((rng.integers(-3, 4, (2, size)) / 2).round(1))
        assert outcome(run, given) == outcome(program, given)


@pytest.mark.parametrize("name", ["largest", "merged out of order"])
def test_where_nan_goes_is_not_known(name: str) -> None:
    run = export(PROGRAMS[name], (np.ones(4), np.ones(4))).module()
    with pytest.raises(ValueError, match="where NaN goes"):
        run(np.array([1.0, np.nan, 0.0, 2.0]), np.ones(4))


def _changed(x: Any, y: Any) -> Any:
    one, count = x.tolist(), 0
    for _ in heapq.merge(one, y):
        count += 1
        if count < 3:
            one.append(9.0)
    return count


def _caught(x: Any, y: Any) -> Any:
    try:
        return heapq.nlargest(2, x)
    except ValueError:
        return None


@pytest.mark.parametrize("unroll", [100, False])
@pytest.mark.parametrize(("program", "code"), [(_changed, "E103"), (_caught, "E126")])
def test_what_a_heap_cannot_order_is_refused(program: Any, code: str, unroll: Any) -> None:
    with pytest.raises(ExportError) as refusal:
        export(program, (np.ones(4), np.ones(4)), unroll=unroll)
    assert refusal.value.code == code
