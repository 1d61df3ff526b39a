"""What classes hold under a name, without asking descriptors or metaclasses."""

from __future__ import annotations

import sys
from types import WrapperDescriptorType
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter.frame import NULL


def find(mro: tuple[type, ...], name: str, default: Any = NULL) -> Any:
    """The attribute as the first class that has it holds it, or the default.

    >>> find(bool.__mro__, "real") is int.__dict__["real"]
    True
    """
    for cls in mro:
        value = cls.__dict__.get(name, NULL)
        if value is not NULL:
            return value
    return default


def is_compiled(method: Any) -> bool:
    """Whether a method belongs to a class that a project has compiled: one of Cython's functions,
    or a slot of a class that is not of Python's own.
    """
    kind = type(method)
    if kind is not WrapperDescriptorType:
        return kind.__name__ == "cython_function_or_method"
    owner, package = method.__objclass__, method.__objclass__.__module__.partition(".")[0]
    return bool(owner.__flags__ & HEAP_TYPE) and package not in LIBRARIES and not package.startswith(_CYTHONS)


_CYTHONS = "_cython_"
LIBRARIES = sys.stdlib_module_names | {"numpy", "npexport"}
"""What is no project of the user's."""
