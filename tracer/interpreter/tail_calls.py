"""Functions that end by calling themselves run as loops: such a call binds the variables anew and
goes back to the beginning (`TAIL_CALL`). So a recursion that ends as data decide is a loop on data
like any other.

A function gets such code if calls of it were nested where data decide, and the function that it was
written as could not be exported; it runs with it when the program is exported again. The call is
one of the function itself only if what is called turns out to be that when it runs; any other is
made as usual. The loop counts its iterations, and ends with the error of a recursion that is too
deep.
"""

from __future__ import annotations

import functools
from types import CodeType, FunctionType, MethodType
from typing import Any

from npexport.tracer.interpreter.binding import bind
from npexport.tracer.interpreter.copied_code import Label, Target, Writer, origin_of
from npexport.tracer.interpreter.frame import NULL, Frame, Machine
from npexport.tracer.interpreter.own_calls import nested_calls, tail_calls
from npexport.tracer.interpreter.program import code_info

_AGAIN: Label = ("again",)
_ADD = 0  # of ``BINARY_OP``
_TOO_DEEP = "maximum recursion depth exceeded"


def note_recursion(recursive: dict[CodeType, bool], frame: Any, sized: bool = False) -> None:
    """Note the functions that call themselves, if calls of them are nested. ``sized``: whether
    sizes decide how deep they are.
    """
    seen = set[CodeType]()
    while type(frame) is Frame:
        code = origin_of(frame.code, 0).code
        if code in seen and (tail_calls(code) or nested_calls(code)):
            recursive[code] = recursive.get(code, False) or sized
        seen.add(code)
        frame = frame.back


class _Writer(Writer):
    """Writes the code of a function with loops in place of calls of itself."""

    def __init__(self, code: CodeType, limit: int) -> None:
        super().__init__(code)
        self.calls, self.limit, self.depth = tail_calls(code), limit, len(self.slots)
        self.slots.append("(the depth)")
        self.own = list(self.own)
        for index in self.calls:
            self.own[index] = self.own[index]._replace(name="TAIL_CALL", arg=other(index))

    def insert(self, index: int, target: Target) -> None:
        if index == 0:
            self.at(index, target)
            self.add("LOAD_CONST", 0)
            self.add("STORE_FAST", self.depth)
            self.mark(_AGAIN)
            self._go_deeper()
        call = self.calls.get(index - 1)
        if call is None:
            return
        self.at(index - 1, target)
        info = code_info(self.code)
        count = info.argcount + info.keyword_only
        for slot in reversed(range(count)):
            self.add("STORE_FAST", slot)
        for slot in range(count, info.first_free):
            self.add("LOAD_FAST_AND_CLEAR", slot)
            self.add("POP_TOP")
        self.add("JUMP_BACKWARD", _AGAIN)
        self.mark(target(other(index - 1)))
        self.add(call.name, call.arg)

    def _go_deeper(self) -> None:
        self.add("LOAD_FAST", self.depth)
        self.add("LOAD_CONST", 1)
        self.add("BINARY_OP", _ADD)
        self.add("STORE_FAST", self.depth)
        self.add("LOAD_FAST", self.depth)
        raise_if_deeper(self, self.limit, ("begin",))


def raise_if_deeper(writer: Writer, limit: int, below: Label) -> None:
    """Raise the error of a recursion that is too deep if more calls are nested than the limit says;
    their number is on the stack. ``below``: a label for what follows.
    """
    writer.add("LOAD_CONST", limit)
    writer.add("COMPARE_OP", ">")
    writer.add("POP_JUMP_IF_FALSE", below)
    writer.add("LOAD_CONST", RecursionError)
    writer.add("PUSH_NULL")
    writer.add("LOAD_CONST", _TOO_DEEP)
    writer.add("CALL", 1)
    writer.add("RAISE_VARARGS", 1)
    writer.mark(below)


def other(index: int) -> int:
    """Stands for the index of the call itself, where another function is called."""
    return -index - 1


@functools.lru_cache(256)
def as_loop(code: CodeType, limit: int) -> CodeType:
    """The code with loops in place of the calls, of which at most so many are nested."""
    return _Writer(code, limit).write(("as a loop", limit))


def arguments_again(vm: Machine, frame: Frame) -> list[Any] | None:
    """The values of the parameters, if the next instruction calls the function of the frame."""
    name, arg, _ = frame.info.decoded.instructions[tail_target(frame)]
    _, names = (arg, ()) if name == "CALL" else arg
    fn, top, *values = frame.stack[operands_of(frame) :]
    if fn is NULL:
        fn = top
    elif top is not NULL:
        values.insert(0, top)
    if type(fn) is MethodType:
        values.insert(0, fn.__self__)
        fn = fn.__func__
    code = origin_of(frame.code, 0).code
    if type(fn) is not FunctionType or fn.__code__ != code or fn.__globals__ is not frame.globals:
        return None
    info = code_info(code)
    cells = (vm.world.enter_closure(fn) if vm.tracing else fn.__closure__) or ()
    mine = frame.fast[info.first_free : info.first_free + len(cells)]
    if any(one is not other for one, other in zip(mine, cells, strict=True)):
        return None
    given = len(values) - len(names)
    try:
        bound = bind(vm, fn, info, tuple(values[:given]), dict(zip(names, values[given:], strict=True)))
    except TypeError:  # the call itself raises it
        return None
    return bound[: info.argcount + info.keyword_only]


def operands_of(frame: Frame) -> int:
    """Where the operands of the call begin on the stack."""
    name, arg, _ = frame.info.decoded.instructions[tail_target(frame)]
    return len(frame.stack) - 2 - int(arg if name == "CALL" else arg[0])


def tail_target(frame: Frame) -> int:
    """Where the call itself stands that a ``TAIL_CALL`` is in place of."""
    return int(frame.info.decoded.instructions[frame.pc - 1].arg)
