"""Attributes and keys of the exported object that only some calls set, as data or earlier calls decide: until then it
lacks them, as in eager execution (E103, E112 and E117 before). Held to eager execution call after call.
"""

from __future__ import annotations

import collections
import copy
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome, shown


class Program:
    def __init__(self) -> None:
        self.calls = 0
        self.total = np.zeros(3)
        self.table: dict[Any, Any] = {}
        self.counts: Any = collections.defaultdict(float)
        self.part = Part()

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return type(self).step(self, x)

    def step(self, x: Any) -> Any:
        raise NotImplementedError


class Part:
    pass


def gated(self, x):
    if x[0] > 0:
        self.innovation = x - self.total
        self.total = self.total + 0.5 * self.innovation
    return self.total.sum()


def gated_in_a_method(self, x):
    def update(z):
        self.residual = z - self.total
        self.weight = float(z[0])

    if not (x < -1).any():
        update(x)
    return self.residual.sum() if hasattr(self, "residual") else self.calls


def first_of_data(self, x):
    if not hasattr(self, "baseline"):
        self.baseline = x.mean()
    return x - self.baseline


def read_with_a_default(self, x):
    before = getattr(self, "previous", None)
    if x[1] > 0:
        self.previous = x.copy()
    return x * 0 if before is None else x - before


def caught(self, x):
    try:
        change = x - self.last
    except AttributeError:
        change = np.zeros(3)
    if x[2] < 1:
        self.last = x * 1
    return change


def forgotten(self, x):
    if hasattr(self, "mark") and x[0] < 0:
        del self.mark
    elif x[1] > 0:
        self.mark = int(self.calls)
    return hasattr(self, "mark")


def left_by_an_exception(self, x):
    if x[0] > 0:
        self.begun = x[0]
    if x[1] > 1:
        raise ValueError("too large")
    return getattr(self, "begun", 0.0) * 1


def in_a_loop(self, x):
    for value in x:
        if value > 0.5:
            self.peak = value
    return getattr(self, "peak", -1.0) * 2


def average_by_name(self, x):
    self.table["loss"] = 0.9 * self.table.get("loss", x[0]) + 0.1 * x[1]
    return self.table["loss"]


def cached_by_name(self, x):
    if "scale" not in self.table:
        self.table["scale"] = x.std() + 1
    else:
        self.calls += 10
    return x / self.table["scale"], self.calls


def a_key_of_one_side(self, x):
    if x[0] > 0:
        self.table["high"] = x.copy()
    return len(self.table), dict(self.table)


def with_a_factory(self, x):
    if x[0] > 0:
        self.counts["high"] += x[0]
    return self.counts.get("high", -1.0), "high" in self.counts


def taken_out(self, x):
    if x[0] > 0:
        self.table[3] = x[1]
    return self.table.pop(3, None) if x[2] > 0 else self.calls


def of_an_inner_object(self, x):
    if x[0] > 0:
        self.part.found = x * 2
    return self.part.found[0] if hasattr(self.part, "found") else x[0]


def a_mode_of_one_side(self, x):
    if x[0] > 0:
        self.mode = "up"
    elif x[1] > 1:
        self.mode = "down"
    return getattr(self, "mode", "none") == "up", hasattr(self, "mode")


def all_at_the_first_call(self, x):
    if not hasattr(self, "weights"):
        self.weights, self.mode, self.steps = x.copy(), "begun", 0
    elif x[0] > 0:
        self.weights, self.mode = self.weights + x, "up"
        self.steps += 1
    return self.weights.sum(), self.steps, self.mode == "up"


PROGRAMS = [
    a_mode_of_one_side, all_at_the_first_call,
    gated, gated_in_a_method, first_of_data, read_with_a_default, caught, forgotten, left_by_an_exception,
    in_a_loop, average_by_name, cached_by_name, a_key_of_one_side, with_a_factory, taken_out, of_an_inner_object,
]  # fmt: skip


