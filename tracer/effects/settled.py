"""What outside objects hold after a call: the world in which the next call runs.

An exported program serves all calls. If a call leaves behind what was not there before (a new
attribute, a counter, a filled cache), the next call begins in another world and is traced there,
too (`npexport.tracer.driver.calls`). The originals are never touched: a `Settled` has an *image* of
every object that a call changes, which is copied instead of the original.
"""

from __future__ import annotations

import types
from collections import defaultdict, deque
from typing import Any

import numpy as np

from npexport.ir.layout_copies import alike as same_layout
from npexport.ir.meta import TensorMeta
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.filled_dict import TABLES, FilledDict, rows_of
from npexport.tracer.arrays.core.filled_list import FilledList, leaves_of_item, written
from npexport.tracer.arrays.core.filled_list_kinds import widened
from npexport.tracer.arrays.core.item_structures import (
    Items,
    Kinds,
    Record,
    Row,
    Text,
    alike,
    all_joined,
    holds_lists,
    is_tuple,
    joined,
    metas_of,
)
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.structures_of_items import structure_beside
from npexport.tracer.effects.state_places import Choice, MixedPlace, Open, Place, Several


class ListPlace:
    """A list or deque of the exported object that calls make longer or shorter; or a dict or a set
    with keys that only the data know.

    ``item``: the structure of its items, or rows; ``columns``: by leaf of an item, what the first
    call finds of all items, each of the place's sizes. ``kind``, ``maxlen``, ``factory``: of the
    container. ``first``: as for a `Place`.
    """

    def __init__(self, like: Any, item: Any, items: list[Any], first: bool) -> None:
        self.kind, self.maxlen, self.factory = _kind_of(like)
        self.item, self.first = item, first
        rows = [leaves_of_item(value, item) for value in items]
        self.columns = []
        for number, (shape, dtype) in enumerate(metas_of(item)):
            leaves = [np.asarray(row[number], dtype) for row in rows]
            known = tuple([getattr(size, "hint", size) or 0 for size in shape])
            place = Place(np.ndarray, np.stack(leaves) if leaves else np.zeros((0, *known), dtype), shape, first)
            self.columns.append(place)
        self.value = self.columns[0]

    @property
    def has_value(self) -> bool:
        """Whether calls may read it, the first one too."""
        return self.value.has_value

    def takes(self, value: Any) -> bool:
        """Whether this value may be the state here."""
        if type(value) not in (*FILLED, *LISTS, *TABLES) or _kind_of(value) != (self.kind, self.maxlen, self.factory):
            return False
        grown = filled(value)
        if grown is not None:
            return grown.within is None and not grown.frozen and self._holds(grown.item)
        return not value or (self._holds(item_of(items_of(value))) and not _holds_containers(self.item))  # which others may hold, too

    def _holds(self, item: Any) -> bool:
        wider = self.item if item is NO_ITEM else None if item is None else joined(self.item, item)
        return wider is not None and alike(wider, self.item)

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What this value makes the state, as for a `Place`."""
        grown = filled(value)
        if grown is None:
            grown = written([leaves_of_item(item, self.item) for item in items_of(value)], self.item)
        columns = widened(grown.item, self.item, iter(grown.present()), grown.length)
        return [(self.path_of(path, number), *each) for number, each in enumerate(zip(self.columns, columns, strict=True))]

    def path_of(self, path: str, number: int) -> str:
        """The path of one of its columns."""
        return path if len(self.columns) == 1 else f"{path}{COLUMN}{number}"

    def empty(self) -> Any:
        """Such a container without items."""
        return defaultdict(self.factory) if self.kind is defaultdict else deque(maxlen=self.maxlen) if self.kind is deque else self.kind()

    def found(self, columns: tuple[Any, ...], count: Any) -> Any:
        """What the program finds here: these columns, each of so many items."""
        grown = FilledList(self.item, columns, count)
        grown.kind, grown.maxlen = self.kind, self.maxlen
        grown.begins = grown.columns, grown.length
        grown.shared = holds_lists(self.item)  # which earlier calls may have put elsewhere, too
        return FilledDict(grown, self.kind, self.factory) if self.kind in TABLES else grown


LISTS, FILLED = (list, deque), (FilledList, FilledDict)


def filled(value: Any) -> FilledList | None:
    """The list of the items of a stand-in; ``None`` for anything else."""
    return value.rows if type(value) is FilledDict else value if type(value) is FilledList else None


def items_of(value: Any) -> list[Any]:
    """The items of a list, or the rows of a dict or a set."""
    return rows_of(value) if type(value) in TABLES else list(value)


def _kind_of(value: Any) -> tuple[type, Any, Any]:
    """The class of a container, the bound of a deque, and the factory of a ``defaultdict``."""
    kind = value.kind if type(value) in FILLED else type(value)
    factory = None if type(value) is FilledList else value.factory if type(value) is FilledDict else getattr(value, "default_factory", None)
    return kind, value.maxlen if kind is deque else None, factory


class NoItems:
    """A place with a list that is assumed to be empty."""

    def __init__(self, place: ListPlace) -> None:
        self.place = place


def is_as_found(before: Any, value: Any) -> bool:
    """Whether the program has made the list that it finds in a place neither longer nor shorter."""
    if type(before) is NoItems:
        return not value
    grown = filled(value)
    return grown is None or (grown.begins is not None and grown.columns is grown.begins[0] and grown.length is grown.begins[1])


_RECORDS = Record((), ())
NO_ITEM = object()
"""The structure of the items of a list without any."""


def item_of(values: Any) -> Any:
    """The structure that all items of a list share as state; ``None`` if there is none."""
    grown = filled(values)
    try:
        parts = [structure_beside(value, _RECORDS) for value in values] if grown is None else [grown.item]
    except Unsupported:
        return None
    item = all_joined(parts) if parts else NO_ITEM
    return item if item is NO_ITEM or _is_plain(item) else None


def _holds_containers(item: Any) -> bool:
    return isinstance(item, (Items, Row, Record)) or (is_tuple(item) and any(map(_holds_containers, item)))


def _is_plain(item: Any) -> bool:
    """Whether the leaves of items are arrays, scalars and Python numbers."""
    if isinstance(item, (Row, Record)):
        item = item.parts
    if is_tuple(item):
        return bool(item) and all(map(_is_plain, item))
    if isinstance(item, Items):
        return type(item.length) is int and _is_plain(item.item)
    return isinstance(item, (type, TensorMeta, Kinds, Text))


PLACES = (Place, Open, MixedPlace, Several, ListPlace)
COLUMN = ".column_"


class Settled:
    """``images``: by identity of an object, what is copied in its place.

    ``cells``: contents of closures' cells, by identity. ``names``: (owner, name, value) in modules,
    classes and functions. ``places``: by path, those whose value is state. ``ignored``: the paths
    of what the call adds, and later ones find. ``recomputed``: those of what every call computes
    again. ``aliases``: the other paths to objects that calls find, each with the first one.
    ``ties``: arrays that calls find where the first one finds one array, each with what stands in
    for it under another name.
    """

    def __init__(self) -> None:
        self.images: dict[int, Any] = {}
        self.cells: dict[int, Any] = {}
        self.names: list[tuple[Any, str, Any]] = []
        self.places: dict[str, Place | Open | MixedPlace | Several | ListPlace] = {}
        self.ignored: frozenset[str] = frozenset()
        self.recomputed: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.ties: list[tuple[np.ndarray[Any, Any], ...]] = []

    @property
    def lacks(self) -> bool:
        """Whether calls may find that objects lack attributes or keys that they set."""
        return any(isinstance(place, Choice) and place.may_be_absent for place in self.places.values())

    def untie(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What stands for an array of several names under one of them."""
        tied = next((tied for tied in self.ties if any(array is each for each in tied)), (array,))
        self.ties = [*[each for each in self.ties if each is not tied], (*tied, copy := same_layout(array))]
        return copy

    def contents(self, cell: types.CellType) -> Any:
        """The contents of a cell. Raises ``ValueError`` if it is empty."""
        if id(cell) in self.cells:
            return self.cells[id(cell)]
        return cell.cell_contents


NOTHING_SETTLED = Settled()
"""The world of the first call."""


def is_state(value: Any) -> bool:
    """Whether a value may differ from call to call."""
    if type(value) is ArrayProxy:
        return not value.known or value.storage.version > 0
    return type(value) in (ScalarProxy, SymInt, SymFloat, SymBool, Complex)
