"""Decides from the handler tables whether the program would catch an exception raised at the
current instruction, without raising it.

A handler *expects* an exception if it names its class, or one of all exceptions, and goes on
without it; one that always raises, the same exception or another, does not go on. In doubt an
exception counts as expected. A handler that may fail before it raises the exception again is
*unsure* until it has been run (`npexport.tracer.control.attempts`).
"""

from __future__ import annotations

import contextlib
import enum
import io
import types
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.runtime.origins import GENERATED
from npexport.tracer.bytecode.host import STOP_ITERATION_ERROR
from npexport.tracer.interpreter import flow_graph, generators
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL, Frame, Machine, Run, Task
from npexport.tracer.interpreter.program import FACTS, code_info, of_code, running

Errors = tuple[type[BaseException], ...]

_UNKNOWN = object()
_EVERYTHING = (Exception, BaseException)
_QUIET = frozenset("contextlib warnings _py_warnings threading numpy npexport decimal concurrent multiprocessing".split())
"""Modules whose context managers restore what they manage and do not fail."""
_CONVERTS = ("HOST_INSTRUCTION", STOP_ITERATION_ERROR)
"""The instruction around a generator's body, which lets all but a ``StopIteration`` go on."""
RAISES_AGAIN = frozenset({"RERAISE", "CLEANUP_THROW", "END_ASYNC_FOR"})


class Outcome(enum.Enum):
    """What a handler does with an exception."""

    EXPECTED = "the program goes on"
    LEFT = "it is raised again: the next handler may expect it"
    UNSURE = "it is raised again, unless what is done before raises another"
    REPLACED = "another exception is raised"


GOES_ON = (Outcome.LEFT, Outcome.UNSURE)
"""The next handler receives the exception, or may receive it."""


def catching(vm: Machine, frame: Frame | None, errors: Errors, unsure: bool = False) -> tuple[Frame, int, int] | None:
    """The innermost handler, from this frame outwards, that goes on without one of these
    exceptions, or raises another: its frame, the instruction that does, and the one that it begins
    with.

    ``unsure``: or else one that may raise another.
    """
    found = None
    for at, outcome, index, target in _on_the_way(vm, frame, errors):
        if outcome not in GOES_ON:
            return at, index, target
        if outcome is Outcome.UNSURE and unsure and found is None:
            found = at, index, target
    return found


def passing(vm: Machine, errors: Errors) -> list[Frame]:
    """The frames with a handler that may raise another exception than one of these, the innermost
    first, where they leave the program if none does.
    """
    found: list[Frame] = []
    for frame, outcome, _, _ in _on_the_way(vm, vm.frame, errors):
        if outcome not in GOES_ON:
            return []
        if outcome is Outcome.UNSURE:
            found.append(frame)
    return found


def around(frame: Frame | None) -> Iterator[tuple[Frame, int]]:
    """The handlers around the instruction of this frame and of those outwards: their frame and
    first instruction.
    """
    while frame is not None:
        handlers, index = frame.info.handlers, frame.pc - 1
        while index >= 0 and handlers[index] is not None:
            index = handlers[index].target
            yield frame, index
        frame = frame.back


class Busy(NamedTuple):
    """A handler on the way of an exception that does something before it raises it again;
    ``target`` is its first instruction.
    """

    frame: Frame
    target: int


class _Unnamed(Exception):
    """No handler names it."""


def busy(vm: Machine, frame: Frame | None, errors: Errors) -> list[list[Busy]]:
    """The busy handlers that each of these exceptions comes to, from this frame outwards.
    ``Exception`` stands for one of a class that is not known.
    """
    each = [(error,) for error in errors] + ([(_Unnamed,)] if Exception in errors else [])
    return [_busy(vm, frame, error) for error in each]


def _busy(vm: Machine, frame: Frame | None, errors: Errors) -> list[Busy]:
    found: list[Busy] = []
    while frame is not None:
        for outcome, _, handler, begin in _in_frame(vm, frame, errors):
            if outcome not in GOES_ON:
                return found
            if _does_something(vm, frame, handler, begin, errors):
                found.append(Busy(frame, handler.target))
        frame = frame.back
    return found


