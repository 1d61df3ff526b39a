"""Exceptions that a signal brings while a program is examined: Ctrl-C, the end of a time limit.

Python runs a signal's handler between any two steps, npexport's own included. What it raises is not
the program's: no handler of the program takes it, no side of a branch is said to raise it, and the
call that examined the program raises it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import signal
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType
from typing import Any


class Interrupted(BaseException):
    """Carries such an exception past the handlers of npexport."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def is_interrupt(error: BaseException) -> bool:
    """Whether a signal has brought an exception: the handler is in its traceback, or it is that of
    Python's own handler, which is not.
    """
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    entry, codes = error.__traceback__, set[CodeType]()
    while entry is not None:
        if not str(entry.tb_frame.f_globals.get("__name__")).startswith("npexport."):
            codes.add(entry.tb_frame.f_code)
        entry = entry.tb_next
    return bool(codes) and not codes.isdisjoint(_codes())


def require_own(error: BaseException) -> None:
    """Raises `Interrupted` for an exception that a signal has brought."""
    if is_interrupt(error):
        raise Interrupted(error) from None


@contextlib.contextmanager
def raising_interrupts() -> Iterator[None]:
    """Raise what `Interrupted` carries."""
    try:
        yield
        return
    except Interrupted as carrier:
        error = carrier.error
    try:
        raise error
    finally:
        del error  # its traceback holds this frame


def arguments_of_handler(code: CodeType, bound: Mapping[str, Any]) -> list[Any] | None:
    """The arguments of a call that a signal makes of its handler, which CPython has bound to the
    names of the code; ``None`` for other calls.
    """
    names, count = code.co_varnames, code.co_argcount
    given = [bound[name] for name in names[:count] if name in bound]
    if code.co_flags & inspect.CO_VARARGS:
        given += bound.get(names[count + code.co_kwonlyargcount], ())
    return given if FrameType in map(type, given[1:3]) and is_handlers(code) else None


def is_handlers(code: CodeType) -> bool:
    """Whether a signal's handler is of this code."""
    return code in set(_codes())


def _codes() -> Iterator[CodeType]:
    """The code of each handler that is written in Python."""
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        while isinstance(handler, functools.partial):
            handler = handler.func
        for function in (handler, vars(type(handler)).get("__call__")):
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            if isinstance(code, CodeType):
                yield code
