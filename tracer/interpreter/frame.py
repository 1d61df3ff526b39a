"""Frames of the VM and their continuations.

A frame's outcome goes to its continuation ``then``: ``None`` pushes the value on the caller's
stack, anything else is a `Continuation`. So an operation of the object protocol that needs the
user's Python (``a + b`` with an ``__add__``) pushes a frame with a continuation instead of
recursing into the host.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from types import CodeType, FunctionType, MappingProxyType, WrapperDescriptorType
from typing import Any, Protocol

from npexport.symshapes.errors import ENDS_RUN, ExportError, Location

# Markers are plain objects, which the collector does not know: a program that goes over
# `gc.get_objects()` never comes upon one.
NULL: Any = object()
"""An unbound slot, or the absent ``self`` below a call's arguments."""

PUSHED: Any = object()
"""Returned by an operation that pushed a frame: its value comes through the continuation."""

NOTHING: Any = object()
"""The value of a continuation that pushes nothing on the caller's stack."""


class ForeignHook:
    """What a class of Python holds as ``__getattr__`` or its like that is no function of Python."""

    __slots__ = ("method", "name")

    def __init__(self, name: str, method: Any) -> None:
        self.name, self.method = name, method


def foreign_hook(name: str, method: Any) -> ForeignHook | None:
    """A hook of this kind; ``None`` for those of C's own classes, which the host runs."""
    return None if method is NULL or type(method) is WrapperDescriptorType else ForeignHook(name, method)


RAISE, FOR_ITER, LEAVE, SEND, THROWN = range(5)
"""What the return of a generator's frame means to the code that resumed it (``Frame.on_return``).
``THROWN`` is ``SEND`` after ``throw``.
"""


class Frame:
    """A Python frame. ``pc`` is the index of the next instruction; the current one is ``pc - 1``.

    ``fast`` holds the slots (locals, cells, free variables), ``names`` the namespace of a class or
    module body. ``handled`` is the exception being handled: an ordinary frame inherits its
    caller's, a generator's frame keeps its own. ``poison`` makes, by slot, the error for a variable
    that is unbound because the sides of a branch leave it different; it is never mutated, only
    replaced.
    """

    names: Any = None
    back: Frame | None = None
    then: Continuation | None = None
    handled: BaseException | None = None
    generator: Any = None  # the state of the generator that runs here, while it runs
    resumer: Any = None  # a weak reference to the same at all times: it refers to this frame
    on_return = RAISE
    module: tuple[str, str] | None = None  # the call of a sub-module that it is: its name and its class
    poison: Mapping[int, Callable[[], Exception]] = MappingProxyType({})
    tried = False  # whether it was called in a ``try`` of the program
    real: Any = None  # the frame object that stands for this frame, once one was asked for

    def __init__(self, info: Any, code: CodeType, fast: list[Any], globals_: dict[str, Any], builtins: dict[str, Any]) -> None:
        self.info = info
        self.ops: Any = info.ops  # indexed by `pc`: (handler, argument)
        self.code = code
        self.pc = 0
        self.stack: list[Any] = []
        self.fast = fast
        self.globals = globals_
        self.builtins = builtins

    def receive(self, value: Any) -> bool:
        """Push the value of an operation, unless it pushed a frame; whether it did."""
        if value is PUSHED:
            return True
        self.stack.append(value)
        return False


