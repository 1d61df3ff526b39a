"""State and inputs after an exception that only the data decide: what was written before it is there, and nothing else."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, InternalError, export
from npexport.ir.checkpoints import in_force, is_checkpoint
from tests.support.forms import FORMS
from tests.support.functions import function_of

GOOD = np.array([1.0, 2.0])
OUTSIDE = np.array([4.0, 3.0])


def inverse(x: Any) -> Any:
    """Raises where an element of ``x`` is zero."""
    return np.linalg.inv(np.diag(x))


class State:
    """State of every kind, and what is done to it before and after calls that may raise."""

    def __init__(self) -> None:
        self.n = np.zeros(())
        self.h = np.zeros(2)
        self.g = np.full(2, 5.0)
        self.last = np.zeros(2)
        self.training = True
        self.cache = {"k": np.zeros((2, 2)), "v": [np.zeros(2), np.zeros(2)]}


def _counter(self: Any, x: Any) -> Any:
    self.n += 1
    return inverse(x) * self.n


def _between(self: Any, x: Any) -> Any:
    self.n += 1
    self.h[0] = x[1]
    r = inverse(x)
    self.n += 10
    self.h[1] = 7
    s = inverse(x - 1)
    self.h *= 2
    return r + s


def _rebound(self: Any, x: Any) -> Any:
    self.h = self.h + x
    r = inverse(x)
    self.h = np.array([1.0, 2.0])
    s = inverse(x - 1)
    self.h = self.g
    self.g = r[0]
    return r + s


def _swapped(self: Any, x: Any) -> Any:
    self.h, self.g = self.g, self.h
    r = inverse(x)
    self.h, self.g = self.g, self.h
    return r + inverse(x - 1)


def _kept(self: Any, x: Any) -> Any:
    self.last = x
    x += 1
    r = inverse(x - 1)
    self.last = x[::-1].copy()
    return r + inverse(x - 2)


def _containers(self: Any, x: Any) -> Any:
    self.cache["v"] = [self.cache["v"][1], x * 2]
    self.cache["k"][0] += x
    r = inverse(x)
    self.cache = {"k": self.cache["k"] + 1, "v": [x + 1, self.cache["v"][0]]}
    return r + inverse(x - 1)


def _view(self: Any, x: Any) -> Any:
    self.cache["k"][...] = 3
    h, self.h = self.h, self.cache["k"][1]
    r = inverse(x)
    self.cache["k"][1] = x
    r += inverse(x - 1)
    self.h = h
    return r


def _own_copy(self: Any, x: Any) -> Any:
    a = x * 2
    self.g[...] = a
    self.h = a
    r = inverse(x)
    self.h += 1
    return r + inverse(x - 1)


def _read_before(self: Any, x: Any) -> Any:
    t = self.h + x
    r = inverse(x)
    self.h[...] = t
    s = inverse(x - 1)
    self.h[...] = t * 2
    return r + s


def _written_by_it(self: Any, x: Any) -> Any:
    self.n += 1
    self.h[x.astype(int)] = 9
    self.g[(x + 1).astype(int)] = 9
    return x + self.h


def _input(self: Any, x: Any) -> Any:
    x += 1
    r = inverse(x - 1)
    x += 10
    s = inverse(x - 12)
    x[...] = 3
    return r + s


def _input_and_state(self: Any, x: Any) -> Any:
    self.h[...] = x
    x[0] = self.h[1]
    x[1] += self.n
    r = inverse(x)
    self.n[...] = x.sum()
    x *= self.n
    return r


def _nothing_before(self: Any, x: Any) -> Any:
    r = inverse(x)
    self.h += 1
    x += 1
    return r


def _numbers(self: Any, x: Any) -> Any:
    self.n += 1
    for _ in range(3):
        self.h = self.h * 2 + 1
        x = x + inverse(x)[0]
        self.n += 1
    return x


def _condition(self: Any, x: Any) -> Any:
    self.n += 1
    if x[0] == 0:
        raise IndexError("zero")
    self.h = x * 2
    if x[1] == 0:
        raise IndexError("zero")
    self.h = x * 3
    x += 1
    if x[0] > 12:
        raise IndexError("large")
    x += 1
    return x + self.n


def _outside(self: Any, x: Any) -> Any:
    self.h = OUTSIDE
    r = inverse(x)
    self.h = x * 2
    self.g = self.cache["k"][1]
    r += inverse(x - 1)
    self.g = x * 1
    return r


def _flag(self: Any, x: Any) -> Any:
    before = self.training
    self.training = False
    try:
        self.n += 1
        return inverse(x) + self.n
    finally:
        self.training = before


PROGRAMS: list[Callable[[Any, Any], Any]] = [
    _counter,
    _between,
    _rebound,
    _swapped,
    _kept,
    _containers,
    _view,
    _own_copy,
    _read_before,
    _written_by_it,
    _input,
    _input_and_state,
    _nothing_before,
    _numbers,
    _condition,
    _outside,
    _flag,
]


def outcome(f: Any, x: Any) -> Any:
    try:
        return f(x)
    except (np.linalg.LinAlgError, IndexError, AssertionError) as error:
        return type(error)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_was_written_before_an_exception_is_there(program: Any, form: str) -> None:
    made = type("Made", (State,), {"__call__": program})
    eager, module = made(), FORMS[form](export(made(), (GOOD.copy(),))).module()
    raised = 0
    for data in ([3, 4], [0, 1], [1, 1], [2, 0], [1, 0], [3, 5], [1, 2], [0, 0], [12, 13], [5, 6]):
        mine, theirs = np.array(data, float), np.array(data, float)
        want, found = outcome(eager, mine), outcome(module, theirs)
        raised += isinstance(want, type)
        np.testing.assert_equal(found, want)
        np.testing.assert_array_equal(theirs, mine)
        state = dict(module.named_buffers())
        arrays = {"n": eager.n, "h": eager.h, "g": eager.g, "last": eager.last, "cache.k": eager.cache["k"]}
        arrays |= {f"cache.v.{i}": array for i, array in enumerate(eager.cache["v"])}
        shared = [name for name in state if name in arrays]
        assert shared or program in (_input, _nothing_before)
        for name in shared:
            np.testing.assert_array_equal(state[name], arrays[name], err_msg=name)
            assert state[name].flags.writeable == arrays[name].flags.writeable, name
            for other in shared:
                assert np.shares_memory(state[name], state[other]) == np.shares_memory(arrays[name], arrays[other]), (name, other)
            assert np.shares_memory(state[name], theirs) == np.shares_memory(arrays[name], mine), name
    assert raised > 2


def test_programs_that_cannot_raise_say_nothing() -> None:
    made = type("Made", (State,), {"__call__": lambda self, x: self.n.__iadd__(1) + x})
    program = export(made(), (GOOD,))
    assert not any(map(is_checkpoint, program.graph.nodes)) and not in_force(program.graph)


def test_checkpoints_fit_the_mutations() -> None:
    for values in ((), (None, None, None), (1,), None):
        made = type("Made", (State,), {"__call__": _counter})
        program = export(made(), (GOOD,))
        checkpoint = next(filter(is_checkpoint, program.graph.nodes))
        checkpoint.args = (values,)
        with pytest.raises(InternalError, match="checkpoint|does not take"):
            program.validate()


REFUSED = [
    ("E112", "self.h = self.g; {may_raise}; self.h = np.ones(2); self.g += 1"),
    ("E112", "self.g += 1; z = self.h + 0; self.h = self.g; {may_raise}; self.h = np.ones(2)"),
    ("E116", "self.g += 1; self.h = OUTSIDE; self.g = OUTSIDE; {may_raise}; self.h = np.ones(2); self.g = np.zeros(2)"),
    ("E116", "self.g += 1; self.g = self.h; self.h = OUTSIDE"),
    ("E116", "self.g[0] = 9; self.g = self.h[::-1]; self.h = OUTSIDE[::-1]"),
    ("E112", "self.g += 1; self.h = OUTSIDE; self.g = self.h"),
    ("E112", "self.h = np.ones(3); {may_raise}; self.h = np.ones(2)"),
    ("E112", "global FLAG; FLAG = 1; {may_raise}; FLAG = 0"),
    ("E112", "x.shape = 2, 1; {may_raise}; x.shape = 2,"),
    ("E112", "x.flags.writeable = False; {may_raise}"),
    ("E126", "try: {may_raise}\nfinally: self.h += 1"),
    ("E126", "try: {may_raise}\nfinally: self.h = x * 2"),
    ("E126", "try: {may_raise}\nfinally: self.h[0] = x[1]"),
    ("E126", "try: assert x[0] < 3\nfinally: x += 1"),
    ("E126", "try: {may_raise}\nexcept:\n x += 1\n raise"),
    ("E126", "try: {may_raise}\nexcept np.linalg.LinAlgError:\n self.h += 1\n raise"),
    ("E126", "with Counted(self): {may_raise}"),
    ("E126", "with contextlib.ExitStack() as stack:\n stack.enter_context(Counted(self))\n {may_raise}"),
    ("E112", "old = warnings.filters\nwarnings.filters = []\n{may_raise}\nwarnings.filters = old"),
]


class Counted:
    """A context manager that writes when it is left."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __enter__(self) -> None:
        self.before = self.owner.h

    def __exit__(self, *exception: object) -> None:
        self.owner.h += 1


