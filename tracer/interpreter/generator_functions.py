"""Runs a generator that is consumed at once as a function in its own frame, so that its loops and
branches are like any others. What it yields is appended to a list, as in a list comprehension
(``list(…)``, ``sum(…)``), or the first item is what the function returns (``next(…, default)``,
``any(…)``).

This applies only to a generator that has not begun, and only where nobody can tell the difference:
its consumer runs it to the end without looking at anything else, or nobody else holds it.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from types import CodeType, GeneratorType
from typing import Any, NamedTuple

from npexport.tracer.bytecode.canonical import Handler, Instruction
from npexport.tracer.bytecode.host import CODE_STOPS_ITERATION, STOP_ITERATION_ERROR
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.calls import CALLERS
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import Continuation, Frame, Machine
from npexport.tracer.interpreter.generators import Delegates, finish
from npexport.tracer.interpreter.loop_analysis import every_iteration_passes, innermost, loops
from npexport.tracer.interpreter.program import code_info, handle_of, of_code, redefined

Tail = Callable[[int], list[tuple[str, Any]]]
"""For a number of enclosing ``for`` loops: the instructions that leave them and return."""


def _decided(decisive: bool) -> Tail:
    return lambda loops: [*[("POP_TOP", None)] * loops, ("LOAD_CONST", decisive), ("RETURN_VALUE", None)]


class Consumer(NamedTuple):
    """What consumes a generator: the instruction that replaces a ``yield``, where it goes on if it
    does not jump to the next one, and what is returned at the end. ``kind``: a name.
    """

    kind: str
    name: str
    tail: Tail = lambda loops: []
    end: Any = None


class Nothing:
    """Stands for the first item of an iterator that yields none."""


LIST = Consumer("list", "LIST_APPEND")
"""The list is at the bottom of the stack."""
FIRST = Consumer("first", "JUMP", lambda loops: [*[("SWAP", 2), ("POP_TOP", None)] * loops, ("RETURN_VALUE", None)], Nothing)
ANY = Consumer("any", "POP_JUMP_IF_FALSE", _decided(True), False)
ALL = Consumer("all", "POP_JUMP_IF_TRUE", _decided(False), True)


def runs_as_function(vm: Machine, value: Any, consumer: Consumer = LIST) -> bool:
    """Whether a value is a generator that can run as a function, and has to: it iterates over a
    counter or such a generator, yields under a condition, or may yield what is one of several.
    """
    if type(value) is not GeneratorType or not vm.world.captures:
        return False
    state = generators.state_of(value)
    if state is None or state.started or state.running or state.over():
        return False
    code = state.frame.code
    if not is_plain(code):
        return False
    if code.co_name == "<genexpr>":
        source = state.frame.fast[0]
        return type(source) is Counting or _has_conditions(code) or vm.world.asks or (vm.world.counting and runs_as_function(vm, source))
    return vm.world.counting or _has_conditions(code) or vm.world.asks


@of_code
def is_plain(code: CodeType) -> bool:
    """Whether a generator gets and returns nothing, and never yields in ``with`` or ``try``."""
    info = code_info(code)
    instructions = info.decoded.instructions
    if code.co_flags & _KINDS != inspect.CO_GENERATOR:
        return False
    targets = {handler.target for handler in info.handlers if handler is not None}
    if any(instructions[target].arg != STOP_ITERATION_ERROR for target in targets):
        return False
    for index, (name, arg, _) in enumerate(instructions):
        if name == "YIELD_VALUE" and (arg or instructions[index + 1].name != "POP_TOP"):
            return False
        if name == "SEND" or (name == "RETURN_VALUE" and instructions[index - 1][:2] != ("LOAD_CONST", None)):
            return False
    return True


_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE


@of_code
def _has_conditions(code: CodeType) -> bool:
    """Whether a generator yields under a condition: a generator expression not in every iteration,
    a function behind any conditional jump.
    """
    instructions = code_info(code).decoded.instructions
    if code.co_name != "<genexpr>":
        return any("JUMP_IF" in instruction.name for instruction in instructions)
    places = [index for index, instruction in enumerate(instructions) if instruction.name == "YIELD_VALUE"]
    around = [(innermost(code, index), index) for index in places]
    return any(loop is not None and not every_iteration_passes(code, loop, index) for loop, index in around)


@of_code
def with_loops(code: CodeType) -> CodeType | None:
    """The code of a plain generator with a loop of ``yield`` in place of each ``yield from``, whose
    result nothing may use: ``None`` for any other, or without one.

    What such a generator gets by ``send`` or ``throw`` would be the inner iterator's.
    """
    decoded = copy.copy(code_info(code).decoded)
    instructions, handlers = list(decoded.instructions), list(decoded.handlers)
    places = [index for index, instruction in enumerate(instructions) if instruction.name == "SEND"]
    for place in places:
        end = instructions[place].arg + (instructions[instructions[place].arg].name == "END_SEND")
        first, before = place - 2, (instructions[place - 2].name, instructions[end].name)
        if before != ("GET_YIELD_FROM_ITER", "POP_TOP"):
            return None
        loop = ("GET_ITER", 0), ("FOR_ITER", end + 1), ("YIELD_VALUE", False), ("POP_TOP", 0), ("JUMP", first + 1)
        for index, (name, arg) in enumerate(loop, first):
            instructions[index], handlers[index] = Instruction(name, arg, instructions[index].offset), handlers[first]
    if not places:
        return None
    made = code.replace(co_consts=(*code.co_consts, Delegates(code)))
    decoded.instructions, decoded.handlers = instructions, handlers
    redefined(made, decoded, {})
    return made if is_plain(made) else None


class _Source(NamedTuple):
    """The last constant of such code: the kind of its consumer, and the generator's own code."""

    kind: str
    code: CodeType


