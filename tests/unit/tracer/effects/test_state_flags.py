"""Truths of Python that calls of an object change: state, from the first call on, in memory and from a file."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from tests.support.outcomes import outcome


class Latch:
    def __init__(self):
        self.triggered = False

    def __call__(self, x):
        if x.max() > 1:
            self.triggered = True
        return x * (0 if self.triggered else 1), self.triggered


class Average:
    """The first call is told by a flag."""

    def __init__(self):
        self.value, self.begun = np.zeros(4), False

    def __call__(self, x):
        self.value = 0.9 * self.value + 0.1 * x if self.begun else x * 1
        self.begun = True
        return self.value.copy()


class Best:
    def __init__(self):
        self.best, self.has = 0.0, False

    def __call__(self, x):
        score = float(x.sum())
        if not self.has or score > self.best:
            self.best = score
        self.has = True
        return self.best


class Hysteresis:
    def __init__(self):
        self.on = True
        self.flags = {"low": False, "high": False}

    def __call__(self, x):
        if self.on and x[0] < -0.5:
            self.on = False
        elif not self.on and x[0] > 0.5:
            self.on = True
        self.flags["low"], self.flags["high"] = bool(x.min() < -1), self.flags["low"]
        return 1.0 if self.on else 0.0, self.flags["high"]


class Toggle:
    def __init__(self):
        self.odd = False

    def __call__(self, x):
        self.odd = not self.odd
        return x if self.odd else -x


class Stops:
    """It is left set where the call raises."""

    def __init__(self):
        self.failed = False

    def __call__(self, x):
        y = x * (1 - self.failed)
        self.failed = bool(x[1] < -1)
        if x[0] > 1.5:
            raise ValueError("too large")
        return y


class OfTwoKinds:
    def __init__(self):
        self.found = False

    def __call__(self, x):
        if x[0] > 0:
            self.found = "yes"
        return x * 2, self.found is False


CLASSES = [Latch, Average, Best, Hysteresis, Toggle, Stops, OfTwoKinds]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_calls_one_after_the_other(cls, dynamic, tmp_path):
    spec = ({0: Dim("n", min=2)},) if dynamic and cls is not Average else None
    program = export(cls(), (np.zeros(4),), dynamic_shapes=spec)
    save(program, tmp_path / "program.np2")
    loaded = load(tmp_path / "program.np2")
    for seed in range(4):
        rng = np.random.default_rng(seed)
        runs, eager = [program.module(), loaded.module(), program.run_decompositions().module()], cls()
        for _ in range(8):
            x = rng.standard_normal(4) * 1.2
            wanted = outcome(eager, (x,))
            assert [outcome(run, (x,)) for run in runs] == [wanted] * 3


def test_the_exported_object_keeps_its_own():
    eager = Latch()
    program = export(eager, (np.full(4, 2.0),))
    assert eager.triggered is False and program.constants["triggered"].dtype == bool
    one, other = program.module(), program.module()
    one(np.full(4, 2.0))
    assert one(np.ones(4))[1] is True and other(np.ones(4))[1] is False


def test_one_that_begins_otherwise():
    begun = Latch()
    begun.triggered = True
    assert export(begun, (np.ones(4),)).module()(np.ones(4))[1] is True
    assert copy.copy(begun).triggered


class Unset:
    def __init__(self):
        self.best = None

    def __call__(self, x):
        self.best = (x.sum(), 1) if x[0] > 0 else x.copy()
        return x * 2


def test_what_is_none_at_first_is_told_what_to_write():
    """Of two kinds later; `Best` is what the hint says."""
    with pytest.raises(ExportError) as caught:
        export(Unset(), (np.ones(4),))
    assert caught.value.code == "E112" and "first value" in caught.value.hint and "flag" in caught.value.hint
