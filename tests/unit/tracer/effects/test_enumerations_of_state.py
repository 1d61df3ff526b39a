"""Members of enumerations that an object has in turn, and combinations of flags: machines with states, as classes have them."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, unflatten
from tests.support.forms import reloaded


class Mode(enum.Enum):
    IDLE = 0
    RUN = 1
    STOP = 2
    FAIL = "x"

    @property
    def gain(self) -> float:
        return {Mode.IDLE: 1.0, Mode.RUN: 2.0, Mode.STOP: 3.0, Mode.FAIL: 4.0}[self]


class Level(enum.IntEnum):
    LOW = 0
    MIDDLE = 1
    HIGH = 2


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Machine:
    def __init__(self) -> None:
        self.mode, self.n = Mode.IDLE, 0

    def __call__(self, x: Any) -> Any:
        match self.mode:
            case Mode.IDLE:
                if x.sum() > 0:
                    self.mode = Mode.RUN
            case Mode.RUN:
                self.n += 1
                if x.sum() < -1:
                    self.mode = Mode.STOP
                elif self.n > 2:
                    self.mode = Mode.FAIL
            case Mode.STOP:
                self.mode = Mode.IDLE
            case Mode.FAIL:
                self.n = 0
                self.mode = Mode.IDLE if x[0] > 0 else Mode.FAIL
        return x * self.mode.gain, self.n, self.mode is Mode.RUN, self.mode.name == "STOP"


class Levels:
    def __init__(self) -> None:
        self.level = Level.LOW

    def __call__(self, x: Any) -> Any:
        y = x + self.level
        self.level = Level.HIGH if x.sum() > 1 else Level.MIDDLE if x.sum() > 0 else Level.LOW
        return y, self.level > 0, self.level * 2


class Flags:
    def __init__(self) -> None:
        self.flags, self.seen = Access.READ, []

    def __call__(self, x: Any) -> Any:
        if x.sum() > 0:
            self.flags = self.flags | Access.WRITE
        else:
            self.flags = Access.READ
        self.seen.append(self.flags.value)
        return Access.WRITE in self.flags, sum(self.seen), x


class Mixed:
    def __init__(self) -> None:
        self.mode: Any = Mode.RUN

    def __call__(self, x: Any) -> Any:
        out = 1.0 if self.mode is Mode.RUN else 2.0
        self.mode = Mode.STOP if x.sum() > 0 else "text" if x.sum() > -2 else None
        return out * x


class InLoop:
    def __init__(self) -> None:
        self.mode = Mode.IDLE

    def __call__(self, x: Any) -> Any:
        for value in x:
            if value > 1:
                self.mode = Mode.RUN
            elif value < -1:
                self.mode = Mode.STOP
        return self.mode is Mode.RUN, x


class Raising:
    def __init__(self) -> None:
        self.state = {"mode": Mode.IDLE}

    def __call__(self, x: Any) -> Any:
        self.state["mode"] = Mode.RUN if x.sum() > 0 else Mode.STOP
        if x[0] > 1.5:
            raise ValueError("big")
        return self.state["mode"] is Mode.RUN, x


def called(function: Any, x: Any) -> str:
    try:
        return repr(function(x.copy()))
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("kind", [Machine, Levels, Flags, Mixed, InLoop, Raising])
@pytest.mark.parametrize("dynamic", [False, True])
def test_an_object_has_one_member_after_another(kind: Any, dynamic: bool) -> None:
    program = export(kind(), (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    draw = np.random.default_rng(0)
    inputs = [np.round(draw.normal(size=3 + dynamic * (number % 3)) * 1.5, 1) for number in range(14)]
    for run in (program.module(), reloaded(program).module(), unflatten(program), program.run_decompositions().module()):
        eager = kind()
        for x in inputs:
            assert called(run, x) == called(eager, x)


def test_a_member_is_given_back() -> None:
    class Told(Machine):
        def __call__(self, x: Any) -> Any:
            super().__call__(x)
            return self.mode

    run, eager = export(Told(), (np.ones(2),)).module(), Told()
    for x in (np.ones(2), -np.ones(2), np.ones(2)):
        assert run(x) is eager(x)


def test_flags_are_combined_on_sides_as_anywhere() -> None:
    kind: Any = enum.Flag("Access", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)

    class Seen:
        def __init__(self) -> None:
            self.seen: list[int] = []

        def __call__(self, x: Any) -> Any:
            access = kind.READ | kind.RUN if x.sum() > 0 else kind.READ
            self.seen.append(access.value)
            return sum(self.seen), kind.RUN in access, access

    run, eager = export(Seen(), (np.ones(2),)).module(), Seen()
    for x in (np.ones(2), -np.ones(2), np.ones(2)):
        (total, there, access), wanted = run(x), eager(x)
        assert (total, there) == wanted[:2] and access is wanted[2]


@pytest.mark.parametrize("base", [enum.Flag, enum.IntFlag])
def test_flags_are_first_inverted_on_a_side(base: Any) -> None:
    """The member remembers its inverse where the caller inverts it, and not while a program is exported."""
    kind: Any = base("Access", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)

    def program(x: Any) -> Any:
        access = kind.READ | kind.WRITE
        if x.sum() > 0:
            access = ~access
        return access, ~kind.RUN, x

    run = export(program, (np.ones(2),)).module()
    assert all("_inverted_" not in vars(member) for member in kind.__members__.values())
    for x in (np.ones(2), -np.ones(2)):
        assert run(x)[:2] == program(x)[:2] and run(x)[0] is program(x)[0]


def test_members_that_the_program_makes_are_refused() -> None:
    class Own:
        def __init__(self) -> None:
            self.mode: Any = None

        def __call__(self, x: Any) -> Any:
            class Local(enum.Enum):
                ONE = 1
                TWO = 2

            self.mode = Local.ONE if x.sum() > 0 else Local.TWO
            return x

    with pytest.raises(ExportError):
        export(Own(), (np.ones(2),))


@pytest.mark.parametrize("made_before", [False, True])
def test_combinations_that_data_choose_stay_the_callers(made_before: bool) -> None:
    """They are one of several members of the class, not one object that the sides have made."""
    kind: Any = enum.Flag("Chosen", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)
    if made_before:
        assert (~kind.READ).value == 6

    def program(x: Any) -> Any:
        access = kind(5) if x.sum() > 0 else ~kind.READ
        return x * access.value, access is kind(6), ~access

    for _ in range(3):
        run = export(program, (np.ones(2),)).module()
        assert all(type(member._value_) is int for member in kind._value2member_map_.values())
        for x in (np.ones(2), -np.ones(2)):
            np.testing.assert_array_equal(run(x)[0], program(x)[0])
            assert run(x)[1:] == program(x)[1:]
