"""Calls of operators in canonical form, and the keys that equal calls share. ``Op.bind`` says what canonical means; this is its fast path."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.op import Op

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_COMPARED = (int, float, bool, str, tuple)
_SELF_KEYED = frozenset({Node, str, bytes, type(None), type(Ellipsis), np.dtype})


class Binder:
    """Binds calls of one operator. Raises ``TypeError`` as Python does.

    >>> from npexport.ir import ops
    >>> Binder(ops.np.sum)(("x", None), {"axis": 0})
    Traceback (most recent call last):
    TypeError: multiple values for argument 'axis'
    """

    __slots__ = ("_defaults", "_dtype", "_names", "_op", "_plain", "_required", "_typed")

    def __init__(self, op: Op) -> None:
        self._op = op
        parameters = list(op.signature.parameters.values())
        self._names = [p.name for p in parameters]
        self._plain = all(p.kind in _POSITIONAL for p in parameters)
        self._required = sum(p.default is p.empty for p in parameters)
        self._defaults = [p.default for p in parameters]
        self._typed = "dtype" in self._names
        positional = [p.name for p in parameters if p.kind in _POSITIONAL]
        self._dtype = positional.index("dtype") if "dtype" in positional else -1

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if kwargs or not self._plain or len(args) > len(self._names) or len(args) < self._required:
            args, kwargs = self._op.bind(args, kwargs)
            if self._typed and kwargs.get("dtype") is not None:
                kwargs = {**kwargs, "dtype": np.dtype(kwargs["dtype"])}
            elif len(args) > self._dtype >= 0 and args[self._dtype] is not None:
                args = (*args[: self._dtype], np.dtype(args[self._dtype]), *args[self._dtype + 1 :])
            return args, kwargs
        if len(args) > self._required:
            count = len(args)
            while count > self._required and is_default(self._defaults[count - 1], args[count - 1]):
                count -= 1
            args = args[:count]
            if any(is_default(self._defaults[i], args[i]) for i in range(self._required, count)):
                return self._op.bind(args, kwargs)
        if len(args) > self._dtype >= 0 and args[self._dtype] is not None:
            args = (*args[: self._dtype], np.dtype(args[self._dtype]), *args[self._dtype + 1 :])
        return args, kwargs


def is_default(default: Any, value: Any) -> bool:
    """Whether leaving the argument out means the same."""
    return value is default or (type(value) is type(default) and type(value) in _COMPARED and value == default)


def key_of(arg: Any) -> Any:
    """Equal for arguments that mean the same. ``1``, ``1.0`` and ``True`` differ, and so do ``0.0`` and ``-0.0``."""
    kind = type(arg)
    if kind in _SELF_KEYED:
        return arg
    if kind is tuple or kind is list:
        return (kind, *map(key_of, arg))
    if kind is int or kind is bool:
        return kind, arg
    if kind is float or kind is complex:
        return kind, repr(arg)
    if kind is slice:
        return slice, key_of(arg.start), key_of(arg.stop), key_of(arg.step)
    if kind is dict:
        return (dict, *((name, key_of(item)) for name, item in arg.items()))
    if isinstance(arg, np.generic):
        return arg.dtype, arg.tobytes()
    return arg
