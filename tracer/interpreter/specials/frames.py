"""Builtins that examine frames: ``locals()``, ``exec``, ``sys._getframe``, ``sys.exc_info``,
warnings, frame objects.
"""

from __future__ import annotations
import __future__

import sys
import types
import typing
import warnings
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from npexport.tracer.bytecode.host import CLEARS_SUSPENDED_FRAMES, COMPREHENSIONS_SHOW_ALL
from npexport.tracer.frames.frame_ownership import is_machinery
from npexport.tracer.interpreter import attributes, generators, recursion, throwing
from npexport.tracer.interpreter.calls import METHODS, Args, Kwargs, enter_code
from npexport.tracer.interpreter.frame import NULL, Continuation, Frame, Machine, Steps, handled_exception
from npexport.tracer.interpreter.native import plain_text
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.specials.declare import caller, special
from npexport.tracer.interpreter.unwind import FrameLocals, synthetic_frame


@special(globals)
def _globals(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if args or kwargs:
        return vm.native(globals, args, kwargs, then)
    return vm.world.namespace(caller(vm).globals)


_IMPLICIT = frozenset({"__class__", "__classdict__", "__conditional_annotations__"})
"""The cells that the compiler adds to class bodies."""


def locals_of(frame: Frame) -> Any:
    """What ``locals()`` returns: the namespace of a class or module body, else a new dict.

    In a comprehension of such a body the dict holds its variables: before CPython 3.13 with the
    namespace, and without those from further out.
    """
    found, slots = FrameLocals(frame), frame.info.slots
    if frame.names is not None:
        own = (slot for slot in range(frame.info.first_free) if slots[slot] not in _IMPLICIT)
        if all(found.value(slot) is NULL for slot in own):
            return frame.names
        others = frame.names if not COMPREHENSIONS_SHOW_ALL else ()
        seen = slots if COMPREHENSIONS_SHOW_ALL else slots[: frame.info.first_free]
        return {name: value for name, value in found.items() if name in seen or name in others}
    return dict(found)


@special(locals)
def _locals(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(locals, args, kwargs, then) if args or kwargs else locals_of(caller(vm))


@special(vars)
def _vars(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(vars, args, kwargs, then) if args or kwargs else locals_of(caller(vm))


@special(dir)
def _dir(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if args or kwargs:
        return vm.native(dir, args, kwargs, then)
    return vm.start(_names_steps(locals_of(caller(vm))), then)


def _names_steps(names: Any) -> Steps:
    return sorted((yield (yield getattr, (names, "keys")), ()))


@special(eval)
def _eval(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return _run_source(vm, eval, "eval", args, kwargs, then)


@special(exec)
def _exec(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return _run_source(vm, exec, "exec", args, kwargs, then)


def _run_source(vm: Machine, builtin: Any, mode: str, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frame = caller(vm)
    kwargs = dict(kwargs)
    closure = kwargs.pop("closure", None)
    source, globals_, names = (*args, None, None, None)[:3]
    source = plain_text(source)
    globals_ = kwargs.pop("globals", globals_)
    names = kwargs.pop("locals", names)
    names, globals_ = [given.space if hasattr(type(given), "space") else given for given in (names, globals_)]  # what globals() gave
    if not args or len(args) > 3 or kwargs or globals_ is not None and not _is_namespace(globals_):
        return _by_host(vm, builtin, args, kwargs if closure is None else {**kwargs, "closure": closure}, then)
    if globals_ is None:
        globals_ = frame.globals
        names = locals_of(frame) if names is None else names
    else:
        names = globals_ if names is None else names
        if vm.tracing and any(globals_ is arg for arg in (*args, *kwargs.values())):
            vm.world.made(globals_)  # the program's own dict, or a shadow
    if "__builtins__" not in globals_:
        globals_["__builtins__"] = frame.builtins
    if not isinstance(source, CodeType):
        if isinstance(source, str) and mode == "eval":
            source = source.lstrip(" \t")
        source = compile(source, "<string>", mode, frame.code.co_flags & _FUTURE_FLAGS, True)
    cells = type(closure) is tuple and all(type(cell) is types.CellType for cell in closure)
    if len(closure) != len(source.co_freevars) if cells else source.co_freevars or closure is not None:
        return _by_host(vm, builtin, (source, globals_, names), {} if closure is None else {"closure": closure}, then)
    return enter_code(vm, source, globals_, names, closure or (), then)


def _by_host(vm: Machine, builtin: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """CPython runs what the VM cannot, or raises its error. While tracing the world judges."""
    return vm.native(builtin, args, kwargs, then) if vm.tracing else builtin(*args, **kwargs)


def _is_namespace(globals_: Any) -> bool:
    """Whether frames of the VM can have these globals: a dict, whose builtins are one too."""
    known = globals_.get("__builtins__") if type(globals_) is dict else NULL
    return known is None or type(known) is dict or isinstance(known, types.ModuleType)


_FUTURE_FLAGS = sum({getattr(__future__, name).compiler_flag for name in ("barry_as_FLUFL", "generator_stop", "annotations")})


@special(sys._getframe)
def _getframe(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frames = vm.current_frames()
    depth = args[0] if args else 0
    if kwargs or len(args) > 1 or not isinstance(depth, int) or depth >= len(frames):
        return vm.native(sys._getframe, args, kwargs, then)
    frame = frames[-1 - max(depth, 0)]
    return synthetic_frame(frame)


def _getframemodulename(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frames = vm.current_frames()
    depth = kwargs.get("depth", args[0] if args else 0)
    if not isinstance(depth, int) or depth >= len(frames):
        return vm.native(sys._getframemodulename, args, kwargs, then)
    return frames[-1 - max(depth, 0)].globals.get("__name__")


if hasattr(sys, "_getframemodulename"):
    special(sys._getframemodulename)(_getframemodulename)


@special(sys.getrecursionlimit)
def _getrecursionlimit(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(sys.getrecursionlimit, args, kwargs, then) if args or kwargs else running.limit


@special(sys.setrecursionlimit)
def _setrecursionlimit(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Set the program's limit; the host, which needs more frames, only gets a higher one."""
    if vm.tracing or kwargs or len(args) != 1 or type(args[0]) is not int or args[0] < 1:
        vm.native(sys.setrecursionlimit, args, kwargs, None)
    elif recursion.raised(args[0]) > sys.getrecursionlimit():
        vm.native(sys.setrecursionlimit, (recursion.raised(args[0]),), {}, None)
    vm.limit_depth(args[0])
    return None


@special(sys.exc_info)
def _exc_info(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    error = handled_exception(vm.frame)
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


@special(sys.exception)
def _exception(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return handled_exception(vm.frame)


def _in_user_frame(cls: Any) -> None:
    """``TypeVar`` and its kin read ``__module__`` of the calling frame, here the user's."""

    def make(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        return FunctionType(_CALL, caller(vm).globals)(cls, args, kwargs)

    special(cls)(make)


_CALL = (lambda fn, args, kwargs: fn(*args, **kwargs)).__code__
for _cls in (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple):
    if not any(type(_value) is FunctionType for _value in vars(_cls).values()):  # those of CPython 3.11 are Python themselves
        _in_user_frame(_cls)


def frame_of(real: Any) -> Frame | None:
    """The user's frame that a synthetic frame object represents."""
    names = real.f_locals
    return names.frame if type(names) is FrameLocals else None


def _frame_attribute(vm: Machine, real: Any, name: str, then: Continuation | None) -> Any:
    """An attribute of a synthetic frame, read from the user's frame."""
    read = _FRAME_ATTRIBUTES.get(name)
    frame = frame_of(real) if read is not None else None
    return getattr(real, name) if frame is None else read(frame, real)  # type: ignore[misc]


def _back(frame: Frame, real: Any) -> Any:
    back = frame.back
    while back is not None and back.info.internal:
        back = back.back
    if back is not None:
        return synthetic_frame(back)
    state = generators.state_of_frame(frame)
    if state is not None and not state.running:
        return None
    host: Any = sys._getframe()
    while host is not None and is_machinery(host.f_code):
        host = host.f_back
    return host


_FRAME_ATTRIBUTES: dict[str, Callable[[Frame, Any], Any]] = {
    "f_code": lambda frame, real: frame.code,
    "f_lineno": lambda frame, real: frame.info.decoded.positions(frame.code, frame.pc - 1)[0] if frame.pc else frame.code.co_firstlineno,
    "f_lasti": lambda frame, real: frame.info.decoded.offset(frame.pc - 1),
    "f_back": _back,
}
attributes.SPECIAL_GETTERS[types.FrameType] = _frame_attribute


def _clear_frame(vm: Machine, real: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """``frame.clear()`` of a synthetic frame: the user's frame drops its variables."""
    frame = frame_of(real)
    if frame is None or args or kwargs:
        return vm.native(real.clear, args, kwargs, then)
    state = generators.state_of_frame(frame)
    if state is not None and not state.running and not state.over():
        host = state.host()
        if not state.started and host is not None:
            return vm.native(generators.host_attribute(host, "frame").clear, (), {}, then)
        if not CLEARS_SUSPENDED_FRAMES:
            raise RuntimeError("cannot clear a suspended frame")
        return vm.start(throwing.close_steps(state), then)
    if frame.then is not None or frame.back is not None and frame.real is not None:
        raise RuntimeError("cannot clear an executing frame")
    frame.fast = [NULL] * len(frame.fast)
    return None


METHODS[types.FrameType, "clear"] = _clear_frame


def _warned(frames: list[Frame], level: int) -> Frame | None:
    """The frame of a warning, not counting those of the import system except for the first."""
    if level == 1 or _imports(frames[-1]):
        return frames[-level]
    above = [frame for frame in reversed(frames[:-1]) if not _imports(frame)]
    return above[level - 2] if len(above) > level - 2 else None


def _imports(frame: Frame) -> bool:
    return "importlib" in frame.code.co_filename and "_bootstrap" in frame.code.co_filename


@special(warnings.warn)
def _warn(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Warn for the user's frame that ``stacklevel`` means.

    While tracing the world answers.
    """
    if vm.tracing:
        return vm.native(warnings.warn, args, kwargs, then)
    given = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False)) | kwargs
    level = given.pop("stacklevel", 1)
    frames = vm.current_frames()
    if set(given) - {"message", "category", "source"} or "message" not in given or type(level) is not int or not 1 <= level <= len(frames):
        return vm.native(warnings.warn, args, kwargs, then)
    frame = _warned(frames, level)
    if frame is None:
        return vm.native(warnings.warn, args, kwargs, then)
    message, category = given["message"], given.get("category")
    category = type(message) if isinstance(message, Warning) else UserWarning if category is None else category
    if not (isinstance(category, type) and issubclass(category, Warning)):
        return vm.native(warnings.warn, args, kwargs, then)
    line = frame.info.decoded.positions(frame.code, frame.pc - 1)[0] or frame.code.co_firstlineno
    registry = frame.globals.setdefault("__warningregistry__", {})
    module = frame.globals.get("__name__") or "<string>"
    details = (message, category, frame.code.co_filename, line, module, registry, None, given.get("source"))
    return vm.native(warnings.warn_explicit, details, {}, then)
