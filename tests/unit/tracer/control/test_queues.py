"""Lists and deques whose length data decide, as queues, stacks and orders: every method, on data and
sizes that take every side, equal to eager execution.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard


def positive(x):
    return [v for v in (3 * x).astype(int).tolist() if v > 0]


def breadth_first(x):
    near = np.abs(x[:, None] - x) < 0.4
    distance, queue = [-1] * len(x), deque([0])
    distance[0] = 0
    while queue:
        u = queue.popleft()
        for v in range(len(x)):
            if near[u, v] and distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


def flooded(x):
    near = np.abs(x[:, None] - x) < 0.4
    label, current = -np.ones(len(x), dtype=int), 0
    for start in range(len(x)):
        frontier = [start]
        while frontier:
            u = frontier.pop()
            if label[u] >= 0:
                continue
            label[u] = current
            frontier.extend(np.flatnonzero(near[u]).tolist())
        current += 1
    return label


def listed(x):
    places = list(np.nonzero(x > 0)[0])
    total = 0
    while places:
        total = total * 2 + places.pop(0)
    return total


def sorted_in_place(x):
    out = positive(x)
    out.sort()
    return out


def sorted_by_key(x):
    out = [(v % 3, v) for v in positive(x)]
    out.sort(key=lambda pair: -pair[1], reverse=True)
    return out, sorted(out), sorted(positive(x), reverse=True)


def sorted_floats(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return sorted(out, key=lambda v: v % 0.3)


def inserted(x):
    out = []
    for place, v in enumerate(x):
        if v > 0:
            out.insert(len(out) // 2, place)
        elif v < -0.5:
            out.insert(-1, -place)
    return out


def removed(x):
    out = positive(x)
    out.append(7)
    out.remove(7)
    if len(out) > 1:
        del out[1]
        del out[-1]
    return out, 2 in out, out.count(1)


def removed_or_raises(x):
    out = positive(x)
    out.remove(2)
    return out, out.index(1)


def reversed_in_place(x):
    out = positive(x)
    out.reverse()
    return out


def cleared(x):
    batch, sums = [], []
    for v in x:
        batch.append(v)
        if v > 0.5:
            sums.append(len(batch))
            batch.clear()
    return sums, len(batch)


def repeated(x):
    out = []
    for v in np.abs(3 * x).astype(int):
        out.extend([v] * int(v))
    return np.array(out, dtype=int), len(out)


def added_in_place(x):
    out = [0]
    for v in x:
        if v > 0:
            out += np.arange(int(3 * v)).tolist()
    return out


def both_ends(x):
    line = deque()
    for place, v in enumerate(x):
        if v > 0:
            line.appendleft(place)
        else:
            line.append(place)
        if v > 0.9:
            line.pop()
    found = []
    while line:
        found.append(line.popleft())
    return found


def empty_deque(x):
    line = deque()
    for v in x:
        if v > 0:
            line.append(v)
    return line.popleft() + line.pop()


def last_of_deque(x):
    line = deque([0.5])
    for v in x:
        if v > line[-1]:
            line.append(float(v))
        if len(line) > 2:
            line.popleft()
    return line[0], len(line), max(line)


def maybe_empty(x):
    out = []
    for place, v in enumerate(x):
        if v > 0:
            out.append(place)
    return np.array(out)


def events(x):
    heap = [(float(v), place) for place, v in enumerate(x)]
    heapq.heapify(heap)
    found = []
    while heap and len(found) < 8:
        time, place = heapq.heappop(heap)
        found.append(place)
        if time < 0.5:
            heapq.heappush(heap, (time + 0.4, place + 10))
    return found


def ordered_pairs(x):
    out = []
    for place, v in enumerate(x):
        if v < 0.8:
            out.append((abs(v), -place))
    return sorted(out), sorted(out, key=lambda pair: (pair[1] % 2, pair[0]), reverse=True)


def unlike_ways(x):
    out = []
    for v in x:
        out.reverse()
        if len(out) > 1:
            out[-1] = None
        if v < -0.5:
            out.append(None)
        else:
            out.extend([None] * int(abs(3 * v)))
    return out


def deque_returned(x):
    line = deque()
    for v in x:
        if v > 0:
            line.append(("up", int(v * 3)))
        elif v < -0.9:
            line.appendleft(("down", v))
    return line, len(line)


def suppressed(x):
    order, kept = list(np.argsort(-x)), []
    while order:
        i = order.pop(0)
        kept.append(i)
        order = [j for j in order if abs(x[j] - x[i]) > 0.4]
    return kept, order


def replaced(x):
    todo, seen = [(0, 1.0)], []
    while todo:
        i, weight = todo.pop()
        seen.append(weight)
        todo = [(j, weight * x[j]) for j in range(i + 1, len(x)) if x[j] > x[i]]
    return seen


PROGRAMS: list[Any] = [
    pytest.param(breadth_first, marks=pytest.mark.slow), pytest.param(events, marks=pytest.mark.slow), flooded, listed, sorted_in_place,
    sorted_by_key, sorted_floats, inserted, removed, removed_or_raises, reversed_in_place, cleared, repeated, added_in_place, both_ends,
    empty_deque, last_of_deque, maybe_empty, ordered_pairs, unlike_ways, deque_returned, suppressed, replaced,
]  # fmt: skip


def arguments(size: int) -> list[np.ndarray[Any, Any]]:
    values = np.sin(np.arange(size) * 1.3 + 0.5)
    return [values, -values, np.abs(values) + 0.1, np.zeros(size), -np.abs(values), values[::-1].copy()]


@pytest.mark.parametrize("program", shard(PROGRAMS, 2))
def test_known_sizes(program: Callable[..., Any]) -> None:
    run = reloaded(export(program, (np.zeros(4),))).module()
    for x in arguments(4):
        assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("program", shard(PROGRAMS, 2))
def test_dynamic_sizes(program: Callable[..., Any]) -> None:
    least = 1 + (program is events)
    run = export(program, (np.zeros(5),), dynamic_shapes={"x": {0: Dim("n", min=least)}}).module()
    for size in (least, 2, 5, 12):
        for x in arguments(size):
            assert outcome(run, (x,)) == outcome(program, (x,))


def test_one_nan_is_in_order_and_two_in_tuples_are_refused_at_run_time() -> None:
    def first(x):
        heap = []
        for place, v in enumerate(x):
            heapq.heappush(heap, (v, place))
        return heap[0]

    run = export(first, (np.zeros(3),), dynamic_shapes={"x": {0: Dim("n", min=1)}}).module()
    for x in (np.array([0.5, np.nan, 0.25]), np.array([0.5, 0.25, 0.25, 0.1])):
        assert outcome(run, (x,)) == outcome(first, (x,))
    with pytest.raises(ValueError, match="NaN in the same place"):
        run(np.array([np.nan, np.nan, 0.0]))


def test_objects_that_die_while_a_list_is_sorted_leave_the_tracer_s_own_tables() -> None:
    def simplex(x):
        points = [np.array([0.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])]
        for _ in range(3):
            points.sort(key=lambda point: ((point - x[:2]) ** 2).sum())
            points[-1] = points[0] + 0.5 * (points[0] - points[-1])
        return points[0]

    run = export(simplex, (np.zeros(3),)).module()
    for x in arguments(3):
        assert outcome(run, (x,)) == outcome(simplex, (x,))


@pytest.mark.parametrize("taken", ["heappop(heap)", "heapreplace(heap, 1.0)"])
def test_an_empty_heap_raises_what_heapq_raises(taken: str) -> None:
    text = f"def program(x):\n heap = [v for v in x if v > 0]\n heapq.heapify(heap)\n first = heapq.{taken}\n return first, len(heap)"
    program = function_of(text, {"heapq": heapq})
    run = export(program, (np.array([1.0, -1.0, 2.0]),)).module()
    for x in (np.array([3.0, 1.0, 2.0]), np.array([-1.0, -2.0, -3.0]), np.array([-1.0, 5.0, -3.0])):
        assert outcome(run, (x,)) == outcome(program, (x,))
