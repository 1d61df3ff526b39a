"""``deque(maxlen=n)`` that loops on sizes or data fill: the item at the other end is lost."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def moving_average(x: Any) -> Any:
    window, found = deque(maxlen=3), np.zeros(len(x))
    for place, value in enumerate(x):
        window.append(value)
        found[place] = sum(window) / len(window)
    return found


def on_a_side(x: Any) -> Any:
    kept, total = deque(maxlen=3), 0.0
    for value in x:
        if value > 0:
            kept.append(value)
        for each in kept:
            total = total * 0.5 + each
    return total, len(kept)


def full_from_the_start(x: Any) -> Any:
    delay, found = deque([0.0, 0.0], maxlen=2), []
    for value in x:
        found.append(delay[0])
        delay.append(value * 2)
    return np.array(found), delay[0]


def at_the_left(x: Any) -> Any:
    last = deque(maxlen=2)
    for value in x:
        last.appendleft(value)
        if value < 0:
            last.pop()
    return list(last), last.maxlen


def inserted(x: Any) -> Any:
    first, refused = deque(maxlen=2), 0
    for value in x:
        try:
            first.insert(0, value)
        except IndexError:
            refused += 1
    return np.array(first), refused


def of_rows(x: Any) -> Any:
    rows, found = deque(maxlen=3), np.zeros((len(x), 2))
    for place, value in enumerate(x):
        rows.append(np.array([value, 1.0]))
        found[place] = sum(rows) + len(rows)
    return found


def first_of_a_copy(window: Any, value: Any) -> Any:
    window = window.copy()
    window.append(value)
    return window[0], len(window)


def copied(x: Any) -> Any:
    window, total = deque(maxlen=3), 0.0
    for value in x:
        window.append(value)
        first, count = first_of_a_copy(window, value * 2)
        total = total * 0.5 + first * count
    return total, np.array(window)


def of_no_item(x: Any) -> Any:
    none = deque(maxlen=0)
    for value in x:
        none.append(value)
        none.appendleft(value)
    return len(none)


def memory_of_steps(x: Any) -> Any:
    """As an optimiser that remembers its last steps, and ends early."""
    steps, at = deque(maxlen=3), x
    for turn in range(8):
        gone = at * 0
        for step in steps:
            gone = gone + step
        steps.append(at)
        at = at - 0.1 * gone - 0.1
        if (at * at).sum() < 0.5:
            break
    return at, turn, len(steps)


def extended(x: Any) -> Any:
    ends = deque(maxlen=3)
    for value in x:
        ends.extend([value, -value])
        ends.extendleft([7.0])
    return np.array(ends), list(reversed(ends))


def of_a_filled_list(x: Any) -> Any:
    found = [value for value in x if value > 0]
    last, none = deque(found, maxlen=2), deque(found, 0)
    again = deque(last, maxlen=3)
    found.append(7.0)
    last.append(5.0)
    again.extend(x)
    none.append(1.0)
    return list(last), last.maxlen, list(again), len(none), len(found)


def of_pairs(x: Any) -> Any:
    last = deque([(value, place) for place, value in enumerate(x) if value > 0], maxlen=4)
    last.appendleft((1.0, 0))
    return list(last), deque((value for value in x if value < 0), None)[0]


X = np.array([1.0, 2.0, -0.5, 3.0, -1.0, 4.0])
FUNCTIONS = [
    moving_average, on_a_side, full_from_the_start, at_the_left, inserted, of_rows, of_no_item, memory_of_steps, extended, copied,
    of_a_filled_list, of_pairs,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_give_what_they_give_eagerly(function: Any) -> None:
    for shapes, sizes in ((None, (6,)), ({"x": {0: Dim("n")}}, (0, 1, 2, 3, 6, 11))):
        run = export(function, (X,), dynamic_shapes=shapes).module()
        for size in sizes:
            for scale in (1.0, -1.0, 0.1):
                x = np.resize(X, size) * scale
                assert outcome(run, (x,)) == outcome(function, (x,)), (size, scale)


def given_back(x: Any) -> Any:
    window = deque(maxlen=3)
    for value in x:
        window.append(value)
    return window


def test_one_that_is_returned_is_refused() -> None:
    with pytest.raises(ExportError) as refusal:
        export(given_back, (X,), dynamic_shapes={"x": {0: Dim("n")}})
    assert refusal.value.code == "E103"
    assert "return list(items)" in refusal.value.message
