"""Binds calls of operators to the canonical form that ``Op.bind`` defines, but faster; and the keys
that equal calls share.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npexport.ir.arguments import is_default
from npexport.ir.op import Op
from npexport.ir.schemas import types_of

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_EMPTY = inspect.Parameter.empty


class Mistyped(TypeError):
    """An argument of a type that the record of the operator does not hold; NumPy may take it."""


class Binder:
    """Binds calls of one operator. Raises ``TypeError`` as Python does.

    >>> from npexport.ir import ops
    >>> Binder(ops.np.sum)(("x", None), {"axis": 0})
    Traceback (most recent call last):
    TypeError: multiple values for argument 'axis'
    """

    __slots__ = ("_bind", "_defaults", "_dtype", "_keywords", "_positional", "_required", "_simple", "_types")

    def __init__(self, op: Op) -> None:
        self._bind = op.bind
        parameters = list(op.signature.parameters.values())
        self._simple = not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
        self._positional = [p.name for p in parameters if p.kind in _POSITIONAL]
        self._keywords = [p.name for p in parameters if p.kind not in _POSITIONAL]
        self._types = [(p.name, position, types_of(op)[p.name]) for position, p in enumerate(parameters) if p.name in types_of(op)]
        self._required = sum(p.default is p.empty for p in parameters)
        self._defaults = {p.name: p.default for p in parameters}
        self._dtype = self._positional.index("dtype") if "dtype" in self._positional else 99

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if not self._simple or len(args) > len(self._positional):
            args, kwargs = self._bind(args, kwargs)
            self._require_types((), kwargs)
            return args, kwargs
        if kwargs or len(args) != self._required:
            args, kwargs = self._arranged(args, kwargs)
        if len(args) > self._dtype and args[self._dtype] is not None:
            args = (*args[: self._dtype], np.dtype(args[self._dtype]), *args[self._dtype + 1 :])
        elif kwargs and kwargs.get("dtype") is not None:
            kwargs = {**kwargs, "dtype": np.dtype(kwargs["dtype"])}
        self._require_types(args, kwargs)
        if dict in map(type, args) or (kwargs and dict in map(type, kwargs.values())):
            raise Mistyped("an object of type dict")
        return args, kwargs

    def _require_types(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for name, position, types in self._types:
            value = args[position] if position < len(args) else kwargs.get(name)
            if value is not None and not isinstance(value, types):
                raise Mistyped(f"{type(value).__name__} object is no {name}")

    def _arranged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        names, defaults = self._positional, self._defaults
        given = dict(zip(names, args, strict=False))
        if given.keys() & kwargs.keys() or not kwargs.keys() <= defaults.keys():
            return self._bind(args, kwargs)
        given.update(kwargs)
        canonical: list[Any] = []
        rest: dict[str, Any] = {}
        gap = False
        for name in names:
            if name not in given or is_default(defaults[name], given[name]):
                if defaults[name] is _EMPTY:
                    return self._bind(args, kwargs)
                gap = True
            elif gap:
                rest[name] = given[name]
            else:
                canonical.append(given[name])
        for name in self._keywords:
            if name in given and not is_default(defaults[name], given[name]):
                rest[name] = given[name]
            elif defaults[name] is _EMPTY and name not in given:
                return self._bind(args, kwargs)
        return tuple(canonical), rest
