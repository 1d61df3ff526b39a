"""A call that raises where the exported object is as no program can begin with: the next call raises
as well, and never computes something else than eager execution.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Dim, explain, export, unflatten
from tests.support.forms import FORMS
from tests.support.outcomes import outcome
from tests.support.shards import shard


class Layers:
    """A network that keeps the activations of a call, and stops where they are not finite."""

    def __init__(self) -> None:
        self.weights = [np.eye(2) * 0.5, np.eye(2) * 0.7]
        self.activations: list[Any] = []

    def __call__(self, x: Any) -> Any:
        self.activations = [x]
        for w in self.weights:
            x = x @ w
            self.activations.append(x)
            if x[0, 0] > 3:
                raise ValueError("diverged")
        for index, w in enumerate(self.weights):
            self.weights[index] = w - 0.01 * self.activations[index].T @ x
        return x


class Queue:
    """Adds to a list, and takes away from it."""

    def __init__(self) -> None:
        self.queue: list[Any] = []
        self.steps = 0

    def __call__(self, x: Any) -> Any:
        self.steps += 1
        self.queue.append(x)
        self.queue.append(np.linalg.inv(x))
        result = self.queue.pop() @ self.queue.pop() * self.steps
        self.steps += 1
        return result


class Busy:
    """Says what it does."""

    def __init__(self) -> None:
        self.mode = "idle"
        self.total = np.zeros(2)

    def __call__(self, x: Any) -> Any:
        if self.mode != "idle":
            return x * 0
        self.total += x[0]
        self.mode = "inverts"
        result = np.linalg.inv(x)
        self.mode = "idle"
        self.total += x[1]
        return result + self.total


class Optimizer:
    """Fills a cache at its first step, of numbers and arrays."""

    def __init__(self) -> None:
        self.cache: dict[str, Any] = {}
        self.pending: list[Any] = []

    def __call__(self, x: Any) -> Any:
        self.pending.append(x)
        if "w" not in self.cache:
            self.cache["w"] = {"t": 0, "m": np.zeros_like(x), "v": np.zeros_like(x)}
        held = self.cache["w"]
        held["t"] += 1
        held["m"] = 0.9 * held["m"] + 0.1 * x
        held["v"] = 0.99 * held["v"] + 0.01 * x**2
        if x[0, 0] > 3:
            raise ArithmeticError(f"gradient of {float(x[0, 0])}")
        self.pending.clear()
        return x - held["m"] / (1 - 0.9 ** held["t"]) / (np.sqrt(held["v"]) + 1e-8)


class Removed:
    """Has an attribute for a part of the call."""

    def __init__(self) -> None:
        self.scale = 2.0

    def __call__(self, x: Any) -> Any:
        self.found = x.shape
        x = x * self.scale if self.found[1] == 2 else -x
        x = np.linalg.inv(x)
        del self.found
        return x


class Measured:
    """Takes its measurements one by one, and begins with none."""

    def __init__(self) -> None:
        self.measured = np.array([[None]])
        self.mode = "idle"

    def __call__(self, x: Any) -> Any:
        found = []
        for row in x[0], x[1]:
            self.measured = row[:1] * 2
            self.mode = "measures"
            found.append(np.linalg.inv(x) * self.measured)
            self.mode = "idle"
            found.append(np.linalg.inv(x * 2))
        return np.array(found)


class Filtered:
    """Goes over its rows, of which each leaves something for the next."""

    def __init__(self) -> None:
        self.covariance, self.state, self.steps = np.eye(2), np.zeros(2), 0

    def update(self, row: Any) -> None:
        self.steps += 1
        self.covariance = self.covariance + 0.1
        gain = self.covariance @ np.linalg.inv(self.covariance * row[0])
        self.state = self.state + gain @ (row - self.state)

    def __call__(self, x: Any) -> Any:
        for row in x:
            self.update(row)
        return self.state / self.steps


class Running:
    """Mean and variance so far: Python's numbers before the first item, and NumPy's after it."""

    def __init__(self) -> None:
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def update(self, value: Any) -> None:
        self.n += 1
        delta = value - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (value - self.mean)

    def __call__(self, x: Any) -> Any:
        for value in x:
            self.update(value)
        return self.mean, self.m2 / self.n


STARTS = [Layers, Queue, Busy, Optimizer, Removed, Measured]
GOOD, BAD = np.array([[2.0, 1.0], [1.0, 3.0]]), {Layers: np.full((2, 2), 20.0), Optimizer: np.full((2, 2), 9.0)}
SINGULAR = np.zeros((2, 2))


@pytest.mark.parametrize(("start", "form", "dynamic"), shard(itertools.product(STARTS, FORMS, [None, ({0: Dim.AUTO},)]), 3))
def test_the_next_call_raises_or_is_that_of_eager_execution(start: Any, form: str, dynamic: Any) -> None:
    eager = start()
    module = FORMS[form](export(start(), (GOOD.copy(),), dynamic_shapes=dynamic)).module()
    bad, refused, raised = BAD.get(start, SINGULAR), 0, 0
    for x in (GOOD, GOOD / 2, bad, GOOD, GOOD, bad, bad, GOOD):
        wanted, found = outcome(eager, (x,)), outcome(module, (x,))
        if found[0].startswith("RuntimeError"):
            assert "an earlier call raised while it changed `self." in found[0]
            refused += 1
            break
        raised += len(wanted) == 2
        assert found == wanted
    assert raised and refused == (start is not Layers)  # its next call begins with a list of its own


def test_a_program_that_is_left_as_it_begins_has_no_such_state() -> None:
    class Counted:
        def __init__(self) -> None:
            self.n = 0

        def __call__(self, x: Any) -> Any:
            self.n += 1
            return np.linalg.inv(x) * self.n

    program = export(Counted(), (GOOD,))
    assert program.graph_signature.buffers == ("n",)


def test_sizes_stay_dynamic_where_the_next_call_may_raise_instead() -> None:
    module, eager = export(Filtered(), (GOOD,), dynamic_shapes=({0: Dim("rows")},)).module(), Filtered()
    for rows in (2, 1, 5, 3):
        x = np.arange(2.0 * rows).reshape(rows, 2) + 1
        assert outcome(module, (x,)) == outcome(eager, (x,))
    x = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert outcome(module, (x,)) == outcome(eager, (x,))
    assert outcome(module, (GOOD,))[0].startswith("RuntimeError")


def test_numbers_of_state_have_one_kind_where_the_first_iteration_runs_by_itself() -> None:
    for spec in (Dim.AUTO, Dim.DYNAMIC):
        module, eager = export(Running(), (np.arange(4.0),), dynamic_shapes=({0: spec},)).module(), Running()
        for size in (4, 1, 7, 2):
            given = (np.random.default_rng(size).standard_normal(size),)
            assert outcome(module, given) == outcome(eager, given), (spec, size)


def test_another_module_begins_anew() -> None:
    program = export(Busy(), (GOOD,))
    module = program.module()
    for call in (module, unflatten(program)):
        assert outcome(call, (SINGULAR,))[0].startswith("LinAlgError")
        assert outcome(call, (GOOD,))[0].startswith("RuntimeError")
    assert outcome(program.module(), (GOOD,)) == outcome(Busy(), (GOOD,))


def test_a_program_that_is_captured_so_is_explained_as_captured() -> None:
    assert not explain(Busy(), (GOOD,)).problems
