"""Calls of a function by itself: where they stand, and what is read after them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from npexport.tracer.bytecode.canonical import Instruction
from npexport.tracer.bytecode.flow import BRANCHES
from npexport.tracer.interpreter.flow_graph import bound_slots, live_slots, looks_at_variables, resolved, successors
from npexport.tracer.interpreter.loop_analysis import ITERATES, innermost, loops
from npexport.tracer.interpreter.program import FACTS, code_info, of_code

_VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
MOST_CALLS = 8
"""The largest number of calls of itself of such a function."""
_MOVES = {
    **dict.fromkeys(("LOAD_FAST", "LOAD_CONST", "LOAD_DEREF", "LOAD_CLOSURE", "PUSH_NULL", "LOAD_FAST_AND_CLEAR"), (0, 1)),
    **dict.fromkeys(("STORE_FAST", "STORE_DEREF", "POP_TOP"), (1, 0)),
    **dict.fromkeys(BRANCHES - {"FOR_ITER", "FOR_COPY"}, (1, 0)),
    **dict.fromkeys(("JUMP", "JUMP_BACKWARD", "DELETE_FAST", "MAKE_CELL"), (0, 0)),
    **dict.fromkeys(("TO_BOOL", "UNARY_NOT", "LIST_TO_TUPLE"), (1, 1)),
    "IS_OP": (2, 1),
}
_POPPED: dict[str, Callable[[int], int]] = {
    **dict.fromkeys(("BUILD_TUPLE", "BUILD_LIST"), int),
    "BUILD_SLICE": lambda count: count if type(count) is int else 3,
    "BUILD_CONST_KEY_MAP": lambda count: count + 1,
    "MAKE_FUNCTION": lambda flags: flags.bit_count() + 1,
}
_MIXED = -1
"""The place of what made a value, if that depends on the path."""
_NAMES = frozenset({"LOAD_GLOBAL", "LOAD_DEREF"})
"""Instructions that load what is defined outside of the function."""
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def can_run_again(code: CodeType) -> bool:
    """Whether a call may use the variables of another one."""
    info = code_info(code)
    if info.host or info.is_generator or not code.co_flags & inspect.CO_OPTIMIZED:
        return False
    return not (code.co_flags & _VARIABLE or code.co_cellvars or looks_at_variables(code))


@of_code
def tail_calls(code: CodeType) -> dict[int, Any]:
    """The calls whose results the function returns as they are, by the instructions' indices; none
    if the variables of two calls may exist at the same time.
    """
    info = code_info(code)
    if not can_run_again(code):
        return {}
    iterated = {place for loop in loops(code) if info.decoded.instructions[loop.header].name == "FOR_ITER" for place in loop.members}
    return {
        index: each
        for index, each in enumerate(info.decoded.instructions)
        if each.name in ("CALL", "CALL_KW") and index not in iterated and info.handlers[index] is None and _returns(code, index + 1)
    }


def _returns(code: CodeType, index: int) -> bool:
    instructions = code_info(code).decoded.instructions
    place = resolved(code, index)
    return place < len(instructions) and instructions[place].name == "RETURN_VALUE"


class Same(NamedTuple):
    """What is to be the same below all calls, or they are made as usual: by the instruction that
    loads it, and which of its values it is.
    """

    place: int
    part: int

    @property
    def name(self) -> str:
        """The name of the variable that keeps it."""
        return f"(loaded by {self.place}, {self.part})"


Value = Instruction | Same | None
"""A value on the stack below a call: one that an instruction gives again, one that is to be the
same, or one that differs from call to call.
"""


class Call(NamedTuple):
    """A call of the function by itself, by its instruction.

    ``saved``: the variables that are read after it. ``below``: the values below it on the stack.
    """

    place: int
    instruction: tuple[str, Any]
    saved: tuple[int, ...]
    below: tuple[Value, ...]


@of_code
def _stacks(code: CodeType) -> dict[int, tuple[int, ...]]:
    """For each instruction, the instructions that made the values on the stack before it runs, as
    far as the effects of the instructions before it are known.
    """
    instructions, following = code_info(code).decoded.instructions, successors(code)
    found, todo = dict[int, tuple[int, ...]]({0: ()}), [0]
    while todo:
        index = todo.pop()
        for successor in following[index]:
            stack = _after(instructions[index], index, found[index], successor)
            before = found.get(successor, stack)
            if stack is None or before is None or len(stack) != len(before):
                continue
            merged = tuple([one if one == other else _MIXED for one, other in zip(before, stack, strict=True)])
            if found.get(successor) != merged:
                found[successor] = merged
                todo.append(successor)
    return found


def _after(instruction: Instruction, index: int, stack: tuple[int, ...], successor: int) -> tuple[int, ...] | None:
    name, arg, _ = instruction
    if name == "COPY":
        return (*stack, stack[-arg])
    if name == "SWAP":
        values = list(stack)
        values[-1], values[-arg] = values[-arg], values[-1]
        return tuple(values)
    if name in ITERATES:
        return stack[:-1] if successor == arg else (*stack, index)
    effect = (_POPPED[name](arg), 1) if name in _POPPED else _MOVES.get(name) or FACTS[name].stack_effect(arg)
    if effect is None or effect[0] > len(stack):
        return None
    return (*stack[: len(stack) - effect[0]], *[index] * effect[1])


@of_code
def kept(code: CodeType) -> frozenset[int]:
    """The parameters that the function binds nowhere and passes on as they are where it calls
    itself.
    """
    info, found = code_info(code), set(range(code.co_argcount + code.co_kwonlyargcount))
    stacks, instructions = _stacks(code), info.decoded.instructions
    found -= {arg for name, arg, _ in instructions if name in ("STORE_FAST", "DELETE_FAST", "LOAD_FAST_AND_CLEAR")}
    for index, (start, names) in _own(code, stacks).items():
        passed, given = stacks[index][start:], dict[int, int]()
        methods = passed[0] != _MIXED and instructions[passed[0]].name == "LOAD_METHOD"
        if methods:
            given[0] = stacks[passed[0]][-1]
        values = passed[2:]
        given.update(enumerate(values[: len(values) - len(names)], int(methods)))
        given.update((info.keywords.get(name, -1), value) for name, value in zip(names, values[len(values) - len(names) :], strict=True))
        found = {slot for slot in found if given.get(slot, _MIXED) != _MIXED and instructions[given[slot]][:2] == ("LOAD_FAST", slot)}
    return frozenset(found)


def _own(code: CodeType, stacks: dict[int, tuple[int, ...]]) -> dict[int, tuple[int, tuple[str, ...]]]:
    """The calls of the function by itself, as names tell: where on the stack each begins, and the
    names of its arguments.
    """
    info, found = code_info(code), {}
    for index, (name, arg, _) in enumerate(info.decoded.instructions):
        if name in ("CALL", "CALL_KW") and index in stacks:
            count, names = (arg, ()) if name == "CALL" else arg
            start = len(stacks[index]) - count - 2
            if any(_is_named(code, made) for made in stacks[index][start : start + 2]):
                found[index] = start, names
    return found


def _is_named(code: CodeType, made: int) -> bool:
    """Whether an instruction loads what has the function's name."""
    info = code_info(code)
    name, arg, _ = info.decoded.instructions[made]
    return made != _MIXED and name in _NAMES | {"LOAD_METHOD"} and code.co_name == (info.slots[arg] if name == "LOAD_DEREF" else arg)


