"""Raising, handling, with statements, exception groups."""

from __future__ import annotations

import functools
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from npexport.tracer.bytecode.host import EXIT_IS_LOOKED_UP_FIRST, GROUPS_HAVE_TRACEBACKS, PREP_RERAISE_STAR, host_instruction
from npexport.tracer.interpreter.attributes import special_method
from npexport.tracer.interpreter.frame import NOTHING, NULL, PUSHED, Frame, Machine, Steps, handled_exception
from npexport.tracer.interpreter.native import c_name
from npexport.tracer.interpreter.program import handler, running
from npexport.tracer.interpreter.unwind import add_traceback, chain_context


@handler("PUSH_EXC_INFO", "make the top the exception being handled", examines=0, raises=False)
def push_exc_info(vm: Machine, frame: Frame, arg: Any) -> None:
    stack = frame.stack
    error = stack.pop()
    stack.append(frame.handled)
    stack.append(error)
    frame.handled = error


@handler("POP_EXCEPT", "stop handling", examines=0, raises=False)
def pop_except(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.handled = frame.stack.pop()
    running.interrupt = None  # the program has dealt with it


@handler("CHECK_EXC_MATCH", "replace a class by whether the exception below is of it", examines=1)
def check_exc_match(vm: Machine, frame: Frame, arg: Any) -> None:
    stack = frame.stack
    wanted = stack.pop()
    for cls in wanted if isinstance(wanted, tuple) else (wanted,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    stack.append(_matches(stack[-1], wanted))


def _matches(error: BaseException, wanted: Any) -> bool:
    """Subclass test by the order of resolution: ``except`` does not call ``__subclasscheck__``."""
    mro = type(error).__mro__
    return any(cls in mro for cls in wanted) if isinstance(wanted, tuple) else wanted in mro


@handler("RERAISE", "raise the top again", examines=0)
def reraise(vm: Machine, frame: Frame, depth: int) -> bool:
    """``depth``: where the stack holds the instruction that raised first."""
    error = frame.stack.pop()
    vm.throw(error, again=True, origin=frame.stack[-depth] if depth else None)
    return True


@handler("RAISE_LEFT", "raise the top, with which a captured loop was left", examines=0)
def raise_left(vm: Machine, frame: Frame, arg: Any) -> bool:
    vm.throw(frame.stack.pop())
    return True


@handler("RAISE_VARARGS", "raise with 0, 1 or 2 operands", examines=lambda frame, arg: arg)
def raise_varargs(vm: Machine, frame: Frame, count: int) -> bool:
    if count == 0:
        error = handled_exception(frame)
        if error is None:
            raise RuntimeError("No active exception to reraise")
        vm.throw(error, again=True)
        return True
    cause = frame.stack.pop() if count == 2 else NULL
    error = frame.stack.pop()
    if isinstance(error, BaseException) and (cause is NULL or cause is None or isinstance(cause, BaseException)):
        return _raise(vm, frame, error, cause)
    vm.start(_raise_steps(vm, frame, error, cause), None)
    return True


def _raise(vm: Machine, frame: Frame, error: BaseException, cause: Any) -> bool:
    if cause is not NULL:
        error.__cause__ = cause
    chain_context(error, handled_exception(frame))
    vm.throw(error)
    return True


def _raise_steps(vm: Machine, frame: Frame, error: Any, cause: Any) -> Steps:
    error = yield from _made(error, "exceptions must derive from BaseException")
    if cause is not NULL and cause is not None:
        cause = yield from _made(cause, "exception causes must derive from BaseException")
    _raise(vm, frame, error, cause)
    return NOTHING


def _made(error: Any, otherwise: str) -> Steps:
    """The exception; a class is called to make it."""
    if isinstance(error, type) and issubclass(error, BaseException):
        made = yield error, ()
        if not isinstance(made, BaseException):
            raise TypeError(f"calling {error!r} should have returned an instance of BaseException, not {type(made)!r}")
        return made
    if not isinstance(error, BaseException):
        raise TypeError(otherwise)
    return error


# -- with


@handler("BEFORE_WITH", "push __exit__ and the result of __enter__", examines=1, effect=(1, 2))
def before_with(vm: Machine, frame: Frame, arg: Any) -> Any:
    return _enter(vm, frame, *_MANAGERS)


@handler("BEFORE_ASYNC_WITH", "push __aexit__ and the awaitable of __aenter__", examines=1)
def before_async_with(vm: Machine, frame: Frame, arg: Any) -> Any:
    return _enter(vm, frame, *reversed(_MANAGERS))


class _Protocol(NamedTuple):
    name: str
    enter: str
    leave: str
    statement: str


_MANAGERS = (
    _Protocol("context manager", "__enter__", "__exit__", "with"),
    _Protocol("asynchronous context manager", "__aenter__", "__aexit__", "async with"),
)


def _enter(vm: Machine, frame: Frame, protocol: _Protocol, other: _Protocol) -> Any:
    manager = frame.stack.pop()
    return frame.receive(vm.start(_enter_steps(frame, manager, protocol, other), None))


def _enter_steps(frame: Frame, manager: Any, protocol: _Protocol, other: _Protocol) -> Steps:
    tp = type(manager)
    enter, leave = special_method(tp, protocol.enter), special_method(tp, protocol.leave)
    if enter is NULL or leave is NULL:
        raise TypeError(_no_manager((yield type, (manager,)), protocol, other))
    entering = yield from _bound(enter, manager)
    leaving = yield from _bound(leave, manager)
    value = yield entering, ()
    frame.stack.append(leaving)
    return value


def _no_manager(tp: type, protocol: _Protocol, other: _Protocol) -> str:
    """CPython's message about the method that it misses first."""
    missed = {name for name in (*protocol, *other) if special_method(tp, name) is NULL}
    text = f"object does not support the {protocol.name} protocol"
    if not EXIT_IS_LOOKED_UP_FIRST:
        name = c_name(tp)
        return f"'{name}' {text}" if protocol.enter in missed else f"'{name}' {text} (missed {protocol.leave} method)"
    name = tp.__qualname__ if tp.__module__ in ("builtins", "__main__") else f"{tp.__module__}.{tp.__qualname__}"
    text = f"'{name}' {text} (missed {protocol.leave if protocol.leave in missed else protocol.enter} method)"
    if other.enter in missed or other.leave in missed:
        return text
    return f"{text} but it supports the {other.name} protocol. Did you mean to use '{other.statement}'?"


def _bound(method: Any, obj: Any) -> Steps:
    """A special method bound to its object by the descriptor protocol."""
    if type(method) is FunctionType:
        return MethodType(method, obj)
    getter = special_method(type(method), "__get__")
    return method if getter is NULL else (yield getter, (method, obj, type(obj)))


@handler("WITH_EXCEPT_START", "call the n-th from the top with the exception", examines=0)
def with_except_start(vm: Machine, frame: Frame, arg: Any) -> Any:
    stack = frame.stack
    error = stack[-1]
    return frame.receive(vm.call(stack[-arg], (type(error), error, error.__traceback__), {}, None))


# -- exception groups


@handler("CHECK_EG_MATCH", "split an exception group", examines=0)
def check_eg_match(vm: Machine, frame: Frame, arg: Any) -> Any:
    stack = frame.stack
    wanted = stack.pop()
    error = stack.pop()
    return vm.start(_split_steps(frame, error, wanted), None) is PUSHED


def _split_steps(frame: Frame, error: Any, wanted: Any) -> Steps:
    """Push (rest, match), perhaps ``None``; the match becomes the handled exception."""
    for cls in wanted if isinstance(wanted, tuple) else (wanted,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(cls, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
    match, rest = None, error
    if error is not None:
        if _matches(error, wanted):
            match, rest = error, None
            if not isinstance(error, BaseExceptionGroup):
                match = (BaseExceptionGroup if not isinstance(error, Exception) else ExceptionGroup)("", (error,))
                if GROUPS_HAVE_TRACEBACKS:
                    add_traceback(match, frame, frame.pc - 1)
        elif isinstance(error, BaseExceptionGroup):
            pair = yield (yield getattr, (error, "split")), (wanted,)
            if not isinstance(pair, tuple):
                raise TypeError(f"{type(error).__name__}.split must return a tuple, not {type(pair).__name__}")
            if len(pair) < 2:
                raise TypeError(f"{type(error).__name__}.split must return a 2-tuple, got tuple of size {len(pair)}")
            match, rest = pair[:2]
    if match is not None:
        frame.handled = match
    frame.stack += [rest, match]
    return NOTHING


@handler("PREP_RERAISE_STAR", "pop the caught exceptions and the original; push what except* raises again", examines=0)
def prep_reraise_star(vm: Machine, frame: Frame, arg: Any) -> None:
    caught = frame.stack.pop()
    frame.stack.append(_host_prep()(frame.stack.pop(), caught))


@functools.cache
def _host_prep() -> Any:
    return host_instruction(*PREP_RERAISE_STAR, 2)
