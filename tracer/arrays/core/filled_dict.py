"""Dicts and sets with keys that only the data know: a stand-in that keeps the items in the order of
their insertion, as rows of a `FilledList`.

Laws:

1. Two keys are one if they are equal numbers, or tuples of these: their hashes are equal then.
   Keys of other kinds, and NaN, which equals itself where it is one object, are refused or raise.
2. A key that is there stays as it was put in first.
3. The order of a set is that of C's table: what would show it is refused.
"""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, Location, Unsupported
from npexport.symshapes.symint import SymBool, is_symbolic
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList, leaves_of_item
from npexport.tracer.arrays.core.item_structures import Constant, Kinds, alike, is_tuple, metas_of, shown
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.refusing import FILLED_LIST, OF_SETS, ContainerStandIn, refuse_the_rest
from npexport.tracer.arrays.core.regions import holds
from npexport.tracer.arrays.core.structures_of_items import structure_of
from npexport.tracer.interpreter.native import ASKED, named, stands_in_for

SETS = frozenset({set, frozenset})
TABLES = SETS | {dict, Counter, OrderedDict, defaultdict}
"""The classes that have a stand-in; subclasses have methods of their own."""
_HINT = (
    "Read and write its items, count them, iterate over them or sort them; or number the keys first "
    "(np.unique(x, return_inverse=True)) and keep the items in an array."
)
_INTEGERS, _FLOATS, _CONSTANT = "an integer", "a float", "a text or None"


def refused(what: str, stack: tuple[Location, ...] = ()) -> Unsupported:
    """The error for an operation that such a stand-in does not support. ``stack``: which lines are
    to blame, if it is not the present one.
    """
    return Unsupported("E104", f"a dict or a set, whose keys only the data know, {what}", hint=_HINT, user_stack=stack)


@contextlib.contextmanager
def refused_as_dict(stack: tuple[Location, ...] = ()) -> Iterator[None]:
    """What its rows refuse is refused by the dict or the set."""
    try:
        yield
    except Unsupported as error:
        if not error.message.startswith(FILLED_LIST):
            raise
        what = error.message.removeprefix(f"{FILLED_LIST},").strip()
    else:
        return
    raise refused(what, stack)


def family_of(structure: Any) -> Any:
    """What keys of a structure are compared as: equal keys are of one family."""
    if is_tuple(structure):
        return tuple(map(family_of, structure))
    if isinstance(structure, Constant):
        return _CONSTANT
    if isinstance(structure, Kinds):
        families = {family_of(option) for option in structure.options}
        if len(families) == 1 and len(structure.dtypes()) <= 1:
            return families.pop()
    if structure in (int, bool) or (isinstance(structure, TensorMeta) and structure.scalar and structure.dtype.kind in "biu"):
        return _INTEGERS
    if structure is float or (isinstance(structure, TensorMeta) and structure.scalar and structure.dtype == np.float64):
        return _FLOATS
    raise refused(f"has a key that is {shown(structure)}")


def is_key(value: Any, constants: bool = False) -> bool:
    """Whether a value is a number, or a tuple of these, that can be a key of a stand-in.
    ``constants``: or a text, or ``None``.
    """
    try:
        return family_of(structure_of(value)) != _CONSTANT or constants
    except ExportError:
        return False


