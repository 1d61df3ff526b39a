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


PROGRAMS = [returned, assigned, before_the_step, stepped_twice, written_after]
VALUES = [np.array([5.0, 3.0, 1.0]), np.full(3, 2**0.5), np.array([1e6, 1e-6, 2.0]), np.array([1.5, np.nan, 2.0])]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_that_converge(program, dynamic):
    module = export(program, (VALUES[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    for value in VALUES:
        assert outcome(module, (value,)) == outcome(program, (value,))
        if dynamic:
            assert outcome(module, (value[:1],)) == outcome(program, (value[:1],))
