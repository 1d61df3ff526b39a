"""Copies of code: instructions that stand in other places, and tell where they were copied from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

from npexport.symshapes.errors import Location
from npexport.tracer.bytecode.canonical import Instruction
from npexport.tracer.bytecode.decoder import Decoded
from npexport.tracer.bytecode.flow import ENDS, JUMPS, TARGETS
from npexport.tracer.interpreter.generator_functions import generators_code
from npexport.tracer.interpreter.program import code_info, redefined


class Origin(NamedTuple):
    """The instruction from which another was copied."""

    code: CodeType
    place: int


def origin_of(code: CodeType, index: int) -> Origin:
    """Where an instruction stands in code that the compiler made."""
    code = generators_code(code)
    return Origin(*code_info(code).decoded.origin(code, index))


class Copied(Decoded):
    """Instructions that were copied from those of one code object, or of several.

    ``entries``: for the index of each ``ENTER_GENERATOR``, the generator and its first slot.
    """

    __slots__ = ("entries", "origins")
    entries: dict[int, tuple[Any, int]]
    origins: list[Origin]

    def origin(self, code: CodeType, index: int) -> tuple[CodeType, int]:
        if not 0 <= index < len(self.origins):
            return super().origin(code, index)
        origin = self.origins[index]
        return code_info(origin.code).decoded.origin(*origin)

    def positions(self, code: CodeType, index: int) -> tuple[int | None, int | None, int | None, int | None]:
        if not 0 <= index < len(self.origins):
            return super().positions(code, index)
        origin = self.origins[index]
        return code_info(origin.code).decoded.positions(*origin)

    def location(self, code: CodeType, index: int) -> Location:
        if not 0 <= index < len(self.origins):
            return super().location(code, index)
        origin = self.origins[index]
        return code_info(origin.code).decoded.location(*origin)


Label = tuple[Any, ...]
Target = Callable[[int], Label]
"""Maps the index of an instruction of the function to the label of its copy."""


def own(index: int) -> Label:
    """The label of an instruction's first copy, or its only one."""
    return ("own", index)


class Writer:
    """Writes the code of a function whose instructions stand in other places, or in several."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        decoded = code_info(code).decoded
        self.own, self.own_handlers = decoded.instructions, decoded.handlers
        self.own_entries = decoded.entries if isinstance(decoded, Copied) else {}
        self.own_around = decoded.around or [()] * len(self.own)
        self.slots = list(decoded.slots)
        self.instructions: list[Instruction] = []
        self.handlers: list[Any] = []
        self.origins: list[Origin] = []
        self.around: list[tuple[Label, ...]] = []
        self.entries: dict[int, tuple[Any, int]] = {}
        self.labels: dict[Label, int] = {}
        self.copies: tuple[Label, ...] = ()  # the loops that are being unrolled

    def write(self, mark: Any) -> CodeType:
        """The code; ``mark`` tells it from others that are made of the same function."""
        self.copy(range(len(self.own)), own)
        made, before = self.code.replace(co_consts=(*self.code.co_consts, mark)), code_info(self.code).decoded
        labels = self.labels
        instructions = [Instruction(name, labels[arg] if name in TARGETS else arg, offset) for name, arg, offset in self.instructions]
        decoded = Copied(self.code, instructions, [each and each._replace(target=labels[each.target]) for each in self.handlers])
        decoded.slots, decoded.first_free = tuple(self.slots), before.first_free
        decoded.entries, decoded.origins = self.entries, self.origins
        decoded.around = [tuple([labels[each] for each in loops]) for loops in self.around]
        redefined(made, decoded, {})
        return made

    def add(self, name: str, arg: Any = None) -> None:
        """Append an instruction with the origin of the last one."""
        self.instructions.append(Instruction(name, arg, self.offset))
        self.handlers.append(self.handler)
        self.origins.append(self.origin)
        self.around.append(self.within)

    def mark(self, label: Label) -> None:
        """Give a label to what is appended next."""
        self.labels[label] = len(self.instructions)

    def at(self, index: int, target: Target) -> None:
        """Take the origin and handler of what is appended from an instruction of the function."""
        handler = self.own_handlers[index]
        self.offset, self.origin = self.own[index].offset, Origin(self.code, index)
        self.handler: Any = handler and handler._replace(target=target(handler.target))  # type: ignore[arg-type]
        self.within = (*[target(each) for each in self.own_around[index]], *self.copies)

    def insert(self, index: int, target: Target) -> None:
        """Append what comes before an instruction of the function."""

    def copy(self, indices: Sequence[int], target: Target) -> None:
        """Copy these instructions of the function, with what is inserted among them."""
        for position, index in enumerate(indices):
            self.insert(index, target)
            name, arg, _ = self.own[index]
            self.at(index, target)
            self.mark(target(index))
            if index in self.own_entries:
                self.entries[len(self.instructions)] = self.own_entries[index]
            self.add(name, target(arg) if name in TARGETS else arg)
            if name not in ENDS and name not in JUMPS and list(indices[position + 1 : position + 2]) != [index + 1]:
                self.add("JUMP", target(index + 1))
