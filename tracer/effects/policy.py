"""How an outside object is treated: kept as it is, fenced, or copied (:mod:`copiers`).

Kept objects are immutable, or (classes, modules, functions) change only through operations that the
world sees. Fenced objects have state that Python cannot copy: whatever would read or change it is
refused.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import NO_VALUE

ATOMS: frozenset[type] = frozenset({int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range})
"""Types whose objects are compared by value."""

KEPT: frozenset[type] = ATOMS | {
    object,
    type,
    property,
    staticmethod,
    classmethod,
    types.ClassMethodDescriptorType,
    types.CodeType,
    types.FunctionType,
    types.GenericAlias,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.ModuleType,
    types.UnionType,
    types.WrapperDescriptorType,
    types.TracebackType,
    np.ufunc,
    type(NO_VALUE),
}
"""Types (not their subclasses) whose instances are kept: the fast path of every read."""

KEPT_BASES: tuple[type, ...] = (type, types.ModuleType, np.generic, np.dtype)
"""Types whose instances, subclasses included, are kept."""

KEPT_PYTHON_MODULES: frozenset[str] = frozenset(
    {"typing", "typing_extensions", "inspect", "zoneinfo", "importlib.machinery", "npexport.ir.op"}
)
"""Modules whose Python classes have instances that nobody mutates."""

KEPT_C_MODULES: frozenset[str] = frozenset(
    {"typing", "_typing", "re", "_sre", "datetime", "decimal", "struct", "_struct", "operator", "_operator", "functools", "_functools",
     "weakref", "_weakref", "zoneinfo", "_zoneinfo", "contextvars", "_contextvars", "_abc", "collections", "_collections", "types", "numpy",
     "builtins", "string.templatelib"}
)  # fmt: skip
"""Modules whose C types, if they cannot be copied, have instances that nobody mutates or that
:mod:`npexport.tracer.models` judges.
"""

GENERATORS: frozenset[str] = frozenset(
    f"numpy.random.{name}" for name in ("_generator", "_pcg64", "_mt19937", "_philox", "_sfc64", "mtrand", "bit_generator")
)
"""Modules whose objects are random generators, or belong to them."""

FENCED: dict[str, str] = {
    "os._Environ": "E108",
    "random.Random": "E107",
    "random.SystemRandom": "E107",
    "logging.Logger": "E105",
    "logging.Manager": "E105",
    "builtins.generator": "E113",
    "builtins.coroutine": "E113",
    "builtins.async_generator": "E113",
    "builtins.frame": "E111",
    "builtins.memoryview": "E118",
    "weakref.ProxyType": "E118",
    "weakref.CallableProxyType": "E118",
    "decimal.Context": "E118",
    "functools.partial": "E118",  # of a subclass: others are made again of their parts
}
"""Types by name whose instances are fenced with a code of their own; iterators and files are
recognised by their methods.
"""


def is_constant(value: Any, is_local: Callable[[Any], bool]) -> bool:
    """Whether a value is one that an object may have in turn with others: compared by value, or a
    member of an enumeration that the program has not made.
    """
    return type(value) in ATOMS or (isinstance(value, enum.Enum) and not is_local(value))


def type_name(cls: type) -> str:
    """``module.QualifiedName``."""
    return f"{cls.__module__}.{cls.__qualname__}"


def is_function_record(owner: object) -> bool:
    """Whether an object is only pybind11's record of a C function, whose ``__self__`` it is; older
    versions have a capsule.
    """
    kind = type(owner)
    return kind.__module__ == "pybind11_builtins" or (kind.__module__, kind.__name__) == ("builtins", "PyCapsule")
