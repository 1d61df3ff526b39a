"""Finds out what a program does with the set that a comprehension makes, if its code shows all of
it: an expression uses the set at once, or it is bound to one variable all of whose uses are of
these kinds.
"""

from __future__ import annotations

import builtins
import enum
from typing import Any

from npexport.tracer.interpreter.flow_graph import shows_variables
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.loop_analysis import headers_around


class Uses(enum.IntEnum):
    """The most that is asked of the set."""

    ANY = 0  # nothing is known
    MEMBERS = 1  # which members it has, by going over them or taking them out
    COUNT = 2  # how many


_USES = dict.fromkeys("TO_BOOL UNARY_NOT POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_TOP".split(), Uses.COUNT)
_USES |= dict.fromkeys("GET_ITER UNPACK_SEQUENCE LIST_EXTEND CALL_FUNCTION_EX".split(), Uses.MEMBERS)
_FUNCTIONS = {"len": Uses.COUNT} | dict.fromkeys("iter list max min sorted tuple".split(), Uses.MEMBERS)
"""Builtins that are called with the set as their only argument."""
_HOLDING = frozenset({"STORE_FAST", "DELETE_FAST"})


def uses_of_set(frame: Frame) -> Uses:
    """The uses of the set that the comprehension in the frame adds to, at its ``SET_ADD``."""
    instructions, place = frame.info.decoded.instructions, frame.pc - 1
    name, depth, _ = instructions[place]
    if name != "SET_ADD" or depth < 2:
        return Uses.ANY
    headers = headers_around(frame.code, place)[: depth - 1]  # the iterators of the comprehension lie above the set
    if len(headers) < depth - 1 or any(instructions[header].name != "FOR_ITER" for header in headers):
        return Uses.ANY
    return _uses(frame, instructions[headers[-1]].arg, frame.stack[:-depth])


def _uses(frame: Frame, place: int, below: list[Any]) -> Uses:
    """The uses of a set on the stack at the next instruction; ``below``: what is under it."""
    instructions = frame.info.decoded.instructions
    if instructions[place].name == "SWAP":  # variables that the comprehension has put aside come back
        count = instructions[place].arg - 1
        if any(name != "STORE_FAST" for name, _, _ in instructions[place + 1 : place + 1 + count]):
            return Uses.ANY
        place, below = place + 1 + count, below[:-count]
    name, slot, _ = instructions[place]
    if name == "STORE_FAST":
        return _of_variable(frame, slot)
    if name != "RETURN_VALUE":
        return _at(frame, place, next((value for value in reversed(below[-2:]) if value is not NULL), None))
    outer = frame.back
    if outer is None or frame.then is not None or frame.generator is not None:
        return Uses.ANY
    return _uses(outer, outer.pc, outer.stack)


def _of_variable(frame: Frame, slot: int) -> Uses:
    instructions = frame.info.decoded.instructions
    code = frame.code
    if slot >= code.co_nlocals or shows_variables(frame) or frame.info.slots[slot] in code.co_cellvars + code.co_freevars:
        return Uses.ANY
    found = Uses.COUNT
    for place, (name, arg, _) in enumerate(instructions):
        if arg == slot and name == "LOAD_FAST":
            found = min(found, _at(frame, place + 1, _global_before(frame, place)))
        elif arg == slot and "FAST" in name and name not in _HOLDING:
            return Uses.ANY
    return found


def _global_before(frame: Frame, place: int) -> Any:
    """The builtin that is called with the variable, if the instructions before load one."""
    instructions = frame.info.decoded.instructions
    before = {name: arg for name, arg, _ in instructions[max(place - 2, 0) : place]}
    name = before.get("LOAD_GLOBAL") if before.keys() == {"LOAD_GLOBAL", "PUSH_NULL"} else None
    return None if name is None or name in frame.globals else getattr(builtins, name, None)


def _at(frame: Frame, place: int, function: Any) -> Uses:
    """The use by an instruction; ``function``: what it calls, if it is a call."""
    name, arg, _ = frame.info.decoded.instructions[place]
    if name == "CALL" and arg == 1:
        return next((uses for known, uses in _FUNCTIONS.items() if getattr(builtins, known) is function), Uses.ANY)
    if name == "LOAD_METHOD" and arg == "pop":
        return Uses.MEMBERS
    return _USES.get(name, Uses.ANY)
