"""Loops on data that carry numbers which are Python's before an iteration and NumPy's after it, or on one path through an iteration."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export, load, save
from tests.support.outcomes import outcome
from tests.support.shards import shard

PROGRAMS: dict[str, Any] = {}


def captured(program):
    PROGRAMS[program.__name__] = program
    return program


DATA = [np.array(values) for values in ([1.0, 2.0, 3.0], [-1.0, 0.5, 2.0], [9.0, 9.0, 9.0], [-5.0, -6.0, -7.0], [0.0, -0.0, np.nan])]


@captured
def marched(x):
    t = 0.0
    for iterations in range(20):
        distance = abs(x[0] - t)
        if distance < 1e-3:
            return t, iterations
        t += distance / 2
        if t > 6:
            break
    return t, -1


@captured
def steps(x):
    t, h = 0.0, 0.1
    y = x.copy()
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        y -= h * y
        error = np.max(np.abs(y)) * h
        if error < 0.5:
            t += h
        h = 0.9 * h * min(2.0, max(0.3, 0.5 / (error + 1e-9)))
        if not h > 1e-3:
            break
    return y, t, h


@captured
def largest_so_far(x):
    x, big = x.copy(), 0
    for sweep in range(8):
        big = 0.0
        for i in range(len(x)):
            new = x[i] * 0.5
            big = max(big, abs(new - x[i]))
            x[i] = new
        if big < 0.3:
            break
    small = min(2.5, x[0], big)
    return x, sweep, float(big), float(small)


@captured
def on_one_way(x):
    last, count = 0, 0
    for value in x:
        if value < 0:
            continue
        count += 1
        last = value
        if count == 2:
            break
    return last, count


@captured
def in_a_list(x):
    best = [0.0, 0]
    i = 0
    while i < len(x) and x[i] > -5.5:
        if x[i] > best[0]:
            best[0] = x[i]
            best[1] = i
        i += 1
    return best, i


@captured
def in_tuples(x):
    pair, i = (0.0, 1.0), 0
    while i < len(x) and x[i] < 8:
        pair = (pair[1], x[i])
        i += 1
    return pair


@captured
def in_an_attribute(x):
    class Best:
        value = 0.0

    best = Best()
    best.value = 0.0
    for value in x:
        if value > 8.5:
            break
        if value > best.value:
            best.value = value
    return best.value, best.value > 1


@captured
def nested(x):
    total = 0
    for a in x:
        inner = 0.0
        for b in x:
            if b > a:
                inner += b
                if inner > 4:
                    break
        total += inner
        if total > 100:
            break
    return total


@captured
def whole_numbers(x):
    place, i = -1, 0
    while i < 3 and x[i] < 2.5:
        if x[i] > 0:
            place = x.argmax()
        i += 1
    return place, x[place]


@captured
def left_and_read(x):
    s = 0
    while s < 5:
        if x[1] <= 0:
            break
        s = s + x[1]
    else:
        return s, 1
    return s, 0


@captured
def halved_between_integers(x):
    low, high, turns = 0, 4, 0
    while high - low > 0.1:
        middle = 0.5 * (low + high)
        if middle > x[0]:
            high = middle
        else:
            low = middle
        turns += 1
    return low, high, turns


@captured
def either_end_of_integers(x):
    low, high = -3, 1000
    while np.abs(high - low) > 1:
        if x[1] * low * high > x[0] - 5:
            low = 0.5 * (low + high)
        else:
            high = np.float64(low + high) / 2
    return low + high, low, high


@pytest.mark.parametrize("name", shard(PROGRAMS, 2))
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_captured_programs_give_what_they_give_eagerly(name: str, dynamic: bool) -> None:
    program, file = PROGRAMS[name], io.BytesIO()
    ep = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    save(ep, file)
    file.seek(0)
    for module in (ep.module(), load(file).module()):
        for x in [*DATA, *([np.tile(x, 2) for x in DATA] if dynamic else [])]:
            assert outcome(module, (x,)) == outcome(program, (x,))


def test_integers_that_only_data_know_do_not_become_scalars() -> None:
    def counted(x):
        n = i = 0
        while x[i] < 3:
            n = n * 3 + 1
            if x[i] > 1.5:
                n = x[i]
            i += 1
        return n

    with pytest.raises(Unsupported, match="E103"):
        export(counted, (DATA[0],))


def test_an_integer_beside_a_number_of_either_kind_is_carried_as_itself():
    """``max`` of a float of Python or of NumPy, and an integer: the integer has a place of its own beside the two floats."""

    def program(x):
        s = max(0.5, x[0])
        for _ in range(len(x) // 2):
            s = max(s, 1)
        return s

    run = export(program, (np.linspace(-1, 1, 3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for first in (-1.0, 0.75, 2.0):
        for n in (2, 3, 4, 5, 7):
            x = np.full(n, first)
            assert repr(run(x)) == repr(program(x))


def test_steps_that_are_bounded_below_and_above():
    """As adaptive integrators choose them: the least of numbers that are Python's or NumPy's is found by branches."""

    def program(y):
        t, h, y = 0.0, 0.1, y.copy()
        while t < 1.0:
            h = min(h, 1.0 - t)
            error = abs(y).max() * h
            if error < 0.3:
                t += h
                y = y * 0.9
            h = h * min(4.0, max(0.1, 0.84 * (0.3 / (error + 1e-300)) ** 0.25))
        return t, h, y

    run = export(program, (np.array([1.0, 0.5]),)).module()
    for y in ([1.0, 0.5], [3.0, 2.0], [0.1, -3.0], [0.0, 0.0]):
        assert repr(run(np.array(y))) == repr(program(np.array(y)))


def test_a_value_of_another_kind_than_those_that_data_choose_from_is_refused():
    def program(x):
        s = 0.0
        for i in range(len(x)):
            s = i
        for i in range(len(x)):
            s = max(s, abs(x[i]))
        return s

    with pytest.raises(ExportError, match="E103|E301"):
        export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim.DYNAMIC},))


def test_kinds_that_many_branches_decide_stay_one_truth():
    """What is said of the kinds of sums grows with the program, not with its square."""

    def american(x, steps):
        values = [max(x[0] * 0.9**k - x[1], 0) for k in range(steps + 1)]
        for i in range(steps, 0, -1):
            for j in range(i):
                values[j] = max(0.5 * values[j] + 0.4 * values[j + 1], x[0] * 0.9**j - x[1])
        return values[0]

    programs = [export(functools.partial(american, steps=steps), (DATA[0],)) for steps in (6, 12)]
    assert len(programs[1].graph.nodes) < 4.5 * len(programs[0].graph.nodes)
    for x in (*DATA, np.array([9.0, 5.0, 0.0])):
        assert outcome(programs[0].module(), (x,)) == outcome(functools.partial(american, steps=6), (x,))
