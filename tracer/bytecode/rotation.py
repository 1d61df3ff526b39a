"""Rotates loops that test more than once before their body: the tests stand both before the loop
and at its end.

CPython's compiler wrote every ``while`` this way until 3.13, but never a ``while True`` that begins
with tests and breaks. A rotated loop is left only at the end of an iteration, when the whole body
has run (loop inversion: Allen and Cocke, A Catalogue of Optimizing Transformations, 1971).
"""

from __future__ import annotations

from npexport.tracer.bytecode.canonical import Handler, Instruction
from npexport.tracer.bytecode.flow import closure, predecessors, successors

_TESTS = frozenset(
    "LOAD_CONST LOAD_FAST LOAD_DEREF LOAD_GLOBAL LOAD_NAME LOAD_ATTR LOAD_METHOD LOAD_SUPER_ATTR LOAD_SUPER_METHOD PUSH_NULL COPY SWAP "
    "BINARY_SUBSCR BUILD_SLICE BUILD_TUPLE BINARY_OP COMPARE_OP IS_OP CONTAINS_OP UNARY_OP UNARY_NOT TO_BOOL CALL CALL_KW".split()
)
_INVERSE = {
    "POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE",
}
_LEAST = 2
"""The smallest number of tests for which a loop is rotated: with a single one it is left in one
place already.
"""


def rotate(instructions: list[Instruction], handlers: list[Handler | None]) -> None:
    """Rotate such loops in place: jumps back to the tests go through a copy of them at the end of
    the code, with their offsets and handlers.
    """
    for header in sorted({arg for _, arg in _back_edges(instructions)}):
        backward = [index for index, target in _back_edges(instructions) if target == header]
        tests, body = _tests(instructions, handlers, header, backward)
        if not tests:
            continue
        for index in backward:
            instructions[index] = instructions[index]._replace(name="JUMP", arg=len(instructions))
        for index, following in zip(tests, (*tests[1:], body), strict=True):
            name, arg, offset = instructions[index]
            falls_out = name in _INVERSE and arg == following
            instructions.append(Instruction(_INVERSE[name], index + 1, offset) if falls_out else instructions[index])
            handlers.append(handlers[index])
        instructions.append(Instruction("JUMP_BACKWARD", body, instructions[tests[-1]].offset))
        handlers.append(handlers[tests[-1]])


def _back_edges(instructions: list[Instruction]) -> list[tuple[int, int]]:
    return [(index, arg) for index, (name, arg, _) in enumerate(instructions) if name == "JUMP_BACKWARD" and arg <= index]


def _tests(instructions: list[Instruction], handlers: list[Handler | None], header: int, backward: list[int]) -> tuple[list[int], int]:
    """The instructions of the tests, in the order in which an iteration runs them, and the first
    one after them; none if there are too few tests.
    """
    members = None
    walked: list[int] = []
    tests, body, exits, index = 0, header, 0, header
    while index not in walked:
        name, arg, _ = instructions[index]
        if name in _INVERSE:
            members = _members(instructions, handlers, header, backward) if members is None else members
            inside = [successor for successor in (index + 1, arg) if successor in members]
            if len(inside) != 1:
                break
            walked.append(index)
            tests, body, exits, index = len(walked), inside[0], exits + 1, inside[0]
        elif name in _TESTS or (name == "STORE_FAST" and walked and instructions[walked[-1]].name == "COPY"):
            walked.append(index)
            index += 1
        else:
            break
    return (walked[:tests], body) if exits >= _LEAST else ([], body)


def _members(instructions: list[Instruction], handlers: list[Handler | None], header: int, backward: list[int]) -> set[int]:
    """The natural loop without its header: what leads to its end."""
    targets = [() if handler is None else (handler.target,) for handler in handlers]
    edges = [(*following, *target) for following, target in zip(successors(instructions), (*targets, ()), strict=True)]
    return {header, *closure(backward, predecessors(edges), (header,))}
