"""Lists that a captured loop fills: a stand-in for a list whose length only sizes or data know.

The items are alike: their leaves (arrays, NumPy scalars, Python numbers) are rows of arrays, the
*columns*, of which the first `FilledList.length` are in use. Operations of a list that are not
defined here are refused.

Laws:

1. An item is held by value. An array that was put in is not written to while the list lives
   (`Recorder.may_alias`), nor is one that is taken out.
2. There is room for what an iteration appends (`Recorder.growing`): the captured loop allocates it
   before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_max
from npexport.symshapes.symint import SymBool, python_type
from npexport.tracer.arrays.core import filled_list_kinds
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list_columns import Columns
from npexport.tracer.arrays.core.filled_list_kinds import (
    fits_column,
    leaves_of_number,
    leaves_of_text,
    number_at,
    number_of,
    refused,
    text_of,
    widened,
)
from npexport.tracer.arrays.core.item_structures import (
    METHODS,
    Items,
    Kinds,
    Record,
    Referred,
    Row,
    Text,
    Within,
    ask_for_sizes,
    holds_lists,
    is_tuple,
    joined,
    metas_of,
    part_at,
    require_room_for,
    shown,
    with_items,
    with_part,
)
from npexport.tracer.arrays.core.items_by_value import apart, freeze
from npexport.tracer.arrays.core.listed_memory import copied
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.refusing import refuse_the_rest
from npexport.tracer.arrays.core.regions import holds
from npexport.tracer.arrays.core.structures_of_items import STRUCTURES, structure_beside, structure_of
from npexport.tracer.arrays.core.texts import LISTS_OF_TEXTS
from npexport.tracer.arrays.core.writes import overwrite
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order
from npexport.tracer.interpreter.native import ASKED, stands_in_for

# Items


def leaves_of_item(value: Any, structure: Any) -> list[Any]:
    """The leaves of an item of this structure, for the columns."""
    if type(value) is FilledList and isinstance(structure, Row):
        value = [value.at(place) for place in range(len(structure.parts))]
    if type(value) is FilledList:
        return widened(value.item, structure.item, iter(value.arrays()), value.length)
    if isinstance(structure, Referred):
        return [value.number]
    if isinstance(structure, Items):
        return _stood(value, structure.item)
    if isinstance(structure, Kinds):
        return leaves_of_number(value, structure)
    if isinstance(structure, Text):
        return leaves_of_text(value, structure)
    if isinstance(structure, (Row, Record)):
        value, structure = value.values() if isinstance(structure, Record) else value, structure.parts
    if is_tuple(structure):
        return [leaf for item, part in zip(value, structure, strict=True) for leaf in leaves_of_item(item, part)]
    return [value]


def _stood(values: list[Any], item: Any) -> list[Any]:
    """The columns of a list of items of one structure."""
    metas, rows = metas_of(item), [leaves_of_item(value, item) for value in values]
    if all(type(leaf) in (int, float, bool) for row in rows for leaf in row):
        return [np.array(column, dtype) for column, (_, dtype) in zip(zip(*rows, strict=True), metas, strict=True)]
    return list(written(rows, item).columns)


def written(rows: list[list[Any]], item: Any) -> FilledList:
    """A list of items of one structure, which hold no list that may change. ``rows``: their
    leaves.
    """
    found = FilledList(item, (), len(rows))
    found.columns = found.made(len(rows))
    for place, row in enumerate(rows):
        found.write(place, row)
    return found


def _together(structure: Any, owner: FilledList, position: Any, path: tuple[int, ...] = ()) -> Any:
    """The item at a position, of this structure; ``path``: where it stands in that of all items."""
    if isinstance(structure, Items):
        return FilledList(structure.item, (), structure.length, Within(owner, position, path))
    if isinstance(structure, Row):
        return FilledList(None, (), len(structure.parts), Within(owner, position, path))
    if isinstance(structure, Record):
        raise refused("is indexed, and its items are dicts of values of several kinds: put tuples into it")
    if is_tuple(structure):
        return with_items(structure, [_together(part, owner, position, (*path, place)) for place, part in enumerate(structure)])
    rows = owner.rows_at(position, path)
    if isinstance(structure, Text):
        return text_of(structure, iter(rows))
    if isinstance(structure, Kinds):
        return number_of(structure, rows[0], rows[1:])
    if isinstance(structure, Referred):
        return structure.list_at(number_at(rows[0], int))
    if isinstance(structure, TensorMeta) and not structure.scalar:
        return recorder().lists.take(rows[0], owner, position)
    return number_at(rows[0], structure)


# The list


class FilledList(Columns):
    """``columns``: arrays of the leaves of all items, with room for more. ``frozen``: whether
    another list holds it, by value; ``holder``: that list, if it is the only one. ``within``: its
    position, if it is an item of another list.

    ``kind``: ``list`` or ``deque``, which ``maxlen`` may bound. ``is_open``: whether a loop of any
    number of iterations fills it, which makes room in each of them. ``least`` and ``most``: bounds
    on the number of items, from all that was put in. For a list of lists, ``shared`` and
    ``changed`` say whether its items may be held elsewhere by value, and were written to;
    ``handed_out`` are the stand-ins of its items.
    """

    __slots__ = ()

    @classmethod
    def of(cls, item: Any, values: list[Any]) -> FilledList:
        """The stand-in of a list of items of this structure."""
        grown = cls(item, (), 0)
        if not metas_of(item):
            raise refused("holds items without a value")
        grown.columns = grown.made(len(values))
        for value in values:
            grown.put(value)
        grown.least = len(values)
        return grown

    def repeated(self, times: Any) -> FilledList:
        """``list * times``."""
        call, columns = recorder().call, []
        for column in self.arrays():
            if known(column.shape[0] == 1):
                columns.append(call(ops.np.repeat, column, times, 0))
                continue
            repeated = call(ops.np.broadcast_to, column, (times, *column.shape))
            columns.append(call(ops.np.copy, call(ops.np.reshape, repeated, (-1, *column.shape[1:]))))
        found = FilledList(self.item, tuple(columns), times * self.length)
        self.share_with(found, repeats=True)
        return found

    # The tracer's side

    def put(self, value: Any) -> None:
        """Append an item, for which there is room."""
        self._write_within(self.length, self.take_in(value))
        self.length, self.most = self.length + 1, self.most + 1

    def _write_within(self, position: Any, value: Any) -> None:
        """Write an item to a position that is known to be one of the columns."""
        rec = recorder()
        if rec.regions:
            inside = (position >= 0, position < self.capacity)
            rec.regions[-1].inside += [truth.expression for truth in inside if type(truth) is SymBool]
        self.write(position, leaves_of_item(value, self.item))

    def take_in(self, value: Any) -> Any:
        """The value as an item, which does not change from now on."""
        loose = set[int]()
        value = apart(recorder().session.world.into(self.item, value), loose)
        self.fit(structure_beside(value, self.item))
        freeze(value, self, loose, set())
        return value

    def fit(self, structure: Any) -> None:
        """An item of this structure may be in it."""
        together = joined(self.item, structure)
        if together is None and ask_for_sizes(self.item, structure):
            together = joined(self.item, structure)
        if together is None:
            lists = isinstance(self.item, (Items, Row)) and isinstance(structure, (Items, Row))
            self._become_referred(self if lists else None, f"holds {shown(self.item)}, and now {shown(structure)}")
        if together is not self.item:
            self._become(together)

    def write(self, position: Any, leaves: list[Any], first: int = 0) -> None:
        """Put leaves into the columns from the ``first`` one on."""
        rec = recorder()
        for column, leaf in zip(self.columns[first : first + len(leaves)], leaves, strict=True):
            if column.dtype.kind == "i" and not fits_column(leaf):
                raise refused(f"holds {leaf}, which needs more than 64 bits")
            require_room_for(leaf, column.dtype)
            column[position] = leaf
            if type(leaf) is ArrayProxy:
                problem = not_in_c_order(rec.layouts, leaf)
                if problem is not None:
                    raise refused(f"holds {problem}")
                rec.lists.put(leaf)
                if rec.growing is not None:
                    rec.growing.put_in.add(leaf.storage)

    def push(self, value: Any) -> None:
        """Append an item, whether or not it may have more than it has. A list that the program goes
        on to hold is the item from now on, unless it is from before a branch or a loop that is
        being captured.
        """
        self.have_room()
        session, rooms = recorder().session, recorder().growing
        is_item = type(value) is list and value and isinstance(self.item, (Items, Row))
        is_new = is_item and not (rooms is not None and rooms.knows(value)) and session.is_held(value)
        referrers = session.world.replaceable(value) if is_new else []
        self.put(copy(value) if referrers else value)
        if referrers:
            session.world.replace(value, referrers, self.at(self.length - 1))

    # The program's side

    def append(self, value: Any) -> None:
        """``list.append``, of one without a bound."""
        if self.maxlen is not None:
            raise refused("is a deque of at most so many items, and gets another one from C")
        self.push(value)

    def shift(self, value: Any, left: bool) -> None:
        """Put an item into a deque that has as many as it may: the one at the other end is lost.
        ``left``: at the beginning.
        """
        self.require_loose()
        value = self.take_in(value)
        if holds_lists(self.item):
            raise refused("is a deque of at most so many lists")
        last = (self.maxlen or 0) - 1
        if not left:
            self.move(0, last)
        self._write_within(last, value)
        if left:
            self.move(last, 0)

    def have_room(self, more: Any = 1) -> None:
        """Make room for more items."""
        self.require_loose()
        rooms = recorder().growing
        if rooms is None:
            self.reserve(more)
        else:
            rooms.need(self, more)

    def take(self, position: Any) -> Any:
        """The item of a position that is known to exist; the list gets shorter by it."""
        self.require_loose()
        item = _settled(_together(self.item, self, position))
        self.shorten(self.length - 1)
        moves = type(self.length) is not int and self.has_little_room()  # those that it has, no others
        if not moves and type(position) is int and known(self.capacity > position) is True:
            for column in self.columns:
                column[position:-1] = column[position + 1 :]
        elif known(position == self.length) is not True:
            self.move(position, self.length)
        return item

    def shorten(self, length: Any) -> None:
        """The list ends after so many items."""
        self.require_loose()
        rooms = recorder().growing
        if rooms is not None:
            rooms.shorten(self)
        self.require_unseen("loses")
        self.length, self.least = length, 0

    def replace(self, values: Any) -> None:
        """Its items are those of another list, which nothing else holds."""
        self.shorten(0)
        if type(values) is list:
            for value in values:
                self.append(value)
            return
        self.fit(values.item)
        columns, count = widened(values.item, self.item, iter(values.arrays()), values.length), values.length
        self.have_room(count)
        for column, mine in zip(self.columns, columns, strict=True):
            column[:count] = mine
        self.length, self.most = count, self.most + count

    def move(self, position: Any, to: Any) -> None:
        """The item of one position goes to another, and those between them make room for it."""
        self.require_loose()
        self.require_unseen("moves")
        for column in self.columns:
            overwrite(column, ops.py.row_moved, position, to)

    def move_last(self, position: Any) -> None:
        """The last item goes to a position, and those from there on behind it."""
        if type(position) is not int or known(self.capacity > position) is not True:
            self.move(self.length - 1, position)
            return
        self.require_unseen("moves")
        for column in self.columns:
            last = column[self.length - 1]
            last = recorder().call(ops.np.copy, last) if column.ndim > 1 else last
            column[position + 1 :] = column[position:-1]
            column[position] = last

    def copy(self) -> FilledList:
        """``list.copy`` and ``deque.copy``."""
        found = self.listed()
        found.kind, found.maxlen = self.kind, self.maxlen
        return found

    def listed(self) -> FilledList:
        """``list(values)``."""
        return self._another([recorder().call(ops.np.copy, array) for array in self.arrays()], self.length)

    def _another(self, columns: list[Any], count: Any) -> FilledList:
        """A list of items of this one."""
        found = FilledList(self.item, tuple(columns), count)
        self.share_with(found)
        return found

    def require_list(self, what: str) -> None:
        """Raises `refused` for a deque."""
        if self.kind is not list:
            raise refused(f"is a {self.kind.__name__}, and {what}")

    def require_loose(self) -> None:
        if self.frozen:
            self._become_referred(self.holder, "changes after another list holds it")
        if self.within is not None:
            self._become_referred(None if self.within.path else self.within.owner, "gets longer or shorter, and is an item of another list")

    def _become_referred(self, owner: FilledList | None, what: str) -> None:
        """The lists of a list that holds this one become those of a store. Raises `refused` if it
        is not from before a loop or a branch that is being captured.
        """
        rooms = recorder().growing
        if owner is None or owner.shared or owner.within is not None or rooms is None or not rooms.knows(owner):
            raise refused(what)
        rooms.widen(owner, Referred)

    def __add__(self, values: Any) -> Any:
        if isinstance(values, (np.ndarray, np.generic)):
            return NotImplemented  # they take the list as an array
        self.require_list("is added to another")
        return self._before(_beside(values, self.item))

    def __mul__(self, times: Any) -> Any:
        if isinstance(times, (np.ndarray, np.generic)):
            return NotImplemented
        self.require_list("is repeated")
        if python_type(times) is not int:
            raise refused("is repeated, and by no integer")
        return self.repeated(sym_max(times, 0))

    __rmul__ = __mul__

    def __radd__(self, values: Any) -> FilledList:
        return _beside(values, self.item)._before(self)

    def _before(self, other: FilledList) -> FilledList:
        """The items of both lists."""
        item = joined(self.item, other.item)
        if item is None:
            raise refused(f"holds {shown(self.item)}, and the list beside it {shown(other.item)}")
        sides = [widened(each.item, item, iter(each.arrays()), each.length) for each in (self, other)]
        columns = [recorder().call(ops.np.concatenate, pair) for pair in zip(*sides, strict=True)]
        found = self._another(columns, self.length + other.length)
        found.own_item = item
        other.share_with(found, repeats=self.family is other.family)
        found.least = self.least + other.least
        return found

    def __getitem__(self, index: Any) -> Any:
        if type(index) is slice:
            self.require_list("is sliced")
            arrays = [recorder().call(ops.np.copy, array[index]) for array in self.arrays()]
            return self._another(arrays, arrays[0].shape[0])
        if python_type(index) is not int:
            raise refused("is indexed by an object that is not an integer")
        position = self.position(index)
        if position is None:
            raise refused("is indexed at a place where it may have no item")
        return self.at(position)

    def position(self, index: Any) -> Any:
        """The position that an index means, if it is known to be that of an item."""
        position = index + self.length if known(index < 0) is True else index
        return position if holds(position >= 0) and holds(position < self.length) else None

    def at(self, position: Any) -> Any:
        """The item of a position that is known to exist."""
        if type(position) is int and self.row is not None and self.within is not None:
            owner, place, path = self.within
            return _together(self.row.parts[position], owner, place, (*path, position))
        return _together(self.item, self, position)

    def together(self) -> tuple[Any, ...]:
        return tuple(_stood([self.at(place) for place in range(self.length)], self.item))

    def __setitem__(self, index: Any, value: Any) -> None:
        if python_type(index) is not int:
            raise refused("is assigned to at an index that is not an integer")
        position = self.position(index)
        if position is None:
            raise refused("is assigned to at a place where it may have no item")
        self.set(position, value)

    def set(self, position: Any, value: Any) -> None:
        """Replace the item of a position that is known to exist."""
        if self.frozen:
            raise refused("changes after another list holds it")
        if self.row is not None:
            self._set_part(position, value)
            return
        if holds_lists(self.item) and self.within is not None:
            raise refused("has a list among its items replaced by another, and is an item of a list")
        self.require_unseen("replaces")
        value = self.take_in(value)
        self._change()
        self.write(position, leaves_of_item(value, self.item))

    def _set_part(self, position: Any, value: Any) -> None:
        """Replace an item of a list of values of several kinds."""
        if type(position) is not int:
            raise refused(f"has an item that is {shown(self.row)}, which is written to at a place that only sizes or data know")
        self._change()
        owner, place, path = self.within or Within(None, 0, ())
        path = (*path, position)
        part, structure = part_at(owner.item, path)[0], structure_of(value)
        wider = joined(part, structure)
        if wider is None or holds_lists(structure):
            raise refused(f"has an item that is {shown(self.row)}, where {shown(structure)} is put in")
        if wider is not part:
            owner._become(with_part(owner.item, path, wider))
        owner.write(place, leaves_of_item(value, wider), part_at(owner.item, path)[1])

    def __iter__(self) -> Iterator[Any]:
        if type(self.length) is not int:
            raise refused("is iterated over by something that cannot handle a length that only sizes or data determine")
        return filled_list_kinds.in_order(self)

    def __repr__(self) -> str:
        raise refused("is turned into text")

    __str__ = __repr__


def _beside(values: Any, item: Any) -> FilledList:
    """A list that is added to one of such items."""
    if type(values) is FilledList:
        return values
    if type(values) is not list:
        raise TypeError(f'can only concatenate list (not "{python_type(values).__name__}") to list')
    return FilledList.of(item, values)


def _settled(item: Any) -> Any:
    """An item that was taken out of its list: the lists in it do not change any more."""
    if is_tuple(item):
        return with_items(item, map(_settled, item))
    if type(item) is not FilledList:
        return item
    if item.row is not None:
        return [_settled(item.at(place)) for place in range(item.length)]
    apart_from = FilledList(item.item, tuple([copied(column) for column in item.columns]), item.length)
    apart_from.frozen = True
    apart_from.family.join(item.family)
    return apart_from


refuse_the_rest(FilledList, refused, METHODS, "imul copy index int float")
stands_in_for(FilledList, list)
LISTS_OF_TEXTS.add(FilledList)
STRUCTURES[FilledList] = lambda grown: grown.row or Items(grown.length, grown.item)
ASKED.add(FilledList)
