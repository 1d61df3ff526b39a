"""What the VM keeps for each code object, and the registry of handlers."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeVar

from npexport.symshapes.declarations import Declarations
from npexport.tracer.bytecode import Decoded, decode
from npexport.tracer.frames import frame_ownership
from npexport.tracer.interpreter.frame import NULL, Frame

Handle = Callable[[Any, Frame, Any], Any]
_Result = TypeVar("_Result")

HANDLERS: dict[str, Handle] = {}
"""Canonical instruction -> handler. A handler gets (vm, frame, argument) and returns something true
if the current frame changed.
"""

Examined = int | Callable[[Frame, Any], int]
Effect = tuple[int, int] | Callable[[Any], tuple[int, int]]


class Facts(NamedTuple):
    """What is known of a canonical instruction beside its handler.

    ``words``: its stack effect in words. ``examines``: how many values on top of the stack it
    examines, also as a function of the frame and the argument; 0 if it only moves values.
    ``effect``: how many values it pops and pushes, also as a function of the argument, if its
    result may be left unknown where it is refused. ``repeats``: it may raise for some data only;
    inside a ``try`` it keeps its operands, so that it can run again. ``slot``: its argument is the
    slot of a variable. ``raises``: it may raise, other than by a ``__bool__`` of the program's.
    ``writes``: it writes where others may see it.
    """

    words: str
    examines: Examined
    effect: Effect | None
    repeats: bool
    slot: bool
    raises: bool
    writes: bool

    def stack_effect(self, arg: Any) -> tuple[int, int] | None:
        """How many values it pops and pushes, ``None`` if its result is never left unknown."""
        return self.effect(arg) if callable(self.effect) else self.effect


FACTS: dict[str, Facts] = {}
"""Canonical instruction -> its facts."""

GENERATOR_HANDLERS: dict[str, Handle] = {}
"""Handlers of instructions with another meaning in generators."""


_DECLARED = Declarations()


def handler(
    name: str,
    words: str,
    *,
    examines: Examined,
    effect: Effect | None = None,
    repeats: bool = False,
    slot: bool = False,
    raises: bool = True,
    writes: bool = False,
    generator: bool = False,
) -> Callable[[Handle], Handle]:
    """Declare a canonical instruction: the handler, and its `Facts`. ``generator``: the handler is
    that of generators, in which the instruction has another meaning.
    """

    def declare(function: Handle) -> Handle:
        table = GENERATOR_HANDLERS if generator else HANDLERS
        if name in table and not _DECLARED.gives_way((name, generator)):
            raise AssertionError(f"{name} has two handlers")
        _DECLARED.note((name, generator))
        table[name] = function
        if not generator:
            FACTS[name] = Facts(words, examines, effect, repeats, slot, raises, writes)
        return function

    return declare


class _Running(threading.local):
    vm: Any = None
    found = limit = nested = finalising = 0
    interrupt: BaseException | None = None
    unheard: BaseException | None = None


running = _Running()
"""``running.vm``: the VM that is running in this thread. ``running.limit``: the recursion limit as
its program sees it (``found``: as it was when the run began). ``running.nested``: the number of
nested runs. ``running.interrupt``: the last exception that arrived between the interpreter's own
steps (Ctrl-C, out of memory). ``running.finalising``: the number of generators that are being
finalised, which ignores what they raise. ``running.unheard``: a refusal of what one of them does,
which ends the run as soon as the program ends.
"""

_GENERATOR_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Operations(list[tuple[Handle, Any]]):
    """What a frame runs, by instruction: the handler and its argument.

    ``fused``: the same with blocks in the places of their first instructions (`blocks`), ``None``
    before there is one; ``calls`` and ``iterations``: how many there were before.
    """

    __slots__ = ("calls", "fused", "iterations")

    def __init__(self, operations: Iterable[tuple[Handle, Any]]) -> None:
        super().__init__(operations)
        self.fused: list[tuple[Handle, Any]] | None = None
        self.calls = self.iterations = 0


class CodeInfo:
    """A code object prepared for the VM: operations, handlers, and what binding arguments needs.

    ``host``: the function is not part of the program but npexport's own, or one that the tracing
    world answers for: it is handed to ``call_native``. ``plain``: a call with the right number of
    positional arguments needs no binding. ``found``: cached analyses of the code (`of_code`).
    ``frameless``: what runs a call without a frame (`npexport.tracer.interpreter.frameless`).
    """

    __slots__ = (
        "argcount",
        "asking",
        "blank",
        "code",
        "decoded",
        "first_free",
        "flags",
        "found",
        "frameless",
        "handlers",
        "host",
        "internal",
        "is_generator",
        "kept",
        "keyword_only",
        "keywords",
        "ops",
        "plain",
        "positional_only",
        "simple",
        "slots",
        "stub",
        "tries",
    )  # fmt: skip

    def __init__(self, code: CodeType) -> None:
        key = id(code)
        self.code = weakref.ref(code, functools.partial(forget, _INFOS, key))
        self.decoded = decode(code)
        self.flags = code.co_flags
        self.is_generator = bool(code.co_flags & _GENERATOR_KINDS)
        self.ops = Operations((handle_of(name, self.is_generator), arg) for name, arg, _ in self.decoded.instructions)
        self.found: dict[Any, Any] = {}
        self.kept: dict[bool, Any] = {}
        self.asking: dict[int, Any] = {}
        self.handlers = self.decoded.handlers
        self.tries = any(handler is not None for handler in self.handlers)
        self.slots = self.decoded.slots
        self.first_free = self.decoded.first_free
        self.argcount = code.co_argcount
        self.positional_only = code.co_posonlyargcount
        self.keyword_only = code.co_kwonlyargcount
        named = self.argcount + self.keyword_only
        self.keywords = {name: slot for slot, name in enumerate(code.co_varnames[:named]) if slot >= self.positional_only}
        self.simple = not self.keyword_only and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        self.blank = [NULL] * (self.first_free - self.argcount)
        self.host = frame_ownership.is_own_code(code)
        self.plain = self.simple and not self.is_generator and not self.host and bool(code.co_flags & inspect.CO_OPTIMIZED)
        self.host |= id(code) in _ANSWERED
        self.internal = frame_ownership.is_of_tracer(code)
        self.stub: CodeType | None = None
        self.frameless: Callable[..., Any] | None = None


def handle_of(name: str, in_generator: bool = False) -> Handle:
    """The handler of a canonical instruction."""
    return (GENERATOR_HANDLERS.get(name) if in_generator else None) or HANDLERS[name]


def forget(table: dict[int, Any], key: int, dead: Any) -> None:
    """Called when what a table knows dies, which may be after Python has cleared its module."""
    table.pop(key, None)


_INFOS: dict[int, CodeInfo] = {}
_ANSWERED: dict[int, CodeType] = {}


def answered(code: CodeType) -> None:
    """Declare that the tracing world answers for calls of this Python function: it is not
    interpreted.

    Decodes nothing.
    """
    _ANSWERED[id(code)] = code
    if id(code) in _INFOS:
        _INFOS[id(code)].host = True


def unanswered(function: FunctionType) -> FunctionType:
    """The function with a code object of its own, which is therefore interpreted."""
    twin = FunctionType(function.__code__.replace(), function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__, twin.__qualname__ = function.__kwdefaults__, function.__qualname__
    return twin


def code_info(code: CodeType) -> CodeInfo:
    """The `CodeInfo` of a code object, made once."""
    return _INFOS.get(id(code)) or _made(code)


def _made(code: CodeType) -> CodeInfo:
    info = _INFOS[id(code)] = CodeInfo(code)
    return info


def of_code(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """Cache a function of a code object and further arguments in a table of the code object itself:
    hashing a code object takes time proportional to its instructions.
    """

    @functools.wraps(function)
    def once(code: CodeType, *args: Any) -> _Result:
        found, key = code_info(code).found, (function, *args)
        if key not in found:
            found[key] = function(code, *args)
        return found[key]  # type: ignore[no-any-return]

    return once


def redefined(code: CodeType, decoded: Decoded, handles: dict[str, Handle]) -> None:
    """Give a code object other instructions; ``handles``: handlers by name for some of them."""
    info = _made(code)
    info.decoded, info.handlers, info.slots = decoded, decoded.handlers, decoded.slots
    info.tries = any(handler is not None for handler in info.handlers)
    info.ops = Operations((handles.get(name) or handle_of(name, info.is_generator), arg) for name, arg, _ in decoded.instructions)
