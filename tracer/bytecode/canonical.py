"""The form of canonical instructions; what each of them means is declared with its handler
(`npexport.tracer.interpreter.handlers`).
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Handler(NamedTuple):
    """An exception handler: its first instruction, the depth that the stack is cut to, and whether
    the raising instruction is pushed.
    """

    target: int
    depth: int
    push_instruction: bool


class Instruction(NamedTuple):
    """A canonical instruction: its name, its resolved argument and the byte offset of the
    instruction that it was decoded from.
    """

    name: str
    arg: Any
    offset: int
