"""Which calls are alike: those of one signature become one program.

A call's signature is its function, the structure of its arguments, the dtypes and ranks of its
arrays, its Python values, and the identities of other objects.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.containers import find_kind
from npexport.tracer.driver.inputs import CONSTANTS, is_generator

Shapes = tuple[tuple[int, ...], ...]


def signature_of(function: types.FunctionType, bound: dict[str, Any]) -> tuple[Any, Shapes]:
    """The signature of a call whose arguments are arrays, scalars, Python values and objects, and
    the shapes of its arrays; ``(None, ())`` if containers or other arguments are among them.

    It equals another's exactly if `as_call` gives calls that are alike, and takes a tenth of the
    time: a watched function may be called often.
    """
    positional, keyword, rest, extra = _given(function, bound)
    if rest or extra:
        return None, ()
    kinds: list[Any] = []
    shapes = []
    for name in positional + keyword:
        value = bound[name]
        cls = type(value)
        if cls is np.ndarray:
            kinds.append((value.dtype, value.ndim))
            shapes.append(value.shape)
        elif cls in CONSTANTS or issubclass(cls, np.generic):
            kinds.append(kind(value))
        elif is_reference(value):
            kinds.append(id(value))
        else:
            return None, ()
    return (id(function), len(positional), *keyword, *kinds), tuple(shapes)


def _given(function: types.FunctionType, bound: dict[str, Any]) -> tuple[list[str], list[str], tuple[Any, ...], dict[str, Any]]:
    """The names of the positional and of the keyword-only arguments, and what ``*args`` and
    ``**kwargs`` hold. Arguments that are their parameters' defaults are left out where they can.
    """
    code, names = function.__code__, list(bound)
    count = code.co_argcount
    rest = bound[names[count + code.co_kwonlyargcount]] if code.co_flags & inspect.CO_VARARGS else ()
    extra = bound[names[-1]] if code.co_flags & inspect.CO_VARKEYWORDS else {}
    positional, keyword = names[:count], names[count : count + code.co_kwonlyargcount]
    if not rest:
        for default in reversed(function.__defaults__ or ()):
            if not positional or bound[positional[-1]] is not default:
                break
            positional.pop()
    defaults = function.__kwdefaults__
    if defaults:
        keyword = [name for name in keyword if name not in defaults or bound[name] is not defaults[name]]
    return positional, keyword, rest, extra


def as_call(function: types.FunctionType, bound: dict[str, Any]) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The call that binds these arguments: (callable, args, kwargs). Objects that are not data are
    bound to the callable.
    """
    positional, keyword, rest, extra = _given(function, bound)
    kwargs = {name: bound[name] for name in keyword} | extra
    args = [*(bound[name] for name in positional), *rest]
    f: Callable[..., Any] = function
    if args and is_reference(args[0]):
        f = types.MethodType(function, args.pop(0))
        positional = positional[1:]
    leading = next((index for index, value in enumerate(args) if not is_reference(value)), len(args))
    references = {name: value for name, value in kwargs.items() if is_reference(value)}
    if not rest and any(map(is_reference, args[leading:])):
        named = dict(zip(positional[leading:], args[leading:], strict=True))
        first = next(index for index, value in enumerate(args) if index > leading and is_reference(value))
        kwargs |= {name: named[name] for name in positional[first:]}
        references |= {name: value for name, value in named.items() if is_reference(value)}
        args = args[:first]
    if leading or references:
        f = functools.partial(f, *args[:leading], **references)
    return f, tuple(args[leading:]), {name: value for name, value in kwargs.items() if name not in references}


def is_reference(value: Any) -> bool:
    """Whether an argument is an object in its own right, neither data nor a container of data."""
    if type(value) in CONSTANTS or isinstance(value, (np.ndarray, np.generic)) or is_generator(value):
        return False
    return find_kind(type(value)) is None


def referred(f: Any) -> Any:
    """The identity of a callable: its function and the objects that it holds."""
    if type(f) is functools.partial:
        return (referred(f.func), tuple(map(id, f.args)), tuple([(name, id(value)) for name, value in f.keywords.items()]))
    return (id(f.__func__), id(f.__self__)) if type(f) is types.MethodType else id(f)


def kind(leaf: Any) -> Any:
    """What two calls with one program must have in common."""
    if isinstance(leaf, np.ndarray):
        return (type(leaf), leaf.dtype, leaf.ndim)
    if isinstance(leaf, np.generic):
        return (type(leaf), leaf.dtype)
    if type(leaf) in CONSTANTS:
        return (type(leaf), repr(leaf) if type(leaf) in (float, complex) else leaf)
    return (type(leaf), None if is_generator(leaf) else id(leaf))
