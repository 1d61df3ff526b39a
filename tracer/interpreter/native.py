"""Types whose objects are always operated on by the host: their special methods are npexport's, not
the user's.

The owners of proxies and symbolic sizes register them (``NATIVE_TYPES.add(ArrayProxy)``).
Subclasses must be added one by one, so that membership is a single set lookup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE

NATIVE_TYPES: set[type] = set()

ASKED: set[type] = set()
"""Those of them whose operators are C calls that the world answers."""

NATIVE_CODE: list[str] = []
"""Folders of Python code that the host may run for an operation on such objects; it leaves no
entries in the program's tracebacks.
"""


def c_name(cls: type) -> str:
    """The name of a class in the messages of C."""
    return cls.__name__ if cls.__flags__ & HEAP_TYPE or cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def stands_in_for(cls: type, real: type) -> None:
    """Registers a class whose objects stand for those of another one, by whose name C calls
    them.
    """
    NATIVE_TYPES.add(cls)
    cls.__name__ = c_name(real)


_DEPTH = 3


def natives(values: Iterable[Any], depth: int = _DEPTH) -> Iterator[Any]:
    """The objects of such types among values, and in containers among them."""
    for value in values:
        if type(value) in NATIVE_TYPES:
            yield value
        elif type(value) is slice:
            yield from natives((value.start, value.stop, value.step))
        elif depth and isinstance(value, (tuple, list, dict)):
            yield from natives(value.values() if isinstance(value, dict) else value, depth - 1)
