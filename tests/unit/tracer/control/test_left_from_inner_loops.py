"""Loops that are left from within loops inside them: what the inner loops go over is dropped there, and no other iteration has it."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

PROGRAMS, STATIC = [], []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def returned_from_within(x):
    t, n = 0.0, 0
    for j in range(2):
        for v in x:
            n += 1
            if v > 1:
                return float(t), n
            t = t * 0.5 + v
    return float(t), -n


@program
def returned_from_a_while(x):
    n = 0
    for j in range(2):
        a = x[0]
        for k in range(1000):
            if a <= 0.3:
                break
            n += 1
            if a > 1:
                return n, k
            a = a * 0.5
    return n, -1


@program
def returned_from_beside_an_iterator(x):
    n = 0
    for j in range(2):
        a = x[0]
        for _ in iter(int, 1):
            if a <= 0.3:
                break
            n += 1
            if a > 1:
                return n
            a = a * 0.5
    return n


@program
def returned_from_a_generator(x):
    def halves():
        a = x[0]
        while a > 0.3:
            if a > 0:
                yield a
            a = a * 0.5

    n = 0
    for j in range(2):
        for v in halves():
            n += 1
            if v > 1:
                return n, v
    return n, x[-1]


def static(f):
    STATIC.append(f)
    return f


@static
def pair_that_sums_up(x):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if abs(x[i] + x[j] - 1.0) < 0.75:
                return i, j
    return -1, -1


@pytest.mark.parametrize("f", [*PROGRAMS, *STATIC])
def test_equals_eager(f):
    for shapes, sizes in ((None, (3,)), ({"x": {0: Dim("n", min=2)}}, (2, 3, 5)))[: 1 + (f in PROGRAMS)]:
        run = export(f, (np.array([0.5, -2.0, 3.0]),), dynamic_shapes=shapes).module()
        for size in sizes:
            for seed in range(12):
                x = np.round(np.random.default_rng(seed).normal(size=size) * 1.5, 1)
                assert outcome(run, (x,)) == outcome(f, (x,)), x


def test_what_is_written_behind_the_loop_is_not_written_where_it_returns():
    def f(x, q):
        y = np.zeros(3)
        for _ in range(int(q)):
            if x[0] < 8:
                return y * 1, x * 1
            np.add(x, 0.5, out=y)
        y += 1
        return x * 1, y * 1

    def g(x, q):
        y, s = np.zeros(3), 0.0
        for _ in range(int(q)):
            if s < 8:
                return y * 1, x * 1
        y += 1
        return x * 1, y * 1

    for h in (f, g):
        run = export(h, (np.ones(3), np.array(3))).module()
        for first in (1.0, 9.0):
            for q in (0, 1, 3):
                args = np.full(3, first), np.array(q)
                assert outcome(run, args) == outcome(h, args), args
