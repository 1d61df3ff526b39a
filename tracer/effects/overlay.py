"""Writes to names of outside modules, classes and functions: recorded beside the object, never
carried out.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.symshapes.errors import Location, Unsupported

DELETED = type("Deleted", (), {"__repr__": lambda self: "<deleted>", "__slots__": ()})()
"""The value of a deleted name."""

_OTHER_NAMES = "Make an array of other names: np.lib.recfunctions.rename_fields(x, {'a': 'b'}), or x.view([('b', x.dtype['a'])])."


class NameWrite(NamedTuple):
    """The last write to one name."""

    owner: Any  # the namespace (a module's dict), class or function
    name: str
    value: Any
    stack: tuple[Location, ...]  # innermost last


class Overlay:
    """The names written so far: ``writes``, by identity of the namespace that they belong to."""

    deleted = DELETED

    def __init__(self) -> None:
        self.writes: dict[int, dict[str, NameWrite]] = {}
        self._settled: dict[tuple[int, str], NameWrite] = {}

    def settle(self, owner: Any, name: str, value: Any) -> None:
        """Record that an earlier call has written ``owner.name = value``."""
        self.write(owner, name, value, ())
        self._settled[id(namespace_of(owner)), name] = self.writes[id(namespace_of(owner))][name]

    def write(self, owner: Any, name: str, value: Any, stack: tuple[Location, ...]) -> None:
        """Record ``owner.name = value``; a module is identified by its ``__dict__``.

        Raises ``Unsupported`` (E123) for a dtype, which arrays share.
        """
        if isinstance(owner, np.dtype):
            raise Unsupported("E123", f"the {name} of a dtype are changed in place", hint=_OTHER_NAMES)
        owner = namespace_of(owner)
        self.writes.setdefault(id(owner), {})[name] = NameWrite(owner, name, value, stack)

    def put_back(self, write: NameWrite, before: NameWrite | None) -> None:
        """Undo a write: ``before`` is again the last one to this name."""
        writes = self.writes[id(write.owner)]
        if before is not None:
            writes[write.name] = before
            return
        del writes[write.name]
        if not writes:
            del self.writes[id(write.owner)]

    def written(self) -> dict[tuple[int, str], NameWrite]:
        """The last writes to all names, by identity of the owner and name."""
        return {(key, name): write for key, writes in self.writes.items() for name, write in writes.items()}

    def find(self, owner: Any, name: str) -> NameWrite | None:
        """The last write to a name of this very object, or ``None``."""
        if not self.writes:
            return None
        return self.writes.get(id(namespace_of(owner)), {}).get(name)

    def names(self, owner: Any) -> dict[str, Any]:
        """All names written so far and their values."""
        return {name: write.value for name, write in self.writes.get(id(namespace_of(owner)), {}).items()}

    def surviving(self, entered: Any) -> Iterator[NameWrite]:
        """The writes whose value differs from what was there before, as ``entered`` (the shadow of
        an outside value) sees it.
        """
        for writes in self.writes.values():
            for name, write in writes.items():
                if self._settled.get((id(write.owner), name)) is write:
                    continue
                names = write.owner if isinstance(write.owner, dict) else vars(write.owner)
                before = entered(names[write.name]) if write.name in names else DELETED
                if before is not write.value and not _equal_atoms(before, write.value) and not _harmless(write):
                    yield write


def namespace_of(owner: Any) -> Any:
    """The dict of a module; any other owner itself."""
    return vars(owner) if isinstance(owner, types.ModuleType) else owner


def _harmless(write: NameWrite) -> bool:
    """Whether a write makes no difference: ``functools.total_ordering`` names functions of its own,
    flags remember their inverse.
    """
    if isinstance(write.owner, enum.Flag):
        return write.name == "_inverted_"
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
