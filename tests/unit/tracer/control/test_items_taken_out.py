"""Items that a program takes out of lists that loops fill, and quotients on one side of a branch: equal to eager execution."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def breadth_first(x):
    adjacent = np.outer(x, x) > 1
    depth = np.full(len(x), -1)
    depth[0] = 0
    queue = [0]
    while queue:
        node = queue.pop(0)
        for other in range(len(x)):
            if adjacent[node, other] and depth[other] < 0:
                depth[other] = depth[node] + 1
                queue.append(other)
    return depth


def taken_from_the_middle(x):
    values, total = [(a, i) for i, a in enumerate(x) if a > 0], 0.0
    while len(values) > 1:
        value, place = values.pop(1)
        total = total * 2 + value * place
    return total, values


def second_to_last(x):
    values, total = [a for a in x if a > 0], 0.0
    while len(values) >= 2:
        total = total * 2 + values.pop(-2)
    return total, values


def arrays_from_the_front(x):
    rows, total = [], x * 0
    for a in x:
        if a > 0:
            rows.append(x * a)
    while rows:
        total = total * 0.5 + rows.pop(0)
        if total[0] < 0:
            break
    return total, len(rows)


def taken_from_the_front(x):
    return [a for a in x if a > 0].pop(0)


@pytest.mark.parametrize("f", [breadth_first, taken_from_the_middle, second_to_last, arrays_from_the_front, taken_from_the_front])
def test_items_that_are_taken_out(f):
    for shapes, sizes in ((None, (4,)), ({"x": {0: Dim("n", min=2)}}, (2, 4, 7))):
        run = export(f, (np.array([1.0, 2.0, -3.0, 0.5]),), dynamic_shapes=shapes).module()
        for size in sizes:
            for seed in range(8):
                x = np.round(np.random.default_rng(seed).normal(size=size) * 2, 1)
                assert outcome(run, (x,)) == outcome(f, (x,)), x


def test_quotients_on_the_side_where_the_divisor_is_not_zero():
    def f(a):
        x, y = int(a[0]), int(a[1])
        while y:
            x, y = y, x % y
        if x == 0:
            return 0, 0
        return int(a[0]) * int(a[1]) // x, int(a[0]) % x

    run = export(f, (np.array([48, 18]),)).module()
    for a in ([48, 18], [17, 5], [0, 0], [0, 9], [-4, 6]):
        assert run(np.array(a)) == f(np.array(a))
