"""Generators, coroutines and asynchronous generators of interpreted code.

Their objects are real generators of the host, so that C code consumes them like any other: the host
body resumes the VM's frame in a nested run. The VM recognises its own by identity and resumes their
frames on its own stack; the host object is then *primed* (suspended at its first ``yield``) so that
C code can still send to it.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import types
import weakref
from collections.abc import Callable, Generator, Iterable
from types import AsyncGeneratorType, CodeType, CoroutineType, FunctionType, GeneratorType
from typing import Any, NamedTuple

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.frame import LEAVE, NULL, PUSHED, RAISE, THROWN, Bound, Continuation, Frame, Machine
from npexport.tracer.interpreter.program import forget, running
from npexport.tracer.interpreter.symbolic_union import watch
from npexport.tracer.interpreter.unwind import chain_context


class AsyncValue:
    """A value that an asynchronous generator yields, as opposed to what it awaits."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Delegates(NamedTuple):
    """A constant of code with loops in place of its ``yield from``: the code as it was written."""

    code: CodeType


_SERIALS = itertools.count()


class State:
    """The VM's side of a generator: its frame and how far it has run."""

    __slots__ = (
        "__weakref__", "alive", "finished", "frame", "host", "kept", "primed", "run", "running", "serial", "started", "uncertain", "vm",
    )  # fmt: skip

    def __init__(self, vm: Machine, frame: Frame) -> None:
        self.vm = vm
        self.frame = frame
        self.running = self.started = self.finished = self.primed = False
        self.uncertain = False  # whether a run that was given up may hold the host object: when it is dropped is not known
        self.run = vm.runs_given_up
        self.serial = next(_SERIALS)
        self.host: Any = None  # a weak reference to the host object
        self.kept = 0  # how many snapshots may put it back
        self.alive: Any = None  # the host object, while the frame runs: nobody else may hold it (``f().send(None)``)

    def delegate(self) -> Any:
        """What the suspended generator delegates to with ``yield from`` or ``await``, or `NULL`."""
        frame = self.frame
        if self.running or self.finished or not self.started or frame.pc == 0:
            return NULL
        instruction = frame.info.decoded.instructions[frame.pc - 1]
        return frame.stack[-1] if instruction.name == "YIELD_VALUE" and instruction.arg else NULL

    def given_up(self) -> bool:
        """Whether a refusal ended its run: nothing of the program may go on."""
        return bool(self.run != self.vm.runs_given_up)

    def end(self) -> None:
        """It is not resumed any more, and its finaliser has nothing to run."""
        self.finished, self.running = True, False

    def over(self) -> bool:
        """Whether it has ended: by itself, or because the host closed it before it began."""
        if not self.finished and not self.started and not self.running:
            host = self.host()
            self.finished = host is not None and host_attribute(host, "frame") is None
        return self.finished


_STATES: dict[int, weakref.ref[State]] = {}
"""The VM's generators by the identity of the host object, whose frame keeps the state alive."""


class _Made:
    """What is known of a host object, which may outlive its frame, until it dies."""

    __slots__ = ("code", "host", "stopped")

    def __init__(self, host: weakref.ref[Any], code: CodeType) -> None:
        self.host, self.code, self.stopped = host, code, False  # `stopped`: an exception has ended it


_MADE: dict[int, _Made] = {}  # by the identity of the host object


def _made(host: Any) -> _Made | None:
    found = _MADE.get(id(host))
    return found if found is not None and found.host() is host else None


def code_of(host: Any) -> CodeType | None:
    """The user's code of a generator that the VM made, or ``None``."""
    return getattr(_made(host), "code", None)


def state_of_frame(frame: Frame) -> State | None:
    """The generator that the frame belongs to, running or not."""
    return frame.generator or (None if frame.resumer is None else frame.resumer())


def state_of(host: Any) -> State | None:
    """The VM's side of a generator that has not ended; ``None`` for those the host knows."""
    found = _STATES.get(id(host))
    state = None if found is None else found()
    return state if state is not None and state.host() is host else None  # a state may outlive its host, whose identity is used again


