"""Models of what programs print, warn of and log.

It happens once, at export, and is listed in the report.
"""

from __future__ import annotations

import functools
import io
import operator
import sys
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from npexport.ir.ops.control import name_of
from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.arrays.core.proxy import Proxy
from npexport.tracer.arrays.core.run_dependent_numbers import telling
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.control.failures import Failure, argument_of, emit
from npexport.tracer.effects.fence import Fence
from npexport.tracer.effects.host_warnings import callers_filters
from npexport.tracer.effects.streams import Stream
from npexport.tracer.effects.warning_filters import ignores
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.handler_analysis import getter
from npexport.tracer.interpreter.join_points import GivenUp
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import models

if TYPE_CHECKING:
    import logging


@models("builtins", "print")
def print_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """To a file of the program's own it writes; what goes to standard output or error is listed."""
    file = kwargs.get("file")
    if file is None:
        file = world.module_attribute(sys, "stdout")
    if type(file) is Fence:
        raise Unsupported("E105", "print(file=...) writes to a file that existed before the call")
    kwargs = {name: _describing("print", functools.partial(_known, vm, value)) for name, value in kwargs.items()}
    fn(**{**kwargs, "file": io.StringIO()})  # for its errors
    shows = file is None or type(file) is Stream
    pieces = _describing("print", lambda: _pieces(vm, args, kwargs.get("sep"), kwargs.get("end"), shows))
    if file is None:
        return None
    if isinstance(file, io.TextIOBase):  # a stream, whose print is one event
        pieces = ["".join(pieces)]
    return Invoke(polyfills.write, (file, pieces, bool(kwargs.get("flush"))))


def _pieces(vm: Machine, values: tuple[Any, ...], separator: str | None, end: str | None, shows: bool) -> list[str]:
    """What ``print`` writes, call by call; ``shows``: nothing but people reads it."""
    pieces: list[str] = []
    for value in values:
        pieces += [" " if separator is None else separator] * bool(pieces) + [_shown(vm, value) if shows else _text(vm, value)]
    return [*pieces, "\n" if end is None else end]


def _known(vm: Machine, value: Any) -> Any:
    return _text(vm, value) if type(value) is DataText else value


def _text(vm: Machine, value: Any) -> str:
    """The text that is listed for a value; nothing for data that would not be printed anyway."""
    text: Any = _told(vm, value)
    if type(text) is DataText:
        text = "" if vm.world.rehearses else text.printed()
    return str(text)


def _shown(vm: Machine, value: Any) -> str:
    """The same; in non-strict exports the dtype and shape of data that nobody knows yet."""
    try:
        text: str = _describing("print", lambda: _text(vm, value))
        return text
    except Unsupported as refusal:
        if refusal.code != "E114" or type(value) not in NATIVE_TYPES or not vm.world.permits(refusal):
            raise
    return f"<{value.meta}>" if isinstance(value, Proxy) else "<known when the program runs>"


def _told(vm: Machine, value: Any) -> Any:
    """The text of a value, which may depend on data."""
    with telling():
        return value if type(value) is str else vm.run(str, (value,), {})


def _describing(what: str, act: Any) -> Any:
    """Run ``act``; if it needs the data of an array, the refusal says what to do about printing."""
    try:
        return act()
    except Unsupported as error:
        if error.code not in ("E103", "E104"):
            raise
        raise Unsupported("E114", f"`{what}` is called with an array whose data is not known while the program is exported") from error


_SHOWS: Any = warnings._showwarnmsg  # type: ignore[attr-defined]
_SHOWING = ("_showwarnmsg_impl", "_showwarnmsg", "showwarning")
_REMEMBERING: dict[str, Callable[..., tuple[Any, ...]]] = {
    "default": lambda text, category, place: (text, category, place),
    "module": lambda text, category, place: (text, category, place and place.file),
    "once": lambda text, category, place: (text, category),
}
"""Actions of filters that show a warning only once."""


