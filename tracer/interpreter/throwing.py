"""``throw`` and ``close`` of generators: the exception goes to the innermost iterator that a
generator delegates to.

A chain of the VM's own generators is walked iteratively, so that the host's stack does not bound
its length.
"""

from __future__ import annotations

import sys
import types
import warnings
from types import CoroutineType, GeneratorType
from typing import Any, NamedTuple

from npexport.symshapes.errors import ENDS_RUN
from npexport.tracer.bytecode.host import CLOSE_RETURNS, THROW_ARGUMENTS_DEPRECATED
from npexport.tracer.interpreter.calls import CALLERS
from npexport.tracer.interpreter.frame import NULL, PUSHED, RAISE, THROWN, Continuation, Frame, Machine, Steps
from npexport.tracer.interpreter.generators import Resume, State, finish, kind_of, state_of, suspend
from npexport.tracer.interpreter.unwind import strip_traceback


class Throw:
    """A callable known to the VM only: called with (error,), it does what ``throw`` does."""

    __slots__ = ("state",)

    def __init__(self, state: State) -> None:
        self.state = state


class _Into(Throw):
    """The same for one generator, whatever it delegates to."""

    __slots__ = ()


CALLERS[Throw] = lambda vm, into, args, kwargs, then: throw(vm, into.state, args[0], then)
CALLERS[_Into] = lambda vm, into, args, kwargs, then: vm.start(throw_steps(vm, into.state, args[0], RAISE), then)


def throw(vm: Machine, state: State, error: BaseException, then: Continuation | None) -> Any:
    """``generator.throw(error)``: what the generator yields next, or `PUSHED`."""
    chain = _chain(state)
    if isinstance(error, GeneratorExit):
        return vm.start(_closing_steps(chain, error), then)
    if len(chain) == 1:
        return vm.start(throw_steps(vm, state, error, RAISE), then)
    _link(vm, chain, then)
    try:
        value = vm.start(throw_steps(vm, chain[-1], error, THROWN), None)
    except ENDS_RUN:
        raise
    except BaseException as failed:
        failure = failed
    else:
        if value is not PUSHED:
            vm.give(value, None)
        return PUSHED
    strip_traceback(failure)
    vm.throw(failure)
    return PUSHED


def _chain(state: State) -> list[State]:
    """The generator and those of the VM that it delegates to, outermost first."""
    chain = [state]
    while not chain[-1].running:
        delegate = chain[-1].delegate()
        inner = state_of(delegate) if type(delegate) in (GeneratorType, CoroutineType) else None
        if inner is None or inner.running or inner.over():
            break
        chain.append(inner)
    return chain


def _link(vm: Machine, chain: list[State], then: Continuation | None) -> None:
    """Put all but the innermost on the stack, each at the SEND that resumes the next."""
    for state in chain[:-1]:
        frame = state.frame
        frame.pc = _send_before(frame) + 1
        frame.generator, frame.back, frame.then, frame.on_return = state, vm.frame, then, RAISE if state is chain[0] else THROWN
        state.running = True
        vm.depth += 1
        vm.frame = frame
        then = None


def _send_before(frame: Frame) -> int:
    """The index of the SEND before the YIELD_VALUE at which a delegating generator is suspended."""
    instructions = frame.info.decoded.instructions
    index = frame.pc - 1
    while instructions[index].name != "SEND":
        index -= 1
    return index


def throw_steps(vm: Machine, state: State, error: BaseException, on_return: int) -> Steps:
    """``throw`` into what the generator delegates to, or else into its frame.

    ``on_return``: what the generator's own return means.
    """
    failure: Any = None
    try:
        again = Resume(state, on_return)
        delegate = state.delegate()
        if delegate is NULL or state.running:
            return (yield again, (None, error))
        closing = isinstance(error, GeneratorExit)
        method = yield from _method(state, delegate, "close" if closing else "throw")
        if method is None:
            return (yield again, (None, error))
        _stand_in(vm, state)
        try:
            value = yield method, (() if closing else (error,))
        except StopIteration as stop:
            value, failure = stop.value, (stop if closing else None)
        except BaseException as raised:
            if state.given_up():
                raise
            strip_traceback(raised)
            failure = raised
        else:
            failure = error if closing else NULL
        suspend(vm, state.frame)
        if failure is NULL:
            return value
        if failure is not None:
            return (yield again, (None, failure))
        frame = state.frame  # the delegation is over: its value takes the place of the iterator
        frame.stack[-1] = value
        frame.pc = frame.info.decoded.instructions[_send_before(frame)].arg
        return (yield again, (NULL, None))
    finally:
        del error, failure  # their tracebacks hold this frame


