"""Lists that a captured loop fills: each becomes a `FilledList` before the loop, with room for what
all iterations append.

The most that an iteration can append is counted at the appends in its code, over all of its paths;
the loop's counter bounds the number of iterations. Without such a bound, every iteration begins by
making room.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_dict import SETS, TABLES, FilledDict, leave, refused_as_dict, rows_of
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_identity import is_list_within
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.inner_lists import INNER, Store, form_beside, form_of, sample
from npexport.tracer.arrays.core.item_structures import Items, Referred, Row, holds_lists, is_tuple, joined, refers, with_items
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.structures_of_items import structure_of
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.counters import length_changes, lists_of
from npexport.tracer.control.endings import STACK, Ending, Key
from npexport.tracer.control.exit_values import ends_by_count
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.referrers import (
    all_referrers,
    are_replaced,
    examined,
    held_items,
    here,
    is_method,
    put_instead,
    referrers_of,
    replace_lists,
)
from npexport.tracer.control.refusals import Grows, Held, Refused
from npexport.tracer.effects.copiers import state_of
from npexport.tracer.effects.snapshots import Snapshot, snapshot
from npexport.tracer.effects.state import may_be_state
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import DUE, Counting
from npexport.tracer.interpreter.frame import Frame, Machine

_COLUMNS, _COUNT = 0, 1
"""The indices of the columns and the length in the contents of a list."""


def contents_of(grown: FilledList) -> tuple[Key, Key]:
    """Where a loop carries the columns and the length of a list."""
    return (id(grown), 0, _COLUMNS), (id(grown), 0, _COUNT)


class Rooms:
    """The lists that the iterations of one loop fill, and how many items each of these appends.

    ``put_in``: the memory of arrays that an iteration has put into lists.
    """

    def __init__(self, world: ShadowedWorld, vm: Machine) -> None:
        self._world, self._vm = world, vm
        self.most: dict[int, Any] = {}  # by list: how many items an iteration appends at most
        self.lists: dict[int, FilledList] = {}
        self.shorter: set[int] = set()  # those that an iteration may leave shorter
        self.changed: set[int] = set()  # those that the last iteration made longer or shorter
        self.put_in: set[Storage] = set()
        self._needed: dict[int, Any] = {}
        self._region: Any = None
        self._before: Any = None
        self._trips: Any = None
        self.around: Any = None

    def begin(self, iteration: Iteration, region: LoggingRegion, before: Snapshot) -> None:
        """Begin an iteration with the lists known by now.

        The bound on the number of iterations is computed first: inside the iteration it is known
        that there is one.
        """
        self.count(iteration)
        self._needed, self._region, self._before, self.put_in, self.changed = {}, region, before, set(), set()
        self.around, iteration.world.recorder.growing = iteration.world.recorder.growing, self

    def count(self, iteration: Iteration) -> None:
        """Find a bound on the number of iterations."""
        self._trips = trips_of(iteration.frame, iteration.loop.header, iteration.base)

    def knows(self, value: Any) -> bool:
        """Whether an object existed before the iteration."""
        return bool(self._before.knows(value))

    def fills(self, grown: FilledList) -> bool:
        """Whether iterations need room in the list: they do unless they only remove items."""
        key = id(grown)
        return key in self.lists and not (key in self.shorter and not grown.is_open and known(self.most[key] == 0) is True)

    def end(self) -> None:
        """The iteration has ended or was given up; nothing that it made is used any more."""
        self._world.recorder.growing, self.around = self.around, None
        self._region, self._before, self.put_in = None, None, set()

    def need(self, grown: FilledList, number: Any) -> None:
        """Make a list longer by this many items. Raises `Grows` if no room was made."""
        if self.is_own(grown):
            grown.reserve(number)
            return
        if id(grown) not in self.lists:
            raise Grows("a list", grown)
        self.changed.add(id(grown))
        if is_symbolic(number) and self._region.made(number.expression.symbols):  # as a loop that no counter ends
            grown.is_open = True
            grown.make_room(number)
            return
        self._needed[id(grown)] = self._needed.get(id(grown), 0) + number

    def widen(self, grown: FilledList, item: Any) -> None:
        """Items of a list are of another structure, too. Raises `Grows`."""
        raise Grows("a list", grown, None, self.most.get(id(grown), 0), item)

    def shorten(self, grown: FilledList) -> None:
        """Make a list shorter by an item. Raises `Grows` if that was not known before."""
        self.changed.add(id(grown))
        if not self.is_own(grown) and id(grown) not in self.shorter:
            self.shorter.add(id(grown))
            raise Grows("a list", grown, None, self.most.get(id(grown), 0))

    def require_room(self) -> None:
        """Raises `Grows` if an iteration needs more room than was known before it."""
        for key, needed in self._needed.items():
            if known(needed <= self.most[key]) is not True:
                raise Grows("a list", self.lists[key], None, needed)

    def require_unwatched(self, stack: list[Any]) -> None:
        """Raises ``Unsupported`` (E103) if iterations make a list longer or shorter that a loop
        goes over. ``stack``: the operands of the frame.
        """
        counters = [value for value in stack if type(value) is Counting]
        if any(self._changes_length(one) for counter in counters for one in lists_of(counter.items)):
            raise length_changes()

    def _changes_length(self, one: Any) -> bool:
        return id(one) in self.shorter or (id(one) in self.lists and known(self.most[id(one)] == 0) is not True)

    def require_unwritten(self, written: Any) -> None:
        """Raises `Refused` if iterations write to an array that is put into a list."""
        if not self.put_in.isdisjoint(written):
            raise Refused("it puts an array into a list that it writes to: put a copy there, `out.append(x.copy())`")

    def grow_before(self, iteration: Iteration, grows: Grows, base: list[Any], renews: bool = True) -> None:
        """Replace a list that an iteration makes longer by a stand-in, before the loop. ``renews``:
        whether iterations put other arrays in place of its columns, if they make room.
        """
        old = grows.target.columns if type(grows.target) is FilledList else ()
        trips = self._trips
        if trips is not None and not iteration.at_iteration and iteration.start != iteration.loop.header:
            trips += 1  # the loop begins in the middle of an iteration, whose item is taken
        grown = self.grow(iteration, grows, trips)
        if type(grown) is not FilledList:
            base[:] = iteration.frame.stack
            return
        for column in old:
            iteration.memory.pop(column.storage, None)
        if grows.widens is not None:  # what it carried were columns of fewer kinds
            iteration.carries.pop((id(grown), 0, _COLUMNS), None)
        base[:] = iteration.frame.stack
        columns, count = contents_of(grown)
        iteration.owners[id(grown)], iteration.carries[count], iteration.paths[count] = grown, grown.length, "length"
        if grown.is_open and renews:  # each iteration makes room
            iteration.carries[columns], iteration.paths[columns] = grown.columns, "columns"
            iteration.sizes.suppose([((columns, place), 0) for place, _ in enumerate(grown.columns)])

    def enter(self) -> None:
        """Give the lists of any iteration room for what the iteration appends."""
        for grown in self.lists.values():
            self.refill(grown)

    def refill(self, grown: FilledList) -> None:
        """Give a list room again for an iteration: a loop inside may have used it up."""
        more = self.most.get(id(grown), 0)
        if grown.is_open and known(more == 0) is not True:
            grown.make_room(more)

    def bounds(self, carries: dict[Key, Any]) -> list[Any]:
        """What is known of the lengths of the lists in any iteration."""
        least = {key: 0 if key in self.shorter else carries.get((key, 0, _COUNT), grown.length) for key, grown in self.lists.items()}
        return [truth for key, grown in self.lists.items() for truth in grown.bounds(least[key])]

    def watched(self, run: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any, Grows | None]:
        """The result of an iteration, and the list that it makes longer before it ends."""
        try:
            return *run(), None
        except Grows as grows:
            return None, None, grows.again()

    def lengths(self, iteration: Iteration, entered: dict[Key, Any], leaves: dict[Key, Any], ending: Ending) -> dict[tuple[Key, int], Any]:
        """The lengths of lists after a loop that its counter ends, unless they depend on data; from
        their lengths before the loop, before an iteration and after it.
        """
        counter, carries, trips = (id(iteration.frame), STACK, iteration.level - 1), iteration.carries, self._trips
        if (
            trips is None
            or not iteration.at_iteration
            or len(iteration.exits) > 1
            or counter not in entered
            or not ends_by_count(entered[counter], ending.going)
        ):
            return {}
        keys: list[Key] = [(key, 0, _COUNT) for key, grown in self.lists.items() if (key, 0, _COUNT) in entered and not grown.is_open]
        found = {(key, 0): count_after(carries[key], entered[key], leaves.get(key, entered[key]), trips) for key in keys}
        return {place: count for place, count in found.items() if count is not None}

    def grow(self, iteration: Iteration, grows: Grows, trips: Any) -> Any:
        """Make room in a list before the loop or, without a bound, in every iteration."""
        around = iteration.world.recorder.growing
        becomes = type(grows.target) is not FilledList or isinstance(grows.item, Store)
        if becomes and around is not None and around.knows(grows.target):
            raise Grows(grows.path, grows.target, grows.item)  # the loop around it begins with the list
        grown = stand_in_of(iteration, grows)
        if type(grown) is not FilledList:
            self.forget(iteration, id(grows.target))
            return grown
        if grows.widens is not None:
            if around is not None and around.knows(grown):
                around.widen(grown, grows.widens)
            widen(iteration, grown, grows.widens)
        self.lists[id(grown)], self.most[id(grown)] = grown, grows.most
        if id(grown) in self.shorter and around is not None:
            around.shorten(grown)
        if trips is None:
            grown.is_open = grown.is_open or known(grows.most == 0) is not True
        elif around is None or around.is_own(grown):
            grown.reserve(trips * grows.most)
        else:
            around.need(grown, trips * grows.most)
        return grown

    def forget(self, iteration: Iteration, key: int) -> None:
        """A list is one of a store from now on, or no iteration makes it longer or shorter."""
        for known_of in (self.lists, self.most):
            known_of.pop(key, None)
        self.shorter.discard(key)
        iteration.forget(key)

    def settle(self) -> None:
        """After the loop has become a node: lists that no enclosing loop fills keep the length that
        they have now.
        """
        around = self._world.recorder.growing
        for grown in self.lists.values():
            grown.most = grown.capacity
            if around is None or around.is_own(grown):
                grown.settle()
            else:
                around.refill(grown)

    def is_own(self, grown: FilledList) -> bool:
        """Whether the iteration that runs has made a list."""
        return id(grown) not in self.lists and bool(self._region.owns(grown.columns[0].storage))


_ROOM_MADE_BEFORE = 1 << 20


def trips_of(frame: Frame, header: int, base: list[Any]) -> Any:
    """A bound on the iterations of a loop, from the stack before it; ``None`` without a counter, or
    with one that counts so far that room for an item of each is not made beforehand.
    """
    if frame.info.decoded.instructions[header].name != "FOR_ITER" or not base:
        return None
    due = base[-1] is DUE
    counter = base[-2] if due else base[-1]
    if type(counter) is not Counting:
        return None
    trips = SymRange(counter.value - counter.step if due else counter.value, counter.stop, counter.step).__len__()
    return None if type(trips) is int and trips > _ROOM_MADE_BEFORE else trips


def count_after(first: Any, before: Any, after: Any, trips: Any) -> Any:
    """The length of a list after the loop; ``None`` if it depends on data."""
    step = after - before if type(after) is SymInt else None
    return first + trips * step if type(step) is int else None


def stand_in_of(iteration: Iteration, grows: Grows, calling: Any = None) -> Any:
    """The stand-in of a list, or of a dict or a set, wherever the program holds it: for a list that
    becomes one of a store, it is the item that tells. ``calling``: a method of it that is being
    called.

    Raises `Refused` if a holder cannot be examined.
    """
    target, grows.__context__ = grows.target, None  # which may hold a method that an iteration has bound
    if type(target) is FilledList and not isinstance(grows.item, Store):
        return target
    if type(target) is Store:
        target.begin(grows.item)
        return target
    with snapshot(iteration.world, iteration.vm) as now:
        is_outside = iteration.world.shadows.is_outside(target) and not may_be_state(iteration.world.shadows, target)
        referrers = referrers_of(now, target)
        hidden = any(state_of(value) is target for value, _ in now.objects())
    is_fresh = not referrers and isinstance(grows.item, Store)  # nothing but the call that puts it into another one holds it
    if is_outside or hidden or not (referrers or is_fresh) or not are_replaced(target, referrers, calling):
        raise Held(grows.path, is_outside)
    if isinstance(grows.item, Store) and getattr(target, "maxlen", None) is not None:
        raise refused("is a deque of at most so many items, and an item of another list")
    if isinstance(grows.item, Store):
        contents = target if type(target) is FilledList else target.copy()
        grown: Any = grows.item.new()
    elif type(target) in TABLES:
        with refused_as_dict():
            grown = FilledDict.of(_common(grows, rows_of(target), False), target)
    else:
        with emptied(target) as items, examined([item for item in items if type(item) is list]):
            shared = held_items(iteration, now, target, [item if item is not grows.item else None for item in items])
            values = [copy.copy(item) if place in shared else item for place, item in enumerate(items)]
            grown = FilledList.of(_common(grows, values, now.knows(grows.item)), values)
        grown.kind, grown.maxlen = type(target), getattr(target, "maxlen", None)
        by_place = holds_lists(grown.item) or refers(grown.item)
        replace_lists(iteration, [(item, shared.get(place, []), grown.at(place) if by_place else item) for place, item in enumerate(items)])
    put_instead(iteration, referrers, {id(target): grown})
    if type(grown) is not FilledList and type(target) is not FilledList:
        leave(target, grown)
    if type(grown) in INNER and type(contents) is FilledList:
        grown.take_over(contents)
    elif type(grown) in INNER:
        grown.fill(contents)
    return grown


def put_back(iteration: Iteration, grown: FilledList, target: Any) -> None:
    """A list is again where its stand-in is, which has not changed."""
    with snapshot(iteration.world, iteration.vm) as now:
        referrers = [each for each in referrers_of(now, grown) if not is_method(each[0], grown)]
    put_instead(iteration, referrers, {id(grown): target})


def widen(iteration: Iteration, grown: FilledList, item: Any) -> None:
    """Items of this structure may be in a list. `Referred`: its items become lists of a store."""
    if item is not Referred:
        grown.widen(item)
        return
    with snapshot(iteration.world, iteration.vm) as now:
        found = [value for value, _ in now.objects() if is_list_within(value) and value.within.owner is grown]
        referrers = all_referrers(now, found)
    if not all(are_replaced(value, referrers[id(value)]) for value in found):
        raise refused("gets longer or shorter, and is an item of another list that a variable holds")
    places = [value.within.position for value in found]
    Store(list).take_over(grown)
    others = {id(value): grown.at(place) for value, place in zip(found, places, strict=True)}
    put_instead(iteration, [holder for value in found for holder in referrers[id(value)]], others)


@contextmanager
def emptied(target: Any) -> Iterator[list[Any]]:
    """The items of a list or deque, which does not hold them inside the block."""
    items = list(target)
    target.clear()
    try:
        yield items
    finally:
        target.extend(items)


def stand_in_now(world: ShadowedWorld, vm: Machine, grows: Grows, calling: Any = None) -> Any:
    """The same, where the program stands."""
    return stand_in_of(here(world, vm), grows, calling)


def stand_in_here(world: ShadowedWorld, grows: Grows) -> Any:
    """The same, unless its target was there before a branch or a loop that is being captured: then
    this raises ``grows``.
    """
    rooms = world.recorder.growing
    if rooms is not None and rooms.knows(grows.target):
        raise grows
    return stand_in_now(world, world.host.vm, grows)


def replaced(world: ShadowedWorld, vm: Machine, target: Any, row: tuple[Any, ...], calling: Any) -> Any:
    """The stand-in of a dict or a set that gets this item now; ``calling``: by which method.

    Raises `Grows` for one from before a branch or a loop that is being captured.
    """
    rooms, path = world.recorder.growing, "a set" if type(target) in SETS else "a dict"
    if rooms is not None and rooms.knows(target):
        raise Grows(path, target, sample(row))  # bound to no name: its traceback would keep `calling` alive
    return stand_in_now(world, vm, Grows(path, target, row), calling)


def _common(grows: Grows, target: Any, stays: bool) -> Any:
    """The structure that fits both the items of a list and a new item. ``stays``: this one existed
    before, and may be put in again and again: a list is then one of a store.
    """
    item = _form(grows.item, type(grows.target) in TABLES, stays)
    for value in target:
        is_list = isinstance(item, (Items, Row)) and type(value) is list
        wider = joined(item, _form(value, False, False) if is_list else form_beside(value, item))
        if wider is None and is_list:
            return form_of(grows.item)  # of lists of several lengths
        item = item if wider is None else wider  # else it is refused where the item is put in
    return item


def _form(value: Any, in_table: bool, stays: bool) -> Any:
    """The structure of an item. Lists of a list keep their length if they have one that is known
    here: they are not those of a store.
    """
    if is_tuple(value):
        return with_items(value, [_form(part, in_table, False) for part in value])
    if type(value) is FilledList and (stays or not recorder().sizes.knows(value.length)):
        return Store(value.kind)
    if in_table:
        return form_of(value)
    try:
        return structure_of(value)
    except Unsupported:
        return form_of(value)
