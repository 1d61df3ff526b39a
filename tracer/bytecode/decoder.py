"""Decodes a code object into canonical instructions with resolved jumps, exception handlers
and positions.
"""

from __future__ import annotations

import inspect
from types import CodeType
from typing import Any

from bytecode import ConcreteBytecode, ConcreteInstr

from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.bytecode.canonical import Handler, Instruction
from npexport.tracer.bytecode.opcodes import DECODED, IGNORED, Site, Target
from npexport.tracer.bytecode.prologue import prologue_of
from npexport.tracer.bytecode.rotation import rotate
from npexport.tracer.bytecode.spans import location

_CONDITIONAL = {
    "POP_JUMP_IF_TRUE",
    "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_NONE",
    "POP_JUMP_IF_NOT_NONE",
}
_TESTS_TRUTH = _CONDITIONAL | {"UNARY_NOT"}
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Decoded:
    """A code object in canonical form.

    ``instructions`` and ``handlers`` run in parallel: the handler of an instruction is where its
    exceptions go, or ``None``. ``slots`` names the local variables by slot (locals, then cells that
    are not locals, then free variables) and ``first_free`` is the slot of the first free variable.
    ``around``: for each instruction, the ``FOR_COPY`` of the unrolled loops that it belongs to,
    whose iterators are on the stack; empty in code that the compiler made.
    """

    __slots__ = ("__weakref__", "_locations", "_positions", "around", "first_free", "handlers", "instructions", "slots")

    def __init__(self, code: CodeType, instructions: list[Instruction], handlers: list[Handler | None]) -> None:
        self.instructions = instructions
        self.handlers = handlers
        self.slots = (*code.co_varnames, *(name for name in code.co_cellvars if name not in code.co_varnames), *code.co_freevars)
        self.first_free = len(self.slots) - len(code.co_freevars)
        self.around: list[tuple[int, ...]] = []
        self._positions: list[tuple[int | None, int | None, int | None, int | None]] | None = None
        self._locations: dict[int, Location] = {}

    def offset(self, index: int) -> int:
        """The byte offset of the opcode that an instruction was decoded from (``tb_lasti``)."""
        return self.instructions[index].offset if 0 <= index < len(self.instructions) else 0

    def origin(self, code: CodeType, index: int) -> tuple[CodeType, int]:
        """The code that the compiler made, and the instruction in it, that an instruction stands
        for.
        """
        return code, index

    def positions(self, code: CodeType, index: int) -> tuple[int | None, int | None, int | None, int | None]:
        """(line, end line, column, end column) as ``co_positions`` gives them."""
        if self._positions is None:
            self._positions = list(code.co_positions())
        unit = self.offset(index) // 2
        return self._positions[unit] if unit < len(self._positions) else (None, None, None, None)

    def location(self, code: CodeType, index: int) -> Location:
        """The source span of an instruction; made once."""
        found = self._locations.get(index)
        if found is None:
            found = self._locations[index] = location(code, self.positions(code, index))
        return found


def decode(code: CodeType) -> Decoded:
    """The canonical form of ``code``. Raises ``Unsupported`` (E102)."""
    concrete = ConcreteBytecode.from_code(code)
    opcodes, units = _opcodes(concrete, prologue_of(code))
    order = {unit: position for position, unit in enumerate(units)}
    names = [(opcode.name, opcode.arg if isinstance(opcode.arg, int) else 0) for opcode in opcodes]
    instructions: list[Instruction] = []
    starts = []  # canonical index of each opcode
    for position, (opcode, unit) in enumerate(zip(opcodes, units, strict=True)):
        starts.append(len(instructions))
        offset = unit * 2 + opcode.size - 2  # the opcode itself, behind its EXTENDED_ARGs
        for name, arg in _canonical(code, names, position, opcode.get_jump_target(unit)):
            instructions.append(Instruction(name, arg, offset))
    starts.append(len(instructions))
    handlers = _handlers(concrete, units, starts, order, len(instructions))
    _resolve(instructions, handlers, starts, order)
    rotate(instructions, handlers)
    _end_loops(code, instructions, handlers)
    return Decoded(code, instructions, handlers)


def _end_loops(code: CodeType, instructions: list[Instruction], handlers: list[Handler | None]) -> None:
    """Append the instruction with which a captured loop is left by an exception, which no path of
    the program reaches; it stands in the line of the first loop.
    """
    jump = next((each for each in instructions if each.name == "JUMP_BACKWARD"), None)
    if jump is not None and not code.co_flags & _SUSPENDED:
        instructions.append(Instruction("RAISE_LEFT", None, instructions[jump.arg].offset))
        handlers.append(None)


