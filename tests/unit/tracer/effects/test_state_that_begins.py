"""State that the first call does not find (``self.best = None``), and later calls find or not, as data say: the
program has the value, and the truth that it is there. Held to eager execution over several calls.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export, unflatten
from tests.support.forms import reloaded


class Program:
    def __init__(self) -> None:
        self.kept: Any = None
        self.other: Any = None
        self.calls = 0
        self.slots = [None, 0.0, None]
        self.named = {"low": None, "text": "none yet"}
        self.inner = types.SimpleNamespace(best=None, at=-1)

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return type(self).step(self, x)

    def step(self, x: Any) -> Any:
        raise NotImplementedError


def smallest(self, x):
    total = x.sum()
    if self.kept is None or total < self.kept:
        self.kept = total
    return self.kept


def smallest_and_where(self, x):
    total = float(x.sum())
    if self.kept is None or total < self.kept - 1e-3:
        self.kept, self.other, self.inner.at = total, x.copy(), self.calls
    return self.calls - self.inner.at


def moved_along(self, x):
    """The first call leaves ``None`` where the second leaves a number."""
    now, (one, other) = float(x[0]), self.slots[::2]
    if one is not None and other is not None and one < other > now:
        self.calls += 10
    self.slots[0], self.slots[2] = other, now
    return self.calls


def moved_along_as_arrays(self, x):
    found = 0 if self.kept is None else 1 + (self.kept.sum() < self.other.sum())
    self.kept, self.other = self.other, x * 2
    return found


def running_mean(self, x):
    self.kept = x.copy() if self.kept is None else 0.9 * self.kept + 0.1 * x
    return self.kept + 1


def given_back(self, x):
    self.kept = x * 2 if self.kept is None else self.kept + x
    return self.kept


def never_read(self, x):
    self.other = x * 2
    self.kept = x.copy() if self.kept is None else self.kept + x
    return x + 0


def difference(self, x):
    change = np.zeros_like(x) if self.kept is None else x - self.kept
    self.kept = x.copy()
    return change


def the_callers_own(self, x):
    before, self.kept = self.kept, x
    return before


def only_on_some_data(self, x):
    if x[0] > 0:
        self.kept = int(self.calls)
    return self.kept is None, self.kept


def forgotten(self, x):
    result = -1.0 if self.kept is None else self.kept
    self.kept = None if x[1] > 0 else float(x[0])
    return result


def in_containers(self, x):
    if self.slots[0] is None:
        self.slots[0] = x.sum()
    if x[1] > 0:
        self.slots[2], self.named["low"] = self.slots[0], x.min() if self.named["low"] is None else min(self.named["low"], x.min())
    return self.slots[0] * 1, self.named["low"]


def in_place_of_a_text(self, x):
    if x[0] > 0:
        self.named["text"] = x[0]
    return self.named["text"] == "none yet"


def of_an_object(self, x):
    if self.inner.best is None or x[0] > self.inner.best:
        self.inner.best = x[0]
    return self.inner.best


def until_it_raises(self, x):
    self.kept = x.sum() if self.kept is None else self.kept + x.sum()
    if x[0] > 1:
        raise ValueError(f"{x[0]} is too large")
    self.other = x[1]
    return self.other if self.other is not None else 0


def of_python_or_numpy(self, x):
    self.least = np.inf
    for value in x:
        if value < self.least - 1:
            self.least = value
    return self.least


def carried_as_python_or_numpy(self, x):
    before = self.slots[1]
    if x[0] > 0:
        self.slots[1] = self.slots[1] + x.sum()
    elif x[1] > 0:
        self.slots[1] = 0.5
    return before, self.slots[1] * 2.0


def a_whole_number_or_numpys(self, x):
    before = self.inner.at
    if x[0] > 0:
        self.inner.at = x[1] if x[2] > 0 else 7
    return before


def a_whole_number_that_is_clamped(self, x):
    error = x[0]
    self.inner.at += 0.1 * error
    if self.inner.at > -0.9:
        self.inner.at = -0.9
    elif self.inner.at < -1.1:
        self.inner.at = -1.1
    self.slots[1] = max(-1.5, min(self.inner.at + error, 1.5))
    return self.slots[1]


def where_it_raises_in_a_loop(self, x):
    kept, other = self.kept, self.other
    for value in x.round():
        self.kept = np.array([1.0, value])
        self.other = np.linalg.inv(np.diag(self.kept))[1]
    return x * 0 if kept is None else kept, other


def in_a_loop(self, x):
    for value in x:
        if self.kept is None or value > self.kept:
            self.kept = value
            self.inner.at += 1
    return self.inner.at


def modes(self, x):
    if self.other == "run":
        self.calls += 10
        self.other = "stop" if x[0] < 0 else self.other
    elif x[1] > 0:
        self.other = "run" if self.other is None else None
    return self.calls, self.other == "stop"


def a_text_a_scalar_or_an_array(self, x):
    before = self.named["low"]
    if x[0] > 0.5:
        self.named["low"] = x * 2
    elif x[0] > 0:
        self.named["low"] = x[1]
    elif x[0] < -1:
        self.named["low"] = "none"
    return before is None


def made_anew(self, x):
    if hasattr(self, "solver_"):
        del self.solver_, self.seen_
    self.solver_ = "first" if x[0] > 0 else "second"
    self.seen_ = x[0] if x[1] > 0 else np.sign(x)
    return x * 2 if self.solver_ == "first" else x + self.seen_


def read_before_it_is_made(self, x):
    before = getattr(self, "kept_", 0)
    self.kept_ = "first" if x[0] > 0 else "second"
    return x if before == "first" else -x


def two_kinds(self, x):
    self.kept = x[0] if x[1] > 0 else x.copy()


def the_callers_own_written_to(self, x):
    if self.kept is None:
        self.kept = x
    self.kept += 1
    return self.kept


def written_in_place(self, x):
    if self.kept is None:
        self.kept = x.copy()
    self.kept += x
    return self.kept


PROGRAMS = [
    written_in_place, the_callers_own_written_to,
    moved_along, moved_along_as_arrays,
    smallest, smallest_and_where, running_mean, given_back, never_read, difference, the_callers_own, only_on_some_data, forgotten,
    in_containers, in_place_of_a_text, of_an_object, until_it_raises, where_it_raises_in_a_loop, in_a_loop,
    modes, a_text_a_scalar_or_an_array, made_anew, read_before_it_is_made, two_kinds, of_python_or_numpy,
    carried_as_python_or_numpy, a_whole_number_or_numpys, a_whole_number_that_is_clamped,
]  # fmt: skip


def made(step: Any) -> Any:
    return type(step.__name__, (Program,), {"step": step})()


def calls(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=3) for _ in range(6)]


def done(run: Any, data: list[Any]) -> list[Any]:
    """What each call gives, what it gives being written to afterwards, or raises."""
    found = []
    for x in data:
        try:
            result = run(x)
        except (ValueError, np.linalg.LinAlgError) as error:
            found.append(repr(error))
            continue
        found.append(repr(result))
        if type(result) is np.ndarray and not np.shares_memory(result, x):
            result += 1
    return found


@pytest.mark.parametrize("step", PROGRAMS, ids=lambda step: step.__name__)
def test_calls_find_what_earlier_ones_left(step: Any) -> None:
    program = made(step)
    found = export(program, (np.full(3, 0.25),))
    assert vars(program).keys() == vars(made(step)).keys() and program.kept is None
    forms = [found, reloaded(found), found.run_decompositions(), export(found.module(), (np.full(3, 0.25),))]
    for seed in range(4):
        wanted = done(made(step), calls(seed))
        for form in forms:
            assert done(form.module(), calls(seed)) == wanted
        assert done(unflatten(found), calls(seed)) == wanted


def test_the_value_and_whether_it_is_there_are_buffers() -> None:
    run = export(made(smallest), (np.ones(3),)).module()
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"kept": 0.0, "kept.is_set": False, "calls": 0}
    run(np.ones(3))
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"kept": 3.0, "kept.is_set": True, "calls": 1}


def test_the_number_and_whether_it_is_pythons_are_buffers() -> None:
    run = export(made(a_whole_number_or_numpys), (np.ones(3),)).module()
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"inner.at": -1.0, "inner.at.is_python": True, "calls": 0}
    run(np.ones(3))
    assert {name: value.tolist() for name, value in run.named_buffers()} == {"inner.at": 1.0, "inner.at.is_python": False, "calls": 1}


def result_that_is_kept(self, x):
    if self.kept is None:
        self.kept = x * 2
        return np.zeros(3)
    self.kept, self.other = self.kept + x, (x > self.kept) * 1.0
    return self.other


def a_copy_of_it(self, x):
    return result_that_is_kept(self, x).copy()


def test_what_is_kept_and_given_back_as_data_decide_is_copied() -> None:
    with pytest.raises(Unsupported, match="Return a copy"):
        export(made(result_that_is_kept), (np.ones(3),))
    run = export(made(a_copy_of_it), (np.ones(3),)).module()
    assert done(run, calls(5)) == done(made(a_copy_of_it), calls(5))


def test_which_of_several_values_it_is_are_buffers() -> None:
    run = export(made(modes), (np.ones(3),)).module()
    held = [{name: value.item() for name, value in run.named_buffers() if name != "calls"} for _ in range(2) if run(np.ones(3)) is not None]
    assert [list(each.values()) for each in held] == [[False, True, False]] * 2 and "other.is_option_1" in held[0]


def recorded(self, x):
    self.slots.append({"sums": [x.sum()]})
    return self.calls


def test_a_list_that_gets_longer_is_named_before_numbers() -> None:
    with pytest.raises(Unsupported, match=r"adds `self.slots\[3\]`") as refused:
        export(made(recorded), (np.ones(3),))
    assert "self.slots[self.n] = value" in refused.value.hint


STATE = [lambda x: int(x[0] * 9), lambda x: float(x[0]), lambda x: x.argmax(), lambda x: np.int8(x[0]), lambda x: x.sum()]


@pytest.mark.parametrize("first", [np.inf, float("inf"), float("nan"), 1e300, 2**70, 1j, 300, -1, False, np.float32(2.5)], ids=repr)
def test_the_first_call_finds_a_number_that_later_ones_cannot_find(first: Any) -> None:
    for state in STATE:

        class Moving:
            def __init__(self) -> None:
                self.one = self.other = first

            def __call__(self, x: Any) -> Any:
                found = self.one
                self.one, self.other = self.other, state(x)  # noqa: B023  called in this turn
                return found

        run, eager = export(Moving(), (np.full(3, 0.25),)).module(), Moving()
        for x in calls(1):
            assert repr(run(x)) == repr(eager(x))
