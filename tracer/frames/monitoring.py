"""``answer`` of the pure-Python hook over ``sys.monitoring``, for CPython 3.12 and later.

In these versions, turning ``sys.settrace`` on and off for every call of a C function would
instrument all code anew each time. Here events stay on for a whole session, and npexport's own code
objects are switched off one by one as they are met.
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
from npexport.tracer.frames.frame_ownership import is_own, is_programs
from npexport.tracer.frames.settrace import CallbackAborted
from npexport.tracer.frames.switch import Switch

_monitoring: Any = getattr(sys, "monitoring", None)  # since CPython 3.12
_TOOLS = (4, 3, 5, 2, 1, 0)  # the first that nobody uses; 0, 1, 2 and 5 are by convention debugger, coverage, profiler and optimizer


def free_tool() -> int | None:
    """A free tool number of ``sys.monitoring``; ``None`` if there is none (CPython < 3.12)."""
    return None if _monitoring is None else next((tool for tool in _TOOLS if _monitoring.get_tool(tool) is None), None)


class _Listener(threading.local):
    """What this thread waits for: frames below ``frame``.

    ``heard``: whether any event has arrived. ``sessions`` counts this thread's own sessions:
    another thread's may end at any time. ``events``: the events that they rely on.
    """

    sessions = 0
    events = False
    frame: FrameType | None = None
    aborted: CodeType | None = None
    heard = False


class _Events(Switch):
    """Monitoring events, which are on while any thread is in a session."""

    __slots__ = ("tool",)

    def __init__(self) -> None:
        super().__init__(self._listen, self._stop)
        self.tool: int | None = None

    def _listen(self) -> None:
        tool = free_tool()
        if tool is not None:
            _monitoring.use_tool_id(tool, "npexport")
            _monitoring.register_callback(tool, _monitoring.events.PY_START, _started)
            _monitoring.set_events(tool, _monitoring.events.PY_START)
        self.tool = tool

    def _stop(self) -> None:
        tool, self.tool = self.tool, None
        if tool is not None:
            _monitoring.set_events(tool, 0)
            _monitoring.register_callback(tool, _monitoring.events.PY_START, None)
            _monitoring.free_tool_id(tool)


_listener = _Listener()
_events = _Events()


@contextmanager
def session() -> Iterator[None]:
    """A context in which calls of `answer` are cheap.

    Raises `UserError` (E206) if no event would arrive.
    """
    outer, holder = _listener.sessions, object()
    try:
        if outer == 0:
            _listener.events = _events.hold(holder) and _events.tool is not None
        _listener.sessions = outer + 1
        _listener.heard = not _listener.events
        _start_a_frame()
        if not _listener.heard:
            raise UserError("E206", "frames cannot be seen from inside a trace function (the prompt of a debugger)")
        yield
    finally:
        _listener.sessions = outer
        try:
            _events.release(holder)
        except BaseException:  # an interrupt of the first call
            _events.release(holder)
            raise


def answer(callback: object, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fn(*args, **kwargs)``.

    If that starts a frame of the user's, `CallbackAborted` is raised; ``callback`` is never called.
    """
    if _listener.sessions == 0:
        with session():
            return answer(callback, fn, args, kwargs)
    if not _listener.events:
        return settrace.answer(callback, fn, args, kwargs)
    outer, holder = _listener.frame, object()
    aborted: Any = None
    try:
        settrace.uncollected.hold(holder)
        _listener.frame = sys._getframe()
        result = fn(*args, **kwargs)
    except BaseException:
        if _listener.aborted is None:
            raise
    finally:
        _listener.frame = outer
        aborted, _listener.aborted = _listener.aborted, None
        try:
            settrace.uncollected.release(holder)
        except BaseException:  # an interrupt of the first call
            settrace.uncollected.release(holder)
            raise
    if aborted is not None:  # said again, since C code may have swallowed the exception
        raise CallbackAborted(aborted)
    return result


def _started(code: CodeType, offset: int) -> Any:
    """A function, or a generator for the first time, is about to run."""
    frame = sys._getframe(1)
    if code is _start_a_frame.__code__:
        _listener.heard = True
        return None
    if is_own(frame.f_globals):
        return _monitoring.DISABLE
    if _listener.frame is not None and is_programs(frame, _listener.frame):
        _listener.aborted = code
        raise CallbackAborted(code)
    return None


def _start_a_frame() -> None:
    """Causes an event, if events arrive at all."""
