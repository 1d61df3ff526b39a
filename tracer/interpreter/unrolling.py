"""Unrolls loops: the loop's body stands in the function once for each iteration, and behind the
copies stands the loop for those that are left.

A ``for`` loop of a known number of iterations gets such code if data decide whether it goes on and
it cannot be one node, since its iterations differ in more than numbers: it goes over arrays in a
list, say. The function runs with it when the program is exported again, and no branch in it decides
a loop any more. Its iterator is a counter on the stack (``FOR_COPY``), so that each side of a
branch goes on with its own.

Of a loop whose results may be arrays from before it, the first iteration alone gets a copy. That of
a ``while`` loop is plain code.
"""

from __future__ import annotations

import functools
from types import CodeType
from typing import NamedTuple

from npexport.tracer.interpreter.copied_code import Label, Target, Writer, origin_of, own
from npexport.tracer.interpreter.flow_graph import looks_at_variables
from npexport.tracer.interpreter.loop_analysis import Loop, loops
from npexport.tracer.interpreter.program import code_info

MOST_ITERATIONS = 32
"""The largest number of copies of a loop."""
MOST_LOOPS = 16
"""The largest number of loops of a program that are unrolled."""
_MOST_INSTRUCTIONS = 8000


class Copies(NamedTuple):
    """A loop, by its first instruction, and how many copies of its body there are."""

    header: int
    number: int


def copies_of(code: CodeType, loop: Loop, iterations: int) -> Copies | None:
    """How a loop of so many iterations is unrolled, or so many of its iterations; ``None`` if it is
    not, or has been.
    """
    instructions, origin = code_info(code).decoded.instructions, origin_of(code, loop.header)
    if iterations > MOST_ITERATIONS or iterations * len(loop.members) > _MOST_INSTRUCTIONS or looks_at_variables(code):
        return None
    first = "FOR_COPY" if instructions[loop.header].name == "FOR_ITER" else instructions[loop.header].name
    others = [place for place, each in enumerate(instructions) if each.name == first and place != loop.header]
    return None if any(origin_of(code, place) == origin for place in others) else Copies(loop.header, iterations)


def loop_behind(code: CodeType, place: int) -> int:
    """The first instruction of the loop behind the copies of which a ``FOR_COPY`` begins one."""
    instructions, origin = code_info(code).decoded.instructions, origin_of(code, place)
    behind = [index for index in range(place, len(instructions)) if instructions[index].name == "FOR_ITER"]
    return next(index for index in behind if origin_of(code, index) == origin)


class _Writer(Writer):
    """Writes the code of a function with one of its loops unrolled."""

    def __init__(self, code: CodeType, copies: Copies) -> None:
        super().__init__(code)
        self.loop = next(loop for loop in loops(code) if loop.header == copies.header)
        self.number = copies.number

    def insert(self, index: int, target: Target) -> None:
        if index != self.loop.header or self.copies:
            return
        members = sorted(self.loop.members - {index})
        if self.own[index].name != "FOR_ITER":
            self._first([index, *members])
            return
        for number in range(self.number):
            self._iteration(index, members, number)
        self.copies = ()

    def _first(self, members: list[int]) -> None:
        """The first iteration of a ``while`` loop."""
        self.copies, self.loop = (), self.loop._replace(header=-1)  # is not met again
        self.copy(members, lambda index: (0, index) if index in members[1:] else own(index))

    def _iteration(self, header: int, members: list[int], number: int) -> None:
        def target(index: int) -> Label:
            if index == header:
                return own(header) if number + 1 == self.number else (number + 1, header)
            return (number, index) if index in self.loop.members else own(index)

        self.copies = ((number, header),)
        self.at(header, target)
        self.mark((number, header))
        self.add("FOR_COPY", own(self.own[header].arg))
        if members[0] != header + 1:
            self.add("JUMP", target(header + 1))
        self.copy(members, target)


@functools.lru_cache(256)
def unrolled(code: CodeType, copies: Copies) -> CodeType:
    """The code with this loop unrolled."""
    return _Writer(code, copies).write(("unrolled", *copies))
