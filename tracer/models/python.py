"""Models of C callables of Python and its standard library: one function a callable.

A model is called as ``model(world, vm, fn, args, kwargs)``; it may run ``fn``, answer itself, return an ``Invoke``, or refuse.
"""

from __future__ import annotations

import functools
import io
import logging
import operator
import sys
import types
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.diagnostics.report import Emission
from npexport.tracer.frames import frame_hook
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.identity import Identity
from npexport.tracer.models.lookup import MODELS, models, run

_GUARDED = (type, types.ModuleType, types.FunctionType)
"""Objects from outside that are written to through the world alone."""


@models("builtins", "type")
def type_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """``type(x)`` of a stand-in is the type that it stands for."""
    if len(args) == 1 and not kwargs:
        return world.type_of(args[0])
    return new_class(world, vm, fn, (fn, *args), kwargs)


@models("builtins", "type.__new__")
def new_class(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """The class belongs to the program from the moment that it exists: ``__init_subclass__`` sees it before the call returns."""
    if len(args) == 4:
        world.making(args[3])
    return world.made_by(run(world, vm, type.__new__, args, kwargs))


@models("builtins", "len")
def len_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C's ``len`` would make a dynamic size a number."""
    if len(args) == 1 and type(args[0]) in NATIVE_TYPES and not kwargs:
        return args[0].__len__()
    return fn(*args, **kwargs)


@models("builtins", "vars")
def vars_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    return Invoke(getattr, (args[0], "__dict__"), {}) if len(args) == 1 and not kwargs else Invoke(locals, args, kwargs)


@models("builtins", "__import__")
def import_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """A module's own code is not part of the program: the host runs it, once, as an import outside the program would have."""
    return fn(*args, **kwargs)


@models("functools", "_lru_cache_wrapper.__call__")
def cached_call(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """The cache calls Python from C; where no hook can answer for that, results are remembered here."""
    if frame_hook() == "pep523":
        return run(world, vm, fn, args, kwargs)
    results = world.remembered.setdefault(fn, {})
    key = functools._make_key(args, kwargs, fn.cache_parameters()["typed"])
    if key not in results:
        results[key] = vm.run(fn.__wrapped__, args, kwargs)
    return results[key]


@models("builtins", "id")
def id_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    return Identity(fn(*args, **kwargs))


@models("builtins", "hash")
def hash_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Numbers hash alike in every run; nothing else does."""
    value = fn(*args, **kwargs)
    return value if type(args[0]) in (int, float, bool, complex) else Identity(value)


@models("builtins", "setattr")
def setattr_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if len(args) == 3 and isinstance(args[0], _GUARDED):
        return world.store_attr(*args)
    return fn(*args, **kwargs)


@models("builtins", "delattr")
def delattr_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if len(args) == 2 and isinstance(args[0], _GUARDED):
        return world.delete_attr(*args)
    return fn(*args, **kwargs)


@models("builtins", "type.__setattr__", "function.__setattr__", "module.__setattr__", "object.__setattr__")
def setattr_method(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    target, rest = _receiver(fn, args)
    if isinstance(target, _GUARDED) and len(rest) == 2:
        return world.store_attr(target, *rest)
    return fn(*args, **kwargs)


@models("builtins", "type.__delattr__", "function.__delattr__", "module.__delattr__", "object.__delattr__")
def delattr_method(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    target, rest = _receiver(fn, args)
    if isinstance(target, _GUARDED) and len(rest) == 1:
        return world.delete_attr(target, *rest)
    return fn(*args, **kwargs)


def _receiver(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The object of a method call, bound or not, and the other arguments."""
    bound = getattr(fn, "__self__", None)
    return (args[0], args[1:]) if bound is None and args else (bound, args)


@models("builtins", "print")
def print_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Printing happens once, at export, and is listed in the report."""
    file = world.unfenced(kwargs.get("file"))
    if isinstance(file, io.StringIO):
        return fn(*args, **kwargs)
    if file not in (None, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        raise Unsupported("E105", "print(file=...) writes to a file that existed before the call")
    buffer = io.StringIO()
    options = {name: value for name, value in kwargs.items() if name in ("sep", "end")}
    _describing("print", lambda: fn(*[_text(vm, arg) for arg in args], **options, file=buffer))
    world.emit(Emission("print", buffer.getvalue(), world.where(), "stderr" if file in (sys.stderr, sys.__stderr__) else "stdout"))
    return None


def _text(vm: Any, value: Any) -> str:
    return value if type(value) is str else vm.run(str, (value,), {})


def _describing(what: str, act: Any) -> Any:
    """Run ``act``; where it needs the data of an array the refusal says what to do about printing."""
    try:
        return act()
    except Unsupported as error:
        if error.code not in ("E103", "E104"):
            raise
        raise Unsupported("E114", f"`{what}` is called with an array whose data is not known while the program is exported") from error


@models("_warnings", "warn")
def warn(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """A warning is given once, at export, and is listed in the report; filters that make it an error are followed."""
    bound = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False), **kwargs)
    message, category = bound["message"], bound.get("category") or UserWarning
    if isinstance(message, Warning):
        category = type(message)
    text = _describing("warnings.warn", lambda: _text(vm, message))
    stack = vm.stack()
    location = stack[-min(max(int(bound.get("stacklevel", 1)), 1), len(stack))] if stack else None
    action = world.warning_action(text, category, location)
    if action == "error":
        raise message if isinstance(message, Warning) else category(message)
    if action != "ignore":
        world.emit(Emission("warning", text, location, category))
    return None


@models("logging", "getLogger")
def get_logger(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Loggers are made once for the whole process, whoever asks; the program sees them behind a fence."""
    return world.enter(fn(*args, **kwargs), "logging.getLogger()")


_LEVELS = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "exception": 40, "critical": 50, "fatal": 50}


@models("logging", *(f"{owner}{name}" for owner in ("", "Logger.") for name in (*_LEVELS, "log")))
def log(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """A record is logged once, at export, and is listed in the report."""
    logger, args = _logger(world, fn, args)
    name = fn.__name__
    level, message, *values = args if name == "log" else (_LEVELS[name], *args)
    if logger.isEnabledFor(level):
        message = _describing(
            "logging", lambda: _text(vm, vm.run(operator.mod, (_text(vm, message), _values(values)), {}) if values else message)
        )
        world.emit(Emission("log", message, world.where(), (logger.name, level)))


def _logger(world: Any, fn: Any, args: tuple[Any, ...]) -> tuple[logging.Logger, tuple[Any, ...]]:
    """The logger of a method's call, bound or not, or the root logger of a function of the module; and the other arguments."""
    if type(fn) is types.MethodType:
        return world.unfenced(fn.__self__), args
    return (world.unfenced(args[0]), args[1:]) if "." in fn.__qualname__ else (logging.getLogger(), args)


def _values(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else tuple(values)


@models("logging", "Logger.isEnabledFor", "Logger.getEffectiveLevel")
def logger_level(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    logger, args = _logger(world, fn, args)
    return getattr(logger, fn.__name__)(*args, **kwargs)


@models("weakref", "ReferenceType.__call__", "ReferenceType.__callback__")
def dereference(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    return world.enter(fn(*args, **kwargs), "a weak reference")


@models("_contextvars", "ContextVar.get")
def context_get(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Exports run in a copy of the context, so that ``set`` has no effect outside; what was set before is entered here."""
    return world.enter(fn(*args, **kwargs), f"context variable {fn.__self__.name}" if fn.__self__ is not None else "context variable")


@models("_abc", "_abc_register")
def abc_register(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if not world.is_local(args[0]):
        raise Unsupported("E112", f"the program registers a class with `{args[0].__qualname__}`, which other programs share")
    return fn(*args, **kwargs)


@models("sys", "_getframemodulename")
def frame_module(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    depth = args[0] if args else kwargs.get("depth", 0)
    space = vm.globals_at(depth)
    return None if space is None else space.get("__name__")


@models("re", "_compile")
def compile_pattern(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Python that keeps a cache for the whole process and runs nothing of the user's."""
    return fn(*args, **kwargs)


@models("importlib.metadata", "entry_points", "version", "distribution")
def installed(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """What is installed is, like the version of Python, a fact of the export."""
    return fn(*args, **kwargs)


PYTHON = [(module, name) for module, name in MODELS if module in ("re", "logging", "importlib.metadata")]
"""Models of Python functions: the world keeps the VM from interpreting these."""
