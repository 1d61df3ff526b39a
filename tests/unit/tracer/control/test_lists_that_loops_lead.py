"""Loops in which data decide again and again are one node also where nothing but the number of iterations ends them so far, and where they
append to lists of a list; and give what eager execution gives.
"""

import numpy as np
import pytest

from npexport import Unsupported, export, ops
from tests.support.outcomes import outcome


def merged(x, y):
    a, b, out = sorted(x.tolist()), sorted(y.tolist()), []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return np.array(out)


def counted_until(x, y):
    i = steps = 0
    while i < 20:
        if x[i % len(x)] > y[0]:
            i += 2
        else:
            i += 1
        steps += 1
    return i, steps


def left_early(x, y):
    i = 0
    total = 0.0
    while i < len(x):
        if x[i] > 60:
            i += 3
            continue
        total += float(x[i])
        if total > 500:
            break
        i += 1
    return i, total


def searched_in_depth(x, y):
    neighbours = [[] for _ in range(len(x))]
    for a, b in zip((x % len(x)).tolist(), (y % len(x)).tolist(), strict=True):
        neighbours[a].append(b)
        neighbours[b].append(a)
    seen = [False] * len(x)
    stack, order = [0], []
    while stack:
        place = stack.pop()
        if seen[place]:
            continue
        seen[place] = True
        order.append(place)
        for each in neighbours[place]:
            if not seen[each]:
                stack.append(each)
    return np.array(order)


def written_while_gone_over(x, y):
    rows = [[0, 1], [2], [3, 4, 5]]
    total = 0
    for v in (x % 3).tolist():
        for place, item in enumerate(rows[v]):
            rows[v][place] = item + 1
            total += item
    return total, rows


def longer_while_gone_over(x, y):
    rows = [[0, 1], [2]]
    for v in (x % 2).tolist():
        for item in rows[v]:
            if item == 1:
                rows[v].append(5)
    return rows


def drawn(seed, size=12):
    random = np.random.default_rng(seed)
    return random.integers(0, 100, size), random.integers(0, 100, size)


FEW = 5
"""The branches and places of lists that are recorded beside loops."""


@pytest.mark.parametrize("program", [merged, counted_until, left_early, searched_in_depth, written_while_gone_over])
def test_as_eagerly(program):
    exported = export(program, drawn(0))
    targets = [node.target for node in exported.graph.nodes]
    assert ops.control.while_loop in targets or program is written_while_gone_over
    assert max(targets.count(ops.control.cond), targets.count(ops.py.row_place)) < FEW or program is written_while_gone_over
    run = exported.module()
    for seed in range(20):
        assert outcome(run, drawn(seed)) == outcome(program, drawn(seed))


def test_a_list_that_gets_longer_while_it_is_gone_over_is_refused():
    with pytest.raises(Unsupported, match="changes while it is iterated over"):
        export(longer_while_gone_over, drawn(0))


def test_many_lists_in_a_list():
    program = export(searched_in_depth, drawn(0, 400))
    assert outcome(program.module(), drawn(1, 400)) == outcome(searched_in_depth, drawn(1, 400))
