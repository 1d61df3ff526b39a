"""Memory that lists hold, which must not be written to.

An item is taken out by value. A program that returns what may be an array that somebody else has,
too, is refused (E103): that array, and whatever else it may be, is noted as what the item may
alias.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_bool
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.result_identity import Side, Ways, may_be_given
from npexport.tracer.arrays.memory.layout_guards import may_have_gaps
from npexport.tracer.arrays.memory.model import C_ORDER, Storage

_MOST = 64
"""The largest number of arrays that one may be which data choose."""


def tie(storage: Storage, taken: bool = False) -> None:
    """From now on, nobody may write to this memory, which a list holds. ``taken``: it is that of an
    item which was taken out of a list, and so may be that of another array.
    """
    rec = recorder()
    if rec.listed is None:
        rec.listed, rec.taken = (Storage(storage.meta, None, None, C_ORDER) for _ in range(2))
    rec.may_alias.add(storage, rec.listed, *((rec.taken,) if taken else ()))
    rec.may_alias_at.setdefault(storage, rec.stack())


class Taken(NamedTuple):
    """An item that was taken out of a list: its memory, form, list, position, and the number of
    writes before.
    """

    memory: weakref.ref[Storage]
    meta: TensorMeta
    owner: weakref.ref[Any]
    position: Any
    writes: int

    def is_apart(self, other: Taken) -> bool:
        """Whether the two are different items of one list that nothing has changed in between."""
        same = self.owner() is other.owner() is not None and self.writes == other.writes
        return same and known(self.position != other.position) is True


class Listed:
    """The arrays that lists got which loops fill, or whose length data decide, and the items that
    were taken out.
    """

    def __init__(self) -> None:
        self._put: list[tuple[weakref.ref[Storage], TensorMeta]] = []
        self._taken: list[Taken] = []
        self._chosen: list[tuple[weakref.ref[Storage], weakref.WeakSet[Storage], Any]] = []
        self._repeats = False  # whether one array may have been put in more than once
        self.apart = True  # whether each array that was put in is in one place of one list, without gaps, and not the caller's
        self.returned = False  # whether a list is returned that holds arrays

    def put(self, array: ArrayProxy) -> None:
        """An array is put into a list: nobody writes to it from now on."""
        rec = recorder()
        memories = [array.storage, *rec.may_alias.of(array.storage)]
        tie(array.storage)
        again = any(ref() is array.storage for ref, _ in self._put)
        self._repeats |= again or bool(rec.regions) and not rec.regions[-1].owns(array.storage)
        entered = bool(rec.regions) and array.storage.node in rec.regions[-1].entries
        own = len(memories) == 1 and not entered and array.storage.outside is None
        self.apart = self.apart and own and not self._repeats and not may_have_gaps(array)
        self._put += [(weakref.ref(each), array.meta) for each in memories if each not in (rec.listed, rec.taken)]
        for storage in _alike([(each.memory, each.meta) for each in self._taken], array.meta):
            rec.may_alias.relate(array.storage, storage)

    def choose(self, found: Storage, items: set[Storage], within: Any) -> None:
        """``found`` is one of these items, as data decide: so may be what another choice found."""
        self._chosen = [each for each in self._chosen if each[0]() is not None]
        for ref, others, order in self._chosen:
            storage = ref()
            if storage is not None and (order is None or order is not within) and not items.isdisjoint(others):
                recorder().may_alias.relate(found, storage)
        self._chosen.append((weakref.ref(found), weakref.WeakSet(items), within))

    def take(self, row: Any, owner: Any, position: Any) -> Any:
        """A copy of an item, to which nobody writes."""
        found, rec = copied(row), recorder()
        taken = Taken(weakref.ref(found.storage), found.meta, weakref.ref(owner), position, rec.writes)
        self._put = [each for each in self._put if each[0]() is not None]
        self._taken = [each for each in self._taken if each.memory() is not None]
        others = [(each.memory, each.meta) for each in self._taken if self._repeats or not taken.is_apart(each)]
        held = [(weakref.ref(storage), storage.meta) for storage in rec.may_alias.of(rec.listed)]  # results that may be items
        for storage in _alike([*self._put, *others, *held], found.meta):
            rec.may_alias.relate(found.storage, storage)
        self._taken.append(taken)
        return found


def _alike(memories: Sequence[tuple[weakref.ref[Storage], TensorMeta]], meta: TensorMeta) -> Iterator[Storage]:
    """The memories of arrays that may be one of this form."""
    for ref, other in memories:
        storage = ref()
        if storage is None or other.dtype != meta.dtype or len(other.shape) != len(meta.shape):
            continue
        if not any(known(size != mine) is True for size, mine in zip(other.shape, meta.shape, strict=True)):
            yield storage


def note_places(found: ArrayProxy, items: Sequence[ArrayProxy], place: Any, within: Any = None) -> None:
    """``found`` is the item at this place: the program returns it itself, or is refused (E103)
    where it returns it beside another that may be it, and truths do not tell.

    ``within``: the order whose items are different ones.
    """
    rec, ways = recorder(), list[tuple[Any, Side | None]]()
    for number, item in enumerate(items):
        here = True if number == len(items) - 1 else sym_bool(place == number)
        ways += [(more if here is True else here if more is True else here & more, side) for more, side in _ways_of(item)]
    if len(ways) <= _MOST and all(map(may_be_given, items)):
        rec.choices[found.storage] = tuple(ways)
    for item in items:
        for storage in (item.storage, *rec.may_alias.of(item.storage)):
            if storage is item.storage or storage.outside is not None:
                rec.may_alias.relate(found.storage, storage)
    rec.lists.choose(found.storage, {item.storage for item in items}, within if len({id(item) for item in items}) == len(items) else None)


def _ways_of(item: ArrayProxy) -> Ways:
    """What the item is. Memory of its own is that of this item, which then stands for itself."""
    if item.storage.outside is None and item.link is None and item.storage in recorder().choices:
        ways = recorder().choices[item.storage]
        if all(side is not None for _, side in ways):
            return ways
    return ((True, Side(recorder(), item, keeps=True)),)


def copied(row: Any) -> Any:
    """A copy that nobody writes to."""
    copy: Any = recorder().call(ops.np.copy, coercion.array_of(row))
    tie(copy.storage, taken=True)
    return copy
