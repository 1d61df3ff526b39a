"""Which symbols depend on each other, and when something was last learned about them."""

from __future__ import annotations

from collections.abc import Iterable


class Components:
    """Sets of symbols that facts connect (they only grow together), each with the version of its
    last change.

    >>> components = Components()
    >>> components.join(("a", "b"), 1)
    >>> components.join(("c",), 2)
    >>> components.unchanged(("b",), 1), components.unchanged(("a", "c"), 1)
    (True, False)
    """

    __slots__ = ("_changes", "_parents")

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._changes: dict[str, int] = {}

    def copy(self) -> Components:
        new = Components()
        new._parents, new._changes = dict(self._parents), dict(self._changes)
        return new

    def _find(self, name: str) -> str:
        parents = self._parents
        while (parent := parents.get(name, name)) != name:
            parents[name] = name = parents.get(parent, parent)
        return name

    def join(self, names: Iterable[str], version: int) -> None:
        """Note that something was learned about these symbols together."""
        first = ""
        for name in names:
            root = self._find(name)
            if not first:
                first = root
            elif root != first:
                self._parents[root] = first
        self._changes[first] = version

    def roots(self, names: Iterable[str]) -> set[str]:
        """One symbol for each component of the names."""
        return {self._find(name) for name in names}

    def groups(self, names: Iterable[str]) -> list[list[str]]:
        """The names in their order, those of one component together."""
        found: dict[str, list[str]] = {}
        for name in names:
            found.setdefault(self._find(name), []).append(name)
        return list(found.values())

    def unchanged(self, names: Iterable[str], since: int) -> bool:
        """Whether nothing was learned about the components of these symbols after the version
        ``since``.
        """
        return all(self._changes.get(self._find(name), 0) <= since for name in names)