@models("_warnings", "warn")
def warn(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Filters that make a warning an error, and recorded warnings, are respected."""
    bound = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False), **kwargs)
    message, category = bound["message"], bound.get("category") or UserWarning
    if isinstance(message, Warning):
        category = type(message)
    elif not (isinstance(category, type) and issubclass(category, Warning)):
        fn("", category)  # raises
    text = _describing("warnings.warn", lambda: _told(vm, message))
    stack, level = vm.stack(), operator.index(bound.get("stacklevel", 1))
    location = stack[-min(max(level, 1), len(stack))] if stack else None
    named = place_of(stack, level)
    if world.recorder.regions or type(text) is DataText:
        if _is_recorded(world, vm, text, category, named):
            return None
        if world.probe is not None:
            raise GivenUp
    text = _text(vm, text)
    action = world.warning_action(text, category, location)
    if action == "error":
        raise message if isinstance(message, Warning) else category(message)
    key = (action, *_REMEMBERING[action](text, category, location)) if action in _REMEMBERING else None
    if action == "ignore" or key in world.warned:
        return None
    if key is not None:
        world.warned.add(key)
    if any(world.overlay.find(warnings, name) is not None for name in _SHOWING):
        shown = message if isinstance(message, Warning) else category(message)
        file, line = (location.file, location.line) if location else ("<unknown>", 1)
        shown_as = warnings.WarningMessage(shown, category, file, line, source=bound.get("source"))
        return Invoke(_SHOWS, (shown_as,))
    world.say("warning", text, location, category)
    return None


def place_of(stack: tuple[Location, ...], level: int) -> tuple[Location, ...]:
    """The frames down to that of this ``stacklevel``; empty if that is the program's caller."""
    return stack[: len(stack) - max(level, 1) + 1] if level <= len(stack) else ()


def ignored_by_program(world: ShadowedWorld, category: type[Warning], text: Any) -> bool | None:
    """Whether the program's own filters ignore such warnings; ``None`` if they do something else,
    or the program records warnings.
    """
    found = ignores(world.own_filters(), callers_filters(), category, text) if world.filtering else False
    return None if found is False and world.keeps_warnings() else found


def _is_recorded(world: ShadowedWorld, vm: Machine, text: str, category: type[Warning], stack: tuple[Location, ...]) -> bool:
    """Whether a warning on a side of a branch, or in an iteration of a loop, is issued by the
    program at run time.

    The caller's filters apply then: if a handler could catch what a filter makes of it, it is
    refused.
    """
    ignored = ignored_by_program(world, category, text)
    if ignored is False and (running.nested or getter(vm, vm.frame, (category,)) is not None):
        return False
    if ignored is False:
        emit(world, Failure((), name_of(category) or category, (argument_of(text),), stack, True))
    return ignored is not None


@models("_warnings", "_filters_mutated", "_filters_mutated_lock_held")
def filters_changed(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The program's own filters are in its overlay: those of the process have not changed."""
    world.warned.clear()
    world.filtering = True


@models("_warnings", "_acquire_lock", "_release_lock")
def lock_filters(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The lock protects the process's filters from threads; the program has its own filters."""


@models("logging", "getLogger", "Logger.getChild")
def get_logger(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Loggers exist once per process; the program sees them behind a fence."""
    if fn.__name__ == "getChild":
        parent, args = _logger(world, fn, args)
        return world.enter(parent.getChild(*args, **kwargs), "logging.getLogger()")
    return world.enter(fn(*args, **kwargs), "logging.getLogger()")


_LEVELS = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "exception": 40, "critical": 50, "fatal": 50}


@models("logging", *(f"{owner}{name}" for owner in ("", "Logger.") for name in (*_LEVELS, "log")))
def log(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    logger, args = _logger(world, fn, args)
    name = fn.__name__
    level, message, *values = args if name == "log" else (_LEVELS[name], *args)
    if logger.isEnabledFor(level) and not world.rehearses:
        message = _describing("logging", lambda: _message(vm, message, values))
        world.say("log", message, world.where(), (logger.name, level))


def _message(vm: Machine, message: Any, values: list[Any]) -> str:
    with telling():
        return _text(vm, vm.run(operator.mod, (_text(vm, message), _values(values)), {}) if values else message)


def _logger(world: ShadowedWorld, fn: Any, args: tuple[Any, ...]) -> tuple[logging.Logger, tuple[Any, ...]]:
    """The logger of a method's call, bound or not, or the root logger for a function of the module;
    and the other arguments.
    """
    if type(fn) is types.MethodType:
        return world.unfenced(fn.__self__), args
    return (world.unfenced(args[0]), args[1:]) if "." in fn.__qualname__ else (sys.modules["logging"].getLogger(), args)


def _values(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else tuple(values)


@models("logging", "Logger.isEnabledFor", "Logger.getEffectiveLevel")
def logger_level(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    logger, args = _logger(world, fn, args)
    return getattr(logger, fn.__name__)(*args, **kwargs)