def getter(vm: Machine, frame: Frame | None, errors: Errors, unsure: bool = False) -> tuple[Frame, int] | None:
    """The innermost handler, from this frame outwards, that gets one of these exceptions and does
    not just raise it again. ``unsure``: or may raise another.
    """
    while frame is not None:
        for outcome, index, *_ in _in_frame(vm, frame, errors):
            if outcome not in GOES_ON or (unsure and outcome is Outcome.UNSURE):
                return frame, index
        writing = _writes_on_the_way(frame)
        if writing is None and frame.generator is not None and _stops(errors):
            writing = frame.pc - 1  # on CPython 3.11 no handler says that a generator converts it
        if writing is not None:
            return frame, writing
        frame = frame.back
    return None


def _on_the_way(vm: Machine, frame: Frame | None, errors: Errors) -> Iterator[tuple[Frame, Outcome, int, int]]:
    """What the handlers do that an exception comes to, from this frame outwards, as `_in_frame`
    says it: up to the first that does not raise it again.
    """
    while frame is not None:
        for outcome, index, handler, _ in _in_frame(vm, frame, errors):
            yield frame, outcome, index, handler.target
            if outcome not in GOES_ON:
                return
        frame = frame.back


_ASKED = (StopIteration, StopAsyncIteration, AttributeError, LookupError, TypeError, GeneratorExit, RecursionError)
"""The exceptions that the interpreter itself catches: in the protocols of attributes, iteration and
operators.
"""


def leaves_the_program(vm: Machine, frame: Frame, error: BaseException, left: bool = False) -> bool:
    """Whether no handler from this frame outwards changes the exception, or goes on without it.

    ``left``: the exception has already left this frame and its handlers.
    """
    if running.nested:  # C may catch it
        return False
    if getter(vm, frame.back if left else frame, (type(error),)) is not None:
        return False
    outer: Frame | None = frame
    while outer is not None and isinstance(error, _ASKED):
        if type(outer.then) is Task:
            return False
        outer = outer.back
    return True


def reads_an_item(frame: Frame | None) -> bool:
    """Whether C asks a class for an item by ``__getitem__``, from this frame outwards: an
    ``IndexError`` may end its iteration.
    """
    while running.nested and frame is not None:
        if type(frame.then) is Run and frame.code.co_name == "__getitem__":
            return True
        frame = frame.back
    return False


_CHOOSES = frozenset({"CHECK_EXC_MATCH", "CHECK_EG_MATCH", "WITH_EXCEPT_START"})


def _writes_on_the_way(frame: Frame) -> int | None:
    """The instruction at which a ``finally`` writes or calls before the exception goes on."""
    handlers, instructions, index = frame.info.handlers, frame.info.decoded.instructions, frame.pc - 1
    while index >= 0 and handlers[index] is not None:
        body = reachable(frame.code, handlers[index].target)
        names = {instructions[at].name for at in body}
        if names.isdisjoint(_CHOOSES):
            found = [at for at in body if FACTS[instructions[at].name].writes or _calls(instructions[at])]
            if found:
                return found[0]
        index = max((at for at in body if instructions[at].name in RAISES_AGAIN), default=-1)
    return None


def _calls(instruction: Any) -> bool:
    """Whether an instruction calls something. The handler around a generator's body is ignored: it
    passes on everything but ``StopIteration``.
    """
    return bool(instruction.name.startswith(("CALL", "HOST")) and instruction.arg != STOP_ITERATION_ERROR)


def _in_frame(vm: Machine, frame: Frame, errors: Errors) -> Iterator[tuple[Outcome, int, Any, int]]:
    """What the handlers around the frame's instruction do, the instruction that does it, the
    handler, and its first instruction after tests for classes; up to the first handler that does
    not raise the exception again.
    """
    handlers = frame.info.handlers
    index = frame.pc - 1
    while index >= 0 and handlers[index] is not None:
        handler = handlers[index]
        outcome, index, begin = in_handler(vm, frame, handler, errors)
        yield outcome, index, handler, begin
        if outcome not in GOES_ON:
            return


def runs_when_dropped(vm: Machine, frame: Frame) -> bool:
    """Whether a generator that is suspended there runs something when it is dropped: a ``finally``,
    the end of a ``with``, a handler that gets its ``GeneratorExit``.
    """
    begun = [frame.info.decoded.instructions[begin] for *_, begin in _in_frame(vm, frame, (GeneratorExit,))]
    return any(name not in (*RAISES_AGAIN, "COPY") and (name, arg) != _CONVERTS for name, arg, _ in begun)  # COPY: what a handler leaves


