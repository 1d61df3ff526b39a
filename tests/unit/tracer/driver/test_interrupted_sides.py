"""The exported object is changed on a side of a branch on data, or in a loop, where something may
raise: the next call is that of eager execution, or raises.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.forms import FORMS
from tests.support.outcomes import outcome

GOOD = np.array([[2.0, 1.0], [1.0, 3.0]])
DATA = [
    GOOD,
    -GOOD,
    np.ones((2, 2)),
    GOOD * 4,
    np.zeros((2, 2)),
    -np.ones((2, 2)),
    GOOD / 3,
    np.eye(2) * 50,
    np.full((2, 2), 3.0),
    np.full((2, 2), 20.0),
]


class Held:
    def __init__(self) -> None:
        self.w = np.eye(2)
        self.n = 0
        self.mode = "idle"
        self.seen: dict[str, int] = {"good": 0, "bad": 0}


def _assigned(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        self.w = np.linalg.inv(x)
    return self.w @ x


def _counted_behind(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        y = np.linalg.inv(x)
        self.n += 1
    else:
        y = x
    return y * self.n


def _counted_before(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        self.n += 1
        y = np.linalg.inv(x)
    else:
        y = x
    return y * self.n


def _in_containers(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        y = np.linalg.inv(x)
        self.seen["good"] += 1
    else:
        self.seen["bad"] += 1
        y = np.linalg.inv(x + 1)
    return y * self.seen["good"] - self.seen["bad"]


def _in_a_loop(self: Any, x: Any) -> Any:
    while x[0, 0] > 1:
        x = np.linalg.inv(x) / 2
        self.n += 1
    return x * self.n


def _in_two_loops(self: Any, x: Any) -> Any:
    while x[0, 0] > 1:
        x = x / 2
        while x[1, 1] > 4:
            self.n += 1
            x = np.linalg.inv(x)
        self.n += 1
    return x * self.n


def _in_iterations(self: Any, x: Any) -> Any:
    for k in range(3):
        if x[k % 2, 0] > 0:
            x = np.linalg.inv(x) + np.eye(2)
            self.n += 1
    return x * self.n


def _nested(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        if x[0, 1] > 0.5:
            self.n += 2
            if x[1, 1] > 1:
                x = np.linalg.inv(x)
        self.n += 1
    return x * self.n


def _undone(self: Any, x: Any) -> Any:
    if self.mode != "idle":
        return x * 0
    if x[0, 0] > 0:
        self.mode = "busy"
        x = np.linalg.inv(x)
        self.mode = "idle"
    return x * 2


def _undone_in_a_callee(self: Any, x: Any) -> Any:
    def inverse(y: Any) -> Any:
        if y[1, 1] > 0:
            self.mode = "busy"
            y = np.linalg.inv(y)
            self.mode = "idle"
        return y

    if self.mode != "idle":
        return x * 0
    if x[0, 0] > 0:
        x = inverse(x) + inverse(x.T)
    return x


def _warned(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        if self.n == 0:
            warnings.warn("first", stacklevel=1)
        self.n += 1
    return x * self.n


def _raised_by_hand(self: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        if x[0, 1] == 1:
            self.n += 1
            if x[1, 0] == 1 and x[0, 0] == 1:
                raise ValueError(f"ones {self.n}")
        self.n += 1
    return x * self.n


def _raises_after_a_note(self: Any, x: Any) -> Any:
    if self.mode != "idle":
        return x * 0
    if x[0, 1] == 0:
        self.mode = f"stopped at {self.n}"
        raise ValueError(self.mode)
    self.n += 1
    return x * self.n


CALLS = [
    _assigned, _counted_behind, _counted_before, _in_containers, _in_a_loop, _in_two_loops, _in_iterations, _nested, _undone,
    _undone_in_a_callee, _warned, _raised_by_hand, _raises_after_a_note,
]  # fmt: skip
EXACT = {_assigned, _counted_behind, _warned, _in_iterations}
"""Those of which every exception comes before the change."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_the_next_call_raises_or_is_that_of_eager_execution(call: Any, form: str) -> None:
    made = type("Made", (Held,), {"__call__": call})
    program = FORMS[form](export(made(), (GOOD.copy(),)))
    refused = 0
    for start in range(len(DATA)):
        eager, module = made(), program.module()
        for x in DATA[start:] + DATA[:start]:
            wanted, found = outcome(eager, (x,), warns=True), outcome(module, (x,), warns=True)
            if found[0].startswith("RuntimeError"):
                refused += 1
                break
            assert found == wanted
    assert (refused == 0) == (call in EXACT)


GLOBAL = {"n": 0}


def test_what_is_changed_elsewhere_is_refused() -> None:
    def call(x: Any) -> Any:
        if x[0, 0] > 0:
            GLOBAL["n"] += 1
            x = np.linalg.inv(x)
        return x

    with pytest.raises(Unsupported, match="E112|E103"):
        export(call, (GOOD,))
    assert GLOBAL == {"n": 0}


def test_inputs_that_are_written_to_before_something_that_may_raise() -> None:
    def call(x: Any, y: Any) -> Any:
        while x[0, 0] > 1:
            y[0] += 1
            x = np.linalg.inv(x) / 2
        return x

    run = export(call, (GOOD, np.zeros(2))).module()
    for x in (GOOD, 2 * GOOD, np.full((2, 2), 2.0), np.diag([0.25, 2.0])):
        assert outcome(run, (x, np.zeros(2))) == outcome(call, (x, np.zeros(2)))