def made(step: Any) -> Any:
    return type(step.__name__, (Program,), {"step": step})()


def inputs(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [(np.round(rng.normal(size=3), 2),) for _ in range(7)]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("step", PROGRAMS, ids=lambda step: step.__name__)
def test_calls_find_what_earlier_ones_left(step: Any, dynamic: bool) -> None:
    program = made(step)
    found = export(program, (np.full(3, 0.25),), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    assert vars(program).keys() == vars(made(step)).keys()
    compared = 0
    for form in (found, reloaded(found), found.run_decompositions()):
        for seed in range(4):
            run, eager = form.module(), made(step)
            for number, args in enumerate(inputs(seed)):
                run = copy.deepcopy(run) if number == 3 else run
                assert outcome(run, args) == outcome(eager, args)
                compared += 1
            held = {name.split(".")[-1]: value for name, value in run.named_buffers()}
            assert all(shown(np.asarray(value)) == shown(held[name]) for name, value in vars(eager).items() if name in held)
    assert compared == 84


def test_whether_an_attribute_is_there_is_a_buffer() -> None:
    run = export(made(first_of_data), (np.ones(3),)).module()
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"baseline": 0.0, "baseline.is_set": False, "calls": 0}
    run(np.ones(3))
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"baseline": 1.0, "baseline.is_set": True, "calls": 1}


def read_without_asking(self, x):
    if x[1] > 0:
        self.seen = x[0]
    return self.seen


def test_reading_what_is_not_there_raises() -> None:
    run, eager = export(made(read_without_asking), (np.ones(3),)).module(), made(read_without_asking)
    missing, there = (-np.ones(3),), (np.ones(3),)
    assert outcome(run, there) == outcome(eager, there) and outcome(run, missing) == outcome(eager, missing)
    run, eager = export(made(read_without_asking), (np.ones(3),)).module(), made(read_without_asking)
    assert outcome(run, missing) == outcome(eager, missing) and "no attribute 'seen'" in outcome(eager, missing)[0]


def all_attributes(self, x):
    if x[0] > 0:
        self.found = x[0]
    return len(vars(self))


def test_the_order_of_attributes_is_not_shown() -> None:
    with pytest.raises(Unsupported, match="which attributes an object") as refused:
        export(made(all_attributes), (np.ones(3),))
    assert refused.value.code == "E103"


def keys_of_some_calls(self, x):
    for name in ("low", "high"):
        if name in self.table:
            self.table[name] += 1
        elif x[0] > 0:
            self.table[name] = 0
    return sum(self.table.values())


def test_keys_in_an_order_that_calls_decide_are_refused() -> None:
    """The order of a dict can be seen: where one key may be missing, another one may come before it."""
    with pytest.raises(Unsupported) as refused:
        export(made(keys_of_some_calls), (np.ones(3),))
    assert refused.value.code == "E112" and refused.value.hint


class TwoKeys(Program):
    def __init__(self) -> None:
        super().__init__()
        self.table = {"low": None, "high": None}

    def step(self, x: Any) -> Any:
        for name in ("low", "high"):
            before = self.table[name]
            self.table[name] = 0.5 * (x[0] if before is None else before) + x[1]
        return self.table["low"] - self.table["high"], dict(self.table)


def test_keys_that_are_set_before_are_state() -> None:
    run, eager = export(TwoKeys(), (np.ones(3),)).module(), TwoKeys()
    for args in inputs(3):
        assert outcome(run, args) == outcome(eager, args)


class Shared:
    def __init__(self) -> None:
        self.table: dict[str, Any] = {}
        self.same = self.table

    def __call__(self, x: Any) -> Any:
        if x[0] > 0:
            self.table["a"] = x[1]
        return len(self.same), self.same.get("a", 0.0)


def test_a_dict_of_two_names() -> None:
    run, eager = export(Shared(), (np.ones(3),)).module(), Shared()
    for args in inputs(9):
        assert outcome(run, args) == outcome(eager, args)
