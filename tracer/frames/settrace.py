"""The frame hook in pure Python, over ``sys.settrace``: it sees a frame before its first line and
can abort it, but cannot answer for it.

``capture`` and ``answer`` have the contracts of the extension's functions (``_evalframe.c``).
CPython drops a trace function that raises, so the one that was installed before is always put back;
meanwhile it is told of the frames that do run.
"""

from __future__ import annotations

import dis
import gc
import sys
import time
from collections.abc import Callable, Mapping
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, FunctionType, GeneratorType
from typing import Any

from npexport.symshapes.errors import UserError
from npexport.symshapes.interrupts import is_interrupt
from npexport.tracer.frames.frame_ownership import is_helper, is_own, is_programs
from npexport.tracer.frames.switch import Switch

_RESUME = dis.opmap["RESUME"]
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x200  # generator, coroutine, async generator
_FRAME_OF = {GeneratorType: "gi_frame", CoroutineType: "cr_frame", AsyncGeneratorType: "ag_frame"}

Captured = tuple[FunctionType, dict[str, Any], dict[str, Any], dict[str, Any]]


class CallbackAborted(BaseException):
    """A Python frame started by C code was aborted before its body ran, since this hook cannot
    answer for it.

    ``code`` is the frame's code object.
    """

    def __init__(self, code: CodeType) -> None:
        super().__init__(f"{code.co_qualname} was called back from C")
        self.code = code


class _FrameSeen(BaseException):
    """Raised in the root frame, so that its body does not run."""


def capture(call: Callable[[], object]) -> Captured | None:
    """(function, arguments, globals, builtins) of the first frame of the user's that ``call()``
    starts, or ``None`` if it starts none.
    """
    listener = _Capturing()
    try:
        result = listener.listen(call, (), {})
    except BaseException as error:
        if listener.root is None or is_interrupt(error):
            raise  # the arguments do not fit, or the callable is not Python and raised
    return listener.captured() or _suspended_at_start(result)


def answer(callback: object, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fn(*args, **kwargs)``.

    If that starts a frame of the user's, `CallbackAborted` is raised; ``callback`` is never called.
    """
    listener = _Answering()
    try:
        result = listener.listen(fn, args, kwargs)
    except BaseException:
        if listener.aborted is None:
            raise
    if listener.aborted is not None:  # said again, since C code may have swallowed the exception and gone on without a trace function
        raise CallbackAborted(listener.aborted)
    return result


class _Listening:
    """Is told of every frame that this thread starts, and passes on to the user's trace function
    those that may run.

    It holds a frame only while it listens, so that nothing of the program is kept alive.
    """

    __slots__ = ("caller", "hears", "outer")

    def started(self, frame: FrameType) -> None:
        """Raises where the frame's body must not run."""
        raise NotImplementedError

    def listen(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``fn(*args, **kwargs)``, of whose frames this is told.

        However it ends, an interrupt included, nothing is left behind.
        """
        self.hears = False
        self.caller: FrameType | None = sys._getframe()
        outer = self.outer = sys.gettrace()
        try:
            uncollected.hold(self)
            _install(self.trace)
            _start_a_frame()
            if not self.hears:  # CPython traces nothing inside a trace function: the program would run unseen
                raise UserError("E206", "frames cannot be seen from inside a trace function (the prompt of a debugger)")
            return fn(*args, **kwargs)
        finally:
            _install(outer)
            self.caller = None
            try:
                uncollected.release(self)
            except BaseException:  # an interrupt of the first call
                uncollected.release(self)
                raise

    def trace(self, frame: FrameType, event: Any, arg: Any) -> Any:
        self.hears = True
        self.started(frame)
        if self.outer is None:
            return None
        local = self.outer(frame, event, arg)
        _install(self.trace)  # coverage puts itself in place when it is called
        return local


class _Capturing(_Listening):
    __slots__ = ("bound", "root")

    def __init__(self) -> None:
        self.root: FrameType | None = None
        self.bound: dict[str, Any] = {}

    def started(self, frame: FrameType) -> None:
        if is_own(frame.f_globals) or is_helper(frame.f_globals):
            return
        if self.root is None:
            self.root, self.bound = frame, bound_of(frame.f_code, frame.f_locals)
        raise _FrameSeen

    def captured(self) -> Captured | None:
        frame, self.root = self.root, None
        return None if frame is None else (_function(frame, frame.f_code), self.bound, frame.f_globals, frame.f_builtins)


class _Answering(_Listening):
    __slots__ = ("aborted",)

    def __init__(self) -> None:
        self.aborted: CodeType | None = None

    def started(self, frame: FrameType) -> None:
        if is_programs(frame, self.caller) and not has_started(frame):
            self.aborted = frame.f_code
            raise CallbackAborted(frame.f_code)


_TRIES = 10_000


def _install(trace: Any) -> None:
    """``sys.settrace``.

    CPython refuses it while another thread installs its own.
    """
    for _ in range(_TRIES):
        try:
            return sys.settrace(trace)
        except RuntimeError:
            time.sleep(0)
    return sys.settrace(trace)


def _start_a_frame() -> None:
    """Causes a trace call, if there are any."""


class _Uncollected(Switch):
    """Turns the cyclic garbage collector off: finalisers are not the program's frames."""

    __slots__ = ("collects",)

    def __init__(self) -> None:
        super().__init__(self._pause, self._resume)
        self.collects = False

    def _pause(self) -> None:
        self.collects = gc.isenabled()
        gc.disable()

    def _resume(self) -> None:
        if self.collects:
            gc.enable()


uncollected = _Uncollected()


def bound_of(code: CodeType, values: Mapping[str, Any]) -> dict[str, Any]:
    """The bound arguments by name; the namespace if the code has one (class bodies, exec)."""
    if not code.co_flags & 0x01:
        return values  # type: ignore[return-value]
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    return {name: values[name] for name in code.co_varnames[:count] if name in values}


def _function(holder: object, code: CodeType) -> FunctionType:
    """The function whose frame ``holder`` is, or holds: a frame that is not running refers to its
    function before its arguments.
    """
    return next(item for item in gc.get_referents(holder) if type(item) is FunctionType and item.__code__ is code)


def _suspended_at_start(result: object) -> Captured | None:
    """The frame of a generator function does not report its start: it is found in the generator
    that the call returned.
    """
    frame: FrameType | None = getattr(result, _FRAME_OF.get(type(result), ""), None)
    if frame is None or is_own(frame.f_globals) or frame.f_lasti > _start(frame.f_code):
        return None
    captured = (_function(result, frame.f_code), bound_of(frame.f_code, frame.f_locals), frame.f_globals, frame.f_builtins)
    if isinstance(result, CoroutineType):
        result.close()  # else CPython would warn that it was never awaited
    return captured


def has_started(frame: FrameType) -> bool:
    """Whether this is a generator that is being resumed, or ended before its body has started."""
    return bool(frame.f_code.co_flags & _GENERATOR_FLAGS) and frame.f_lasti != _start(frame.f_code)


def _start(code: CodeType) -> int:
    """The offset of the instruction at which a frame reports its start."""
    return code.co_code[::2].index(_RESUME) * 2