def generators_code(code: CodeType) -> CodeType:
    """The generator's own code, if this one runs as a function; otherwise the code itself."""
    last = code.co_consts[-1] if code.co_consts else None
    return last.code if isinstance(last, _Source) else code


@functools.lru_cache(256)
def _function(code: CodeType, consumer: Consumer) -> CodeType:
    """The generator's code as that of a function."""
    made = code.replace(co_flags=code.co_flags & ~inspect.CO_GENERATOR, co_consts=(*code.co_consts, _Source(consumer.kind, code)))
    decoded = copy.copy(code_info(code).decoded)
    instructions, last = list(decoded.instructions), len(decoded.instructions)
    for index, (name, _, offset) in enumerate(decoded.instructions):
        if name == "YIELD_VALUE":
            around = [loop for loop in loops(code) if index in loop.members and decoded.instructions[loop.header].name == "FOR_ITER"]
            tail = [Instruction(*each, offset) for each in consumer.tail(len(around))]
            place = len(instructions) if tail else index + 2
            arg = _LOWEST if consumer is LIST else place if consumer is FIRST else index + 2
            instructions[index] = Instruction(consumer.name, arg, offset)
            instructions[index + 1] = Instruction("JUMP", place, offset)
            instructions += tail
        elif name == "RETURN_VALUE":
            end = Instruction("JUMP", index, offset) if consumer is LIST else Instruction("LOAD_CONST", consumer.end, offset)
            instructions[index - 1] = end
        elif index == 0 and name == "LOAD_FAST" and code.co_name == "<genexpr>":
            instructions[0] = Instruction("LOAD_FAST_AND_CLEAR", 0, offset)  # nobody else holds the iterator
    handlers = [*decoded.handlers, *[None] * (len(instructions) - last)]
    if not CODE_STOPS_ITERATION:
        around_all = Handler(len(instructions), 0, False)
        handlers = [handler or around_all for handler in handlers] + [None, None]
        instructions += [Instruction("HOST_INSTRUCTION", STOP_ITERATION_ERROR, 0), Instruction("RERAISE", 0, 0)]
    decoded.instructions, decoded.handlers = instructions, handlers
    redefined(made, decoded, {"LIST_APPEND": _append_lowest} if consumer is LIST else {})
    return made


_LOWEST = -1
"""The depth of a ``LIST_APPEND`` whose list is at the bottom of the stack."""


def _append_lowest(vm: Machine, frame: Frame, arg: Any) -> Any:
    return handle_of("LIST_APPEND")(vm, frame, len(frame.stack) - 1)


class GeneratorFunction:
    """A callable known to the VM only, without arguments. It returns a list of all that a generator
    yields, what ``any`` or ``all`` returns for it, or its first item (`Nothing` if there is none).
    """

    __slots__ = ("consumer", "state")

    def __init__(self, generator: Any, consumer: Consumer = LIST) -> None:
        self.state: Any = generators.state_of(generator)
        self.consumer = consumer


def _called(vm: Machine, function: GeneratorFunction, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any:
    state = function.state
    own = state.frame
    code = _function(own.code, function.consumer)
    frame = Frame(code_info(code), code, list(own.fast), own.globals, own.builtins)
    if function.consumer is LIST:
        frame.stack.append([])
    finish(state)
    return vm.push(frame, then)


CALLERS[GeneratorFunction] = _called
