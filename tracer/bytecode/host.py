"""Code that the host runs for the interpreter: single instructions that only CPython can do, and stubs that make real frame objects."""

from __future__ import annotations

import builtins
import dis
import inspect
import sys
from collections.abc import Generator
from types import CodeType, FunctionType

PREP_RERAISE_STAR: tuple[str, int | None] = ("CALL_INTRINSIC_2", 1) if sys.version_info >= (3, 12) else ("PREP_RERAISE_STAR", None)
"""The instruction (name, argument) that ends ``except*``; its operands are the original exception and the list of those raised."""


def host_instruction(name: str, arg: int | None, operands: int) -> FunctionType:
    """A function of ``operands`` arguments that pushes them, runs the instruction and returns its result."""
    steps = [("RESUME", 0), *(("LOAD_FAST", slot) for slot in range(operands)), (name, arg or 0), ("RETURN_VALUE", 0)]
    template = (lambda: None).__code__
    code = template.replace(
        co_argcount=operands,
        co_varnames=tuple(f"operand{number}" for number in range(operands)),
        co_nlocals=operands,
        co_stacksize=operands + 4,
        co_code=b"".join(bytes((dis.opmap[step], value)) for step, value in steps),
    )
    return FunctionType(code, {"__builtins__": builtins})


_NOP = bytes((dis.opmap["NOP"], 0))


def _stub() -> Generator[None, None, None]:
    yield


def frame_stub(code: CodeType) -> CodeType:
    """Code with the names and lines of ``code``; ``eval`` of it gives a generator: its frame has no caller and keeps nothing alive.

    It is as long as ``code``: CPython 3.11, when it traces, writes one entry for every instruction of the line table.
    """
    own = _stub.__code__.co_code
    return _stub.__code__.replace(
        co_code=own + _NOP * ((len(code.co_code) - len(own)) // len(_NOP)),
        co_flags=inspect.CO_GENERATOR,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=code.co_linetable,
    )
