"""What stands for the program's own objects where NumPy is asked: their Python runs interpreted
alone.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter.native import NATIVE_TYPES


def silenced(value: Any, silent: list[Any]) -> Any:
    """An object that C takes for one of the same class until it calls a method of it
    (`is_asked`); it is added to ``silent``. Objects without Python that C would call are
    themselves.
    """
    kind = _of(type(value))  # type: ignore[arg-type]
    if kind is None:
        return value
    silent.append(kind())
    return silent[-1]


@functools.cache
def _of(kind: type) -> type | None:
    if kind in NATIVE_TYPES or kind.__module__.startswith("npexport."):
        return None
    if any(not base.__flags__ & HEAP_TYPE and base is not object for base in kind.__mro__):
        return None  # C reads the value that it is
    special = {name: held for base in reversed(kind.__mro__[:-1]) for name, held in vars(base).items() if name[:2] == "__" == name[-2:]}
    methods = {name for name, held in special.items() if type(held) is types.FunctionType} - _OF_PYTHON
    if not methods:
        return None
    others = {name: held for name, held in special.items() if held is None}
    told = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "asked": False}
    return type(kind.__name__, (), others | dict.fromkeys(methods, _told) | told)


_OF_PYTHON = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__", "__del__", "__set_name__"})
"""What C calls for no object that it is given."""


def _told(self: Any, *args: Any, **kwargs: Any) -> Any:
    object.__setattr__(self, "asked", True)
    raise TypeError


def is_asked(silent: list[Any]) -> bool:
    """Whether C has called a method of one of these objects."""
    return any(object.__getattribute__(each, "asked") for each in silent)
