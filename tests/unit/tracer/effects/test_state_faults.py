"""An export that fails half-way, wherever that is, leaves the object, its arrays, the inputs and all globals as they were."""

from __future__ import annotations

import copy
import itertools
import random

import numpy as np
import pytest

from npexport import export, nn
from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.vm import VM
from tests.fuzz import state_parts
from tests.fuzz.state import image
from tests.fuzz.state_programs import Program

TABLE = {"weights": [np.ones(4)], "log": []}


class Model(nn.Module):
    """State of every kind, written in every way."""

    rate = np.full(4, 0.5)

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4, dtype=np.float64)
        self.norm = nn.BatchNorm1d(4, dtype=np.float64)
        self.register_buffer("seen", np.zeros(4))
        self.cache = {"k": [np.zeros((3, 4))], "v": (np.zeros(4), np.ones(4))}
        self.part = self.cache["k"][0][1:]
        self.tied = self.layer.weight

    def forward(self, x):
        TABLE["log"].append(1)
        self.seen += x.sum(0)
        self.part[0] = self.seen * self.rate + TABLE["weights"][0]
        self.cache["v"] = (self.cache["v"][1], self.layer(self.norm(x))[0])
        self.cache["k"][0][...] = self.cache["k"][0][::-1]
        x[0] = self.part[1]
        self.tied *= 0.5
        self.layer.bias = self.layer.bias - self.seen
        TABLE["log"].pop()
        return self.cache, x


def arguments():
    return (np.arange(8.0).reshape(2, 4),)


class Fault(Exception):
    """What nobody expects."""


FAULTS = [Fault("here"), KeyboardInterrupt(), MemoryError(), Unsupported("E101", "not here")]


def failing(monkeypatch, after, error):
    """Every run of a program fails after so many instructions."""

    def machine(world, **options):
        count = itertools.count()

        def on_step(frame):
            if next(count) == after:
                raise copy.copy(error)

        return VM(world, **{"on_step": on_step, **options})

    monkeypatch.setattr("npexport.tracer.driver.trace.VM", machine)


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_a_failing_export_changes_nothing(monkeypatch, error):
    model, given = Model(), arguments()
    before = image(model), image(TABLE), image(given), Model.rate.tobytes()
    failures = 0
    for after in range(0, 400, 9):
        with monkeypatch.context() as patch:
            failing(patch, after, error)
            try:
                export(model, given)
            except (type(error), Unsupported):  # what a model raises may be said in npexport's words
                failures += 1
        assert (image(model), image(TABLE), image(given), Model.rate.tobytes()) == before
    assert failures > 10
    export(model, given)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_that_fail_change_nothing(monkeypatch, seed):
    rng = random.Random(seed)
    program = Program(rng)
    scope = state_parts.scope()
    exec(program.build(6), scope)
    built = scope["Program"]()
    given = (eval(program.input, {"A": state_parts.numbers()}), 1)
    before = image(built), image(given)
    for after in (0, 5, 20, 40, 80):
        with monkeypatch.context() as patch:
            failing(patch, after, Fault("here"))
            try:
                export(built, given)
            except (Fault, Unsupported):
                pass
        assert (image(built), image(given)) == before
