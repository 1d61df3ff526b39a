"""Functions that return within their first block: calls of them run without a frame.

Wherever a block would stop, or what it computes raises, the frame is made and goes on at that
instruction, with the variables and the stack as the block left them. So no instruction runs twice
but one that has raised and changed nothing.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter.block_source import Block
from npexport.tracer.interpreter.frame import PUSHED, Continuation, Frame, Machine
from npexport.tracer.interpreter.program import code_info

NAME = "frameless"
"""Of the function of (vm, function, code, fast, then) that the text of such a block defines."""


class Frameless(Block):
    """The source of the first block of a function, for calls without a frame.

    All that is on the stack is held. ``raising``: what begins the frame, by the number that ``at``
    has while something may raise.
    """

    without = frozenset({"LOAD_GLOBAL"})  # it looks at the frame
    returns = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.shown = -1
        self.raising = [self._begin(self.start)]

    def _begin(self, place: int) -> str:
        return f"return begin(vm, fn, code, fast, then, [{', '.join(self.held)}], {place})"

    def put(self) -> list[str]:
        return []  # the frame is begun with it

    def leaving(self) -> list[str]:
        return [self._begin(self.place)]

    def go(self, target: int) -> list[str]:
        return [self._begin(target)]

    def back(self, place: int, target: int) -> list[str]:
        return [self._begin(place)]

    def blame(self) -> None:
        if self.shown != self.place:
            self.lines.append(f"at = {len(self.raising)}")
            self.raising.append(self._begin(self.place))
            self.shown = self.place

    def enter(self, fn: str, args: list[str], rest: list[str]) -> None:
        """A call of another function begins the frame: it has to return to one."""

    def give_back(self) -> None:
        (value,) = self.want(1)
        self.returns = True
        self.lines.append(f"return {value}")

    def text(self, name: str, end: int | None) -> str:
        body = "\n        ".join(["at = 0", *self.lines])
        raised = "\n        ".join([f"if at == {at}:\n            {begin}" for at, begin in enumerate(self.raising)])
        return f"def {name}(vm, fn, code, fast, then):\n    try:\n        {body}\n    except Exception:\n        {raised}"


def begin(vm: Machine, fn: Any, code: Any, fast: list[Any], then: Continuation | None, stack: list[Any], place: int) -> Any:
    """Push the frame of a call that has come to an instruction."""
    frame = Frame(code_info(code), code, fast, fn.__globals__, fn.__builtins__)
    vm.push(frame, then)
    frame.stack, frame.pc = stack, place
    return PUSHED
