"""``answer`` of the pure-Python hook over ``sys.monitoring``, for CPython 3.12 and later.

Turning ``sys.settrace`` on and off for every call of a C function would make those versions instrument all code anew each time. Here events
stay on for a whole session, and npexport's own code is switched off piece by piece as it is met.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from npexport.symshapes.errors import UserError
from npexport.tracer.frames import settrace
from npexport.tracer.frames.owners import is_called_back, is_own
from npexport.tracer.frames.settrace import CallbackAborted

_monitoring: Any = getattr(sys, "monitoring", None)  # there is none before CPython 3.12
_TOOLS = (4, 3, 5, 2, 1, 0)  # the first that nobody uses; 0, 1, 2 and 5 are by convention debugger, coverage, profiler and optimizer


class _Listener(threading.local):
    """What this thread waits for: frames below ``frame``. ``heard`` tells that events arrive at all.

    ``sessions`` counts this thread's own: another thread's may end at any time.
    """

    sessions = 0
    frame: FrameType | None = None
    aborted: tuple[CodeType, dict[str, Any]] | None = None
    heard = False


class _Sessions:
    """Events are on while any thread is in a session."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.tool: int | None = None

    def begin(self) -> None:
        with self.lock:
            self.count += 1
            if self.count > 1:
                return
            self.tool = next((tool for tool in _TOOLS if _monitoring.get_tool(tool) is None), None)
            if self.tool is not None:
                _monitoring.use_tool_id(self.tool, "npexport")
                _monitoring.register_callback(self.tool, _monitoring.events.PY_START, _started)
                _monitoring.set_events(self.tool, _monitoring.events.PY_START)

    def end(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0 and self.tool is not None:
                _monitoring.set_events(self.tool, 0)
                _monitoring.register_callback(self.tool, _monitoring.events.PY_START, None)
                _monitoring.free_tool_id(self.tool)
                self.tool = None


_listener = _Listener()
_sessions = _Sessions()


@contextmanager
def session() -> Iterator[None]:
    """The time in which calls of `answer` are cheap. Raises `UserError` (E206) where no event would arrive."""
    _sessions.begin()
    _listener.sessions += 1
    try:
        _listener.heard = _sessions.tool is None
        _start_a_frame()
        if not _listener.heard:
            raise UserError("E206", "frames cannot be seen from inside a trace function (the prompt of a debugger)")
        yield
    finally:
        _listener.sessions -= 1
        _sessions.end()


def answer(callback: object, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fn(*args, **kwargs)``. Where that starts a frame of the user's, `CallbackAborted` is raised; ``callback`` is never asked."""
    if _listener.sessions == 0:
        with session():
            return answer(callback, fn, args, kwargs)
    if _sessions.tool is None:
        return settrace.answer(callback, fn, args, kwargs)
    outer = _listener.frame
    settrace.collector.pause()
    _listener.frame = sys._getframe()
    try:
        result = fn(*args, **kwargs)
    except BaseException:
        if _listener.aborted is None:
            raise
    finally:
        _listener.frame = outer
        settrace.collector.resume()
        aborted, _listener.aborted = _listener.aborted, None
    if aborted is not None:  # said again, since C code may have swallowed the exception
        raise CallbackAborted(*aborted)
    return result


def _started(code: CodeType, offset: int) -> Any:
    """A function, or a generator for the first time, is about to run."""
    frame = sys._getframe(1)
    if code is _start_a_frame.__code__:
        _listener.heard = True
        return None
    if is_own(frame.f_globals):
        return _monitoring.DISABLE
    if _listener.frame is not None and (frame.f_back is _listener.frame or is_called_back(frame)):
        _listener.aborted = code, settrace.bound_of(frame)
        raise CallbackAborted(*_listener.aborted)
    return None


def _start_a_frame() -> None:
    """Is heard, if anything is."""
