"""Code that calls somebody before its first instruction, and is otherwise the same: positions,
handlers and constants.

Only CPython 3.11 needs it, and only its instructions are written here: later versions have
``sys.monitoring``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from bytecode import ConcreteBytecode, ConcreteInstr
from bytecode.instr import InstrLocation

_MARK = "npexport: calls before it runs"
_STACK = 2  # what the call takes
_NO_LINE = InstrLocation(None, None, None, None)  # trace functions are told of no further line


def with_prologue(code: CodeType, call: Callable[[], object]) -> CodeType:
    """The code with ``call()`` put before the first instruction of the body.

    Arguments are bound and cells are made by then; of a generator function it is the generator that
    calls. ``call`` is a constant of the code.
    """
    concrete = ConcreteBytecode.from_code(code)
    begin = next(index for index, instr in enumerate(concrete) if instr.name == "RESUME") + 1
    unit = sum(instr.size for instr in concrete[:begin]) // 2
    calling = [_instr("PUSH_NULL"), _instr("LOAD_CONST", len(concrete.consts)), *_cached("PRECALL"), *_cached("CALL"), _instr("POP_TOP")]
    concrete[begin:begin] = calling
    count = sum(instr.size for instr in calling) // 2
    concrete.consts += [call, (_MARK, unit, unit + count)]
    for entry in concrete.exception_table:
        entry.start_offset += count
        entry.stop_offset += count
        entry.target += count
    calling_code: CodeType = concrete.to_code(max(code.co_stacksize, _STACK), compute_exception_stack_depths=False)
    return calling_code


def _instr(name: str, arg: int | None = None) -> ConcreteInstr:
    return ConcreteInstr(name, *([] if arg is None else [arg]), location=_NO_LINE)


def _cached(name: str) -> list[ConcreteInstr]:
    instr = _instr(name, 0)
    return [instr, *[_instr("CACHE", 0)] * instr.use_cache_opcodes()]


def prologue_of(code: CodeType) -> range:
    """The code units of the call that was put into the code."""
    mark = code.co_consts[-1] if code.co_consts else None
    return range(*mark[1:]) if isinstance(mark, tuple) and mark[:1] == (_MARK,) else range(0)
