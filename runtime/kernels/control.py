"""Kernels of the checks of a program."""

from __future__ import annotations

import functools
import sys
import types
import warnings
from typing import Any, NoReturn

from npexport.ir.ops.control import CAUSE, CONTEXT, NAMING, NEW, TEXT, class_of, has_own_init
from npexport.ir.texts import FORMS


def check(condition: Any, error: Any, args: Any, chain: Any = (), attributes: Any = ()) -> None:
    if not condition:
        _raise(error, args, chain, attributes)


def _raise(error: Any, args: Any, chain: Any, attributes: Any = ()) -> NoReturn:
    """Raise the exception with its context, the innermost exception first, as handlers do."""
    made = _made(error, args, attributes)
    if not chain:
        raise made
    how, handled, given, *rest = chain[0]
    if how == NEW or handled is None:
        raise made from (_made(handled, given, *rest) if how == NEW else None)
    try:
        _raise(handled, given, chain[1:], *rest)
    except BaseException as before:
        if how == CONTEXT:
            raise made  # noqa: B904  as the program does
        raise made from (before if how == CAUSE else None)


def _made(error: Any, args: Any, attributes: Any = ()) -> BaseException:
    cls: Any = class_of(error)
    made: BaseException = (functools.partial(cls.__new__, cls) if has_own_init(cls) else cls)(*map(_written, args))
    for name, value in attributes:
        if name == "name" and isinstance(made, NAMING):
            made.name = _written(value)
        else:
            made.__dict__[name] = _written(value)
    return made


def warn(condition: Any, category: Any, text: Any) -> None:
    if not condition:
        warnings.warn(_written(text), class_of(category), stacklevel=3)


def warn_at(file: str, line: int, condition: Any, category: Any, text: Any) -> None:
    """As `warn`, of a line of the user's; his module remembers which warnings were shown."""
    if not condition:
        held = next((held for held in map(_globals, [*sys.modules.values()]) if held.get("__file__") == file), None)
        if held is None:
            held = _absent.setdefault(file, {"__name__": file.removesuffix(".py")})
        memory = held.setdefault("__warningregistry__", {})
        warnings.warn_explicit(_written(text), class_of(category), file, line, held.get("__name__", file), memory)


_absent: dict[str, dict[str, Any]] = {}
"""Globals of modules that are not loaded, by file."""


def _globals(module: Any) -> dict[str, Any]:
    return module.__dict__ if isinstance(module, types.ModuleType) else {}


def returned(x: Any, module: str, index: int) -> Any:
    return x


def module_call(module: str, inputs: Any, outputs: Any, before: Any, after: Any) -> None:
    """Compute nothing: the node only informs readers of the graph."""


def _written(value: Any) -> Any:
    """A value with the texts of data in it written."""
    if type(value) is tuple and value and type(value[0]) is str and value[0] == TEXT:
        return FORMS[value[1]](*map(_written, value[2:]))
    if type(value) in (tuple, list):
        return type(value)(map(_written, value))
    return {key: _written(item) for key, item in value.items()} if type(value) is dict else value