def _forget_state(states: dict[int, weakref.ref[State]], key: int, dead: weakref.ref[State]) -> None:
    if states.get(key) is dead:
        del states[key]


def make(vm: Machine, frame: Frame, name: str, qualname: str) -> Any:
    """The host object of a generator, coroutine or asynchronous generator function's frame."""
    state = State(vm, frame)
    vm.world.stands_in |= frame.info.internal
    frame.resumer = weakref.ref(state)
    flags = frame.info.flags
    if flags & inspect.CO_COROUTINE:
        host: Any = _coroutine(state)
    elif flags & inspect.CO_ASYNC_GENERATOR:
        host = _async_generator(state)
    elif flags & inspect.CO_ITERABLE_COROUTINE:
        host = _iterable_coroutine(state)
    else:
        host = _steps(state)
    host.__name__ = name
    host.__qualname__ = qualname
    key = id(host)
    state.host = weakref.ref(host, functools.partial(forget, _MADE, key))
    _MADE[key] = _Made(state.host, frame.code)
    _STATES[key] = weakref.ref(state, functools.partial(_forget_state, _STATES, key))
    if type(host) is CoroutineType and vm.world.tracing:
        _prime(state)  # CPython warns of one that nobody awaits: an export gives up many
    return host


_PREFIX = {GeneratorType: "gi_", CoroutineType: "cr_", AsyncGeneratorType: "ag_"}


def host_attribute(host: Any, name: str) -> Any:
    return getattr(host, _PREFIX[type(host)] + name)


def made_since(vm: Machine, begun: int) -> list[State]:
    """The generators of a VM made after this number was given out, but for those that the host has
    ended.
    """
    found = [reference() for reference in list(_STATES.values())]
    return [state for state in found if state is not None and state.vm is vm and state.serial > begun]


def serial() -> int:
    """A number between those of the generators made before and those made from now on."""
    return next(_SERIALS)


# -- host bodies


def _resume_for_host(state: State, value: Any, error: BaseException | None) -> tuple[bool, Any]:
    if state.given_up():
        state.finished = True
        return True, None
    if state.running:
        raise ValueError("generator already executing")
    vm = running.vm or state.vm.fork()
    try:
        found: tuple[bool, Any] = vm.run_generator(state, value, error)
        return found
    finally:
        del error  # its traceback holds this frame


def _steps(state: State) -> Generator[Any, Any, Any]:
    value: Any = None
    error: BaseException | None = None
    try:
        if state.primed:
            try:
                value = yield
            except BaseException as thrown:
                error = thrown
        while not state.finished:
            done, result = _resume_for_host(state, value, error)
            if done:
                return result
            value = error = None
            try:
                value = yield result
            except BaseException as thrown:
                error = thrown
        if error is not None and not isinstance(error, GeneratorExit):
            raise error
    finally:
        del error  # its traceback holds this frame


_iterable_coroutine = types.coroutine(FunctionType(_steps.__code__, globals()))


class _Awaitable:
    def __init__(self, state: State) -> None:
        self.state = state

    def __await__(self) -> Generator[Any, Any, Any]:
        return _steps(self.state)


async def _coroutine(state: State) -> Any:
    return await _Awaitable(state)


class _AsyncStep:
    """Awaiting it runs an asynchronous generator until it yields or ends: (ended, value)."""

    def __init__(self, state: State, value: Any, error: BaseException | None) -> None:
        self.state = state
        self.value = value
        self.error = error

    def __await__(self) -> Generator[Any, Any, tuple[bool, Any]]:
        value, error = self.value, self.error
        self.value = self.error = None
        try:
            while True:
                done, result = _resume_for_host(self.state, value, error)
                if done or type(result) is AsyncValue:
                    return done, result
                value = error = None
                try:
                    value = yield result
                except BaseException as thrown:
                    error = thrown
        finally:
            del error  # its traceback holds this frame


