"""Loops on sizes whose iterations change the size of an array: one node for all sizes, or, where what
follows needs the size, iterations for those of the example.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir import ops
from tests.support.outcomes import outcome

INPUTS = [np.random.default_rng(size).standard_normal(size) for size in (8, 13, 1, 0, 2, 7, 32)]


def sum_of_pairs(x: Any) -> Any:
    while len(x) > 1:
        if len(x) % 2:
            x = np.append(x, 0.0)
        x = x[::2] + x[1::2]
    return x


def sum_of_halves(x: Any) -> Any:
    while x.size > 1:
        half = x.size // 2
        x = np.concatenate([x[:half] + x[half : 2 * half], x[2 * half :]])
    return x.sum()


def halvings(x: Any) -> Any:
    total, count = 0.0, 0
    while len(x) > 1:
        x, count = x[::2].copy(), count + 1
        total += x[0]
    return total, count, x


def smoothed(x: Any) -> Any:
    level = 0.0
    while x.size:
        level = 0.5 * level + x[0]
        x = x[1:]
    return level


def energies(x: Any) -> Any:
    found = []
    while len(x) >= 2:
        n = len(x) // 2 * 2
        x, detail = (x[:n:2] + x[1:n:2]) / 2, (x[:n:2] - x[1:n:2]) / 2
        found.append((detail**2).sum())
    return np.array(found)


def filled_up(x: Any) -> Any:
    while x.size % 4:
        x = np.append(x, 0.0)
    return x.reshape(-1, 4)


def in_threes(x: Any) -> Any:
    found = []
    while len(x) > 3:
        found.append(x[:3].sum())
        x = x[3:]
    return found, x.sum()


def apart(x: Any) -> Any:
    left, kept = np.argsort(-x, kind="stable"), []
    while left.size > 0:
        first, left = left[0], left[1:]
        kept.append(first)
        left = left[np.abs(x[left] - x[first]) > 0.3]
    return np.array(kept, int)


def selected(x: Any) -> Any:
    left, found = x.copy(), []
    while left.size:
        least = left.argmin()
        found.append(left[least])
        left = np.delete(left, least)
    return np.array(found)


def doubled(x: Any) -> Any:
    found = np.array([])
    for value in x:
        found = np.append(found, 2 * value)
    return found + x


def places_above(x: Any) -> Any:
    rows = np.zeros((0, 2), int)
    for place, value in enumerate(x):
        above = np.flatnonzero(x > value)
        rows = np.vstack([rows, np.c_[place + 0 * above, above]])
    return rows


def coefficients(x: Any) -> Any:
    found = np.ones(1)
    for root in x:
        found = np.convolve(found, np.array([1.0, -root]))
    return found


def products(x: Any) -> Any:
    table = np.empty((0, len(x)))
    for one in x:
        row = np.empty(0)
        for other in x:
            row = np.append(row, one * other)
        table = np.append(table, row[None], axis=0)
    return table


def weighed(x: Any) -> Any:
    left, total = x.copy(), 0.0
    for place in range(len(x)):
        total, left = total + place * left[0], left[1:]
    return total, left


def records(x: Any) -> Any:
    found = x[:1]
    for place in range(1, len(x)):
        if x[place] > found[-1]:
            found = np.append(found, x[place])
    return found


WHILE = [sum_of_pairs, sum_of_halves, halvings, smoothed, energies, filled_up, in_threes, apart, selected]
FOR = [doubled, places_above, coefficients, products, weighed, records]


@pytest.mark.parametrize("function", [*WHILE, *FOR])
def test_one_node_for_all_sizes(function: Any) -> None:
    program = export(function, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert ops.control.while_loop in {node.target for node in program.graph.nodes}
    assert all(guard.deferred for guard in program.guards)
    for x in INPUTS:
        assert outcome(program.module(), (x,)) == outcome(function, (x,))


def details(x: Any) -> Any:
    found = []
    while len(x) >= 2:
        n = len(x) // 2 * 2
        found.append((x[:n:2] - x[1:n:2]) / 2)
        x = (x[:n:2] + x[1:n:2]) / 2
    return found, x


def of_a_needed_size(x: Any) -> Any:
    left = x
    while len(left) > 3:
        left = left[::2]
    return [left[i] * i for i in range(len(left))], tuple(left)


@pytest.mark.parametrize("function", [details, of_a_needed_size])
def test_iterations_for_sizes_like_the_examples(function: Any) -> None:
    run = export(function, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    assert outcome(run, (INPUTS[0],)) == outcome(function, (INPUTS[0],))


def pair_of_the_last(x: Any) -> Any:
    last, seen = np.zeros(0), np.zeros(0)
    for value in x:
        last = np.array([value, -value])
        seen = np.append(seen, last)
    return last, seen


def test_sizes_that_only_the_first_iteration_changes_are_known() -> None:
    program = export(pair_of_the_last, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}})
    last, _ = program.graph_module.graph.output_node.args[0]
    assert last.meta["val"].shape == (2,)
    for x in INPUTS:
        if len(x):
            assert outcome(program.module(), (x,)) == outcome(pair_of_the_last, (x,))