def in_handler(vm: Machine, frame: Frame, handler: Any, errors: Errors) -> tuple[Outcome, int, int]:
    """What a handler does, where, and its first instruction after tests for classes."""
    instructions = frame.info.decoded.instructions
    values: list[Any] = []
    index = begin = handler.target
    while True:
        name, arg, _ = instructions[index]
        if name in ("CHECK_EXC_MATCH", "CHECK_EG_MATCH"):
            wanted = values.pop() if values else _UNKNOWN
            if wanted is _UNKNOWN or _expects(errors, wanted):
                outcome, left = _outcome(frame.code, index + 2)
                unsure = outcome is Outcome.LEFT and (not _are_exceptions(wanted) or _may_fail(vm, frame, index + 2))
                return (Outcome.UNSURE if unsure else outcome), left, index + 2
            index = next(at for at in range(index, len(instructions)) if instructions[at].name == "POP_JUMP_IF_FALSE")
            index = begin = instructions[index].arg
            values = []
        elif name == "WITH_EXCEPT_START":
            again = next(at for at in range(index, len(instructions)) if instructions[at].name == "RERAISE")
            leave = frame.stack[handler.depth + 3 - arg]
            outcome = _of_exit(vm, leave, errors)
            return outcome, again if outcome is Outcome.LEFT else index, begin
        elif name in RAISES_AGAIN:
            return Outcome.LEFT, index, begin
        elif (name, arg) == _CONVERTS and _stops(errors):
            return Outcome.REPLACED, index, begin
        elif _evaluate(vm, frame, name, arg, values):
            index += 1
        else:  # the body of `finally`, or of `except:`, which drops the exception first
            outcome, left = _outcome(frame.code, index)
            unsure = outcome is Outcome.LEFT and _may_fail(vm, frame, begin)
            return (Outcome.UNSURE if unsure else outcome), left, begin


