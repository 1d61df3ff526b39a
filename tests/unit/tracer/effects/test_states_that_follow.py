"""Texts and members of enumerations that a call finds, and replaces by the next one: taken from a
table at places that data choose, or one after another, whatever the data are."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save
from tests.support.outcomes import outcome

NEXT_STEP = {"idle": "run", "run": "stop", "stop": "idle"}
ON_EVENT = {("idle", 0): "idle", ("idle", 1): "run", ("run", 0): "stop", ("run", 1): "run", ("stop", 0): "idle", ("stop", 1): "run"}
CALLS = [np.array(values, float) for values in ([1, -1, 1], [-1, -1, 2], [2, 1, 0], [0, 0, 0], [-1, 3, 1], [1, 1, 1], [-2, 1, -1])]


class Light(enum.Enum):
    RED = 0
    GREEN = 1
    AMBER = 2


AFTER = {Light.RED: Light.GREEN, Light.GREEN: Light.AMBER, Light.AMBER: Light.RED}


class Machine:
    def __init__(self) -> None:
        self.state = "idle"

    def __call__(self, x: Any) -> Any:
        for event in x:
            self.state = ON_EVENT[self.state, int(event > 0)]
        return self.state, self.state == "run"


class ByNumber:
    def __init__(self) -> None:
        self.label = "none"

    def __call__(self, x: Any) -> Any:
        before = self.label
        self.label = {0: "low", 1: "high"}[int(x[0] > 0)]
        return before, self.label, before == self.label


class ByPlace:
    def __init__(self) -> None:
        self.info = {"rank": "unknown", "calls": 0}

    def __call__(self, x: Any) -> Any:
        self.info["rank"] = ["bronze", "silver", "gold"][int(x.argmax())]
        self.info["calls"] += 1
        return self.info["rank"], self.info["calls"]


class Cycle:
    def __init__(self) -> None:
        self.state = "idle"

    def __call__(self, x: Any) -> Any:
        self.state = NEXT_STEP[self.state]
        return x * 2 if self.state == "run" else x, self.state


class Phases:
    def __init__(self) -> None:
        self.phase = "warm up"
        self.level = 0.0

    def __call__(self, x: Any) -> Any:
        phase = self.phase
        if phase == "warm up":
            self.phase = "calibrate"
        elif phase == "calibrate":
            self.phase = "live"
        self.level += x.sum() if phase == "live" else 1.0
        return phase, self.level


class Crossing:
    def __init__(self) -> None:
        self.light = Light.RED
        self.changes = 0

    def __call__(self, x: Any) -> Any:
        self.light = AFTER[self.light]
        self.changes += 1
        return self.light.name, self.light is Light.RED, x * self.light.value, self.changes


class Turns:
    def __init__(self) -> None:
        self.turn, self.board, self.moves = "X", np.zeros(9), 0

    def __call__(self, x: Any) -> Any:
        self.board[self.moves] = x[0] if self.turn == "X" else -x[0]
        self.moves += 1
        self.turn = "O" if self.turn == "X" else "X"
        return self.board.sum(), self.turn


class Rotating:
    def __init__(self) -> None:
        self.names = ["a", "b", "c"]

    def __call__(self, x: Any) -> Any:
        self.names.append(self.names.pop(0))
        return self.names[0], x + len(self.names[1])


class ThereAndBack:
    def __init__(self) -> None:
        self.last = None

    def __call__(self, x: Any) -> Any:
        self.last = "seen" if self.last is None else None
        return self.last, x.sum()


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", [Machine, ByNumber, ByPlace, Cycle, Phases, Crossing, Turns, Rotating, ThereAndBack])
def test_equals_eager(kind, dynamic, before, tmp_path):
    made, eager, again = kind(), kind(), kind()
    for x in CALLS[:before]:
        made(x), eager(x), again(x)
    program = export(made, (CALLS[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    save(program, tmp_path / "program.np2")
    run, loaded = program.module(), load(tmp_path / "program.np2").module()
    for x in CALLS:
        assert outcome(run, (x,)) == outcome(eager, (x,)) == outcome(loaded, (x,))
    assert outcome(made, (CALLS[0],)) == outcome(again, (CALLS[0],))  # the export left the object as it was


class Longer:
    def __init__(self) -> None:
        self.text = ""

    def __call__(self, x: Any) -> Any:
        self.text += "x"
        return x * len(self.text)


def test_a_text_that_every_call_makes_longer_is_refused():
    with pytest.raises(Unsupported) as caught:
        export(Longer(), (CALLS[0],))
    assert caught.value.code == "E112" and "`self.text`" in caught.value.message