class FilledDict(ContainerStandIn):
    """``rows``: the items, tuples of a key and a value, or of the member of a set alone. ``kind``:
    the class that it stands for. ``factory``: of a ``defaultdict``. ``at_hand``: the key that a
    loop over it has just got, the object, and its place. ``source``: of which container of a store
    it holds the items. ``stack``: the lines that have put in the first such key.
    """

    __slots__ = ("__weakref__", "at_hand", "factory", "kind", "rows", "source", "stack")

    def __init__(self, rows: FilledList, kind: type, factory: Any = None) -> None:
        family_of(rows.item[0])
        self.rows, self.kind, self.factory = rows, kind, factory
        rows.kind = dict
        self.at_hand: tuple[Any, Any] | None = None
        self.source: Any = None
        self.stack = recorder().stack()

    @classmethod
    def of(cls, item: Any, original: Any) -> FilledDict:
        """The stand-in of a dict or a set, for rows of this structure."""
        return cls(FilledList.of(item, rows_of(original)), type(original), getattr(original, "default_factory", None))

    # The tracer's side

    def is_like(self, other: Any) -> bool:
        """Whether it may take over the items of another one, which nothing else holds."""
        kind, factory = (other.kind, other.factory) if type(other) is FilledDict else (type(other), getattr(other, "default_factory", None))
        return (kind, factory) == (self.kind, self.factory) and self.source is None and getattr(other, "source", None) is None

    def replace(self, other: Any) -> None:
        """Its items are those of another one, which nothing else holds."""
        with refused_as_dict():
            self.rows.replace(other.rows if type(other) is FilledDict else rows_of(other))
        self.at_hand = None

    @property
    def length(self) -> Any:
        """How many items it has."""
        return self.rows.length

    @property
    def is_set(self) -> bool:
        return self.kind in SETS

    def find(self, key: Any) -> Any:
        """The place of a key, which is the number of items if it is not there."""
        if self.at_hand is not None and self.at_hand[0] is key:
            return self.at_hand[1]
        with refused_as_dict():
            structure = structure_of(key)
        if known(self.rows.length == 0) is True:
            return self.rows.length
        try:
            tests = list(_tests(self.rows.item[0], structure, key, iter(self.rows.columns)))
        except _Never:
            return self.rows.length
        return recorder().node(ops.py.row_place, (*zip(*tests, strict=True), self.rows.length)).meta["val"]

    def floats_of(self, key: Any) -> tuple[Any, ...]:
        """The floats in a key, any of which may be NaN."""
        return floats_of(key)

    @property
    def end(self) -> Any:
        """What the place of a key that is not there is."""
        return self.rows.length

    def put(self, place: Any, row: tuple[Any, ...], kept: bool = False) -> None:
        """Put an item at the place of its key. ``kept``: one that is there stays."""
        with refused_as_dict():
            family_of(structure_of(row[0]))
            put_row(self.rows, place, row, kept)

    def take(self, place: Any) -> tuple[Any, ...]:
        """The item of a place that is known to exist, which is given up."""
        self.at_hand = None
        return self.rows.take(place)

    def empty(self) -> None:
        """Give up all items."""
        self.at_hand = None
        self.rows.shorten(0)

    def value_at(self, place: Any) -> Any:
        """The value at a place that is known to exist."""
        return self.rows.at(place)[1]

    def require_order(self) -> None:
        """Raises `refused` for a set, whose order is that of C's table."""
        if self.is_set:
            raise refused("is iterated over, and is a set: iterate over `sorted(members)`")

    def parts(self, part: int | None) -> FilledList:
        """The keys (0), the values (1) or the items (``None``) as a list."""
        rows = self.rows.listed()
        if part is None:
            return rows
        first = 0 if part == 0 else len(metas_of(rows.item[0]))
        columns = rows.columns[first : first + len(metas_of(rows.item[part]))]
        found = FilledList(rows.item[part], columns, rows.length)
        rows.share_with(found)
        found.least, found.most = rows.least, rows.most
        return found

    def copied(self, kind: type) -> FilledDict:
        """Another one with the same items."""
        return FilledDict(self.rows.copy(), kind, self.factory if kind is defaultdict else None)

    # The program's side

    def keys(self) -> FilledView:
        """``dict.keys``."""
        return FilledView(self, 0)

    def values(self) -> FilledView:
        """``dict.values``."""
        return FilledView(self, 1)

    def items(self) -> FilledView:
        """``dict.items``."""
        return FilledView(self, None)

    def __getattr__(self, name: str) -> Any:
        if name == "default_factory" and hasattr(self.kind, name):
            return self.factory
        function = getattr(self.kind, name, None)
        if isinstance(function, FunctionType) and not name.startswith("__"):  # of Python, which is interpreted
            return MethodType(function, self)
        return super().__getattr__(name)


class FilledView:
    """What ``keys()``, ``values()`` and ``items()`` return. ``part``: as in `FilledDict.parts`."""

    __slots__ = ("part", "table")

    def __init__(self, table: FilledDict, part: int | None) -> None:
        self.table, self.part = table, part

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _VIEWS[self.part]

    def __len__(self) -> Any:
        return self.table.rows.length

    def __bool__(self) -> Any:
        return bool(self.table.rows)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(_VIEWS[self.part], name):
            return getattr(_VIEWS_OF_NONE[self.part], name)  # raises
        raise refused(f"has `{name}` of its items used")


class _Items(NamedTuple):
    """The items of a dict by position, for a loop, which must not make it longer or shorter."""

    table: FilledDict
    part: int | None
    length: Any

    def __call__(self, position: Any) -> Any:
        if known(self.table.rows.length == self.length) is not True:
            raise refused("gets longer or shorter while it is iterated over")
        row = self.table.rows.at(position)
        self.table.at_hand = row[0], position
        return row if self.part is None else row[self.part]

    def arrays(self) -> tuple[Any, ...]:
        """The columns."""
        return self.table.rows.columns


def along(value: FilledDict | FilledView) -> tuple[_Items, Any]:
    """The items that a loop gets, by position, and their number."""
    table, part = (value, 0) if isinstance(value, FilledDict) else (value.table, value.part)
    table.require_order()
    return _Items(table, part, table.rows.length), table.rows.length


def is_comparable(value: Any) -> bool:
    """Whether the values of a dict are equal where their numbers are: NaN, and an array, are equal
    to themselves where they are one object.
    """
    if not isinstance(value, FilledDict):
        return all(type(item) in (int, bool, str, type(None)) or is_symbolic(item) and item.python is not float for item in value.values())
    return not any(shape or dtype.kind in "fc" for shape, dtype in metas_of(value.rows.item[1]))


