"""What classes hold under a name, without asking descriptors or metaclasses; and whose objects the
program sees themselves.
"""

from __future__ import annotations

import sys
from types import WrapperDescriptorType
from typing import Any
from weakref import ReferenceType

from npexport.symshapes.errors import Unsupported
from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter.frame import NULL, Machine


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


KEPT_AS_FOUND: set[type] = {tuple, frozenset, ReferenceType, property, staticmethod, classmethod}
"""Types whose objects from outside the program sees themselves: it writes to none."""


def is_kept(mro: tuple[type, ...]) -> bool:
    """Whether objects of a class are, by its order of resolution."""
    return not KEPT_AS_FOUND.isdisjoint(mro) or mro[0].__module__ == "typing"


def require_own(vm: Machine, obj: Any, name: str) -> None:
    """Raises ``Unsupported`` (E112) for a write to such an object from outside."""
    if vm.world.was_found(obj):
        raise Unsupported("E112", f"the program writes `{name}` of a `{type(obj).__qualname__}` that existed before the call")
