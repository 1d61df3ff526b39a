"""The parameters by which CPython binds a call of what a program exports or calls."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from npexport.tracer.effects.state import module_class


def parameters_of(f: Any) -> tuple[inspect.Parameter, ...] | None:
    """The unbound parameters by which CPython binds a call; ``None`` if they are unknown."""
    if isinstance(f, module_class()) and type(f).__call__ is module_class().__call__:
        f = f.forward
    try:
        return tuple(inspect.signature(_of_its_code(f), follow_wrapped=False).parameters.values())
    except (TypeError, ValueError):
        return None


def _of_its_code(f: Any) -> Any:
    """This function without the ``__signature__`` by which a wrapper may claim other parameters."""
    if type(f) is types.FunctionType:
        plain = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        plain.__kwdefaults__, plain.__annotations__ = f.__kwdefaults__, f.__annotations__
        return plain
    if type(f) is types.MethodType:
        return types.MethodType(_of_its_code(f.__func__), f.__self__)
    if type(f) is functools.partial:
        return functools.partial(_of_its_code(f.func), *f.args, **f.keywords)
    return f
