"""Arrays that a loop carries and puts into a list as well: which memory the program returns them in."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export, unflatten
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


def all_and_last(x, first):
    state, found = first, []
    for v in x:
        state = state * v
        found.append(state)
    return found, state


def stacked_and_last(x, first):
    found, state = all_and_last(x, first)
    return np.stack(found), state


def last(x, first):
    return all_and_last(x, first)[1]


def the_first_in_the_list(x, first):
    state, states = first, [first]
    for v in x:
        state = state + v
        if v > 0:
            states.append(state)
    return state, len(states)


def two_lists(x, first):
    state, cell, states, cells = first, np.zeros_like(first), [], []
    for v in x:
        cell = cell * 0.5 + state * v
        state = np.tanh(cell)
        states.append(state)
        cells.append(cell)
    return np.array(states), np.array(cells), (state, cell)


@pytest.mark.parametrize("f, least", [(stacked_and_last, 1), (last, 0), (the_first_in_the_list, 0), (two_lists, 1)])
def test_what_a_loop_carries_may_stand_in_a_list(f, least):
    run = export(f, (np.arange(4.0), np.ones(2)), dynamic_shapes=({0: Dim("n", min=least)}, None)).module()
    for size in (least, 2, 5):
        args = (np.linspace(-1, 2, size), np.array([0.5, 2.0]))
        assert outcome(run, args) == outcome(f, args), size


def last_item(x, first):
    state, states = first * 1, [first * 3]
    for v in x:
        state = state * v
        states.append(state)
    return state, states[-1]


def item_before_the_list_is_left(x, first):
    state, states = first * 1, [first * 3]
    for v in x:
        state = state * v
        states.append(state)
        if v > 3:
            return state, states[-1]
    return state, states[0]


def item_of_an_earlier_loop(x, first):
    state, item, states = first * 1, first * 2, []
    for v in x:
        state = state * v
        states.append(state)
    for v in x:
        item = states[-1]
    return state, item


def item_of_a_dict(x, first):
    state, states = first, {}
    for v in x:
        state = state * v
        states[int(v)] = state
    return state, states[int(x[0])]


@pytest.mark.parametrize("f", [last_item, item_before_the_list_is_left, item_of_an_earlier_loop, item_of_a_dict])
def test_an_array_beside_the_item_that_it_may_be_is_refused(f):
    """The item is taken out by value: the two results would lie in two memories."""
    with pytest.raises(ExportError, match="an item of a list, as data decide, and may be in the memory of another result"):
        export(f, (np.arange(1.0, 5.0), np.ones(2)), dynamic_shapes=({0: Dim("n", min=1)}, None))


def item_that_may_be_an_input(x, y):
    held, a = [y * 1.0, y], x * 1
    if x.sum() < 0.5:
        held.pop()
        held.insert(0, y)
    if x[0] < 0:
        a = held[0]
        held.append(a)
    return a


def last_of_what_may_be_an_input(x, y):
    a, held = x.copy(), [x * 1]
    c = y if y[0] > 0.25 else y * 0.5
    for _ in range(3):
        if a[0] > 1:
            held.append(a)
        a = np.sort(a)
    held.append(c)
    return held[-1]


@pytest.mark.parametrize("f", [item_that_may_be_an_input, last_of_what_may_be_an_input])
def test_an_item_that_may_be_an_input_is_refused(f):
    with pytest.raises(ExportError, match="an item of a list, as data decide, and may be in the memory of y"):
        export(f, (np.ones(3), np.ones(3)))


# Lists of arrays as results


def states(x, first):
    return all_and_last(x, first)[0]


def rows_with_numbers(x, first):
    rows = []
    for i, v in enumerate(x):
        if v > 0:
            rows.append((i, first * v, float(v)))
    return {"rows": rows, "count": len(rows)}


def columns_in_order(x, first):
    found = [(first * v).reshape(2, 1) for v in x if v < 1]
    found.sort(key=lambda column: column[0, 0])
    return found[::-1]


def by_number(x, first):
    return {int(v * 4): np.outer(first, first) * v for v in x}


def in_lists(x, first):
    groups = [[], []]
    for v in x:
        groups[int(v > 0)].append(first + v)
    return groups


def without_axes(x, first):
    return [np.array(v * 2) for v in x if v > 0], [first * np.float32(v) for v in x]


def in_two_places(x, first):
    found = [first * v for v in x]
    return found, found


def _drivers(program, args, shapes):
    yield program.module()
    yield reloaded(program).module()
    yield program.run_decompositions().module()
    yield unflatten(program)
    yield export(program.module(), args, dynamic_shapes=shapes).module()


@pytest.mark.parametrize("f", [states, rows_with_numbers, columns_in_order, by_number, in_lists, without_axes, in_two_places])
def test_a_list_of_arrays_is_returned(f):
    args, shapes = (np.linspace(-1, 2, 4), np.ones(2)), ({0: Dim.DYNAMIC}, None)
    for run in _drivers(export(f, args, dynamic_shapes=shapes), args, shapes):
        for size in (0, 1, 3, 6):
            given = (np.random.default_rng(size).normal(size=size), np.array([0.5, 2.0]))
            assert outcome(run, given) == outcome(f, given), size


def beside_its_last_item(x, first):
    found = states(x, first)
    return found, found[-1]


def beside_its_reverse(x, first):
    found = [first * v for v in x]
    return found, found[::-1]


def twice(x, first):
    return [first * v for v in x] * 2


def kept(x, first):
    state, found = first * 1, []
    for v in x:
        if v > 0:
            state = state * v
        found.append(state)
    return found


def callers(x, first):
    return [first if v > 0 else first * v for v in x]


def of_an_item(x, first):
    found = [first * v for v in x]
    if len(found) > 2:
        found[0] = found[1]
    return found


def columns_with_gaps(x, first):
    return [(np.outer(first, first) * v)[:, 0] for v in x]


@pytest.mark.parametrize("f", [beside_its_last_item, all_and_last, beside_its_reverse, twice, kept, callers, of_an_item, columns_with_gaps])
def test_a_list_whose_arrays_may_be_seen_elsewhere_is_refused(f):
    with pytest.raises(ExportError, match="list that is returned, too|is returned, and"):
        export(f, (np.linspace(-1, 2, 4), np.ones(2)), dynamic_shapes=({0: Dim.DYNAMIC}, None))