def _closing_steps(chain: list[State], error: BaseException) -> Steps:
    """``GeneratorExit``: the innermost is closed first; its exception goes to the next one."""
    failure = error
    try:
        for state in reversed(chain[1:]):
            try:
                if state is chain[-1]:
                    yield _Into(state), (error,)
                else:
                    yield Resume(state), (None, failure)
            except BaseException as raised:
                if state.given_up():
                    raise
                strip_traceback(raised)
                failure = error if isinstance(raised, (StopIteration, GeneratorExit)) else raised
            else:
                failure = RuntimeError(f"{kind_of(state.frame)} ignored GeneratorExit")
        if len(chain) == 1:
            return (yield _Into(chain[0]), (error,))
        return (yield Resume(chain[0]), (None, failure))
    finally:
        del error, failure  # their tracebacks hold this frame


def _method(state: State, delegate: Any, name: str) -> Steps:
    """The delegate's method, or ``None``; lookup errors of ``close`` are only unraisable."""
    try:
        return (yield getattr, (delegate, name))
    except AttributeError:
        return None
    except BaseException as error:
        if name != "close" or state.given_up():
            raise
        unraisable: Any = _Unraisable(type(error), error, error.__traceback__, None, delegate)
        sys.unraisablehook(unraisable)
        return None


class _Unraisable(NamedTuple):
    """The argument of ``sys.unraisablehook``."""

    exc_type: type[BaseException]
    exc_value: BaseException
    exc_traceback: types.TracebackType | None
    err_msg: str | None
    object: Any


def _stand_in(vm: Machine, state: State) -> None:
    """Keep the generator's frame on the stack while its delegate gets an exception."""
    state.running = True
    state.frame.generator, state.frame.back = state, vm.frame
    vm.frame = state.frame
    vm.depth += 1


def throw_for_host(state: State, error: BaseException) -> Steps:
    """The same for the host object: a return is a value, and ``state.finished`` tells it."""
    try:
        return (yield Throw(state), (error,))
    except StopIteration as stop:
        return stop.value
    finally:
        del error  # its traceback holds this frame


def close_steps(state: State) -> Steps:
    """``close``."""
    if not state.started:
        finish(state)
        return None
    try:
        yield Throw(state), (GeneratorExit(),)
    except GeneratorExit:
        return None
    except StopIteration as stop:
        return stop.value if CLOSE_RETURNS else None
    raise RuntimeError(f"{kind_of(state.frame)} ignored GeneratorExit")


def exception_of(args: tuple[Any, ...]) -> Steps:
    """The exception that the arguments of ``throw`` mean."""
    kind, value, traceback = (*args, None, None)[:3]
    if len(args) > 1 and THROW_ARGUMENTS_DEPRECATED:
        message = "the (type, exc, tb) signature of throw() is deprecated, use the single-arg signature instead."
        yield warnings.warn, (message, DeprecationWarning, 1)
    if traceback is not None and not isinstance(traceback, types.TracebackType):
        raise TypeError("throw() third argument must be a traceback object")
    if isinstance(kind, type) and issubclass(kind, BaseException):
        error = value if isinstance(value, kind) else (yield from _instance(kind, value))
    elif isinstance(kind, BaseException):
        if value is not None:
            raise TypeError("instance exception may not have a separate value")
        error = kind
    else:
        raise TypeError(f"exceptions must be classes or instances deriving from BaseException, not {type(kind).__name__}")
    if traceback is not None:
        error.__traceback__ = traceback
    return error


def _instance(kind: type[BaseException], value: Any) -> Steps:
    """The exception that a class makes of its argument; what goes wrong is thrown instead."""
    try:
        error = yield kind, (value if isinstance(value, tuple) else () if value is None else (value,))
    except BaseException as failure:
        return failure
    if isinstance(error, BaseException):
        return error
    return TypeError(f"calling {kind!r} should have returned an instance of BaseException, not {type(error).__name__}")