async def _async_generator(state: State) -> Any:
    value: Any = None
    error: BaseException | None = None
    try:
        while not state.finished and not state.given_up():
            done, result = await _AsyncStep(state, value, error)
            if done:
                return
            value = error = None
            try:
                value = yield result.value
            except BaseException as thrown:
                error = thrown
        if error is not None:  # GeneratorExit, too: CPython takes a return for one that goes on
            raise error
    finally:
        del error  # its traceback holds this frame


# -- resuming on the VM's own stack


def resume(vm: Machine, state: State, value: Any, error: BaseException | None, then: Continuation | None, on_return: int = RAISE) -> Any:
    """Make the generator's frame the current one, sending ``value`` (`NULL`: nothing) or throwing
    ``error``.

    What it yields goes to ``then``; ``on_return`` says what its return means.
    """
    if state.running:
        raise ValueError(f"{kind_of(state.frame)} already executing")
    if vm.depth >= vm.depth_limit:
        raise RecursionError("maximum recursion depth exceeded")
    frame = state.frame
    if (value is not None and value is not NULL) or (error is not None and type(error) is not GeneratorExit):
        _require_no_delegate(frame)
    if state.started:
        if error is None and value is not NULL:
            frame.stack.append(value)
    else:
        if value is not None and error is None:
            raise TypeError(f"can't send non-None value to a just-started {kind_of(frame)}")
        state.started = True
        if on_return != LEAVE:
            _prime(state)
    frame.generator, frame.back, frame.then, frame.on_return = state, vm.frame, then, on_return
    state.running = True
    state.alive = state.host()
    vm.depth += 1
    vm.frame = frame
    if vm.world.asks:
        watch(frame)
    if error is not None:
        frame.ops = _Throwing(error, frame.ops)  # not thrown here: a chain of generators must not nest on the host's stack
    return PUSHED


def _require_no_delegate(frame: Frame) -> None:
    """Raises ``Unsupported`` (E103) where an inner iterator would get what is sent or thrown."""
    delegates = frame.info.found.get(Delegates)
    if delegates is None:
        delegates = frame.info.found[Delegates] = any(type(constant) is Delegates for constant in frame.code.co_consts)
    if delegates:
        raise Unsupported("E103", "a value or an exception is sent to a generator that goes on with `yield from`, as data decide")


class _Throwing:
    """Stands in for the operations of a frame that resumes with an exception."""

    __slots__ = ("error", "ops")

    def __init__(self, error: BaseException, ops: Any) -> None:
        self.error, self.ops = error, ops

    fused = None

    def __getitem__(self, pc: int) -> tuple[Any, _Throwing]:
        return _throw_now, self


def _throw_now(vm: Machine, frame: Frame, thrown: _Throwing) -> bool:
    error = thrown.error
    frame.pc -= 1
    frame.ops = thrown.ops
    chain_context(error, frame.handled)  # what its caller handles is not the context of what is thrown
    vm.fail(error, None)
    return True


def _prime(state: State) -> None:
    """Bring the host object to its first ``yield``, where C code can send or throw into it."""
    host = state.host()
    if host is not None and type(host) is not AsyncGeneratorType and not state.primed:
        state.primed = True
        host.send(None)


def suspend(vm: Machine, frame: Frame) -> None:
    """Leave a generator's frame, which may be resumed."""
    vm.frame = frame.back
    state = frame.generator
    frame.generator = frame.back = frame.then = None
    if frame.real is not None:
        frame.real = None  # it refers to the frame: a generator that is dropped must be closed at once
    state.running = False
    state.alive = None
    vm.depth -= 1


def finish(state: State) -> None:
    """The frame is over, and so is the host object.

    What the frame held is kept only by those who asked for its frame object.
    """
    frame = state.frame
    state.end()
    frame.generator = None
    if frame.real is None:
        frame.fast.reverse()  # a list drops its last item first
        frame.fast = [NULL] * len(frame.fast)
        frame.stack.clear()
    else:
        state.frame = Frame(frame.info, frame.code, [NULL] * len(frame.fast), frame.globals, frame.builtins)
    close_host(state)
    state.alive = None


