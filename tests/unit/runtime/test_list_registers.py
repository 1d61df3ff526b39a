"""Lists of a fixed number of numbers, rows of tables, and items that go one place back, in the
machine of the C extension, as eagerly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.ir.graph import CALL
from npexport.runtime.lists.linear_tests import linear_tests
from npexport.runtime.machine import loop_machine
from npexport.runtime.machine.loop_machine import ALONE, machines_of
from npexport.runtime.machine.scalar_loop_code import Loop
from npexport.runtime.machine.scalar_operations import FLOAT, INT
from tests.support.comparison import said_and_warned

pytestmark = pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")

X = np.random.default_rng(3).integers(0, 9, 40)


def knapsack(x):
    t = [0] * 20
    for v in x.tolist():
        for k in range(19, -1, -1):
            if v <= k and t[k - v] + v * 3 > t[k]:
                t[k] = t[k - v] + v * 3
    return np.array(t)


def shortest_ways(x):
    w = x[:36].reshape(6, 6) + 0.5
    dist, done = [np.inf] * 6, [False] * 6
    dist[0] = 0.0
    for _ in range(6):
        u = -1
        for v in range(6):
            if not done[v] and (u < 0 or dist[v] < dist[u]):
                u = v
        done[u] = True
        for v in range(6):
            d = dist[u] + float(w[u, v])
            if d < dist[v]:
                dist[v] = d
    return np.array(dist)


def places_outside(x):
    t, k = [3, 1, 4, 1, 5], 0
    for v in x.tolist():
        k = t[v - 3]
        t[k % 5] = v
    return np.array(t), k


def what_overflows(x):
    t = [1, 2, 3, 4]
    for v in x.tolist():
        t[v % 4] = t[(v + 1) % 4] * 70_000 + t[v % 4]
    return t[0] % 1009, t[1] % 1009, t[2] % 1009, t[3] % 1009


def error_behind_a_write(x):
    t, total = [0] * 9, 0
    for v in x.tolist():
        t[v % 9] += 1
        total += 100 // (t[v % 9] - 4)
    return total


def signs_of_zeros(x):
    t = [0.0, -0.0, 1.0, float("nan")]
    for v in x.tolist():
        t[v % 4] = -t[(v + 1) % 4]
    return np.array(t)


def common_part(x):
    n, m = 12, 15
    t = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            if x[i] == x[12 + j]:
                t[i + 1][j + 1] = t[i][j] + 1
            else:
                t[i + 1][j + 1] = max(t[i][j + 1], t[i + 1][j])
    return np.array(t)


def rows_written_beside_others(x):
    t = np.zeros((9, 4), int)
    total = 0
    for v in x.tolist():
        row, other = t[v], t[v // 2]
        row[v % 4] = other[1] + v
        other[2] = row[v % 4] - 1
        total += int(row[2]) + int(t[v // 2, 2])
    return t, total


def row_that_is_copied(x):
    t = np.arange(20).reshape(5, 4)
    total = 0
    for v in x.tolist():
        row = t[v % 5].copy()
        row[v % 4] = 100
        total += int(row[0]) + int(t[v % 5, v % 4])
    return t, total


def rows_outside(x):
    t = np.arange(32).reshape(8, 4)
    for v in x.tolist():
        t[v][0] += t[v - 8][3]
    return t


def queue(x):
    waiting, order = [0, 3], 0
    for v in x.tolist():
        if v % 3:
            waiting.append(v)
        else:
            order = (order * 7 + waiting.pop(0)) % 10007
    return order, np.array(waiting)


def last_ones(x):
    cache, hits = [], 0
    for v in x.tolist():
        if v in cache:
            hits += 1
            cache.remove(v)
        elif len(cache) == 4:
            cache.pop(0)
        cache.append(v)
    return hits, np.array(cache)


def put_in_front(x):
    cache = [1, 2, 3]
    for v in x.tolist():
        if v % 2:
            cache.insert(0, v)
    return np.array(cache)


def differences_from_before(x):
    t, total = [5, 6, 7, 8], 0
    for v in x.tolist():
        apart, same = t[2] - v, int(t[1])
        total += apart
        t[v % 4] = v * 2 + 1
        if apart >= 0:
            total = (total * 3 + same) % 10007
        else:
            total += 5
    return total, np.array(t)


def floats_from_before(x):
    t, total = [0.5, 1.5, 2.5, 3.5], 0.0
    for v in x.tolist():
        first, more = float(t[0]), t[3] * 1
        t[v % 4] = v * 0.25
        total += first if more > v % 3 else -more
    return total, np.array(t)


PROGRAMS = [differences_from_before, floats_from_before, knapsack, shortest_ways, places_outside, what_overflows, error_behind_a_write,
            signs_of_zeros, common_part, rows_written_beside_others, row_that_is_copied, rows_outside, queue, last_ones,
            put_in_front]  # fmt: skip
OF_THE_MACHINE = {*PROGRAMS[:8], queue, last_ones}


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_eagerly(program: Any) -> None:
    exported = export(program, (X.copy(),), unroll=4)
    assert program not in OF_THE_MACHINE or machines_of(exported.graph)
    module = exported.module()
    rng = np.random.default_rng(8)
    some = [rng.integers(low, high, 40) for low, high in ((0, 9), (0, 3), (2, 8), (0, 1), (-3, 12), (8, 9))]
    for given in (*some, X, np.arange(40) % 9, np.full(40, 1 << 60)):
        one, other = given.copy(), given.copy()
        assert repr(said_and_warned(module, one)) == repr(said_and_warned(program, other)), given
        np.testing.assert_array_equal(one, other)


def test_an_array_that_an_inner_loop_writes_to_for_itself() -> None:
    def program(x: Any) -> Any:
        a = x.copy()
        for i in range(30):
            for j in range(int(a[i]) % 4):
                b = a.copy()
                b[j] = b[j] + i
                a[i] = int(b[j]) % 7
        return a

    module = export(program, (X.copy(),), unroll=4).module()
    for given in (X, X[::-1].copy(), X * 0):
        np.testing.assert_array_equal(module(given), program(given))


def test_items_are_changed_where_they_are() -> None:
    """Of lists, and those that stay are the same objects."""
    text = (
        "def loop(iterations, c0, c1, c2):\n    while True:\n        v1 = c0 > 0\n        if not v1: return (0, c0, c1, c2)\n"
        "        v2 = pick(t0, c0)\n        drop(t0, (0), v2)\n        c0 = (0)\n        commit()\n"
    )
    loop = Loop(text, {}, {"t0": ("c1", "c2")}, (INT, FLOAT, FLOAT), (), False)
    stays, items = float("2.5"), [1.0, 2.0]
    items[1] = stays
    assert loop_machine.machine_of(loop, (ALONE, (0, 0), (0, 1)))(1, items) == (0, 0)
    assert items == [2.5, 2.5] and items[1] is stays
    assert loop_machine.machine_of(loop)(1, 3.0, 4.0) == (0, 0, 4.0, 4.0)
    said = loop_machine.machine_of(loop, (ALONE, (0, 1), (0, 0)))(5, items)
    assert said == (1, 5) and items == [2.5, 2.5]
    with pytest.raises(IndexError):
        loop_machine.machine_of(loop, (ALONE, (0, 0), (0, 7)))(5, items)
    assert all(node.op == CALL for node in machines_of(export(knapsack, (X,), unroll=4).graph))


def test_what_is_computed_at_once_is_no_part_of_a_test() -> None:
    (loop,) = [node for node in export(knapsack, (X.copy(),), unroll=4).graph.nodes if node in machines_of(node.graph)]
    graphs = list(loop.args[1].graph.all_graphs())
    apart = {node for graph in graphs for node in linear_tests(graph)[1]}
    assert apart
    for graph in graphs:
        tests, unneeded = linear_tests(graph, apart)
        assert not unneeded
        assert all(node in graph.nodes or node.op != CALL for test in tests.values() for node in (*test.more, *test.less))
