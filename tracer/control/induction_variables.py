"""Integers that every iteration of a loop on data makes larger by the same number, or smaller
(``i += 1`` in a ``while`` loop): they never come back to before their first value.

The code of the loop says which integers look so; an iteration that is run on that has to confirm
it. The verifier finds the same in the node (`npexport.ir.invariants`).
"""

from __future__ import annotations

from typing import Any

from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.control.endings import Key
from npexport.tracer.control.results import suppose
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.loop_analysis import Loop
from npexport.tracer.interpreter.operators import sign

_SIGNS = {"+": 1, "-": -1}
_LENGTH = 3
"""How many instructions add a number to a variable."""


class InductionVariables:
    """``steps``: of the variables that look steady, a number of the step's sign; ``wrong``: of
    those that look so and are not; ``doubted``: and were not when the loop was captured before.
    """

    def __init__(self) -> None:
        self.steps: dict[Key, int] = {}
        self.wrong: dict[Key, int] = {}
        self.doubted: dict[Key, int] = {}

    def guess(self, frame: Frame, loop: Loop, carries: dict[Key, Any], unsteady: frozenset[int]) -> None:
        """Find them in the code. ``unsteady``: variables that were not when the loop was captured
        before.
        """
        for key, value in carries.items():
            if key[:2] == (id(frame), 0) and type(value) in (int, SymInt):
                found = {_step(frame, index) for index in loop.members if _binds(frame, index, key[2])}
                step = found.pop() if len(found) == 1 else None
                if step is not None:
                    (self.doubted if key[2] in unsteady else self.steps)[key] = step

    def suppose(self, recorder: Recording, carries: dict[Key, Any], entered: dict[Key, Any]) -> None:
        """Their values in any iteration are not before the first ones."""
        for key, step in self.steps.items():
            if type(now := entered.get(key)) is SymInt:
                suppose(recorder, now >= carries[key] if step > 0 else now <= carries[key], True)

    def are_wrong(self, entered: dict[Key, Any], leaves: dict[Key, Any]) -> bool:
        """Whether one of them has changed by anything but a number of that sign, or one that was
        doubted by such a number.
        """
        looks = self.steps | self.doubted
        changes = {key: leaves[key] - entered[key] for key in looks if type(leaves.get(key)) is type(entered.get(key)) is SymInt}
        steady = {key: step for key, step in looks.items() if key not in entered or _has_sign(changes.get(key), step)}
        more = steady.keys() != self.steps.keys()
        self.wrong |= {key: step for key, step in looks.items() if key not in steady}
        self.steps, self.doubted = steady, {}
        return more


def _binds(frame: Frame, index: int, slot: int) -> bool:
    name, arg, _ = frame.info.decoded.instructions[index]
    return bool(name == "STORE_FAST" and arg == slot)


def _step(frame: Frame, index: int) -> int | None:
    """The sign of what is added to a variable where it is bound; ``None`` if anything else is
    bound there.
    """
    if index < _LENGTH:
        return None
    (load, mine, _), (const, number, _), (operation, row, _) = frame.info.decoded.instructions[index - _LENGTH : index]
    if (load, const, operation) != ("LOAD_FAST", "LOAD_CONST", "BINARY_OP") or mine != frame.info.decoded.instructions[index].arg:
        return None
    return _SIGNS.get(sign(row)) if type(number) is int and number > 0 else None


def _has_sign(change: Any, step: int) -> bool:
    return type(change) is int and change * step > 0
