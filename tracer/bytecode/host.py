"""Host functions whose body is a single instruction of CPython: for what only CPython can do (type parameters, ``except*``)."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from bytecode import ConcreteBytecode, ConcreteInstr

PREP_RERAISE_STAR: tuple[str, int | None] = ("CALL_INTRINSIC_2", 1) if sys.version_info >= (3, 12) else ("PREP_RERAISE_STAR", None)
"""The instruction (name, argument) that ends ``except*``: operands are the original exception and the list of those raised by the handlers."""


def host_instruction(name: str, arg: int | None, operands: int) -> FunctionType:
    """A function of ``operands`` arguments that pushes them, runs the instruction and returns its result."""
    names = tuple(f"operand{number}" for number in range(operands))
    code = ConcreteBytecode()
    code.append(ConcreteInstr("RESUME", 0))
    code.extend(ConcreteInstr("LOAD_FAST", slot) for slot in range(operands))
    code.append(ConcreteInstr(name) if arg is None else ConcreteInstr(name, arg))
    code.append(ConcreteInstr("RETURN_VALUE"))
    code.argcount = operands
    code.varnames = list(names)
    code.flags = (lambda: None).__code__.co_flags
    made: Any = code.to_code(stacksize=operands + 4)
    return FunctionType(made, {})
