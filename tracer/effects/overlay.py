"""Writes to names of modules, classes and functions from outside: kept beside the object, never made."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.symshapes.errors import Location

DELETED = type("Deleted", (), {"__repr__": lambda self: "<deleted>", "__slots__": ()})()
"""What a deleted name holds."""


class NameWrite(NamedTuple):
    """The last write to one name."""

    owner: Any  # the namespace (a module's dict), class or function
    name: str
    value: Any
    stack: tuple[Location, ...]  # innermost last


class Overlay:
    """The names written so far, by identity of the namespace that they belong to."""

    deleted = DELETED

    def __init__(self) -> None:
        self._writes: dict[int, dict[str, NameWrite]] = {}

    def write(self, owner: Any, name: str, value: Any, stack: tuple[Location, ...]) -> None:
        """Keep ``owner.name = value``; a module is its ``__dict__``."""
        owner = namespace_of(owner)
        self._writes.setdefault(id(owner), {})[name] = NameWrite(owner, name, value, stack)

    def find(self, owner: Any, name: str) -> NameWrite | None:
        """The last write to a name of this very object, or ``None``."""
        if not self._writes:
            return None
        return self._writes.get(id(namespace_of(owner)), {}).get(name)

    def names(self, owner: Any) -> dict[str, Any]:
        """All names written so far and their values."""
        return {name: write.value for name, write in self._writes.get(id(namespace_of(owner)), {}).items()}

    def surviving(self, entered: Any) -> Iterator[NameWrite]:
        """The writes whose value is not what was there before, as ``entered`` (what an outside value became) sees it."""
        for writes in self._writes.values():
            for write in writes.values():
                names = write.owner if isinstance(write.owner, dict) else vars(write.owner)
                before = entered(names[write.name]) if write.name in names else DELETED
                if before is not write.value and not _equal_atoms(before, write.value) and not _harmless(write):
                    yield write

    def __bool__(self) -> bool:
        return bool(self._writes)


def namespace_of(owner: Any) -> Any:
    """The dict of a module; any other owner itself."""
    return vars(owner) if isinstance(owner, types.ModuleType) else owner


def _harmless(write: NameWrite) -> bool:
    """``functools.total_ordering`` names functions of its own, which have no other use."""
    return isinstance(write.owner, types.FunctionType) and write.owner.__module__ == "functools" and write.name == "__name__"


def _equal_atoms(left: Any, right: Any) -> bool:
    return type(left) is type(right) and type(left) in (int, bool, str, bytes, float, complex) and left == right


def describe(owner: Any, name: str) -> str:
    """``global module.NAME``, ``Class.name``."""
    if isinstance(owner, dict):
        return f"global {owner.get('__name__', '?')}.{name}"
    if isinstance(owner, enum.Enum):
        return f"{type(owner).__qualname__}.{owner.name}.{name}"
    return f"{getattr(owner, '__qualname__', type(owner).__name__)}.{name}"
