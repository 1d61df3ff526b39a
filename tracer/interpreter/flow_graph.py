"""The control-flow graph of a code object over its canonical instructions: successors,
reachability, and which variables are read.

`successors` and `reached` ignore edges to exception handlers; `is_read` includes them.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from npexport.symshapes.errors import Location
from npexport.tracer.bytecode import flow
from npexport.tracer.bytecode.flow import ENDS, JUMPS, SUSPENDS
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.program import FACTS, code_info, of_code

RETURN = -1
"""The index that stands for the end of a function, after every ``return``."""
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_LOOKS_AT_ALL = frozenset({"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"})


@of_code
def successors(code: CodeType) -> tuple[tuple[int, ...], ...]:
    """For each instruction, those that may run next; the last entry is the end of the function."""
    return flow.successors(code_info(code).decoded.instructions)


@of_code
def reached(code: CodeType, start: int, stops: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """The instructions that may run from one on, itself first; paths end at those of ``stops``."""
    following = successors(code)
    found = flow.closure((start,), following, stops)
    found.pop(len(following) - 1, None)
    return tuple(found)


def resolved(code: CodeType, index: int, idle: frozenset[str] = JUMPS) -> int:
    """The first instruction from one on that is not among these: by default jumps are followed."""
    instructions, seen = code_info(code).decoded.instructions, set[int]()
    while index not in seen and instructions[index].name in idle:
        seen.add(index)
        index = instructions[index].arg if instructions[index].name in JUMPS else index + 1
    return index


@of_code
def handler_targets(code: CodeType) -> frozenset[int]:
    """The first instructions of handlers."""
    return frozenset(handler.target for handler in code_info(code).handlers if handler is not None)


@of_code
def _may_end(code: CodeType) -> frozenset[int]:
    """The instructions from which a path, handlers included, returns or suspends the frame."""
    info, following = code_info(code), successors(code)
    handlers = [() if handler is None else (handler.target,) for handler in (*info.handlers, None)]
    before = flow.predecessors([after + handler for after, handler in zip(following, handlers, strict=True)])
    suspending = [index for index, (name, _, _) in enumerate(info.decoded.instructions) if name in SUSPENDS]
    return frozenset(flow.closure([len(following) - 1, *suspending], before))


def may_end(code: CodeType, index: int) -> bool:
    """Whether the frame may return or be suspended from the instruction on."""
    return index in _may_end(code)


# Variables


def _solved(
    code: CodeType,
    start: int,
    meet: Callable[[int, int], int],
    reads: Callable[[str], bool],
    handled: bool,
    idle: frozenset[int] = frozenset(),
) -> tuple[int, ...]:
    """Solve a backward data-flow problem over slots as bits: ``meet`` combines the sets of the
    successors; the slot that an instruction writes is removed, the one that it reads is added.
    ``handled``: include handlers. ``idle``: instructions that do neither.
    """
    info, following = code_info(code), successors(code)
    found = [start] * len(info.decoded.instructions) + [0]
    changed = True
    while changed:
        changed = False
        for index in reversed(range(len(found) - 1)):
            name, arg, _ = info.decoded.instructions[index]
            slots = functools.reduce(meet, [found[successor] for successor in following[index]], start)
            if index in idle:
                pass
            elif name == "STORE_FAST":
                slots &= ~(1 << arg)
            elif reads(name):
                slots |= 1 << arg
            handler = info.handlers[index] if handled else None
            if handler is not None:
                slots |= found[handler.target]
            changed |= slots != found[index]
            found[index] = slots
    return tuple(found)


@of_code
def _live(code: CodeType) -> tuple[int, ...]:
    """For each instruction, the slots that may be read from there on before they are written."""
    return _solved(code, 0, operator.or_, lambda name: FACTS[name].slot, True)


@of_code
def live_slots(code: CodeType, idle: frozenset[int]) -> tuple[frozenset[int], ...]:
    """For each instruction, the slots that may be read from there on before they are written,
    other than by those of ``idle``.
    """
    live = _solved(code, 0, operator.or_, lambda name: FACTS[name].slot, True, idle)
    return tuple([frozenset([slot for slot in range(len(code_info(code).slots)) if slots >> slot & 1]) for slots in live])


@of_code
def bound_slots(code: CodeType, idle: frozenset[int]) -> dict[int, frozenset[int]]:
    """For each instruction, the slots that are bound on every path to it; the instructions of
    ``idle`` neither bind nor unbind.
    """
    info, following = code_info(code), successors(code)
    slots = frozenset(range(len(info.slots)))
    found, todo = {0: frozenset((*range(info.argcount + info.keyword_only), *range(info.first_free, len(slots))))}, [0]
    while todo:
        place = todo.pop()
        name, arg, _ = info.decoded.instructions[place]
        bound = found[place]
        if place not in idle:
            bound = bound | {arg} if name == "STORE_FAST" else bound - {arg} if name in _UNBINDS else bound
        caught = () if (handler := info.handlers[place]) is None else ((handler.target, found[place]),)
        for successor, after in (*[(each, bound) for each in following[place]], *caught):
            if found.get(successor, slots) & after != found.get(successor):
                found[successor] = found.get(successor, slots) & after
                todo += [successor] if successor < len(info.decoded.instructions) else []
    return found


@of_code
def _certain(code: CodeType) -> tuple[int, ...]:
    """For each instruction, the slots that every path to the end reads before it writes them."""
    return _solved(code, -1, operator.and_, lambda name: name == "LOAD_FAST", False)


@of_code
def looks_at_variables(code: CodeType) -> bool:
    """Whether the code may ask for all its variables."""
    return not _LOOKS_AT_ALL.isdisjoint(code.co_names)


def shows_variables(frame: Frame) -> bool:
    """Whether the program may see the variables of the frame other than one by one."""
    return frame.real is not None or looks_at_variables(frame.code)


def is_read(frame: Frame, slot: int, index: int) -> bool:
    """Whether the frame may read the variable from the instruction on; `RETURN`: before it ends."""
    return shows_variables(frame) or (index != RETURN and bool(_live(frame.code)[index] >> slot & 1))


def forget_unread(frame: Frame, holds: Callable[[Any], bool], places: tuple[int, ...], error: Callable[[], Exception]) -> None:
    """Unbind the variables that hold one of these values and that the frame does not read again
    from these instructions on; whoever asks for one all the same gets the error.
    """
    unread = {
        slot: error for slot, value in enumerate(frame.fast) if holds(value) and not any(is_read(frame, slot, index) for index in places)
    }
    for slot in unread:
        frame.fast[slot] = NULL
    if unread:
        frame.poison = {**frame.poison, **unread}


_UNBINDS = frozenset({"DELETE_FAST", "LOAD_FAST_AND_CLEAR"})
_BINDS = frozenset({"STORE_FAST", "DELETE_FAST"})
_LEAVES = ENDS | frozenset("STORE_ATTR STORE_SUBSCR STORE_GLOBAL STORE_NAME STORE_DEREF DELETE_SUBSCR YIELD_VALUE SEND".split())


_TESTS = frozenset({"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"})


class Test(NamedTuple):
    """A test behind another one: where it begins, the truth with which it leads where the other one
    does, and whether its value stays on the stack otherwise.
    """

    place: int
    truth: bool
    stays: bool


def next_test(code: CodeType, start: int, other: int, is_value: bool = False) -> Test | None:
    """The test that ends a straight line of instructions and leads to ``other``, too, as that of
    ``b`` does behind ``a`` in ``if a and b``; ``None`` if there is none, or if the line binds
    anything. ``is_value``: what is tested stands on the stack at ``other``.
    """
    instructions, following = code_info(code).decoded.instructions, successors(code)
    index = start
    while index != other and len(following[index]) == 1 and instructions[index].name not in _LEAVES | _BINDS:
        index = following[index][0]
        if index <= start:
            return None
    name, target, _ = instructions[index]
    if name not in _TESTS:
        return None
    jumps, copies = name == "POP_JUMP_IF_TRUE", index > start and instructions[index - 1][:2] == ("COPY", 1)
    if is_value:
        return Test(index - 1, not jumps, True) if copies and resolved(code, index + 1) == other else None
    if not copies and resolved(code, target) == other:
        return Test(index, jumps, False)
    if copies and instructions[index + 1].name != "POP_TOP":
        return None
    return Test(index - copies, not jumps, copies) if resolved(code, index + 1 + copies) == other else None


def may_raise(code: CodeType, start: int, stops: frozenset[int]) -> bool:
    """Whether there is a ``raise`` on a path from one instruction to the others."""
    instructions = code_info(code).decoded.instructions
    return any(instructions[index].name == "RAISE_VARARGS" for index in reached(code, start, stops) if index not in stops)


def leaves_nothing(frame: Frame, start: int, stop: int) -> bool:
    """Whether every path from one instruction reaches another, and binds nothing that is read from
    there on. Effects of calls are not visible here.
    """
    instructions, following = frame.info.decoded.instructions, successors(frame.code)
    found, todo = set[int](), [start]
    while todo:
        index = todo.pop()
        if index not in found:
            found.add(index)
            if index != stop:
                name, arg, _ = instructions[index]
                if name in _LEAVES or (name in _BINDS and is_read(frame, arg, stop)):
                    return False  # what comes after it, up to the end of the function, is not looked at
                todo += following[index]
    return stop in found


def is_certainly_read(frame: Frame, slot: int, index: int) -> bool:
    """Whether the frame reads the variable from here on, unless it ends with an exception."""
    return index != RETURN and bool(_certain(frame.code)[index] >> slot & 1)


@of_code
def returns_of(code: CodeType) -> frozenset[Location]:
    """Where a function returns what is not a constant; nowhere if a call of it makes a generator or
    a coroutine.
    """
    if code.co_flags & _SUSPENDED:
        return frozenset()
    decoded = code_info(code).decoded
    names = [instruction.name for instruction in decoded.instructions]
    ends = [index for index, pair in enumerate(itertools.pairwise(names), 1) if pair[1] == "RETURN_VALUE" and pair[0] != "LOAD_CONST"]
    return frozenset([decoded.location(code, index) for index in ends])
