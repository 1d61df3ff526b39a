"""The memory of a list that a captured loop fills (`npexport.tracer.arrays.core.filled_list`): its
columns, the room in them, and which lists hold its items.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from npexport.ir import ops
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymBool, SymInt
from npexport.tracer.arrays.core.current import raising_nothing, recorder
from npexport.tracer.arrays.core.filled_list_kinds import refused, widened
from npexport.tracer.arrays.core.item_structures import (
    Family,
    Items,
    Row,
    Within,
    alike,
    all_joined,
    holds_arrays,
    holds_lists,
    metas_of,
    part_at,
    shown,
    with_part,
)
from npexport.tracer.arrays.core.refusing import ContainerStandIn

_LITTLE = 1024
"""The most room of which a list in a compiled program may as well have all."""


def end_to_end(columns: Iterable[Any], length: Any) -> list[Any]:
    """The columns of lists of one length, as those of one list after the other."""
    call = recorder().call
    copies = [call(ops.np.copy, column) for column in columns]  # in C order: whether a reshape copies is then no question of sizes
    return [call(ops.np.reshape, column, (column.shape[0] * length, *column.shape[2:])) for column in copies]


class Columns(ContainerStandIn):
    """A `FilledList`, but for what the program does with it."""

    __slots__ = (
        "__weakref__", "_family", "begins", "changed", "frozen", "handed_out", "holder", "is_open", "kind", "least", "length", "maxlen",
        "most", "own", "own_item", "shared", "within",
    )  # fmt: skip

    def __init__(self, item: Any, columns: tuple[Any, ...], count: Any, within: Within | None = None) -> None:
        self.own_item, self.own, self.length, self.within = item, columns, count, within
        self.kind: type = list
        self.maxlen: int | None = None
        self.frozen, self.is_open, self.least, self.most = False, False, 0, count
        self.shared = self.changed = False
        self.handed_out: list[weakref.ref[Columns]] = []
        self._family: Family | None = None
        self.holder: Any = None
        self.begins: tuple[Any, Any] | None = None
        if within is not None:
            handed_out = within.owner.handed_out
            handed_out[:] = [each for each in handed_out if each() is not None] + [weakref.ref(self)]

    def is_like(self, other: Columns) -> bool:
        """Whether items of the other list may be in this one as they are."""
        same = (self.kind, self.maxlen) == (other.kind, other.maxlen)
        return same and alike(self.row or self.item, other.row or other.item)

    @property
    def row(self) -> Row | None:
        """The structure of the items of a list of values of several kinds, which is an item of
        another list.
        """
        part = None if self.within is None else part_at(self.within.owner.item, self.within.path)[0]
        return part if isinstance(part, Row) else None

    @property
    def item(self) -> Any:
        """The structure that all items have."""
        if self.within is None:
            return self.own_item
        part = part_at(self.within.owner.item, self.within.path)[0]
        item = all_joined(part.parts) if isinstance(part, Row) else part.item
        if item is None:
            raise refused(f"has an item that is {shown(part)}, and is used as if its items were alike")
        return item

    @property
    def columns(self) -> tuple[Any, ...]:
        if self.within is None:
            return self.own
        if self.row is not None:
            return self.together()
        owner, position, path = self.within
        return tuple(owner.rows_at(position, path))

    @columns.setter
    def columns(self, columns: tuple[Any, ...]) -> None:
        self.own = columns

    @property
    def root(self) -> tuple[Any, int]:
        """Where it stands within an item, and which list is the outermost around it."""
        return self.within.path, id([*self.around()][-1])  # type: ignore[union-attr]

    def elsewhere(self, owner: Any, position: Any) -> Columns:
        """The list that stands within another item as this one does within its own."""
        return type(self)(None, (), self.length, Within(owner, position, self.within.path))  # type: ignore[union-attr]

    def together(self) -> tuple[Any, ...]:
        """The columns of a list of values of several kinds, which nobody writes to."""
        raise NotImplementedError

    def require_unseen(self, what: str) -> None:
        """Raises `refused` where a variable or another list may hold a list that is an item."""
        if holds_lists(self.item) and self._is_seen():
            raise refused(f"{what} a list that a variable or another list may hold")

    def _is_seen(self) -> bool:
        """Whether the program holds a list that is an item, or one inside it."""
        found = [item for each in self.handed_out if (item := each()) is not None]
        return any(recorder().session.is_held(item) or item._is_seen() for item in found)

    def rows_at(self, position: Any, path: tuple[int, ...]) -> list[Any]:
        """What the columns of a part of the items hold at a position; ``path``: `part_at`."""
        part, first = part_at(self.item, path)
        return [column[position] for column in self.columns[first : first + len(metas_of(part))]]

    def around(self) -> Iterator[Columns]:
        """The lists that it is an item of, from the inside outwards."""
        within = self.within
        while within is not None:
            yield within.owner
            within = within.owner.within

    @property
    def family(self) -> Family:
        """The lists that may hold the same lists as it."""
        if self.within is not None:
            return self.within.owner.family
        self._family = Family() if self._family is None else self._family.all()
        return self._family

    def share_with(self, other: Columns, repeats: bool = False) -> None:
        """Both hold the same lists and arrays, if any, by value; ``repeats``: one of them may hold
        one twice.
        """
        if holds_lists(other.item):
            for each in (self, *self.around(), other):
                each.share()
        if holds_arrays(other.item):
            self.family.join(other.family)
            self.family.repeats |= repeats

    def freeze(self) -> None:
        """It does not change from now on."""
        self.frozen = True
        for each in self.around():
            each.share()

    def share(self) -> None:
        """Its items that are lists are held elsewhere, too, by value."""
        if self.changed:
            raise refused("has lists among its items that are written to, and that other lists or variables hold")
        self.shared = True

    def _change(self) -> None:
        """Write an item of a list that is inside others."""
        for each in self.around():
            if each.shared or each.frozen:
                raise refused("is written to, and is an item of a list whose items other lists or variables hold")
            each.changed = True

    @property
    def capacity(self) -> Any:
        """The number of items for which there is room."""
        return self.columns[0].shape[0]

    def has_little_room(self) -> bool:
        """Whether its columns are numbers, and few of them."""
        return known(self.capacity <= _LITTLE) is True and all(column.ndim == 1 for column in self.columns)

    def made(self, capacity: Any) -> tuple[Any, ...]:
        """Columns with this capacity."""
        with recorder().session.holding_items():
            return tuple([recorder().call(ops.np.zeros, (capacity, *shape), dtype) for shape, dtype in metas_of(self.item)])

    def reserve(self, more: Any) -> None:
        """Make room for more items than there are."""
        whole = type(self.length) is not int and type(self.most) is int and type(self.capacity) is int
        olds = self.columns if whole else self.arrays()  # which may settle the count
        used = self.capacity if whole else self.length
        columns = self.made(used + more)
        if known(used == 0) is not True:
            for new, old in zip(columns, olds, strict=True):
                new[:used] = old
        self.columns = columns

    def make_room(self, more: Any) -> None:
        """The same, in an iteration of a loop: copies the items only if there is no room left."""
        self.columns = tuple([recorder().call(ops.control.with_room, column, self.length + more) for column in self.columns])

    def arrays(self) -> list[Any]:
        """The leaves of the present items: views of the columns."""
        if not recorder().regions:
            self.settle()
        full = known(self.length == self.capacity) is True
        return [column if full else column[: self.length] for column in self.columns]

    def bounds(self, least: Any) -> list[Any]:
        """What is known of the length in an iteration; it was ``least`` before the loop."""
        return [truth.expression for truth in (self.length >= least, self.length <= self.capacity) if type(truth) is SymBool]

    def settle(self) -> None:
        """Only data know how many items there are: the columns end with them."""
        if self._is_open_ended():
            self.columns = self._cut()
            self.length = self.most = self.capacity

    def present(self) -> list[Any]:
        """The leaves of the present items, as `arrays`; the list stays as it is."""
        return list(self._cut()) if not recorder().regions and self._is_open_ended() else self.arrays()

    def _is_open_ended(self) -> bool:
        return type(self.length) is SymInt and self.length.hint is None and known(self.length == self.capacity) is not True

    def _cut(self) -> tuple[Any, ...]:
        with raising_nothing(recorder()):
            used = recorder().call(ops.np.arange, self.capacity) < self.length
            return tuple([column[used] for column in self.columns])

    def _become(self, item: Any) -> None:
        """Items of this structure, which is wider, may be in it, and in the list that holds it."""
        if self.within is not None:
            owner, _, path = self.within
            return owner._become(with_part(owner.item, path, Items(self.length, item)))
        rooms = recorder().growing
        if rooms is None or not rooms.knows(self):
            self.widen(item)
        else:
            rooms.widen(self, item)

    def widen(self, item: Any) -> None:
        """Items of this structure, which is wider, may be in it."""
        self.columns = tuple(widened(self.item, item, iter(self.columns), self.capacity))
        self.own_item = item
