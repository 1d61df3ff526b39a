"""Objects of the program's classes as parameters of operators: what NumPy's C code reads of them,
an integer or a sequence.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from npexport.ir.laws import foreign
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.analysis.binding import Mistyped
from npexport.tracer.interpreter.native import NATIVE_TYPES

_BUILTIN = (int, float, str, bytes, complex, dict, np.ndarray, np.generic, np.dtype, type)


def plain(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with such objects read, except where the operator takes arrays."""
    names, named = _parameters(op)
    return (
        tuple([_plain(arg, name) if name in named else arg for name, arg in zip((*names, *[""] * len(args)), args, strict=False)]),
        {name: _plain(arg, name) if name in named else arg for name, arg in kwargs.items()},
    )


@cache
def _parameters(op: Op) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of the operator's parameters, and of those that are not arrays."""
    parameters = inspect.signature(op.rule).parameters.values()
    single = [parameter for parameter in parameters if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]
    return tuple(p.name for p in single), frozenset(p.name for p in single if "Array" not in str(p.annotation))


def _plain(value: Any, name: str) -> Any:
    """Shapes are tried as sequences first, everything else as numbers."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_plain(item, "") for item in value])
    if kind in NATIVE_TYPES or isinstance(value, _BUILTIN):
        return value
    is_sequence = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    if hasattr(kind, "__index__") and not (is_sequence and name == "shape"):
        return operator.index(value)
    return list(value) if is_sequence else value


def require_held(arg: Any) -> None:
    """Raises ``Unsupported`` (E101) for an object that no graph holds: collections of Python, and
    objects of classes that operators know nothing of; ``Mistyped`` for others of Python and NumPy.
    """
    owner = type(arg).__module__.partition(".")[0]
    is_class = isinstance(arg, type)
    listed = owner == "builtins" and isinstance(arg, Iterable) and not is_class
    if listed or (is_class and not issubclass(arg, BaseException)) or (owner not in ("builtins", "numpy", "npexport") and foreign([arg])):
        told = f"an object of type {type(arg).__name__}, which no graph holds, is passed to NumPy"
        raise Unsupported("E101", told, hint="Make a list of it: list(...)." if listed else "Pass a number or an array.")
    if owner != "npexport" and foreign([arg]):
        raise Mistyped(f"an object of type {type(arg).__name__}")
