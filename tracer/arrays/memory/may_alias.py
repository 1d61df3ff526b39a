"""Memory that data decide to share: what a branch joins may lie in the memory of another array, on
one side of it (`npexport.tracer.control.joins`), and so may what loops carry and lists hold.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.memory.model import Storage


class AliasDependsOnData(Unsupported):
    """Only data know which other array shares memory (E103)."""


class MayAlias:
    """By memory, what shares it as data decide. Memory that nobody holds any more is gone, but
    for memory of which a copy would be a view in another layout: what shares it keeps that.
    """

    def __init__(self) -> None:
        self._others: weakref.WeakKeyDictionary[Storage, weakref.WeakSet[Storage]] = weakref.WeakKeyDictionary()
        self._kept: weakref.WeakKeyDictionary[Storage, set[Storage]] = weakref.WeakKeyDictionary()

    def __bool__(self) -> bool:
        return bool(self._others)

    def of(self, storage: Storage) -> Collection[Storage]:
        """What may share this memory."""
        return self._others.get(storage, ())

    def sharing(self, other: Storage) -> list[Storage]:
        """The memories that may share this one, as far as they were said to."""
        return [storage for storage, others in self._others.items() if other in others]

    def add(self, storage: Storage, *others: Storage) -> None:
        """From now on, the others may share this memory."""
        self._others.setdefault(storage, weakref.WeakSet()).update(others)
        if kept := {other for other in others if other.ambiguities}:
            self._kept.setdefault(storage, set()).update(kept)

    def relate(self, one: Storage, other: Storage) -> None:
        """From now on, the data decide whether these two are one memory."""
        self.add(one, other)
        self.add(other, one)

    def copy(self) -> MayAlias:
        """The same relations, which change no more."""
        copy = MayAlias()
        copy.update(self)
        return copy

    def update(self, more: MayAlias) -> None:
        """What holds there holds here, too."""
        for storage, others in more._others.items():
            self.add(storage, *others)
