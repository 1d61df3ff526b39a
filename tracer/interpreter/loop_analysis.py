"""The loops of a code object, read off its canonical instructions."""

from __future__ import annotations

from types import CodeType
from typing import Any, NamedTuple

from npexport.tracer.bytecode.flow import closure, predecessors
from npexport.tracer.interpreter.flow_graph import resolved, successors
from npexport.tracer.interpreter.program import code_info, of_code


class Loop(NamedTuple):
    """``header``: the first instruction of every iteration. ``members``: all instructions from
    which it is reached again, handlers included.
    """

    header: int
    members: frozenset[int]

    def has(self, code: CodeType, index: int) -> bool:
        """Whether a path that begins at an instruction stays in the loop."""
        return resolved(code, index) in self.members


ITERATES = frozenset({"FOR_ITER", "FOR_COPY"})
"""Instructions that take an item from the iterator on the stack, where it stays meanwhile."""


@of_code
def raising_place(code: CodeType) -> int | None:
    """The instruction with which a loop is left by an exception; ``None`` if there is none."""
    instructions = code_info(code).decoded.instructions
    return next((index for index, each in enumerate(instructions) if each.name == "RAISE_LEFT"), None)


class Exit(NamedTuple):
    """Where a loop is left: the instruction, and the depth of the stack there."""

    place: int
    depth: int

    def cut(self, stack: list[Any]) -> list[Any]:
        """The stack at the exit: the program only drops the rest."""
        return [*stack[: self.depth], *[None] * (self.depth - len(stack))]


_QUIET = frozenset(
    "LOAD_FAST LOAD_CONST STORE_FAST POP_TOP COPY SWAP PUSH_NULL BUILD_TUPLE JUMP JUMP_BACKWARD RETURN_VALUE POP_EXCEPT "
    "LOAD_FAST_AND_CLEAR".split()
)
"""Instructions that never raise, so that no handler is reached from them."""


@of_code
def _after(code: CodeType) -> tuple[tuple[int, ...], ...]:
    """For each instruction, those that may run next, handlers included."""
    info, found = code_info(code), []
    for index, following in enumerate(successors(code)):
        handler = info.handlers[index] if index < len(info.handlers) else None
        if handler is None or info.decoded.instructions[index].name in _QUIET:
            found.append(following)
        else:
            found.append((*following, handler.target))
    return tuple(found)


@of_code
def loops(code: CodeType) -> tuple[Loop, ...]:
    """The loops of the code, innermost first.

    A backward jump makes a loop only if its target dominates it: handlers end with other backward
    jumps, also outside of loops.
    """
    after, tails = _after(code), dict[int, list[int]]()
    before = predecessors(after)
    for index, direct in enumerate(successors(code)):
        for successor in direct:
            if successor <= index:
                tails.setdefault(successor, []).append(index)
    found = []
    for header, ends in tails.items():
        reached = closure([header], after)
        past = closure([0], after, (header,)).keys() - {header}
        again = [end for end in ends if end in reached and end not in past]
        if again:
            found.append(Loop(header, frozenset({header, *closure(again, before, (header,)).keys() & reached.keys()})))
    return _with_one_test(code, sorted(found, key=lambda loop: len(loop.members)))


def _with_one_test(code: CodeType, found: list[Loop]) -> tuple[Loop, ...]:
    """The loop with both copies of its test: the compiler writes the condition of a ``while``
    before the first iteration, where ``continue`` goes, too, and at the end of an iteration.
    Iterations of the loop begin after them.
    """
    for inner in found:
        for outer in found:
            if inner.members < outer.members and outer.header not in inner.members and _is_copied(code, outer, inner):
                rest = [loop for loop in found if loop not in (inner, outer)]
                joined = Loop(inner.header, outer.members)
                return _with_one_test(code, sorted([*rest, joined], key=lambda loop: len(loop.members)))
    return tuple(found)


def _is_copied(code: CodeType, outer: Loop, inner: Loop) -> bool:
    """Whether the inner loop repeats the test that the outer one begins with, and every iteration
    of the outer one passes through the inner one.
    """
    decoded = code_info(code).decoded
    first, where = decoded.instructions[outer.header], decoded.positions(code, outer.header)
    same = [index for index in inner.members if decoded.instructions[index][:2] == first[:2] and decoded.positions(code, index) == where]
    origin = decoded.origin(code, outer.header)  # all that runs for one instruction has its position
    return any(decoded.origin(code, index) != origin for index in same) and every_iteration_passes(code, outer, inner.header)


def left_at(code: CodeType, index: int, depth: int) -> Exit:
    """The exit that begins at an instruction, after jumps and what drops values of the stack."""
    instructions = code_info(code).decoded.instructions
    while True:
        index = resolved(code, index)
        if instructions[index].name != "POP_TOP" or not depth:
            return Exit(index, depth)
        index, depth = index + 1, depth - 1


def loop_of(code: CodeType, place: int, sides: tuple[int, int]) -> tuple[Loop, int] | None:
    """The innermost loop that one side of a branch stays in, or enters, alone; and that side."""
    for loop in loops(code):
        inside = [side for side in sides if loop.has(code, side)]
        if len(inside) == 1 and (place in loop.members or resolved(code, inside[0]) == loop.header):
            return loop, inside[0]
    return None


def innermost(code: CodeType, place: int) -> Loop | None:
    """The innermost loop around an instruction."""
    return next((loop for loop in loops(code) if place in loop.members), None)


def ended_by(code: CodeType, places: list[int], join_point: int | None) -> Loop | None:
    """The innermost loop in which some of these paths go on, if they do not meet in it."""
    for loop in loops(code):
        if any(place in loop.members for place in places):
            return None if join_point in loop.members and all(place in loop.members for place in places) else loop
    return None


def headers_around(code: CodeType, place: int) -> list[int]:
    """The first instructions of all loops around an instruction, the innermost first."""
    return [loop.header for loop in loops(code) if place in loop.members]


@of_code
def is_never_left(code: CodeType, place: int) -> bool:
    """Whether a loop around an instruction has no exit, and raises only what its calls raise."""
    instructions, after = code_info(code).decoded.instructions, _after(code)
    return any(
        not any(instructions[index].name in _RAISES or not loop.members.issuperset(after[index]) for index in loop.members)
        for loop in loops(code)
        if place in loop.members
    )


_RAISES = frozenset({"RAISE_VARARGS", "RERAISE"})


@of_code
def depth_of(code: CodeType, loop: Loop) -> int:
    """The depth of the stack where iterations begin: enclosing blocks' values, and iterators."""
    info = code_info(code)
    block = info.handlers[loop.header]
    copies = info.decoded.around[loop.header] if info.decoded.around else ()
    within = [header for header in (*headers_around(code, loop.header), *copies) if info.handlers[header] == block]
    return (0 if block is None else block.depth) + sum(info.decoded.instructions[header].name in ITERATES for header in within)


@of_code
def every_iteration_passes(code: CodeType, loop: Loop, place: int) -> bool:
    """Whether every iteration that is followed by another one passes an instruction."""
    inside = [tuple(loop.members.intersection(following)) for following in _after(code)]
    return not any(loop.header in inside[index] for index in closure([loop.header], inside, (place,)) if index != place)
