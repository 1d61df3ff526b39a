"""Watches calls while the program runs as usual: a watcher is told of the frames of chosen
functions, or of code objects that a predicate admits, in all threads, before their bodies run.

From CPython 3.12 on this uses ``sys.monitoring``, with either hook: only the chosen code objects
have events, so that other code runs at full speed. Before 3.12 chosen functions tell of themselves
(:mod:`entering`), which costs other code nothing, either. For a predicate it is the C extension
there, whose evaluator asks once per code object; this disables CPython's fast path for all calls.
Without the extension, and where other tools hold all tool ids of ``sys.monitoring``, it is
``sys.settrace`` with a function that asks for no line events.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from npexport.tracer.frames import entering, hook
from npexport.tracer.frames.frame_ownership import is_own_code
from npexport.tracer.frames.monitoring import free_tool
from npexport.tracer.frames.settrace import has_started

_monitoring: Any = getattr(sys, "monitoring", None)
_OF_FUNCTIONS = 0x03  # optimized, with new locals: neither a module's code nor a class body's


class Started(NamedTuple):
    """A frame whose body is about to run.

    ``values`` holds its arguments and its free variables by name; ``function`` is ``None`` if the
    hook does not tell whose frame it is.
    """

    code: CodeType
    namespace: dict[str, Any]
    values: Mapping[str, Any]
    function: Any = None  # a FunctionType


class Watch:
    """A context manager that calls ``entered(started)`` for every frame of ``target`` that starts.

    ``target`` is an iterable of functions, or a predicate on code objects. Frames of functions that
    share the code of one of these may be told, too. ``entered`` must not raise. A generator's frame
    is seen once, when its body starts. ``missed``, at the end: whether frames may have gone unseen
    because they were nested thousands deep.
    """

    def __init__(self, target: Iterable[FunctionType] | Callable[[CodeType], bool], entered: Callable[[Started], None]) -> None:
        self._functions = () if callable(target) else tuple(target)
        self._meant = target if callable(target) else None
        self.entered = entered
        codes = [function.__code__ for function in self._functions]
        self._verdicts = {id(code): (code, True) for code in codes}  # of codes by identity: equal ones may stand in two files
        self._tool: int | None = None
        self._outer: dict[int, Any] = {}  # the earlier trace functions, by thread
        self._new_threads: Any = None
        self._evaluator: Any = None
        self.active = False
        self.missed = False

    def __enter__(self) -> Watch:
        evaluator = hook().watching
        self.active = True
        try:
            self._tool = free_tool()
            if self._tool is not None:
                self._monitor()
            elif self._functions and _monitoring is None:
                entering.listen(self, self._functions, self._told)
            elif evaluator is not None:
                self._evaluator = evaluator
                _evaluated[self] = None
                evaluator.watch(_is_meant, _started)
            else:
                self._trace()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.active = False
        if self._tool is not None:
            self._unmonitor(self._tool)
        elif self._functions and _monitoring is None:
            entering.silence(self)
        elif self._evaluator is None:
            self._untrace()
        elif self in _evaluated:
            del _evaluated[self]
            self.missed = self._evaluator.unwatch()

    def is_meant(self, code: CodeType) -> bool:
        known = self._verdicts.get(id(code))
        if known is not None:
            return known[1]
        if self._meant is None:
            return False
        functions = code.co_flags & _OF_FUNCTIONS == _OF_FUNCTIONS and not is_own_code(code)
        verdict = functions and self._meant(code)
        self._verdicts[id(code)] = (code, verdict)
        return verdict

    def _told(self, function: FunctionType, code: CodeType, frame: FrameType) -> None:
        if self.active:
            self.entered(Started(code, frame.f_globals, frame.f_locals, function))

    # Over sys.monitoring

    def _monitor(self) -> None:
        start = _monitoring.events.PY_START
        _monitoring.use_tool_id(self._tool, "npexport.capture")
        _monitoring.register_callback(self._tool, start, self._started)
        if self._meant is not None:
            _monitoring.restart_events()  # what an earlier tool of this number has switched off
            _monitoring.set_events(self._tool, start)
        else:
            for code, _ in self._verdicts.values():
                _monitoring.set_local_events(self._tool, code, start)

    def _unmonitor(self, tool: int) -> None:
        if _monitoring.get_tool(tool) is None:
            return
        _monitoring.set_events(tool, 0)
        for code, _ in self._verdicts.values() if self._meant is None else ():
            _monitoring.set_local_events(tool, code, 0)
        _monitoring.register_callback(tool, _monitoring.events.PY_START, None)
        _monitoring.free_tool_id(tool)
        if self._meant is not None:
            _monitoring.restart_events()  # or the next tool of this number would not see what this one has switched off

    def _started(self, code: CodeType, offset: int) -> Any:
        if not self.is_meant(code):
            return _monitoring.DISABLE
        if self.active:
            frame = sys._getframe(1)
            self.entered(_of_frame(frame))
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
            threading.settrace(self._new_threads)
        if sys.gettrace() == self._called:
            sys.settrace(self._outer.get(threading.get_ident()))

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        outer = self._outer.get(threading.get_ident(), self._new_threads)
        if not self.active:  # a thread that is still running: its trace function is put back here
            sys.settrace(outer)
        elif self.is_meant(frame.f_code) and not has_started(frame):
            self.entered(_of_frame(frame))
        if outer is None:
            return None
        local = outer(frame, event, arg)
        if self.active:
            sys.settrace(self._called)  # coverage puts itself in place when it is called
        return local


def _of_frame(frame: FrameType) -> Started:
    return Started(frame.f_code, frame.f_globals, frame.f_locals)


# Over the C extension

_evaluated: dict[Watch, None] = {}  # those that its evaluator serves


def _is_meant(code: CodeType) -> bool:
    return any(watch.is_meant(code) for watch in list(_evaluated))


def _started(function: FunctionType, code: CodeType, values: dict[str, Any], resumed: bool) -> None:
    """A frame starts; ``resumed``: it is a generator's, whose cells already exist."""
    if resumed:
        cells = {name: values[name] for name in (*code.co_cellvars, *code.co_freevars)}
    else:
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for name, cell in cells.items():
        try:
            values[name] = cell.cell_contents
        except ValueError:  # nothing is bound to it yet
            values.pop(name, None)
    started = Started(code, function.__globals__, values, function)
    for watch in list(_evaluated):
        if watch.active and watch.is_meant(code):
            watch.entered(started)