def close_host(state: State) -> None:
    """Close the host object of one that has ended, unless it may be put back."""
    host = state.host()
    if host is not None and not state.kept and type(host) is not AsyncGeneratorType and not host_attribute(host, "running"):
        host.close()


def require_going(values: Iterable[Any]) -> None:
    """Raises ``Unsupported`` (E119) for an iterator that would go on in C after an exception, where
    the generator in its place has ended.
    """
    if any(found.stopped for found in map(_made, values) if found is not None):
        hint = "Catch the exception within the function that the iterator calls, or write a loop in its place."
        raise Unsupported("E119", "the program goes on with an iterator of C after what it calls has raised", hint=hint)


def failed(frame: Frame, error: BaseException) -> BaseException:
    """An exception leaves a generator's frame: returns the one that its resumer sees (PEP 479)."""
    made = _made(frame.generator.host()) if frame.info.internal else None
    if made is not None:
        made.stopped = True
    if not isinstance(frame.then, Bound):
        finish(frame.generator)
    error = stop_iteration_error(frame, error)
    if frame.on_return == THROWN:
        chain_context(error, frame.back.handled)  # type: ignore[union-attr]
    return error


def stop_iteration_error(frame: Frame, error: BaseException) -> BaseException:
    """The error for a StopIteration that would leave a generator."""
    if isinstance(error, StopIteration):
        name = "StopIteration"
    elif isinstance(error, StopAsyncIteration) and frame.info.flags & inspect.CO_ASYNC_GENERATOR:
        name = "StopAsyncIteration"
    else:
        return error
    converted = RuntimeError(f"{kind_of(frame)} raised {name}")
    converted.__cause__ = converted.__context__ = error
    return converted


def kind_of(frame: Frame) -> str:
    """The word for it in CPython's messages."""
    return _KIND[frame.info.flags & _KINDS]


_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
_KIND = {
    0: "generator",  # whose code runs as that of a function, where all its items are taken at once
    inspect.CO_GENERATOR: "generator",
    inspect.CO_GENERATOR | inspect.CO_ITERABLE_COROUTINE: "generator",
    inspect.CO_COROUTINE: "coroutine",
    inspect.CO_ASYNC_GENERATOR: "async generator",
}


# -- methods


def send(vm: Machine, state: State, value: Any, then: Continuation | None, on_return: int = RAISE) -> Any:
    """``host.send(value)`` for one of the VM's own."""
    if state.over():
        if state.frame.info.flags & inspect.CO_COROUTINE:
            raise RuntimeError("cannot reuse already awaited coroutine")
        raise StopIteration
    return resume(vm, state, value, None, then, on_return)


class Resume:
    """A callable known to the VM only: (value, error) resumes the frame of a generator."""

    __slots__ = ("on_return", "state")

    def __init__(self, state: State, on_return: int = RAISE) -> None:
        self.state = state
        self.on_return = on_return


class Collect(Resume):
    """A callable known to the VM only: called without arguments, it runs the generator to its end,
    or to a value that ``takes`` is false of. Its value is the list of what was yielded before, and
    that value, or `NULL`.
    """

    __slots__ = ("takes",)

    def __init__(self, state: State, takes: Callable[[Any], bool] | None = None) -> None:
        super().__init__(state)
        self.takes = takes


class Drain:
    """The continuation of `Collect`.

    When a value arrives that is taken, the generator's frame goes on: see ``YIELD_VALUE``.
    """

    __slots__ = ("items", "outer", "takes")

    def __init__(self, outer: Continuation | None, takes: Callable[[Any], bool] | None) -> None:
        self.outer = outer
        self.takes = takes
        self.items: list[Any] = []

    def returned(self, vm: Machine, value: Any) -> Any:
        return self.items, value

    def raised(self, vm: Machine, error: BaseException) -> Any:
        if isinstance(error, StopIteration):
            return self.items, NULL
        raise error


def collect(vm: Machine, request: Collect, then: Continuation | None) -> Any:
    """What a request gives, or `PUSHED`."""
    if request.state.over():
        return [], NULL
    return resume(vm, request.state, None, None, Drain(then, request.takes))