def listed(value: FilledDict | FilledView) -> FilledList:
    """A list of the items that are iterated over."""
    return value.parts(0) if isinstance(value, FilledDict) else value.table.parts(value.part)


def _is_told_by_value(structure: Any) -> bool:
    """Whether equal keys of this structure are the same to the bit."""
    if is_tuple(structure):
        return all(map(_is_told_by_value, structure))
    return structure in (int, bool) or (isinstance(structure, TensorMeta) and structure.dtype.kind in "biu")


def floats_of(key: Any) -> tuple[Any, ...]:
    """The floats in a key, any of which may be NaN."""
    parts = key if is_tuple(key) else (key,)
    return tuple([part for part in parts if family_of(structure_of(part)) == _FLOATS])


def put_row(rows: FilledList, place: Any, row: tuple[Any, ...], kept: bool) -> None:
    """Put a row at a place, which is one of a row with the same key, or the end. ``kept``: one that
    is there stays as it is; else its key does.
    """
    is_there = holds(place < rows.length)
    if not is_there:
        rows.have_room()
    row = rows.take_in(row)
    rec, parts = recorder(), len(row) if kept else 0 if _is_told_by_value(rows.item[0]) else 1
    if rec.regions:
        inside = (place >= 0, place <= rows.length, place < rows.capacity)
        rec.regions[-1].inside += [truth.expression for truth in inside if type(truth) is SymBool]
    leaves = leaves_of_item(row, rows.item)
    olds = [column[place] for column in rows.columns[: len(metas_of(rows.item[:parts]))]]
    leaves[: len(olds)] = [rec.call(ops.np.where, place < rows.length, *pair) for pair in zip(olds, leaves, strict=False)]
    rows.write(place, leaves)
    if not is_there:
        known_end = known(place == rows.length) is True
        rows.length = rows.length + 1 if known_end else rec.node(ops.py.rows_with, (rows.length, place)).meta["val"]
        rows.most = rows.most + 1


def rows_of(original: Any) -> list[tuple[Any, ...]]:
    """The items of a dict or a set as rows."""
    return [(member,) for member in original] if type(original) in SETS else list(original.items())


class Left:
    """The only item, or key, of a container that a stand-in has replaced; the interpreter still
    holds the item.
    """

    def __init__(self, table: Any) -> None:
        self.table = table


def leave(original: Any, table: Any) -> None:
    """Record that the program holds the container no longer; ``table`` stands for it."""
    original.clear()
    left = Left(table)
    if isinstance(original, set):
        set.add(original, left)
    elif isinstance(original, dict):
        dict.__setitem__(original, left, None)
    else:
        original.append(left)


def stands_for(original: Any) -> Any:
    """The stand-in that has replaced a container."""
    first = next(iter(original), None) if len(original) == 1 else None
    return first.table if type(first) is Left else None


class _Never(Exception):
    """A key of this kind equals none of the keys."""


def _tests(mine: Any, theirs: Any, key: Any, columns: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """Columns, and the numbers that stand in them in the row of a key. Raises `_Never`."""
    if is_tuple(mine) or is_tuple(theirs):
        if not (is_tuple(mine) and is_tuple(theirs)) or len(mine) != len(theirs):
            raise _Never
        for part in zip(mine, theirs, key, strict=True):
            yield from _tests(*part, columns)
        return
    families = family_of(mine), family_of(theirs)
    if _CONSTANT in families:
        if families[0] != families[1] or not any(alike(theirs.options[0], option) for option in mine.options):
            raise _Never
        yield next(columns), mine.place(theirs.options[0])
        return
    if families[0] != families[1]:
        raise refused(f"has keys that are {shown(mine)}, and is searched for {shown(theirs)}")
    found = [next(columns) for _ in metas_of(mine)][-1]
    yield found, key.scalar if type(key) is Mixed else key


METHODS = (
    "__contains__ __delitem__ __getitem__ __setitem__ add clear discard get pop popitem remove setdefault update copy move_to_end "
    "most_common total isdisjoint issubset issuperset union intersection difference symmetric_difference"
).split()
"""The methods that are polyfills (`npexport.tracer.models.polyfills.dicts`)."""
refuse_the_rest(FilledDict, refused, METHODS, f"{OF_SETS} iter")
refuse_the_rest(FilledView, refused, (), f"{OF_SETS} iter contains")
_VIEWS_OF_NONE: dict[int | None, Any] = {0: {}.keys(), 1: {}.values(), None: {}.items()}
_VIEWS: dict[int | None, type] = {part: type(view) for part, view in _VIEWS_OF_NONE.items()}
stands_in_for(FilledDict, dict)
named(FilledView, "view of a dict")
ASKED.update((FilledDict, FilledView))
