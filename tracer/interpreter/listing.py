"""Generator expressions that are gone over at once: what they yield is put into a list in their own
frame, as a list comprehension does, so that their loop is a loop like any other.

Only one that has not begun, and is handed to what goes over it to its end without a look at
anything else (``sum(…)``, ``list(…)``), may be: nobody can tell the difference then.
"""

from __future__ import annotations

import copy
import functools
import inspect
from types import CodeType, GeneratorType
from typing import Any

from npexport.tracer.bytecode.canonical import Instruction
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.calls import CALLERS
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import Continuation, Frame, Machine
from npexport.tracer.interpreter.generators import finish
from npexport.tracer.interpreter.loop_analysis import loops
from npexport.tracer.interpreter.program import CodeInfo, code_info, handle_of


def is_listed(value: Any) -> bool:
    """Whether a value is such a generator, over a counter."""
    if type(value) is not GeneratorType:
        return False
    state = generators.state_of(value)
    if state is None or state.started or state.running or state.over() or state.frame.code.co_name != "<genexpr>":
        return False
    return type(state.frame.fast[0]) is Counting


@functools.lru_cache(256)
def _listing(code: CodeType) -> CodeInfo:
    """The same code, but that its first value of the stack is the list."""
    info, own = CodeInfo(code.replace(co_flags=code.co_flags & ~inspect.CO_GENERATOR)), code_info(code)
    instructions = list(own.decoded.instructions)
    for index, (name, _, offset) in enumerate(instructions):
        on = Instruction("JUMP", index + 1, offset)
        if name == "YIELD_VALUE":
            around = [loop for loop in loops(code) if index in loop.members]
            instructions[index] = Instruction("LIST_APPEND", len(around) + 1, offset)
            instructions[index + 1] = Instruction("JUMP", index + 2, offset)
        elif name == "LOAD_CONST" and instructions[index + 1].name == "RETURN_VALUE":
            instructions[index] = on
    info.decoded = copy.copy(own.decoded)
    info.decoded.instructions = instructions
    info.ops = info.fused = [(handle_of(each.name), each.arg) for each in instructions]
    return info


class Listing:
    """A callable of the VM alone: the list of all that a generator expression yields."""

    __slots__ = ("state",)

    def __init__(self, generator: Any) -> None:
        self.state: Any = generators.state_of(generator)


def _listed(vm: Machine, listing: Listing, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any:
    state = listing.state
    own = state.frame
    frame = Frame(_listing(own.code), own.code, list(own.fast), own.globals, own.builtins)
    frame.stack.append([])
    finish(state)
    return vm.push(frame, then)


CALLERS[Listing] = _listed