class Replaced(Counted):
    """One that replaces an array as long as it is open."""

    def __enter__(self) -> None:
        self.before = self.owner.h
        self.owner.h = np.ones(2)

    def __exit__(self, *exception: object) -> None:
        self.owner.h = self.before


@pytest.mark.parametrize("code, body", REFUSED, ids=[body for _, body in REFUSED])
def test_what_an_exception_would_leave_and_no_program_can_is_refused(code: str, body: str) -> None:
    body = body.format(may_raise="r = inverse(np.ravel(x))").replace("; ", "\n")
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    call = function_of(
        f"def call(self, x):\n{lines}\n    return x + 0",
        {
            "np": np,
            "contextlib": contextlib,
            "warnings": warnings,
            "inverse": inverse,
            "OUTSIDE": OUTSIDE,
            "Counted": Counted,
            "Replaced": Replaced,
            "FLAG": 0,
        },
    )
    made = type("Made", (State,), {"__call__": call})
    with pytest.raises(ExportError, match=code):
        export(made(), (GOOD.copy(),))


PASSES = ("r = inverse(np.ravel(x))", "assert x[0] != 3", "r = 1 / float(x[0] - 3)")
LOCAL = (
    "try: {may_raise}\nfinally: a = b = None",
    "try: {may_raise}\nfinally:\n a = b = None\n del a, b",
    "try: {may_raise}\nfinally: a, b = None, n",
    "try: {may_raise}\nfinally: n += 1; text += 'x'",
    "try: {may_raise}\nexcept Exception:\n n -= 1\n raise",
    "try: {may_raise}\nexcept BaseException as error:\n a = error\n raise",
)


