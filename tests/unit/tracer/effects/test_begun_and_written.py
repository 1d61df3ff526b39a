"""State that a first call begins, and later calls write to in place; and arrays that are new on one
side of a branch, and on the other an earlier array that the side writes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, load, save
from tests.support.outcomes import outcome

CALLS = [np.round(np.random.default_rng(seed).normal(size=(3, 2)), 2) for seed in range(7)]


class Smoothed:
    def __init__(self) -> None:
        self.mean: Any = None

    def __call__(self, x: Any) -> Any:
        if self.mean is None:
            self.mean = x.copy()
        else:
            self.mean[:] = 0.9 * self.mean + 0.1 * x
        return self.mean.copy()


class Background:
    """With a result of its own in the first call."""

    def __init__(self) -> None:
        self.mean: Any = None
        self.var: Any = None
        self.seen = 0

    def __call__(self, x: Any) -> Any:
        frame = x.astype(np.float32)
        if self.mean is None:
            self.mean, self.var = frame, np.full(frame.shape, 4.0, np.float32)
            return np.zeros(x.shape, np.uint8)
        difference = frame - self.mean
        known = difference**2 < self.var
        self.mean[known] += 0.1 * difference[known]
        self.var[~known] *= 1.5
        self.seen += 1
        return (~known).astype(np.uint8)


class Decays:
    def __init__(self) -> None:
        self.trace: Any = None

    def __call__(self, x: Any) -> Any:
        if self.trace is None:
            self.trace = x * 2
            return x.sum()
        self.trace *= 0.5
        self.trace[0] += x[1]
        return self.trace.sum()


class Held:
    """Whose caller holds the array that later calls write to."""

    def __init__(self) -> None:
        self.total: Any = None

    def __call__(self, x: Any) -> Any:
        if self.total is None:
            self.total = x + 1
        else:
            self.total += x
        return self.total


class Reset:
    """Which begins anew as data say."""

    def __init__(self) -> None:
        self.last: Any = None

    def __call__(self, x: Any) -> Any:
        if self.last is None or x[0, 0] > 0.5:
            self.last = np.abs(x)
        else:
            self.last[1:] -= x[1:]
        return self.last.max()


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", [Smoothed, Background, Decays, Held, Reset])
def test_state_equals_eager(kind, dynamic, before, tmp_path):
    made, eager = kind(), kind()
    for x in CALLS[:before]:
        made(x), eager(x)
    program = export(made, (CALLS[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    save(program, tmp_path / "program.np2")
    run, loaded = program.module(), load(tmp_path / "program.np2").module()
    for x in CALLS:
        assert outcome(run, (x,), memory=True) == outcome(eager, (x,), memory=True) == outcome(loaded, (x,), memory=True)


@pytest.mark.parametrize("before", [0, 2])
def test_the_caller_sees_later_writes(before):
    made, eager = Held(), Held()
    for x in CALLS[:before]:
        made(x), eager(x)
    run, kept = export(made, (CALLS[0],)).module(), []
    for x in CALLS:
        kept.append((run(x), eager(x)))
        assert all(np.array_equal(mine, wanted) for mine, wanted in kept)
    assert len({id(mine) for mine, _ in kept}) == len({id(wanted) for _, wanted in kept}) == 1


def written_or_copied(x: Any, y: Any) -> Any:
    if y[0, 0] > 0:
        z = x.copy()
    else:
        x *= 2
        z = x
    return z, x


def written_afterwards(x: Any, y: Any) -> Any:
    if y[0, 0] > 0:
        z = x + y
    else:
        y[1:] = 3
        z = y
    z += 1
    return z, y, x + z


def written_through_a_view(x: Any, y: Any) -> Any:
    w = x[1:]
    if y[0, 0] > 0:
        w *= 2
        z = x
    else:
        z = np.where(x > 0, x, 1)
        x[:] = z
    z[0] = 7
    return z.sum(), w, x


@pytest.mark.parametrize("function", [written_or_copied, written_afterwards, written_through_a_view])
def test_sides_equal_eager(function):
    run = export(function, (CALLS[0], CALLS[1])).module()
    for x, y in zip(CALLS, CALLS[1:], strict=False):
        for sign in (1, -1):
            wanted = outcome(function, (x.copy(), sign * y), memory=True)
            assert outcome(run, (x.copy(), sign * y), memory=True) == wanted
