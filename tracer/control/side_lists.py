"""Lists that one side of a branch on data makes longer, or shorter: each becomes a `FilledList`
before the branch, with room for what its sides append.

A list that a captured loop around the branch fills is handled by the loop
(`npexport.tracer.control.growing`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from npexport.ir.ops.control_flow import alike
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.filled_dict import SETS, TABLES
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import Store
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.growing import stand_in_of, widen
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.one_sided import Build, Mismatch
from npexport.tracer.control.refusals import Grows, Held, Refused
from npexport.tracer.control.rollback import on_trial
from npexport.tracer.effects.snapshots import Snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.partial_dicts import lacks_keys

T = TypeVar("T")
MOST_TIMES = 12
"""The largest number of times that sides are run again to find the lists that they make longer, and
by how much.
"""
_LEAST_ROOM = 8


class SideRooms:
    """The room that lists from before a branch have on its sides. ``before``: the world as it was
    then; ``around``: who makes room there. ``lists``: those that iterations fill, none. ``uneven``:
    the dicts, by identity, that must have the same keys after both sides.
    """

    def __init__(self, around: Any) -> None:
        self.around, self.lists = around, dict[int, FilledList]()
        self.before: Snapshot | None = None
        self.uneven = set[int]()
        self._put_in: set[Storage] = set()
        self._room = _LEAST_ROOM

    def knows(self, value: Any) -> bool:
        """Whether an object existed before the branch."""
        return self.before is not None and self.before.knows(value)

    def is_own(self, grown: FilledList) -> bool:
        """Whether the side that runs has made a list."""
        return not self.knows(grown)

    @property
    def put_in(self) -> set[Storage]:
        """The memory of arrays that were put into lists."""
        return self._put_in if self.around is None else self.around.put_in

    def need(self, grown: FilledList, number: Any) -> None:
        """Make a list longer by so many items. Raises `Grows` if there is no room."""
        if self.is_own(grown):
            grown.reserve(number)
        elif self.is_of_loop(grown):
            self.around.need(grown, number)
        elif grown.is_open or is_symbolic(number):
            grown.is_open = True
            grown.make_room(number)
        elif known(grown.most + number <= grown.capacity) is not True:
            raise Grows("a list", grown, None, number)

    def widen(self, grown: FilledList, item: Any) -> None:
        """Items of a list are of another structure, too. Raises `Grows`."""
        if self.is_of_loop(grown):
            self.around.widen(grown, item)
        raise Grows("a list", grown, None, 0, item)

    def shorten(self, grown: FilledList) -> None:
        """Make a list shorter by an item."""
        if self.is_of_loop(grown):
            self.around.shorten(grown)

    def is_uneven(self, target: Any) -> bool:
        """Whether a dict from before the branch stays one whatever keys it has after each side."""
        return id(target) in self.uneven or (type(self.around) is SideRooms and self.around.is_uneven(target))

    def refill(self, grown: FilledList) -> None:
        """Give a list room again for what an iteration of an enclosing loop appends."""
        if self.is_of_loop(grown):
            self.around.refill(grown)

    def is_of_loop(self, target: Any) -> bool:
        """Whether it is from before an enclosing loop or branch."""
        return self.around is not None and self.around.knows(target)

    def grow(self, iteration: Iteration, grows: Grows) -> None:
        """Make room in a list before the branch."""
        if self.is_of_loop(grows.target):
            raise grows.again()
        if has_known_keys(grows):
            iteration.world.tabulated = True
            stays = not iteration.world.tabulates or lacks_keys(grows.target)
            if stays and not self.is_uneven(grows.target):
                self.uneven.add(id(grows.target))
                return
        grown = stand_in_of(iteration, grows)
        if type(grown) is not FilledList:
            return
        if grows.widens is not None:
            widen(iteration, grown, grows.widens)
        grown.most = grown.capacity  # what sides that are given up have put in does not count
        self._room *= 2
        grown.reserve(self._room + grows.most)
        if type(grown.item) is Store:
            grown.item.counts.reserve(self._room + grows.most)


def has_known_keys(grows: Grows) -> bool:
    """Whether it is a dict of which the sides of a branch decide which of some texts are keys."""
    if type(grows.target) not in TABLES - SETS or type(grows.item) is not tuple:
        return False
    return all(type(key) is str for key in (*grows.target, grows.item[0]))


def making_room(recorder: Recording, iteration: Callable[[], Iteration], run: Callable[[SideRooms], T]) -> T:
    """The result of ``run``, which runs the sides of a branch, and is run again if a list has no
    room; ``iteration()`` is an iteration of the frame of the branch.
    """
    rooms = recorder.growing = SideRooms(recorder.growing)
    try:
        for _ in range(MOST_TIMES):
            try:
                return run(rooms)
            except Grows as raised:
                grows = raised.again()
            recorder.growing = rooms.around
            try:
                rooms.grow(iteration(), grows)
            except (Grows, Held):
                raise
            except Unsupported:  # what the sides leave in the dict says it better
                if type(grows.target) not in TABLES or rooms.is_uneven(grows.target):
                    raise
                rooms.uneven.add(id(grows.target))
            recorder.growing = rooms
        raise Refused("a list gets longer by another number of items each time")
    finally:
        recorder.growing = rooms.around


def before_the_branch(world: ShadowedWorld, vm: Machine, frame: Frame, rooms: SideRooms, run: Callable[[], T]) -> T:
    """The result of ``run``; lists that exist now are those from before the branch.

    If one of them has no room, what was done until then is taken back: all of it is run again.
    """
    with on_trial(world, vm, frame) as (before, take_back):
        rooms.before = before
        try:
            return run()
        except Grows:
            take_back()
            raise


def joined_columns(join: Any, one: tuple[Any, ...], other: tuple[Any, ...], path: str) -> Build:
    """The columns of a list (`FilledList`) after a branch. They share memory with nothing else, so
    they are joined by value.
    """
    if len(one) != len(other) or not all(alike(a.meta, b.meta) for a, b in zip(one, other, strict=True)):
        raise Mismatch(path, "columns of some items", "of others")
    builds = []
    for arrays in zip(one, other, strict=True):
        sides = zip(join.regions, arrays, strict=True)
        builds.append(join.leaf(*[region.written.get(array.storage, all_of(array.storage)) for region, array in sides]))
        join.note_layouts(len(join.leaves) - 1, *arrays, True)
    return lambda results: tuple([build(results) for build in builds])