def _opcodes(concrete: ConcreteBytecode, absent: range) -> tuple[list[ConcreteInstr], list[int]]:
    """The opcodes without caches, and the code unit where each (with EXTENDED_ARGs) begins; those
    at the ``absent`` units are not the program's.
    """
    opcodes: list[ConcreteInstr] = []
    units: list[int] = []
    unit = caches = 0
    for instr in concrete:
        if instr.name == "CACHE" and caches:
            caches -= 1
        elif unit in absent:
            caches = instr.use_cache_opcodes()
        else:
            opcodes.append(instr)
            units.append(unit)
            caches = instr.use_cache_opcodes()
        unit += instr.size // 2
    return opcodes, units


def _canonical(code: CodeType, names: list[tuple[str, int]], position: int, target: int | None) -> list[tuple[str, Any]]:
    name, arg = names[position]
    before = names[position - 1] if position else None
    after = names[position + 1] if position + 1 < len(names) else None
    if name in IGNORED or _folded(name, before, after):
        return []
    if name == "CALL" and before is not None and before[0] == "PRECALL":
        before = names[position - 2]
    if name == "MAKE_FUNCTION" and after is not None and after[0] == "SET_FUNCTION_ATTRIBUTE":
        return [("MAKE_FUNCTION", _attribute_flags(names, position + 1))]
    row = DECODED.get(name)
    if row is None:
        raise Unsupported("E102", f"the instruction {name} of {code.co_qualname!r} is not one that the compiler makes for functions")
    if isinstance(row, str):
        return [(row, arg)]
    return row(Site(code, arg, target, before, after))


def _folded(name: str, before: tuple[str, int] | None, after: tuple[str, int] | None) -> bool:
    """Whether a neighbour does the opcode's work: truth tests before instructions that test truth,
    keyword names, the generator's first POP_TOP, the marker of absent keywords, and what moves and
    calls the methods of a context manager.
    """
    if name in ("COPY", "SWAP"):
        return "LOAD_SPECIAL" in (before and before[0], after and after[0])
    if name == "CALL":
        return before is not None and before[0] == "LOAD_SPECIAL"
    if name == "PUSH_NULL":
        return after is not None and after[0] == "CALL_FUNCTION_EX"
    if name == "TO_BOOL":
        return after is not None and (after[0] in _TESTS_TRUTH)
    if name == "LOAD_CONST":
        return after is not None and after[0] == "CALL_KW"
    return name == "POP_TOP" and before is not None and before[0] == "RETURN_GENERATOR"


def _attribute_flags(names: list[tuple[str, int]], position: int) -> int:
    flags = 0
    while position < len(names) and names[position][0] == "SET_FUNCTION_ATTRIBUTE":
        flags |= names[position][1]
        position += 1
    return flags


def _handlers(concrete: ConcreteBytecode, units: list[int], starts: list[int], order: dict[int, int], size: int) -> list[Handler | None]:
    """The exception table, spread over the instructions.

    Its entries are disjoint: at most one covers an instruction.
    """
    handlers: list[Handler | None] = [None] * size
    if not concrete.exception_table:
        return handlers
    by_unit: list[Handler | None] = [None] * (units[-1] + 1)
    for entry in concrete.exception_table:
        handler = Handler(starts[order[entry.target]], entry.stack_depth, entry.push_lasti)
        stop = min(entry.stop_offset + 1, len(by_unit))
        by_unit[entry.start_offset : stop] = [handler] * (stop - entry.start_offset)
    for position, unit in enumerate(units):
        handler_here = by_unit[unit]
        if handler_here is not None:
            for index in range(starts[position], starts[position + 1]):
                handlers[index] = handler_here
    return handlers


def _resolve(instructions: list[Instruction], handlers: list[Handler | None], starts: list[int], order: dict[int, int]) -> None:
    """Turn targets into indices.

    Conditional jumps backwards (3.11) go through a JUMP_BACKWARD: every iteration of a loop passes
    one.
    """
    for index in range(len(instructions)):
        name, arg, offset = instructions[index]
        if not isinstance(arg, Target):
            continue
        target = starts[order[arg.unit] + arg.skip]
        if name in _CONDITIONAL and target <= index:
            instructions.append(Instruction("JUMP_BACKWARD", target, offset))
            handlers.append(handlers[index])
            target = len(instructions) - 1
        instructions[index] = Instruction(name, target, offset)
