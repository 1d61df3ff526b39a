"""Calls are watched while the program runs as usual: whoever watches is told of the frames of
chosen code, in all threads, before their bodies run.

From CPython 3.12 on ``sys.monitoring`` does it, with either hook: events of chosen code objects
alone, so that other code runs at full speed. The frame evaluator of PEP 523 would take from all
calls the fast path that CPython has for them. Before 3.12, and where other tools have taken all
places, it is ``sys.settrace``, whose function asks for no lines.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any

from npexport.tracer.frames.frame_ownership import is_own_code
from npexport.tracer.frames.monitoring import free_tool
from npexport.tracer.frames.settrace import has_started

_monitoring: Any = getattr(sys, "monitoring", None)
_OF_FUNCTIONS = 0x03  # optimized, with new locals: neither a module's code nor a class body's


class Watch:
    """A context manager that tells ``entered(frame)`` of every frame that starts of ``codes``.

    ``codes`` is an iterable of code objects, or a function that says of one whether it is meant.
    ``entered`` must not raise. Frames of generators are seen once, when their body starts.
    """

    def __init__(self, codes: Iterable[CodeType] | Callable[[CodeType], bool], entered: Callable[[FrameType], None]) -> None:
        self._meant = codes if callable(codes) else frozenset(codes)
        self._entered = entered
        self._verdicts: dict[CodeType, bool] = {}
        self._tool: int | None = None
        self._outer: dict[int, Any] = {}  # the trace functions of before, by thread
        self._new_threads: Any = None
        self.active = False

    def __enter__(self) -> Watch:
        self.active = True
        try:
            self._tool = free_tool()
            (self._trace if self._tool is None else self._monitor)()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.active = False
        if self._tool is None:
            self._untrace()
        else:
            self._unmonitor(self._tool)

    def _is_meant(self, code: CodeType) -> bool:
        if not callable(self._meant):
            return code in self._meant
        verdict = self._verdicts.get(code)
        if verdict is None:
            functions = code.co_flags & _OF_FUNCTIONS == _OF_FUNCTIONS and not is_own_code(code)
            verdict = self._verdicts[code] = functions and self._meant(code)
        return verdict

    # Over sys.monitoring

    def _monitor(self) -> None:
        start = _monitoring.events.PY_START
        _monitoring.use_tool_id(self._tool, "npexport.capture")
        _monitoring.register_callback(self._tool, start, self._started)
        if callable(self._meant):
            _monitoring.restart_events()  # what an earlier tool of this number has switched off
            _monitoring.set_events(self._tool, start)
        else:
            for code in self._meant:
                _monitoring.set_local_events(self._tool, code, start)

    def _unmonitor(self, tool: int) -> None:
        if _monitoring.get_tool(tool) is None:
            return
        _monitoring.set_events(tool, 0)
        for code in () if callable(self._meant) else self._meant:
            _monitoring.set_local_events(tool, code, 0)
        _monitoring.register_callback(tool, _monitoring.events.PY_START, None)
        _monitoring.free_tool_id(tool)
        if callable(self._meant):
            _monitoring.restart_events()  # or the next tool of this number would not see what this one has switched off

    def _started(self, code: CodeType, offset: int) -> Any:
        if not self._is_meant(code):
            return _monitoring.DISABLE
        if self.active:
            frame = sys._getframe(1)
            self._entered(frame)
            values = frame.f_locals
            if type(values) is dict:  # before CPython 3.13 a frame keeps what was asked of it, and with that its arguments alive
                values.clear()
        return None

    # Over sys.settrace

    def _trace(self) -> None:
        self._new_threads = threading.gettrace()
        threading.settrace(self._called)
        self._outer[threading.get_ident()] = sys.gettrace()
        sys.settrace(self._called)

    def _untrace(self) -> None:
        if threading.gettrace() == self._called:
            threading.settrace(self._new_threads)  # type: ignore[arg-type]
        if sys.gettrace() == self._called:
            sys.settrace(self._outer.get(threading.get_ident()))

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        outer = self._outer.get(threading.get_ident(), self._new_threads)
        if not self.active:  # a thread that is still running: its trace function is put back here
            sys.settrace(outer)
        elif self._is_meant(frame.f_code) and not has_started(frame):
            self._entered(frame)
        if outer is None:
            return None
        local = outer(frame, event, arg)
        if self.active:
            sys.settrace(self._called)  # coverage puts itself in place when it is called
        return local
