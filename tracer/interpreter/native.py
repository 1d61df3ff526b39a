"""Types whose objects are always operated on by the host: their special methods are npexport's, not
the user's.

The owners of proxies and symbolic sizes register them (``NATIVE_TYPES.add(ArrayProxy)``).
Subclasses must be added one by one, so that membership is a single set lookup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from npexport.symshapes.errors import Unsupported
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
    named(cls, c_name(real))
    plain: Any = object.__repr__
    if cls.__repr__ is plain and real.__repr__ is plain:
        cls.__repr__ = _refused_text  # type: ignore[assignment]


def _refused_text(self: Any) -> NoReturn:
    raise Unsupported("E109", f"the text of an object of the class {type(self).__name__} tells where it lies")


def named(cls: type, words: str) -> None:
    """Registers a class whose objects messages call by these words."""
    NATIVE_TYPES.add(cls)
    cls.__name__ = words


def plain_text(value: Any) -> Any:
    """A text as C reads it: what stands for one is asked for its characters, or refuses."""
    return str(value) if type(value) in NATIVE_TYPES and isinstance(value, str) else value


_DEPTH = 3


def holds_native(values: Iterable[Any]) -> bool:
    """Whether there is an object of such a type among values, or in containers among them."""
    return any(True for _ in natives(values))


def natives(values: Iterable[Any], depth: int = _DEPTH) -> Iterator[Any]:
    """The objects of such types among values, and in containers among them."""
    for value in values:
        if type(value) in NATIVE_TYPES:
            yield value
        elif type(value) is slice:
            yield from natives((value.start, value.stop, value.step))
        elif depth and isinstance(value, (tuple, list, dict)):
            yield from natives(value.values() if isinstance(value, dict) else value, depth - 1)
