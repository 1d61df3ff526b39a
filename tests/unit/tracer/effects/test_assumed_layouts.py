"""State that is `None` at first: what a call leaves and gives lies in memory as in eager execution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import InputMismatch, export


class State:
    def __init__(self, make, step):
        self.held, self.make, self.step = None, make, step

    def __call__(self, x):
        if self.held is None:
            self.held = self.make(x)
        return self.step(self, x)


def replaced(self, x):
    self.held = 0.9 * self.held + x
    return self.held * 2


def in_place(self, x):
    self.held += x
    return self.held * 2


def given_before(self, x):
    before = self.held
    self.held = np.ascontiguousarray(before + x)
    return before + 1


MAKES = {
    "zeros": lambda x: np.zeros(x.shape),
    "zeros of the other order": lambda x: np.zeros(x.shape, order="F"),
    "zeros turned": lambda x: np.asfortranarray(np.zeros(x.shape)),
    "zeros like": np.zeros_like,
}
STEPS = {"replaced": replaced, "in place": in_place}
ORDERS = (lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2])


@pytest.mark.parametrize("example", [0, 1], ids=["C", "F"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("make", MAKES)
def test_state_that_is_none_at_first(make, step, example):
    x = np.arange(6.0).reshape(2, 3)
    program = export(State(MAKES[make], STEPS[step]), (ORDERS[example](x),))
    accepted = 0
    for orders in itertools.product(ORDERS, repeat=2):
        run, eager = program.module(), State(MAKES[make], STEPS[step])
        for order in orders:
            given = order(x + 1)
            try:
                found = run(given.copy("K") if given.flags.owndata else given)
            except InputMismatch:
                break
            wanted = eager(given)
            accepted += 1
            assert found.tobytes() == wanted.tobytes()
            assert found.strides == wanted.strides
            assert dict(run.named_buffers())["held"].strides == eager.held.strides
    assert accepted


@pytest.mark.parametrize("make", MAKES)
def test_the_first_array_is_read_and_one_of_its_own_order_left(make):
    run, eager = export(State(MAKES[make], given_before), (np.ones((2, 3)),)).module(), State(MAKES[make], given_before)
    for x in (np.ones((2, 3)), np.zeros((2, 3)), np.full((2, 3), 0.1)):
        found, wanted = run(x), eager(x)
        assert (found.tobytes(), found.strides) == (wanted.tobytes(), wanted.strides)
        assert dict(run.named_buffers())["held"].strides == eager.held.strides
