"""Tells of the frames of chosen functions before CPython 3.12: while somebody listens, a function
has code that calls `_tell` first.

Other code is not touched and pays nothing. As for any other code, what the program finds in
``__code__`` is what runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, FunctionType

from npexport.tracer.bytecode.prologue import with_prologue

Told = Callable[[FunctionType, CodeType, FrameType], None]

_listeners: dict[object, tuple[frozenset[FunctionType], Told]] = {}
_told: dict[int, tuple[FunctionType, CodeType, CodeType]] = {}
"""By the identity of the code with the call: the function, its own code, and that code."""


def listen(holder: object, functions: Iterable[FunctionType], told: Told) -> None:
    """``told(function, code, frame)`` of every frame that starts, until ``holder`` is silent."""
    meant = frozenset(functions)
    _listeners[holder] = (meant, told)
    for function in meant:
        _settle(function)


def silence(holder: object) -> None:
    meant, _ = _listeners.pop(holder, (frozenset(), None))
    for function in meant:
        _settle(function)


def _settle(function: FunctionType) -> None:
    """Give a function the code that it needs now.

    Another thread may do so, too: whoever is last looks once more.
    """
    while True:
        wanted = any(function in meant for meant, _ in list(_listeners.values()))
        found = _told.get(id(function.__code__))
        if wanted is (found is not None):
            return
        if found is None:
            own = function.__code__
            calling = with_prologue(own, _tell)
            _told[id(calling)] = (function, own, calling)
            function.__code__ = calling
        else:
            function.__code__ = found[1]
            del _told[id(found[2])]


def _tell() -> None:
    frame = sys._getframe(1)
    found = _told.get(id(frame.f_code))
    if found is None:  # a frame that began before its function got its own code back, or of a copy
        return
    function, own, _ = found
    for meant, told in list(_listeners.values()):
        if function in meant:
            told(function, own, frame)
    frame.f_locals.clear()  # a frame keeps what was asked of it, and with that its arguments alive