def _idle(code: CodeType, stacks: dict[int, tuple[int, ...]]) -> frozenset[int]:
    """The instructions that put a variable aside while a comprehension uses its name, and back;
    and those that bind one where what is bound is not known.
    """
    instructions = code_info(code).decoded.instructions
    aside = {index for index, each in enumerate(instructions) if each.name == "LOAD_FAST_AND_CLEAR"}
    binding = [index for index, each in enumerate(instructions) if each.name == "STORE_FAST"]
    return frozenset(aside.union(index for index in binding if index not in stacks or stacks[index][-1] in aside))


def _value(code: CodeType, stacks: dict[int, tuple[int, ...]], stack: tuple[int, ...], depth: int, stay: frozenset[int]) -> Value:
    """What a value on the stack is."""
    made, instructions = stack[depth], code_info(code).decoded.instructions
    if made == _MIXED:
        return None
    each = instructions[made]
    if each.name in ("LOAD_CONST", "PUSH_NULL") or (each.name == "LOAD_FAST" and each.arg in stay):
        return each
    if each.name in _NAMES:
        return Same(made, 0)
    owner = stacks[made][-1] if each.name in _ATTRIBUTES else _MIXED
    return Same(made, int(stack[depth - 1] == made)) if owner != _MIXED and instructions[owner].name in _NAMES else None


def loading(code: CodeType, place: int) -> tuple[Instruction, ...]:
    """The instructions that load what is to be the same below all calls."""
    each = code_info(code).decoded.instructions[place]
    return (code_info(code).decoded.instructions[_stacks(code)[place][-1]], each) if each.name in _ATTRIBUTES else (each,)


def values_of(instructions: tuple[Instruction, ...]) -> int:
    """How many values they load."""
    return 2 if instructions[-1].name == "LOAD_METHOD" else 1


@of_code
def nested_calls(code: CodeType) -> tuple[Call, ...]:
    """The calls of the function by itself, as names tell; none if one of them stands where it
    cannot be taken apart.
    """
    info = code_info(code)
    if not can_run_again(code):
        return ()
    stacks, instructions, found = _stacks(code), info.decoded.instructions, list[Call]()
    own_calls = _own(code, stacks)
    stay = kept(code) | frozenset(range(info.first_free, len(info.slots)))
    idle = _idle(code, stacks)
    live, bound = live_slots(code, idle), bound_slots(code, idle)
    for index, (start, _) in own_calls.items():
        saved = live[index + 1] - stay
        if info.handlers[index] is not None or innermost(code, index) is not None or not saved <= bound[index]:
            return ()
        below = tuple([_value(code, stacks, stacks[index], depth, stay) for depth in range(start)])
        found.append(Call(index, instructions[index][:2], tuple(sorted(saved)), below))
    return tuple(found) if len(found) <= MOST_CALLS and not own_calls.keys() <= tail_calls(code).keys() else ()