@pytest.mark.parametrize("may_raise", PASSES)
@pytest.mark.parametrize("body", LOCAL)
def test_what_finally_does_to_variables_alone_nobody_sees(body: str, may_raise: str) -> None:
    lines = "\n".join(f"    {line}" for line in body.format(may_raise=may_raise).split("\n"))
    function = function_of(
        f"def call(self, x):\n    n, a, b, text = 1, x * 2, x * 3, 'a'\n{lines}\n    return x + n", {"np": np, "inverse": inverse}
    )
    made = type("Made", (State,), {"__call__": function})
    run, eager = export(made(), (GOOD.copy(),)).module(), made()
    for data in (GOOD, GOOD + 2, np.array([3.0, 3.0]), np.zeros(2)):
        wanted, found = [answer(call, data) for call in (eager, run)]
        np.testing.assert_equal(found, wanted)


@pytest.mark.parametrize("may_raise", PASSES)
@pytest.mark.parametrize("wanted", ["ModuleNotFoundError", "(KeyError, OSError)", "KeyError as error"])
def test_what_handlers_of_other_exceptions_write_and_what_follows_them_is_not_on_the_way_out(wanted: str, may_raise: str) -> None:
    lines = f"    try: {may_raise}\n    except {wanted}: x[0] = out = None\n    out += (x,)\n    x[1] = 5.0"
    call = function_of(f"def call(self, x):\n    out = (x * 2,)\n{lines}\n    return out", {"np": np, "inverse": inverse})
    made = type("Made", (State,), {"__call__": call})
    run, eager = export(made(), (GOOD.copy(),)).module(), made()
    for data in (GOOD, GOOD + 2, np.array([3.0, 3.0]), np.zeros(2)):
        np.testing.assert_equal(answer(run, data), answer(eager, data))


def answer(call: Callable[..., Any], data: Any) -> Any:
    try:
        return call(data.copy())
    except (ArithmeticError, AssertionError, np.linalg.LinAlgError) as error:
        return type(error)
