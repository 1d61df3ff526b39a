"""Compiles blocks of hot instructions to Python functions.

A loop over numbers spends its time between its instructions. Once a loop has made many iterations,
those of its instructions that only move values and compute with builtin scalars are written as
Python source, one basic block at a time: consecutive instructions that are entered at the first
only and share one exception handler.

A block does what its instructions do one by one, or stops before one of them, whose own handler
goes on: inside a ``try`` of the program, the one that keeps its operands. It stops before whatever
could run Python or ask the world: operands other than builtin scalars, iterators and containers of
other classes, functions that are not known to compute with scalars alone, unbound variables. So
only an exception can reveal where in a block the program is: ``frame.pc`` is set before anything
that may raise.

The functions consist of fixed text, numbered names and bound constants.
"""

from __future__ import annotations

import os
from inspect import CO_OPTIMIZED
from types import FunctionType, MethodType
from typing import Any

from npexport.tracer.bytecode.flow import TARGETS
from npexport.tracer.interpreter import block_calls, block_values  # noqa: F401 (their writers register themselves)
from npexport.tracer.interpreter.attempts import keeping_of
from npexport.tracer.interpreter.block_source import WRITERS, Block, Full
from npexport.tracer.interpreter.calls import enter_plain
from npexport.tracer.interpreter.frame import NULL, PUSHED
from npexport.tracer.interpreter.frameless import NAME, Frameless, begin
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.operators import BUILTIN_ITERATORS, OF_SCALARS, SCALARS
from npexport.tracer.interpreter.program import HANDLERS, CodeInfo, Operations

OFTEN = 100
"""The number of calls of a function, or of iterations of its loops that are not compiled yet, after
which they are compiled.
"""

_FILE = os.path.join(os.path.dirname(__file__), "<blocks>")  # tracebacks pass over it, as over the interpreter
_SHORTEST = 2  # instructions that a block is worth
_LONGEST = 500  # of functions that are called often


def _write(block: Block, leaders: set[int]) -> tuple[int, bool]:
    """Write a block, or what follows the jump that it begins with; the instruction after it, and
    whether its last one jumps.

    A ``yield`` may have a handler of its own: what is raised there is raised later.
    """
    info, ops = block.info, block.ops
    instructions, handler, place = info.decoded.instructions, info.handlers[block.start], block.first
    while place < len(ops) and (place == block.first or place not in leaders):
        name, arg, _ = instructions[place]
        if info.handlers[place] is not handler and name != "YIELD_VALUE":
            break
        write = WRITERS.get(name)
        if write is None or name in block.without or ops[place][0] not in (HANDLERS[name], keeping_of(HANDLERS[name])):
            break
        block.place = place
        try:
            ends = write(block, arg)
        except Full:
            break
        place += 1
        if ends:
            return place, True
        if name == "CALL":  # where another function returns to
            break
    return place, False


def _leaders(info: CodeInfo) -> set[int]:
    """Where instructions are entered from elsewhere, by jumps or exceptions."""
    targets = {arg for name, arg, _ in info.decoded.instructions if name in TARGETS}
    return targets | {handler.target for handler in info.handlers if handler is not None}


def _reach(info: CodeInfo, place: int) -> range:
    """The instructions of the loop whose iterations end at a ``JUMP_BACKWARD``.

    The backward jump of a conditional jump stands behind all other instructions.
    """
    instructions = info.decoded.instructions
    _, first, offset = instructions[place]
    last = next((index for index, each in enumerate(instructions) if each.offset == offset and each.arg == place), place)
    return range(first, last + 1)


def may_write(ops: Operations, place: int) -> bool:
    """Whether the block of an instruction is missing."""
    return ops.fused is None or ops.fused[place] is ops[place]


def write_loop(info: CodeInfo, ops: Operations, place: int) -> None:
    """Write the blocks of the loop whose iterations end at this ``JUMP_BACKWARD``."""
    _write_blocks(info, ops, _reach(info, place), range(place, place + 1))


def write_function(info: CodeInfo, ops: Operations) -> None:
    """Write the blocks of all instructions, unless there are too many."""
    if len(ops) <= _LONGEST:
        _write_blocks(info, ops, range(len(ops)))
        if not info.is_generator and info.flags & CO_OPTIMIZED:
            info.frameless = _frameless(info)


def _frameless(info: CodeInfo) -> Any:
    """What runs a call without a frame; ``None`` if the first block of the function does not
    return.
    """
    names: dict[str, Any] = {"__name__": __name__, **_TABLES}
    block = Frameless(info, info.ops, 0, names)
    _write(block, _leaders(info))
    if not block.returns:
        return None
    exec(compile(block.text(NAME, None), _FILE, "exec"), names)
    return names[NAME]


def _write_blocks(info: CodeInfo, ops: Operations, *stretches: range) -> None:
    leaders, texts, found = _leaders(info), [], {}
    names: dict[str, Any] = {"__name__": __name__, **_TABLES}
    for stretch in stretches:
        at = stretch.start
        while at in stretch:
            block = Block(info, ops, at, names)
            after, jumps = _write(block, leaders)
            jumped = block.first != at
            if after - block.first + jumped >= min(_SHORTEST, len(stretch)):
                found[at] = f"block{at}"
                texts.append(block.text(found[at], None if jumps else after))
            waits = info.decoded.instructions[at].name in ("FOR_ITER", "SEND")  # for another frame, perhaps: it goes on behind
            at = at + 1 if waits or jumped else max(after, at + 1)
    exec(compile("\n".join(texts), _FILE, "exec"), names)
    ops.fused = [(names[found[at]], None) if at in found else op for at, op in enumerate(ops.fused or ops)]


_TABLES = {
    "NULL": NULL,
    "SCALARS": SCALARS,
    "OF_SCALARS": OF_SCALARS,
    "NATIVE_TYPES": NATIVE_TYPES,
    "BUILTIN_ITERATORS": BUILTIN_ITERATORS,
    "FunctionType": FunctionType,
    "MethodType": MethodType,
    "PUSHED": PUSHED,
    "enter_plain": enter_plain,
    "begin": begin,
}
