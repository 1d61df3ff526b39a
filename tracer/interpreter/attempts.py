"""Instructions inside a ``try`` of the program that raise for some data only: they keep their
operands on the stack, so that they can run again, once for each side.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.program import FACTS, CodeInfo, Handle, Operations

KEEPING: set[Handle] = set()


class Undecided(Unsupported):
    """An operator of the current instruction raises ``error`` if ``truth`` holds, which only the
    data know. ``text`` makes the error's message, or is ``None`` if it cannot be known.

    Only the instruction itself catches this.
    """

    def __init__(self, message: str, truth: Any, error: type[BaseException], text: Callable[[], Any]) -> None:
        super().__init__("E126", message)
        self.truth, self.error, self.text = truth, error, text


class Decided(Unsupported):
    """Raised on the side on which the current instruction raises ``error``, which was ``made`` for
    it.

    Only the instruction itself catches this.
    """

    def __init__(self, message: str, made: BaseException) -> None:
        super().__init__("E126", message)
        self.made = made


class MessageOfData:
    """The message of an operator's exception whose class changes the text of its argument."""

    __slots__ = ("_why",)

    def __init__(self, why: str) -> None:
        self._why = why

    def refuse(self, *args: Any) -> Any:
        raise Unsupported("E126", f"{self._why}, which asks for its message")

    __str__ = __repr__ = refuse


def require_told(values: Iterable[Any]) -> None:
    """Raises ``Unsupported`` (E126) where the program asks an exception for a message of data."""
    for value in values:
        if type(value) is MessageOfData:
            value.refuse()


def made(message: str, error: type[BaseException], text: Any) -> BaseException:
    """The exception that an operator raises on the side that is being run."""
    return error(MessageOfData(message) if text is None else text)


@functools.cache
def keeping_of(handle: Handle) -> Handle:
    """The handler, with the operands kept on the stack until the instruction is done."""

    def keep(vm: Machine, frame: Frame, arg: Any) -> Any:
        stack, mark = list(frame.stack), vm.world.mark()
        found: Undecided | Decided | None = None
        try:
            return handle(vm, frame, arg)
        except (Undecided, Decided) as raised:
            if vm.frame is not frame or vm.world.mark() != mark:
                raise
            found = raised.with_traceback(None)
        finally:
            if vm.world.leaving and type(found) is not Undecided:
                vm.world.leaving = {each for each in vm.world.leaving if each[0] is not frame}
        if isinstance(found, Decided):
            raise found.made
        frame.stack[:] = stack
        vm.world.attempt(vm, frame, found)
        return True

    KEEPING.add(keep)
    return keep


def keeping(info: CodeInfo, everywhere: bool) -> Any:
    """The operations of a code object; those inside a ``try`` keep their operands.

    ``everywhere``: all of them do, since the call itself is in a ``try``.
    """
    kept = info.kept.get(everywhere)
    if kept is None:
        names = [instruction.name for instruction in info.decoded.instructions]
        kept = info.kept[everywhere] = Operations(
            (keeping_of(handle), arg) if FACTS[names[index]].repeats and (everywhere or info.handlers[index] is not None) else (handle, arg)
            for index, (handle, arg) in enumerate(info.ops)
        )
    return kept


def keeps(frame: Frame) -> bool:
    """Whether the current instruction can be run again."""
    return frame.ops[frame.pc - 1][0] in KEEPING


def enter(frame: Frame, back: Frame | None) -> None:
    """Begin a frame that another one called."""
    inside = frame.tried = back is not None and (back.tried or back.info.handlers[back.pc - 1] is not None)
    if inside or frame.info.tries:
        frame.ops = keeping(frame.info, inside)
