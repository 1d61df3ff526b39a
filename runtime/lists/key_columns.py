"""Lists of keys in which keys are looked up: each keeps a dict of the places of the keys, so that a
search takes the same time however many there are.

Laws:

1. What is found follows from the items alone, whatever was written before: rows are searched from
   the first call on that asks for so many, and a row that is written to is searched anew.
2. Items change by ``put`` alone.
3. Keys are equal where Python's dicts have them equal: numbers that are equal, and no NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class KeyColumn(list[Any]):
    """A column of numbers that are keys. ``places``: the first row of each key among the first
    ``searched`` rows.
    """

    __slots__ = ("places", "searched")

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__(items)
        self.places: dict[Any, int] = {}
        self.searched = 0

    def put(self, place: int, item: Any) -> None:
        """Write an item."""
        if place == self.searched:
            self.places.setdefault(item, place)
            self.searched = place + 1
        elif place < self.searched and self[place] != item:
            self._forget(max(place, 0))
        self[place] = item

    def _forget(self, place: int) -> None:
        """The rows from a place on are no longer searched."""
        for row in range(place, self.searched):
            if self.places.get(self[row]) == row:
                del self.places[self[row]]
        self.searched = place

    def find(self, key: Any, count: int) -> int:
        """The place of a key among the first ``count`` items; ``count`` if it is not there."""
        if self.searched < count:
            for row in range(self.searched, min(count, len(self))):
                self.places.setdefault(self[row], row)
            self.searched = count
        found = self.places.get(key, count)
        return found if found < count else max(count, 0)


class _Table:
    """``places``: the first row of each key among the searched ones; ``rows``: their keys."""

    __slots__ = ("places", "rows")

    def __init__(self) -> None:
        self.places: dict[Any, int] = {}
        self.rows: list[Any] = []

    def forget(self, place: int) -> None:
        """The rows from a place on are no longer searched."""
        while len(self.rows) > place:
            key = self.rows.pop()
            if self.places[key] == len(self.rows):
                del self.places[key]


class KeyPart(list[Any]):
    """A column of one part of keys that are tuples. ``table``: the keys that were looked up
    last, of which it is the part ``number``.
    """

    __slots__ = ("number", "table")

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__(items)
        self.table, self.number = _Table(), -1

    def put(self, place: int, item: Any) -> None:
        """Write an item."""
        if place < len(self.table.rows) and self[place] != item:
            self.table.forget(max(place, 0))
        self[place] = item


def row_place(columns: tuple[KeyPart, ...], key: tuple[Any, ...], count: int) -> int:
    """The place of a key among the first ``count`` rows; ``count`` if it is not there."""
    table = columns[0].table
    for number, column in enumerate(columns):
        if column.table is not table or column.number != number:
            table = _Table()
            for part, each in enumerate(columns):
                each.table, each.number = table, part
            break
    rows, places = table.rows, table.places
    if len(rows) < count:
        for row in zip(*[column[len(rows) : count] for column in columns], strict=True):
            places.setdefault(row, len(rows))
            rows.append(row)
    found = places.get(key, count)
    return found if found < count else max(count, 0)
