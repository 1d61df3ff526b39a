"""Iterations that begin with an array of the caller's: the first one runs by itself, and later ones carry new arrays."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def step(x):
    return x - (x * x - 2) / (2 * x)


def returned(x):
    for _ in range(50):
        new = step(x)
        if np.abs(new - x).max() < 1e-9:
            return new
        x = new
    return x


def assigned(x):
    for i in range(60):
        new = step(x)
        if np.abs(new - x).max() < 1e-9:
            x = new
            break
        x = new
    return x, i


def before_the_step(x):
    for i in range(40):
        if np.abs(x * x - 2).max() < 1e-9:
            break
        x = step(x)
    return x, i


def stepped_twice(x):
    half = x
    for i in range(100):
        half, new = x / 2 + 1 / x, step(x)
        if np.abs(new - x).max() < 1e-9:
            return half, new, i
        x = new
    return half, x, i


def written_after(x):
    for _ in range(50):
        new = step(x)
        if np.abs(new - x).max() < 1e-9:
            x = new
            break
        x = new
    x *= 2
    return x


def counted(x):
    count = 0
    while count < 50:
        new = step(x)
        if np.abs(new - x).max() < 1e-9:
            return new, count
        x = new
        count += 1
    return x, count


def counted_and_judged(x):
    error, count = np.abs(x).max(), 0
    while error > 1e-9 and count < 50:
        new = step(x)
        error = np.abs(new - x).max()
        if error > 1e5:
            return new
        x = new
        count += 1
    return x


def left_in_several_ways(x):
    count = 0
    while count < 50:
        count += 1
        new = step(x)
        if np.abs(new - x).max() < 1e-9:
            x = new
            break
        if x[0] > 100:
            x = new / 2
            continue
        x = new
    else:
        x = x * 0
    x += 1
    return x, count


def with_a_handler(x):
    count = 0
    while count < 50:
        count += 1
        try:
            new = np.linalg.solve(np.eye(len(x)) * x[0], step(x))
        except np.linalg.LinAlgError:
            x = x + 1
            continue
        if np.abs(new - x).max() < 1e-9:
            return new
        x = new
    return x


FOR = [returned, assigned, before_the_step, stepped_twice, written_after]
WHILE = [counted, counted_and_judged, left_in_several_ways, with_a_handler]
VALUES = [np.array([5.0, 3.0, 1.0]), np.full(3, 2**0.5), np.array([1e6, 1e-6, 2.0]), np.array([1.5, np.nan, 2.0]), np.zeros(3)]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", FOR + WHILE)
def test_programs_that_converge(program, dynamic):
    module = export(program, (VALUES[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    for value in VALUES:
        assert outcome(module, (value,)) == outcome(program, (value,))
        if dynamic:
            assert outcome(module, (value[:1],)) == outcome(program, (value[:1],))
