"""Binds a call's arguments to the slots of a Python function.

CPython itself words the errors: the host raises them.
"""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType
from typing import Any, NoReturn

from npexport.symshapes.errors import InternalError
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.program import CodeInfo


def bind(vm: Machine, fn: FunctionType, info: CodeInfo, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The slots up to the free variables.

    Raises CPython's ``TypeError`` if the arguments do not fit.
    """
    if info.simple and not kwargs and len(args) == info.argcount:
        return [*args, *info.blank]
    code = fn.__code__
    count = info.argcount
    named = count + info.keyword_only
    fast = [*args[:count], *([NULL] * (info.first_free - min(len(args), count)))]
    slot = named
    if info.flags & inspect.CO_VARARGS:
        fast[slot] = args[count:]
        slot += 1
    elif len(args) > count:
        _refuse(fn, args, kwargs)
    extra: dict[str, Any] | None = None
    if info.flags & inspect.CO_VARKEYWORDS:
        extra = fast[slot] = {}
    if kwargs:
        _bind_keywords(fn, info, fast, extra, args, kwargs)
    _fill_defaults(vm, fn, info, code, fast, args, kwargs, named)
    return fast


def _bind_keywords(
    fn: FunctionType,
    info: CodeInfo,
    fast: list[Any],
    extra: dict[str, Any] | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    for key, value in kwargs.items():
        slot = info.keywords.get(key)
        if slot is None:
            if extra is None or not isinstance(key, str):
                _refuse(fn, args, kwargs)
            extra[key] = value
            continue
        if fast[slot] is not NULL:
            _refuse(fn, args, kwargs)
        fast[slot] = value


def _fill_defaults(
    vm: Machine,
    fn: FunctionType,
    info: CodeInfo,
    code: CodeType,
    fast: list[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    named: int,
) -> None:
    count = info.argcount
    defaults = fn.__defaults__ or ()
    first = count - len(defaults)
    for slot in range(min(len(args), count), count):
        if fast[slot] is NULL:
            if slot < first:
                _refuse(fn, args, kwargs)
            fast[slot] = _default(vm, fn, code.co_varnames[slot], defaults[slot - first])
    if info.keyword_only:
        keyword_defaults = fn.__kwdefaults__ or {}
        for slot in range(count, named):
            if fast[slot] is NULL:
                name = code.co_varnames[slot]
                if name not in keyword_defaults:
                    _refuse(fn, args, kwargs)
                fast[slot] = _default(vm, fn, name, keyword_defaults[name])


def _default(vm: Machine, fn: FunctionType, name: str, value: Any) -> Any:
    if vm.tracing and not vm.world.is_local(fn):
        return vm.world.read(value, f"default {fn.__qualname__}:{name}", fn.__module__)
    return value


def _refuse(fn: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    """Raise CPython's error: it binds the arguments to the same signature over an empty body."""
    code = fn.__code__
    empty = _EMPTY.replace(
        co_argcount=code.co_argcount,
        co_posonlyargcount=code.co_posonlyargcount,
        co_kwonlyargcount=code.co_kwonlyargcount,
        co_flags=_EMPTY.co_flags | code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
        co_varnames=code.co_varnames,
        co_nlocals=len(code.co_varnames),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
    )
    stub = FunctionType(empty, {}, fn.__name__, fn.__defaults__)
    stub.__kwdefaults__ = fn.__kwdefaults__
    stub.__qualname__ = fn.__qualname__
    # the host must not see values: none of them shows in the texts
    stub(*args, **kwargs)
    raise InternalError("E901", f"CPython binds the arguments of {fn.__qualname__} and the interpreter does not")


_EMPTY = (lambda: None).__code__
