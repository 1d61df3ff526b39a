"""Queues and windows that slide: lists of which only the items that were written are there."""

from collections import deque

import numpy as np
import pytest

from npexport import export
from npexport.runtime.kernels import python_items
from npexport.runtime.lists import short_lists
from npexport.runtime.modules.module import make_module

X = np.random.default_rng(1).integers(-9, 10, 150)


def moving_sum(x):
    queue, total, found = deque(), 0, []
    for v in x.tolist():
        queue.append(v)
        total += v
        if len(queue) > 5:
            total -= queue.popleft()
        found.append(total)
    return np.array(found)


def begun(x):
    queue, found = deque([3]), []
    for v in x.tolist():
        if v % 3:
            queue.append(v)
        elif queue:
            found.append(queue.popleft())
    return np.array(found)


def second_out(x):
    queue, total = [], 0
    for v in x.tolist():
        queue.append(v)
        if len(queue) > 3 and v > 0:
            total = total * 3 + queue.pop(1) - queue[0]
    return total, len(queue)


def both_ends(x):
    queue, total = deque(), 0
    for v in x.tolist():
        if v > 2:
            queue.append(v)
        elif v > -3 and queue:
            total = total * 5 % 10007 + queue.popleft()
        elif queue:
            total = total * 7 % 10007 - queue.pop()
    return total, len(queue)


def given_back(x):
    queue = []
    for v in x.tolist():
        queue.append(v)
        if len(queue) > 4:
            queue.pop(0)
    return queue


def floats(x):
    queue, found = [], []
    for v in x.tolist():
        queue.append(v * 0.5)
        if len(queue) > 7:
            found.append(queue.pop(0))
        if v > 7:
            queue[-1] = -0.0
            queue[0] = 2.5
    return found, sum(queue[:2])


def rewritten(x):
    queue, total = [], 0
    for v in x.tolist():
        if len(queue) < 6:
            queue.append(v)
        else:
            queue[v % 5] = v
            total += queue[(v + 1) % 5] * 3 + queue.pop(0)
    return total, queue[0]


def empty_again(x):
    queue, found = deque(), 0
    for v in x.tolist():
        if v > 0:
            queue.append(v)
        while len(queue) > 2:
            found = found * 31 % 1013 + queue.popleft()
    return found, len(queue)


def array_that_moves(x):
    y, total = np.zeros(8), 0.0
    for v in x.tolist():
        if v > -2:
            y[:-1] = y[1:]
            y[5] = float(v)
        total += float(y[0]) * 0.5 + float(y[-1])
    return total


def full_array_that_moves(x):
    y, total, n = np.zeros(4, np.int64), 0, 0
    for v in x.tolist():
        if n < 4:
            y[n] = v
            n += 1
        else:
            total = total * 3 % 1009 + int(y[0])
            y[:-1] = y[1:]
            n -= 1 + (v > 0)
    return total, n


def scalars(x):
    queue, found = deque(), []
    for v in x:
        queue.append(v)
        if v > 0 and len(queue) > 2:
            found.append(queue.popleft())
    return found, len(queue)


PROGRAMS = [
    scalars, moving_sum, begun, second_out, both_ends, given_back, floats, rewritten, empty_again, array_that_moves, full_array_that_moves,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_queues_give_what_python_gives(f):
    program = export(f, (X,))
    modules = [program.module(), make_module(program, True, threads=0)]
    for seed in range(8):
        x = np.random.default_rng(seed).integers(-9, 10, 150)
        for module in modules:
            assert repr(module(x)) == repr(f(x))


def test_queues_have_no_room_that_they_do_not_use():
    source = export(moving_sum, (np.resize(X, 2000),)).module().code
    assert "= []\n" in source
    assert "[0] * " not in source


@pytest.mark.parametrize("there", [0, 2, 4])
def test_missing_items_are_zeros(there):
    array = np.zeros(4, np.int64)
    items = [5, 6, 7, 8][:there]
    array[:there] = items
    assert [short_lists.item(items, place, 4, 0) for place in range(-4, 4)] == [int(array[place]) for place in range(-4, 4)]
    assert [short_lists.beginning(items, end, 4, 0) for end in range(6)] == [array[:end].tolist() for end in range(6)]
    for place in range(-4, 4):
        written, expected = items[:], array.copy()
        short_lists.put(written, place, 4, 0, 9)
        expected[place] = 9
        assert short_lists.beginning(written, 4, 4, 0) == expected.tolist()


@pytest.mark.parametrize("place", [4, -5])
def test_places_that_are_none_raise_what_lists_raise(place):
    with pytest.raises(IndexError, match="^list index out of range$"):
        short_lists.item([1], place, 4, 0)
    with pytest.raises(IndexError, match="^list assignment index out of range$"):
        short_lists.put([1], place, 4, 0, 1)


@pytest.mark.parametrize(
    "x", [np.arange(5), np.arange(10).reshape(5, 2), np.array([(1, 2.0), (3, 4.0), (5, 6.0)], "i8,f8"), np.array(["a", 1, None])]
)
def test_a_moved_row_is_kept_while_others_take_its_place(x):
    rows = list(x.copy())
    rows.append(rows.pop(0))
    np.testing.assert_array_equal(python_items.row_moved(x, 0, len(x) - 1), np.array(rows, x.dtype))
