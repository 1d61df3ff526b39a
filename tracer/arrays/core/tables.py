"""Tables that can be restored to the contents that they had before a sub-graph, at a cost
proportional to what has changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ABSENT = object()


class Table(dict[Any, Any]):
    """A dict that logs the old value of each key set between `mark` and `leave`, which nest."""

    __slots__ = ("_marks", "_undo")

    def __init__(self) -> None:
        super().__init__()
        self._undo: list[tuple[Any, Any]] = []  # (key, what was there), oldest first
        self._marks = 0

    def mark(self) -> int:
        """Begin to log; the result is for `leave`."""
        self._marks += 1
        return len(self._undo)

    def leave(self, place: int, is_gone: Callable[[Any], bool]) -> dict[Any, Any]:
        """End a mark: entries that were replaced or removed since are restored; of new ones those
        stay for which ``is_gone`` is false. Returns the removed ones.
        """
        before: dict[Any, Any] = {}
        for key, value in self._undo[place:]:
            before.setdefault(key, value)
        del self._undo[place:]
        new = {key: self[key] for key, value in before.items() if key in self and self[key] is not value}
        gone = {key: value for key, value in new.items() if is_gone(value)}
        for key, value in before.items():
            if value is not _ABSENT:
                super().__setitem__(key, value)
            elif key in gone:
                super().__delitem__(key)
            elif key in new and self._marks > 1:
                self._undo.append((key, _ABSENT))  # it came after the marks around this one, too
        self._marks -= 1
        return gone

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._marks:
            self._undo.append((key, self.get(key, _ABSENT)))
        super().__setitem__(key, value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any) -> None:  # type: ignore[override]
        for key, value in other.items():
            self[key] = value

    def clear(self) -> None:
        if self._marks:
            self._undo += self.items()
        super().clear()

    # Nobody asks for the other ways to change a dict: what they change would not come back.
    pop = popitem = __delitem__ = __ior__ = None  # type: ignore[assignment]
