"""State that is another array where the data, or a size, say so: after every call it is the array
that it is in eager execution, and so is a result that is it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, ExportError, export
from tests.support.forms import reloaded


class Cell:
    def __init__(self) -> None:
        self.h, self.g, self.n = np.zeros(2), np.ones(2), 0


class ByIterations(Cell):
    def __call__(self, xs):
        for x in xs:
            self.h = self.h * 0.5 + x
            self.n += 1
        return self.h


class Stacked(Cell):
    def step(self, x):
        self.h = self.h * 0.5 + x
        self.n += 1
        return self.h

    def __call__(self, xs):
        return np.stack([self.step(x) for x in xs])


class OnOneSide(Cell):
    def __call__(self, xs):
        if xs.sum() > 3:
            self.h = xs.sum(axis=0) + self.h
        return self.h


class Until(Cell):
    def __call__(self, xs):
        y = self.h
        while y.sum() < xs.sum():
            y = y + 1.0
        self.h = y
        return xs.sum() + y


class OfTheOther(Cell):
    def __call__(self, xs):
        self.h = self.g if xs.sum() > 3 else self.h
        return self.h


class Written(Cell):
    def __call__(self, xs):
        self.h = xs.sum(axis=0) if xs.sum() > 3 else self.h
        self.h += 1
        return self.h.sum()


CELLS = [ByIterations, Stacked, OnOneSide, Until, OfTheOther, Written]
SHAPES = {"static": None, "dynamic": ({0: Dim.AUTO},)}


@pytest.mark.parametrize("form", ["direct", "loaded", "decomposed"])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("cell", CELLS)
def test_calls_leave_the_state_that_they_leave_eagerly(cell: Any, shapes: str, form: str) -> None:
    program = export(cell(), (np.ones((3, 2)),), dynamic_shapes=SHAPES[shapes])
    program = {"direct": lambda p: p, "loaded": reloaded, "decomposed": lambda p: p.run_decompositions()}[form](program)
    module, eager, rng = program.module(), cell(), np.random.default_rng(1)
    held = lambda: dict(module.named_buffers())  # noqa: E731
    for call in range(15):
        size = 3 if shapes == "static" else int(rng.integers(int(cell is Stacked), 4))
        xs = rng.standard_normal((size, 2)) * 2 + 0.5
        wanted, found = eager(xs.copy()), module(xs.copy())
        assert repr(found) == repr(wanted)
        assert repr(held()["h"]) == repr(eager.h)
        assert (found is held()["h"]) is (wanted is eager.h)
        if isinstance(found, np.ndarray) and call % 3 == 0:  # whoever has it may write to it
            found[...] = wanted[...] = 7


def test_a_size_that_gives_another_kind_of_result_is_a_violation() -> None:
    with pytest.raises(ConstraintViolation, match=r"n = Dim\('n', min=1\)"):
        export(Stacked(), (np.ones((3, 2)),), dynamic_shapes=({0: Dim("n")},))


class WritesToWhatItHolds:
    """What this call has put into the object is written to where the call then raises."""

    def __init__(self, form):
        self.form, self.k, self.h, self.n = form, np.zeros(2), [np.zeros(2)], np.float64(0)

    def __call__(self, x):
        before = self.k.sum() + self.h[0].sum() + self.n
        made, held = x * 1.0, [x * 1.0]
        self.k, self.h = made, held
        if self.form == "raise":
            if x[0] < 0:
                made[0] = 77
                raise ValueError("negative")
        elif self.form == "raise of an item":
            if x[0] < 0:
                held[0] = x * 2
                raise ValueError("negative")
        elif self.form == "operator":
            if x[0] < 0:
                made[0] = 77
                x = np.linalg.inv(np.outer(x, x))[0]
        elif self.form == "operator of an item":
            if x[0] < 0:
                held[0] = x * 2
                x = np.linalg.inv(np.outer(x, x))[0]
        else:
            t = x[0]
            while t < 3:
                if self.form == "loop":
                    made[0] = 77
                else:
                    self.n = self.n + 77
                x = x + np.linalg.inv(np.outer(x, x) * t)[0]
                t = t + 1
        return x + before


@pytest.mark.parametrize("form", ["raise", "raise of an item", "operator", "operator of an item", "loop", "loop of an attribute"])
def test_what_is_written_before_a_call_raises_is_there_in_the_next(form):
    try:
        run = export(WritesToWhatItHolds(form), (np.array([9.0, 2.0]),)).module()
    except ExportError:
        return
    eager = WritesToWhatItHolds(form)
    for x in ([9.0, 2.0], [-1.0, 3.0], [14.0, 5.0]):
        results = []
        for function in (run, eager):
            try:
                results.append(function(np.array(x)).tolist())
            except ValueError as error:
                results.append(str(error))
            except RuntimeError as error:
                assert "an earlier call raised while it changed" in str(error)
                return
        assert results[0] == results[1]
