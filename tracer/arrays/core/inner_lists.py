"""Lists, dicts and sets that stand in other containers at places of data:
`groups[k].append(v)`.

Such a container is a number among those of a `Store`, which keeps the items of all of them.

Laws:

1. A container is its number: whoever holds the number holds it, and sees what others write to it.
2. Items are rows of one dict, in the order in which they are put in. The key of an item of a list
   is made of the number of the list and its place in it; the key of an item of a dict is a tuple of
   the number of the dict and its key there.
3. A container that becomes one of a store is replaced wherever the program holds it.
4. The length of one does not change while a loop iterates over it. Where the data decide which one
   changes, a check makes sure of that.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.control import name_of
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_dict import TABLES, FilledDict, floats_of, rows_of
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_columns import end_to_end
from npexport.tracer.arrays.core.filled_list_kinds import widened
from npexport.tracer.arrays.core.item_structures import Items, Like, Reference, Referred, is_tuple, with_items
from npexport.tracer.arrays.core.refusing import OF_SETS, ContainerStandIn, refuse_the_rest
from npexport.tracer.arrays.core.structures_of_items import structure_of
from npexport.tracer.interpreter.native import ASKED, stands_in_for

LISTS = frozenset({list, deque})
KINDS = LISTS | TABLES - {frozenset}
"""The classes of which a store keeps objects."""
MOST_ITEMS = 1 << 32
_CHANGES = "this exported program cannot iterate over a list whose length changes meanwhile"
_HINT = "Append to it, read and write its items, take its length or iterate over it; or number the groups, and keep the items in an array."


def refused(what: str) -> Unsupported:
    """The error for an operation that such a list does not support."""
    return Unsupported("E104", f"a list that is in another container, at a place that only the data know, {what}", hint=_HINT)


class Store(Referred):
    """``kind``: the class of its containers. ``factory``: of a ``defaultdict``. ``counts``: how
    many items each of them has. ``table``: the items by their keys; ``None`` before the first one.
    ``returned``: the result that holds them. ``columns``: the arrays of results, each after those
    that they were computed from.
    """

    __slots__ = ("__weakref__", "columns", "counts", "factory", "kind", "returned", "table")

    def __init__(self, kind: type, factory: Any = None) -> None:
        self.kind, self.factory = kind, factory
        self.counts = FilledList.of(int, [])
        self.table: FilledDict | None = None
        self.returned: Any = None
        self.columns: list[tuple[list[Any], Any]] = []
        recorder().session.world.refers = True

    def list_at(self, number: Any) -> Any:
        return (InnerList if self.kind in LISTS else InnerTable)(self, number)

    def new(self) -> Any:
        """An empty list, dict or set."""
        number = self.counts.length
        self.counts.append(0)
        return self.list_at(number)

    def begin(self, value: Any) -> None:
        """Its containers hold values, or rows, like this one."""
        if self.table is None:
            item = form_of(value)
            row = (int, item) if self.kind in LISTS else ((int, item[0]), *item[1:])
            self.table = FilledDict(FilledList.of(row, []), set if self.kind is set else dict)

    def take_over(self, grown: FilledList) -> None:
        """The items of a list, which are lists of one length, become the first of its own."""
        item, count, call = grown.item, grown.length, recorder().call
        if not isinstance(item, Items) and known(count == 0) is not True:
            raise refused("gets longer or shorter, and holds values of several kinds")
        numbers = call(ops.np.arange, count)
        if isinstance(item, Items):
            keys = call(ops.np.reshape, numbers * MOST_ITEMS, (count, 1)) + call(ops.np.arange, item.length)
            flat = [call(ops.np.reshape, keys, (count * item.length,)), *end_to_end(grown.arrays(), item.length)]
            self.counts = FilledList(int, (call(ops.np.full, (count,), item.length, np.dtype(np.int64)),), count)
            self.table = FilledDict(FilledList((int, item.item), tuple(flat), count * item.length), dict)
        grown.columns, grown.own_item = (numbers,), self

    def takes(self, value: Any) -> bool:
        """Whether a container can become one of its own."""
        if type(value) is FilledList:
            return value.kind is self.kind and value.within is None and not value.frozen
        return type(value) is self.kind and getattr(value, "default_factory", None) is self.factory and _is_unbounded(value)


class _Inner(Reference, ContainerStandIn):
    """One of the containers of a store."""

    __slots__ = ("__weakref__",)
    store: Store

    def __init__(self, store: Store, number: Any) -> None:
        self.store, self.number = store, number

    # The tracer's side

    @property
    def length(self) -> Any:
        """How many items it has."""
        return 0 if self.store.table is None else self.store.counts.at(self.number)

    @property
    def kind(self) -> type:  # type: ignore[override]
        return self.store.kind

    def set_length(self, length: Any) -> None:
        """It has so many items."""
        self.require_unwatched()
        self.store.counts.set(self.number, length)

    def require_unwatched(self, copied: bool = False) -> None:
        """Raises `refused`, or records a check, where a loop iterates over this container.
        ``copied``: only loops over a copy of its items count."""
        for other, is_copy in recorder().session.world.iterated_containers(self.store):
            if copied and not is_copy:
                continue
            same = self.number == other.number
            if known(same) is True:
                raise refused("changes while it is iterated over")
            if known(same) is None:
                check = sym_not(same), name_of(RuntimeError), (_CHANGES,)
                recorder().effect(ops.control.check, check, recorder().stack())

    def begun(self, value: Any) -> FilledDict:
        """The items of the store, which may be the first ones."""
        if self.store.table is None:
            recorder().session.world.begin(self.store, value)
        return self._table()

    def _table(self) -> FilledDict:
        if self.store.table is None:
            raise refused("is indexed, and no such list has any items")
        return self.store.table

    def _rows(self, item: Any, mine: Any, columns: Any) -> FilledList:
        """The rows that a mask chooses, which nobody writes to."""
        columns = [column[mine] for column in columns]
        found = FilledList(item, tuple(columns), columns[0].shape[0])
        found.frozen = True
        return found

    # The program's side

    def __iter__(self) -> Any:
        raise refused("is iterated over by something other than a loop")


class InnerList(_Inner):
    """One of the lists or deques of a store."""

    __slots__ = ()

    @property
    def item(self) -> Any:
        """The structure of its items; that of an integer if no list of the store has any."""
        return int if self.store.table is None else self.store.table.rows.item[1]

    def _key(self, place: Any) -> Any:
        return self.number * MOST_ITEMS + place

    def at(self, place: Any) -> Any:
        """The item of a place that is known to exist."""
        table = self._table()
        return table.value_at(table.find(self._key(place)))

    def set(self, place: Any, value: Any) -> None:
        """Write an item, at the place of one or at the end."""
        self.require_unwatched(copied=True)
        table, key = self.begun(value), self._key(place)
        table.put(table.find(key), (key, value))

    def fill(self, values: Any) -> None:
        """Take over the items of a list."""
        for place, value in enumerate(values):
            self.set(place, value)
        self.set_length(len(values))

    def take_over(self, grown: FilledList) -> None:
        """Take over the items of a list, as many as only data may know."""
        rows, arrays = self.begun(Like(grown.item)).rows, grown.arrays()
        count = arrays[0].shape[0]
        rows.fit((int, grown.item))
        rows.have_room(count)
        keys = recorder().call(ops.np.arange, count) + self._key(0)
        columns = (keys, *widened(grown.item, rows.item[1], iter(arrays), count))
        for column, mine in zip(rows.columns, columns, strict=True):
            column[rows.length : rows.length + count] = mine
        rows.length, rows.most = rows.length + count, rows.most + count
        self.set_length(count)

    def read(self) -> FilledList:
        """Its items now, as a list that nobody writes to."""
        table = self.store.table
        if table is None:
            found = FilledList.of(int, [])
        else:
            keys, *columns = table.rows.copy().arrays()
            mine = recorder().call(ops.np.logical_and, keys >= self._key(0), keys < self._key(self.length))
            found = self._rows(table.rows.item[1], mine, columns)
        found.kind = self.kind
        return found


class InnerTable(_Inner):
    """One of the dicts or sets of a store: a `FilledDict` to its polyfills."""

    __slots__ = ()

    @property
    def factory(self) -> Any:
        return self.store.factory

    @property
    def is_set(self) -> bool:
        return self.kind is set

    @property
    def end(self) -> Any:
        """What the place of a key that is not there is."""
        return 0 if self.store.table is None else self.store.table.end

    def find(self, key: Any) -> Any:
        """The place of a key."""
        return 0 if self.store.table is None else self.store.table.find((self.number, key))

    def floats_of(self, key: Any) -> Any:
        """The floats in a key, any of which may be NaN."""
        return floats_of(key)

    def put(self, place: Any, row: tuple[Any, ...], kept: bool = False) -> None:
        """Put an item at the place of its key. ``kept``: one that is there stays."""
        self.require_unwatched()
        table = self.begun(row)
        before = table.rows.length
        table.put(place, ((self.number, row[0]), *row[1:]), kept)
        self.store.counts.set(self.number, self.length + (table.rows.length - before))

    def take(self, place: Any) -> tuple[Any, ...]:
        """The item of a place that is known to exist, which is given up."""
        (_, key), *rest = self._table().take(place)
        self.set_length(self.length - 1)
        return key, *rest

    def value_at(self, place: Any) -> Any:
        """The value at a place that is known to exist."""
        return self._table().value_at(place)

    def fill(self, values: Any) -> None:
        """Take over the items of a dict or a set."""
        for row in rows_of(values):
            self.put(self.find(row[0]), row)

    def read(self) -> Any:
        """Its items now, as a dict or a set that nobody writes to."""
        table = self.store.table
        if table is None:
            return FilledDict(FilledList.of((int,) if self.is_set else (int, int), []), self.kind, self.factory)
        (_, key), *rest = table.rows.item
        numbers, *columns = table.rows.copy().arrays()
        found = FilledDict(self._rows((key, *rest), numbers == self.number, columns), self.kind, self.factory)
        found.source = self
        return found


class InnerItems(NamedTuple):
    """The items of a container of a store by position, for a loop. ``copy``: the items as they were
    where the loop began; ``None`` if the loop reads them where they are.
    """

    inner: Any
    copy: Any

    def __call__(self, position: Any) -> Any:
        return (self.inner if self.copy is None else self.copy).at(position)

    def arrays(self) -> tuple[Any, ...]:
        """What it reads."""
        store = self.inner.store
        if self.copy is not None or store.table is None:
            return () if self.copy is None else self.copy.columns
        return (*store.counts.columns, *store.table.rows.columns)


def along(value: Any) -> tuple[Any, Any]:
    """The items that a loop gets, by position, and their number. A loop around it would look for
    them among all others in every iteration, so it finds each where it is.
    """
    if value.store.table is None or (type(value) is InnerList and recorder().regions):
        return InnerItems(value, None), value.length
    copy = value.read()
    if type(copy) is not FilledList:
        copy.require_order()
        copy = copy.parts(0)
    return InnerItems(value, copy), copy.length


def iterated_containers(items: Any) -> Iterator[tuple[Any, bool]]:
    """The containers of stores among those that a counter goes over, and whether it has copied
    them.
    """
    if type(items) is InnerItems:
        yield items.inner, items.copy is not None
    source = getattr(getattr(items, "table", None), "source", None)
    if source is not None:
        yield source, True
    for part in getattr(items, "parts", ()):
        yield from iterated_containers(part)


def is_inner(value: Any) -> bool:
    """Whether a value can become a container of a store."""
    return type(value) in KINDS and _is_unbounded(value)


def _is_unbounded(value: Any) -> bool:
    return getattr(value, "maxlen", None) is None


def form_of(value: Any) -> Any:
    """The structure of an item of a container whose lists are those of a store: of a new one for
    each list in it that is of none.
    """
    if is_tuple(value):
        return with_items(value, map(form_of, value))
    return Store(type(value), getattr(value, "default_factory", None)) if is_inner(value) else structure_of(value)


def sample(value: Any) -> Any:
    """A value of the same form, for which `form_of` makes new stores in place of those that
    nothing from before a branch or a loop holds.
    """
    if is_tuple(value):
        return with_items(value, map(sample, value))
    if issubclass(type(value), _Inner):
        rooms = recorder().growing
        return value if rooms is None or rooms.knows(value.store) else _empty(value.kind, value.store.factory)
    return _empty(type(value), getattr(value, "default_factory", None)) if is_inner(value) else value


def _empty(kind: Any, factory: Any) -> Any:
    return kind(factory) if kind is defaultdict else kind()


def form_beside(value: Any, item: Any) -> Any:
    """The structure of a value, whose lists are those of the stores of an item."""
    if is_tuple(item) and type(value) is type(item) and len(item) == len(value):
        return with_items(value, [form_beside(*pair) for pair in zip(value, item, strict=True)])
    return item if isinstance(item, Store) and item.takes(value) else form_of(value)


METHODS = (
    "append appendleft clear extend extendleft index insert pop popleft remove reverse sort count copy __delitem__ __setitem__ __getitem__ "
    "__iadd__"
).split()
"""The methods of lists that are polyfills (`npexport.tracer.models.polyfills.lists`, and
`inner_lists` there).
"""
TABLE_METHODS = (
    "__contains__ __delitem__ __getitem__ __setitem__ add discard get pop remove setdefault update copy keys values items most_common "
    "total isdisjoint issubset issuperset union intersection difference symmetric_difference"
).split()
"""The methods of dicts and sets that are polyfills (`npexport.tracer.models.polyfills.dicts`)."""
_OF_NUMBERS = f"{OF_SETS} mul rmul imul add radd index int float"
refuse_the_rest(InnerList, refused, [*METHODS, "take", "move_last"], f"{_OF_NUMBERS} contains")
refuse_the_rest(InnerTable, refused, TABLE_METHODS, _OF_NUMBERS)
INNER = (InnerList, InnerTable)
for _class, _real in zip(INNER, (list, dict), strict=True):
    stands_in_for(_class, _real)
    ASKED.add(_class)
