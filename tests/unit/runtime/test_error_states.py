"""Compiled programs make calls in the error states that the program set: block by block, prepared, over namespaces, one by one."""

import warnings

import numpy as np
import pytest

from npexport import export, nn
from npexport.ir.error_states import actions_of
from npexport.runtime.compilation.prepared import prepare
from tests.support.blocks import compare, forced
from tests.support.told import CALLERS, told

X = np.random.default_rng(5).normal(size=(700, 3))
X[-1] = 0, np.inf, -1
STATES = tuple({"all": state} for state in ("warn", "ignore", "raise"))


def one_state(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.sqrt(x) / (x - x) + 1
        return np.where(x > 0, y, 0) * 2


def two_states(x):
    with np.errstate(invalid="ignore"):
        y = np.sqrt(x) * 2 - 1
    z = np.log(x) * y + 3
    with np.errstate(all="warn"):
        return z / x - np.exp(z) * 4


def caller_last(x):
    with np.errstate(all="ignore"):
        y = (np.sqrt(x) * 2).sum(axis=1, keepdims=True)
    return (x / y - y) * np.sqrt(x)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("function", [one_state, two_states, caller_last])
def test_groups(function, count):
    compare(function, (X.copy(),), count, STATES)


def test_what_is_ignored_is_computed_in_blocks():
    with forced() as runs:
        run = export(one_state, (X,)).module()
        with np.errstate(all="raise"):
            found = run(X)
        assert any(runs)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, one_state(X))


def test_calls_of_two_states_are_in_two_groups():
    with forced():
        made = export(two_states, (X,))
        for state in CALLERS:
            np.testing.assert_equal(told(made.module(), (X,), state), told(two_states, (X,), state))


class Scaled(nn.Module):
    def __init__(self, action):
        super().__init__()
        self.weight = nn.Parameter(np.array([0.0, 1.0, -1.0]))
        self.action = action

    def forward(self, x):
        with np.errstate(all=self.action):
            return x + np.log(self.weight) * 2


@pytest.mark.parametrize("action", ["ignore", "warn"])
def test_what_is_prepared_warns_in_every_call(action):
    module = Scaled(action)
    program = export(module, (np.ones(3),))
    kept = [node for node in prepare(program).graph.nodes if getattr(node.target, "name", "") == "prepared"]
    assert bool(kept) == (action == "ignore")
    run = program.module()
    for state in CALLERS * 2:
        np.testing.assert_equal(told(run, (np.ones(3),), state), told(module, (np.ones(3),), state))


def test_over_a_namespace():
    program = export(lambda x: one_state(x[:3]), (X,))
    run = program.module(namespace=np)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(X[-6:].repeat(200, axis=0)[:700])


def test_states_name_actions():
    assert actions_of([None, (), (("divide", "warn"),), (("over", "ignore"),)]) == {"warn", "ignore"}
