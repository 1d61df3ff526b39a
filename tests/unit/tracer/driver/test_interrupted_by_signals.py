"""What a signal's handler raises while a program is examined comes out, whatever the program catches,
and whichever side of a branch is being captured: it is not the program's.
"""

from __future__ import annotations

import functools
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import draft_export, explain, export, interpret
from tests.support.interrupting import Step, monitoring, points

pytestmark = [
    pytest.mark.skipif(monitoring is None, reason="sys.monitoring, which stops at any function, is of CPython 3.12 and later"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # what comes in a finaliser is told so, by CPython
]


class Late(Exception):
    """Raised by a user's own handler."""


class Handler:
    """A handler with state, as an object and as a method."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __call__(self, number: int, frame: Any) -> None:
        raise self.error("late")

    def method(self, number: int, frame: Any) -> None:
        raise self.error("late")


def _of_any(error: type[BaseException], *_: Any) -> None:
    raise error("late")


HANDLERS = {
    "partial": lambda error: functools.partial(_of_any, error),
    "object": Handler,
    "method": lambda error: Handler(error).method,
}


def program(x: Any, y: Any) -> Any:
    total, turn = 0.0, 0
    while abs(total) < 40 and turn < 20:
        try:
            if x[turn % 3] > y[0]:
                total += float(np.sqrt(x[turn % 3]))
            else:
                total -= 1.0
        except Exception:
            total += 2
        turn += 1
    try:
        z = np.linalg.solve(np.outer(x, x) + np.eye(3), x)
    except Exception:
        z = x
    kept = [part for part in (k * 2 for k in range(4))]
    return total, z * sorted(kept, key=lambda part: -part)[0]


ARGS = (np.array([1.0, 2.0, 3.0]), np.array([1.5]))


@pytest.fixture
def alarms() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("call", [export, explain, draft_export])
@pytest.mark.parametrize(("error", "kind"), [(KeyboardInterrupt, "partial"), (TimeoutError, "object"), (Late, "method"), (Late, "partial")])
def test_a_signal_ends_the_export(alarms: None, call: Any, error: type[BaseException], kind: str) -> None:
    handler = HANDLERS[kind](error)
    signal.signal(signal.SIGUSR1, handler)
    call(program, ARGS)
    with Step(int, 0) as counting:
        call(program, ARGS)
    wrong = []
    for count in points(counting.seen, 25):
        with Step(lambda: signal.raise_signal(signal.SIGUSR1), count) as step:
            try:
                call(program, ARGS)
            except error as raised:
                if raised.args != ("late",):
                    wrong.append((count, repr(raised)))
            except BaseException as other:
                wrong.append((count, repr(other)))
            else:
                if step.left <= 0:
                    wrong.append((count, "nothing"))
    assert wrong == []
    assert str(export(program, ARGS).module()(*ARGS)) == str(program(*ARGS))


def test_a_handler_that_raises_nothing_is_not_of_the_program(alarms: None) -> None:
    heard: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))

    def sorts(x: Any) -> Any:
        return x * sorted([3, 1, 2], key=lambda part: -part)[0]

    with Step(int, 0) as counting:
        export(sorts, (np.ones(3),))
    places = points(counting.seen, 25)
    for count in places:
        with Step(lambda: signal.raise_signal(signal.SIGUSR1), count):
            assert (export(sorts, (np.ones(3),)).module()(np.ones(3)) == 3).all()
    assert len(heard) > len(places) // 2


def test_the_interpreter_gives_an_interrupt_to_the_program(alarms: None) -> None:
    signal.signal(signal.SIGUSR1, Handler(Late))

    def waits() -> Any:
        try:
            signal.raise_signal(signal.SIGUSR1)
            return "went on"
        except Late as error:
            return error.args

    assert interpret(waits) == ("late",)