def _classes(wanted: Any) -> tuple[Any, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def _does_something(vm: Machine, frame: Frame, handler: Any, begin: int, errors: Errors) -> bool:
    """Whether a handler does more than raise the exception again."""
    instructions = frame.info.decoded.instructions
    body = [instructions[at] for at in reachable(frame.code, begin)]
    leave = next((instruction.arg for instruction in body if instruction.name == "WITH_EXCEPT_START"), None)
    if leave is not None:
        return _ends_busily(vm, frame.stack[handler.depth + 3 - leave], errors)
    if frame.code.co_filename.startswith(GENERATED):  # it asks where the exception came from, and writes what it has computed by then
        first = frame.code.co_argcount + 2  # behind the parameters, `*args` and `**kwargs`
        own = {arg for name, arg, _ in body if name == "STORE_FAST"}
        loaded = {arg for name, arg, _ in body if name == "LOAD_FAST" and arg >= first} - own
        writes = any(instruction.name == "COMPARE_OP" for instruction in body)
        return writes and any(_variable(frame.fast[arg]) is not _UNKNOWN for arg in loaded)
    return any(not _is_idle(name) and (name, arg) not in (("RAISE_VARARGS", 0), _CONVERTS) for name, arg, _ in body)


def _ends_busily(vm: Machine, leave: Any, errors: Errors) -> bool:
    """Whether an ``__exit__`` does more than put back what no program sees."""
    owner = getattr(leave, "__self__", None)
    if isinstance(owner, (contextlib.ExitStack, contextlib.AsyncExitStack)):
        return any(_ends_busily(vm, getattr(callback, "__wrapped__", callback), errors) for _, callback in owner._exit_callbacks)  # type: ignore[union-attr]
    state = generators.state_of(owner.gen) if isinstance(owner, contextlib._GeneratorContextManagerBase) else None
    if state is not None:
        return any(_does_something(vm, state.frame, handler, begin, errors) for _, _, handler, begin in _in_frame(vm, state.frame, errors))
    if isinstance(owner, (contextlib.closing, contextlib.aclosing, warnings.catch_warnings)):
        return True
    function = leave.__func__ if isinstance(leave, types.MethodType) else leave
    return isinstance(function, types.FunctionType) and not is_quiet(function)


def _expects(errors: Errors, wanted: Any) -> bool:
    """Whether a wanted class is one of all exceptions, or of one of these, which may be unknown
    (``Exception``): unknown ones are no ``StopIteration``.
    """
    return any(cls in _EVERYTHING or not isinstance(cls, type) or _may_be(error, cls) for error in errors for cls in _classes(wanted))


def _may_be(error: type[BaseException], cls: type) -> bool:
    return not issubclass(cls, StopIteration) if error is Exception else issubclass(error, cls)


def _stops(errors: Errors) -> bool:
    """Whether a generator converts one of the exceptions; unknown ones are no ``StopIteration``."""
    return any(issubclass(error, StopIteration) for error in errors)


def _evaluate(vm: Machine, frame: Frame, name: str, arg: Any, values: list[Any]) -> bool:
    """Push the value of an instruction of an expression of classes; whether it is one."""
    if name == "PUSH_EXC_INFO":
        return True
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        try:
            values.append(vm.world.load_global(frame, arg))
        except NameError:
            values.append(_UNKNOWN)
    elif name in ("LOAD_FAST", "LOAD_DEREF"):
        values.append(_variable(frame.fast[arg]))
    elif name == "LOAD_ATTR" and values:
        owner = values.pop()
        values.append(getattr(owner, arg, _UNKNOWN) if isinstance(owner, (types.ModuleType, type)) else _UNKNOWN)
    elif name == "BUILD_TUPLE" and len(values) >= arg:
        values[len(values) - arg :] = [tuple(values[len(values) - arg :])]
    else:
        return False
    return True


def _variable(held: Any) -> Any:
    if type(held) is types.CellType:
        try:
            held = held.cell_contents
        except ValueError:
            return _UNKNOWN
    return _UNKNOWN if held is NULL else held


def _outcome(code: types.CodeType, start: int) -> tuple[Outcome, int]:
    """How the body of a handler is left."""
    instructions, outcome, where = code_info(code).decoded.instructions, Outcome.REPLACED, start
    for index in reachable(code, start):
        name, arg, _ = instructions[index]
        if name == "POP_EXCEPT" and instructions[index + 1].name != "RERAISE":
            return Outcome.EXPECTED, start
        if name in RAISES_AGAIN or (name == "RAISE_VARARGS" and arg == 0):
            outcome, where = Outcome.LEFT, index
    return outcome, where


def reachable(code: types.CodeType, start: int) -> tuple[int, ...]:
    """The instructions that may run from one on, exceptions aside; paths end at those that may
    raise the handled exception again.
    """
    return flow_graph.reached(code, start, _raising_again(code))


_IDLE = RAISES_AGAIN | {"LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "DELETE_FAST"}
"""The instructions of a handler that nobody can tell from one that only raises again, beside those
that neither raise nor write.
"""
_PUT_BACK = frozenset({"LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_ATTR", "STORE_ATTR"})
"""The instructions of an ``__exit__`` that only restores attributes, beside those that never raise.
"""


def _is_idle(name: str) -> bool:
    return name in _IDLE or not (FACTS[name].raises or FACTS[name].writes)


def _are_exceptions(wanted: Any) -> bool:
    return all(isinstance(cls, type) and issubclass(cls, BaseException) for cls in _classes(wanted))


def _may_fail(vm: Machine, frame: Frame, start: int) -> bool:
    """Whether what a handler does from there on, until it raises the exception again, may raise
    another, given its frame as it is now.
    """
    if _is_quiet_module(frame.globals.get("__name__")) or frame.code.co_filename.startswith(GENERATED):
        return False
    body = reachable(frame.code, start)
    instructions = frame.info.decoded.instructions
    stores = [at for at in sorted(body, reverse=True) if instructions[at].name in ("STORE_FAST", "STORE_DEREF")]
    stored = {instructions[at][:2]: at for at in stores}
    return any(_may_raise(vm, frame, at, stored) for at in body)


def _may_raise(vm: Machine, frame: Frame, at: int, first: dict[tuple[str, Any], int]) -> bool:
    """``first``: the first of the body's instructions, by name and argument."""
    name, arg, _ = frame.info.decoded.instructions[at]
    if name in ("LOAD_FAST", "DELETE_FAST", "LOAD_DEREF"):
        stores = "STORE_DEREF" if name == "LOAD_DEREF" else "STORE_FAST"
        return _variable(frame.fast[arg]) is _UNKNOWN and first.get((stores, arg), at) >= at
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return not _is_defined(vm, frame, arg)
    if name == "STORE_ATTR":
        owner = frame.info.decoded.instructions[at - 1]
        return owner.name != "LOAD_FAST" or not _is_plain(_variable(frame.fast[owner.arg]), arg)
    if name in ("LOAD_METHOD", "CALL"):
        return not _closes(frame, at if name == "LOAD_METHOD" else at - 1)
    again = name in RAISES_AGAIN or (name == "RAISE_VARARGS" and arg == 0) or (name, arg) == _CONVERTS
    return not again and FACTS[name].raises


def _closes(frame: Frame, at: int) -> bool:
    """Whether the instruction loads ``close`` of a file or of text in memory."""
    owner, method = frame.info.decoded.instructions[at - 1 : at + 1]
    return method[:2] == ("LOAD_METHOD", "close") and owner.name == "LOAD_FAST" and isinstance(_variable(frame.fast[owner.arg]), io.IOBase)


def _is_defined(vm: Machine, frame: Frame, name: str) -> bool:
    try:
        vm.world.load_global(frame, name)
    except NameError:
        return False
    return True


def _is_plain(obj: Any, name: str) -> bool:
    """Whether an attribute of this name is stored in the object's own dictionary."""
    cls: Any = type(obj)
    held = find(cls.__mro__, name, None)
    return cls.__setattr__ is object.__setattr__ and hasattr(obj, "__dict__") and not hasattr(type(held), "__set__")


@of_code
def _raising_again(code: types.CodeType) -> frozenset[int]:
    instructions = code_info(code).decoded.instructions
    return frozenset([index for index, instruction in enumerate(instructions) if instruction.name in RAISES_AGAIN])


def _of_exit(vm: Machine, leave: Any, errors: Errors) -> Outcome:
    """What one of the exceptions may become in the ``__exit__`` on the stack."""
    owner = getattr(leave, "__self__", None)
    if isinstance(owner, contextlib.suppress):
        wanted = owner._exceptions  # type: ignore[attr-defined]
        return Outcome.EXPECTED if _expects(errors, wanted) else Outcome.LEFT
    if isinstance(owner, (contextlib.ExitStack, contextlib.AsyncExitStack)):
        each = [_of_exit(vm, callback, errors) for _, callback in owner._exit_callbacks]  # type: ignore[union-attr]
        return next((outcome for outcome in (Outcome.EXPECTED, Outcome.REPLACED, Outcome.UNSURE) if outcome in each), Outcome.LEFT)
    state = generators.state_of(owner.gen) if isinstance(owner, contextlib._GeneratorContextManagerBase) else None
    if state is not None:
        each = [outcome for outcome, *_ in _in_frame(vm, state.frame, errors)]
        return next((outcome for outcome in (*each[-1:], Outcome.UNSURE) if outcome in each and outcome is not Outcome.LEFT), Outcome.LEFT)
    if isinstance(owner, contextlib.closing):
        return Outcome.UNSURE
    function = leave.__func__ if isinstance(leave, types.MethodType) else getattr(leave, "__wrapped__", leave)
    return _of_function(function) if isinstance(function, types.FunctionType) else Outcome.LEFT


def is_quiet(leave: types.FunctionType) -> bool:
    """Whether an ``__exit__`` only restores what was there before."""
    return _is_quiet_module(leave.__module__)


def _is_quiet_module(name: Any) -> bool:
    return type(name) is str and name.partition(".")[0] in _QUIET


def _of_function(leave: types.FunctionType) -> Outcome:
    """The exception propagates if every return is a false constant and nothing raises."""
    instructions = code_info(leave.__code__).decoded.instructions
    ends = [index for index, instruction in enumerate(instructions) if instruction.name == "RETURN_VALUE"]
    if not all(instructions[end - 1].name == "LOAD_CONST" and not instructions[end - 1].arg for end in ends):
        return Outcome.EXPECTED
    if is_quiet(leave):
        return Outcome.LEFT
    names = {instruction.name for instruction in instructions}
    if "RAISE_VARARGS" in names:
        return Outcome.REPLACED
    return Outcome.LEFT if all(name in _PUT_BACK or not FACTS[name].raises for name in names) else Outcome.UNSURE