class Machine(Protocol):
    """The interface of the VM that handlers, specials, models and the session use;
    `npexport.tracer.interpreter.vm.VM` documents it.
    """

    world: Any  # a `npexport.tracer.interpreter.world.World`, or what its subclass in the export knows
    frame: Frame | None
    tracing: bool
    depth: int
    depth_limit: int
    steps: float
    runs_given_up: int
    types: Any
    on_step: Callable[[Frame], None] | None
    watched: CodeType | None
    entering: Callable[[Any, Frame, Continuation | None], Continuation | None]

    def run(self, fn: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any: ...
    def run_bound(self, function: FunctionType, localsplus: dict[str, Any]) -> Any: ...
    def run_code(self, code: CodeType, globals_: dict[str, Any], names: Any, closure: tuple[Any, ...] = ()) -> Any: ...
    def run_generator(self, state: Any, value: Any, error: BaseException | None) -> tuple[bool, Any]: ...
    def call(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any: ...
    def native(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any: ...
    def start(self, steps: Steps, then: Continuation | None) -> Any: ...
    def push(self, frame: Frame, then: Continuation | None) -> Any: ...
    def leave(self, frame: Frame) -> Continuation | None: ...
    def give(self, value: Any, then: Continuation | None) -> None: ...
    def throw(self, error: BaseException, *, again: bool = False, origin: int | None = None) -> None: ...
    def raised(self, error: BaseException) -> None: ...
    def fail(self, error: BaseException, then: Continuation | None) -> None: ...
    def limit_depth(self, limit: int) -> None: ...
    def out_of_steps(self) -> None: ...
    @property
    def current_frame(self) -> Frame: ...
    def current_frames(self) -> list[Frame]: ...
    def stack(self, limit: int | None = None) -> tuple[Location, ...]: ...
    def locate(self, error: ExportError) -> None: ...
    def fork(self) -> Machine: ...


class Continuation(Protocol):
    """What happens with a frame's outcome.

    ``outer`` is the continuation of the operation that this one is part of.
    """

    outer: Continuation | None

    def returned(self, vm: Machine, value: Any) -> Any:
        """The operation's value, `PUSHED` or `NOTHING`."""

    def raised(self, vm: Machine, error: BaseException) -> Any:
        """The same, or raises."""


class Bound:
    """A continuation of a frame of which a part is run by itself: an exception that leaves the
    frame does not end it. ``beyond`` is the frame's own continuation.
    """

    outer: Continuation | None = None

    def __init__(self, beyond: Continuation | None) -> None:
        self.beyond = beyond


class Discard:
    """The continuation of an operation without a value, such as a store by ``__setattr__``."""

    __slots__ = ("outer",)

    def __init__(self) -> None:
        self.outer: Continuation | None = None

    def returned(self, vm: Machine, value: Any) -> Any:
        return NOTHING

    def raised(self, vm: Machine, error: BaseException) -> Any:
        raise error


DISCARD = Discard()

Request = tuple[Any, ...]
"""A call that a task asks for: ``(fn, args)`` or ``(fn, args, kwargs)``."""

Steps = Generator[Request, Any, Any]


class Run:
    """The continuation of the first frame of a run."""

    outer: Continuation | None = None

    def __init__(self) -> None:
        self.value: Any = None
        self.error: BaseException | None = None

    def returned(self, vm: Machine, value: Any) -> Any:
        self.value = value
        return NOTHING

    def raised(self, vm: Machine, error: BaseException) -> Any:
        self.error = error
        return NOTHING


class Task:
    """An operation written as a host generator: it yields the calls that it needs, receives their
    values, and returns its own.
    """

    __slots__ = ("outer", "steps")

    def __init__(self, steps: Steps, outer: Continuation | None) -> None:
        self.steps = steps
        self.outer = outer

    def returned(self, vm: Machine, value: Any) -> Any:
        try:
            request = self.steps.send(value)
        except StopIteration as done:
            return done.value
        return self.go_on(vm, request)

    def raised(self, vm: Machine, error: BaseException) -> Any:
        done, result = self._throw(error)
        return result if done else self.go_on(vm, result)

    def go_on(self, vm: Machine, request: Request) -> Any:
        """Make the calls that the steps ask for, until one pushes a frame or the steps are done."""
        while True:
            error = None
            try:
                value = vm.call(request[0], request[1], request[2] if len(request) > 2 else {}, self)
            except ENDS_RUN:
                raise  # the run ends: no step of the program's may see it
            except BaseException as raised:
                error = raised
            if error is not None:
                try:
                    done, request = self._throw(error)
                finally:
                    error = None  # its traceback holds this frame
                if done:
                    return request
            elif value is PUSHED:
                return PUSHED
            else:
                try:
                    request = self.steps.send(value)
                except StopIteration as finished:
                    return finished.value

    def _throw(self, error: BaseException) -> tuple[bool, Any]:
        """(True, the operation's value) or (False, the next request).

        A StopIteration that the steps let through stays one. An error that they caught has the
        user's traceback again: an entry of the host's would keep the frames that hold the error,
        and with them what the program has dropped, until the next garbage collection.
        """
        entries = error.__traceback__
        try:
            try:
                return False, self.steps.throw(error)
            except StopIteration as done:
                return True, done.value
            except RuntimeError as converted:
                if not (isinstance(error, StopIteration) and converted.__cause__ is error):
                    raise
            raise error
        except BaseException as leaving:
            if leaving is error:
                entries = error.__traceback__
            raise
        finally:
            error.__traceback__ = entries
            del error, entries  # they may hold this frame, and with it what the program has dropped


def handled_exception(frame: Frame | None) -> BaseException | None:
    """The exception that the program is handling, as ``sys.exception()`` returns it."""
    while frame is not None:
        if frame.handled is not None or frame.generator is None:
            return frame.handled
        frame = frame.back
    return None
