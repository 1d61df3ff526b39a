"""Arrays that a loop on data writes to and exchanges (``b[:] = step(a)``, ``a, b = b, a``): nobody can tell which
memory is which, so they leave the program together; what one path leaves in one memory is equal to eager execution, or
refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def until_close(x):
    a, b, n = x.copy(), np.zeros_like(x), 0
    while n < 7:
        b[:] = a * 0.5 + 0.1
        a, b = b, a
        n += 1
        if np.abs(a - b).max() < 0.05:
            break
    return a, b, n


def exchanged_after_the_test(x):
    a, b, e = x.copy(), np.zeros_like(x), 1.0
    while e > 0.05:
        b[:] = a * 0.5 + 0.1
        e = np.abs(a - b).max()
        a, b = b, a
    a[0] = 5.0
    return a, b


def left_before_the_exchange(x):
    a, b = x.copy(), np.zeros_like(x)
    for n in range(9):
        np.multiply(a, 0.5, out=b)
        if np.abs(a - b).max() < 0.1:
            break
        a, b = b, a
    a += 1
    b *= 2
    return a, b, n


def three_levels(x):
    before, now, after = x.copy(), x * 0.9, np.empty_like(x)
    for n in range(12):
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.3 * (now[2:] - 2 * now[1:-1] + now[:-2])
        after[0] = after[-1] = 0
        before, now, after = now, after, before
        if now.max() > 2 or now.min() < -1:
            break
    return before, now, n


class Field:
    def __init__(self, x):
        self.front, self.back = x.copy(), np.empty_like(x)

    def step(self):
        np.multiply(self.front, 0.5, out=self.back)
        self.front, self.back = self.back, self.front
        return float(np.abs(self.front - self.back).max())


def an_object(x):
    field, n = Field(x), 0
    while (error := field.step()) > 0.05 and n < 9:
        n += 1
    return field.front, field.back, n, error


def one_memory_where_it_ends(x):
    a, b = x.copy(), x * 2
    for n in range(6):
        b[:] = a * 0.5
        a, b = b, a
        if a[0] < 0.2:
            b = a
            break
    b[1] = 7.0
    return a.sum(), n


def held_outside(x):
    a, b, n = x.copy(), x * 2, 0
    first = a
    while n < 5:
        b[:] = a * 0.5
        a, b = b, a
        n += 1
        if a[0] < 0.2:
            break
    a[0] = 9.0
    return first.sum(), n


def held_around_two_loops(x):
    b = c = x + 1
    a, n = x * 2, 0
    while n < 4 and b[0] > -1:
        n += 1
        for _ in range(5):
            n += 0.25
            a, c = c, a
            if b[1] < n:
                break
        if a[0] < -1:
            break
    a -= x
    return b.sum(), a.sum()


def one_memory_within_two_loops(x):
    a = c = x * 2
    n = s = 0
    while n < 4:
        k = 0
        while k < 3 and a[0] < n:
            a, c = c, a
            k += 1
        a[0] = 5.0
        s += c.sum()
        n += 1
        if x[1] < -1:
            a, c = x * 3, x * 4
    return s, n


def one_memory_for_two_that_an_iteration_makes(x):
    n = s = 0
    while n < 4:
        a = c = x * 2 + n
        k = 0
        while k < 3 and a[0] > n:
            a, c = c, a
            k += 1
            if a[1] < 0:
                break
        a[0] = 5.0
        s += c.sum()
        n += 1
    return s, n


PROGRAMS = [until_close, exchanged_after_the_test, left_before_the_exchange, three_levels, an_object]
INDISTINCT = [
    one_memory_where_it_ends,
    held_outside,
    held_around_two_loops,
    one_memory_within_two_loops,
    one_memory_for_two_that_an_iteration_makes,
]


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n", min=3)},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", [*PROGRAMS, *INDISTINCT])
def test_arrays_that_a_loop_writes_to_and_exchanges_are_those_of_eager_execution(program: Any, shapes: Any) -> None:
    try:
        module = export(program, (np.full(5, 0.5),), dynamic_shapes=shapes).module()
    except ExportError as refusal:
        assert program in INDISTINCT
        assert refusal.code == "E103"
        return
    rng = np.random.default_rng(1)
    for call in range(24):
        x = rng.standard_normal(5 + (call % 4 if shapes else 0)) * (0.02, 0.4, 1, 30)[call % 4]
        eager, ours = x.copy(), x.copy()
        expected, found = program(eager), module(ours)
        assert repr(found) == repr(expected)
        assert np.array_equal(ours, eager)
        assert not np.shares_memory(found[0], found[1])


class Holder:
    def __init__(self, held: Any) -> None:
        self.held = held


def exchanged_and_kept(x):
    one, other, kept = [x * 1.0], [x * 2.0], [x * 3.0]
    for i in range(6):
        if x[i % 3] > 0:
            kept = one
            if x[0] > 9:
                break
        kept = one
        one, other = other, one
    return one, other, kept


def exchanged_and_held(x):
    one, other, holder = [1.0], [2.0], Holder([3.0])
    for i in range(6):
        if x[i % 3] > 2:
            break
        holder = Holder(one)
        one, other = other, one
    else:
        other[0] += 1
    return one[0], other[0], holder.held[0]


def exchanged_within(x):
    pair, kept, n = [[1.0], [2.0]], [3.0], 0
    while x[n] < 1 and n < 2:
        kept = pair[0]
        pair = [pair[1], pair[0]]
        n += 1
    kept[0] += 1
    return pair, kept[0], n


@pytest.mark.parametrize("f", [exchanged_and_kept, exchanged_and_held, exchanged_within])
def test_a_container_that_goes_elsewhere_keeps_its_contents(f: Any) -> None:
    data = [np.array(each) for each in ([0.5, 1.0, -0.5], [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0])]
    try:
        run = export(f, (data[0].copy(),)).module()
    except ExportError as refusal:
        assert refusal.code == "E103"
        return
    for given in data:
        assert outcome(run, (given,)) == outcome(f, (given,))
