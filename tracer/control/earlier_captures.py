"""What is known of a loop on data that was captured before, or that an attempt at it found: what it
carried, where it was left, the memory that it wrote to, the lists that its iterations made longer
or shorter, and which assumptions about its counters were wrong.

A loop is captured again in each iteration of a loop around it, and where the sides of a branch
around it are run again. What it changed before it is supposed to change now, which saves the
iterations that would find that out: without, those of nested loops multiply. What is supposed in
vain is taken back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from npexport.ir.meta import TensorMeta
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.item_structures import Constant, Kinds, Like, Record, Row, Text, is_tuple
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.endings import STACK, Key
from npexport.tracer.control.growing import Rooms, contents_of, put_back
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.leaves import flat, is_value
from npexport.tracer.control.refusals import Grows
from npexport.tracer.effects.parts import parts_of
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.loop_analysis import Exit


class Grown(NamedTuple):
    """A list that iterations made longer or shorter: the variable that held it, its class, the
    structure of its items, how many an iteration appends at most, whether it may remove some, and
    whether its columns are carried.
    """

    slot: int
    kind: type
    item: Any
    most: int
    shorter: bool
    renewed: bool


class Carried(NamedTuple):
    """A leaf that was carried, of the frame or of an object of this class in a variable
    (``slot``): the index of the part, the one in the part, and what readers know the leaf by.
    """

    slot: int | None
    kind: type
    position: int
    place: int
    path: str


class Earlier(NamedTuple):
    """``memory``: by variable if one held it. ``by_count``: whether counters alone decided that
    another iteration followed; ``unsteady``: the variables that looked steady and were not.
    ``constant``: the variables that the loop binds and iterations do not change.
    """

    memory: list[Any]
    lists: list[Grown]
    by_count: bool = True
    unsteady: frozenset[int] = frozenset()
    carries: tuple[Carried, ...] = ()
    constant: frozenset[int] = frozenset()
    exits: tuple[Exit, ...] = ()


NOTHING = Earlier([], [])


def carried_by(iteration: Iteration) -> tuple[Carried, ...]:
    """The leaves that are carried, of the frame and of what its variables hold; what lists that the
    loop fills hold is found with these.
    """
    frame = iteration.frame
    slots = {id(value): slot for slot, value in enumerate(frame.fast) if type(value) is not FilledList}
    found = [(key, None if key[0] == id(frame) else slots.get(key[0])) for key in iteration.carries]
    return tuple(
        Carried(slot, type(iteration.owners[key[0]]), *key[1:], iteration.paths.get(key, ""))
        for key, slot in found
        if key[0] == id(frame) or slot is not None
    )


def expect(iteration: Iteration, carried: Carried) -> Key | None:
    """Suppose that a leaf is carried, if there is one and it may change."""
    frame, (slot, kind, position, place, path) = iteration.frame, carried
    owner = frame if slot is None else frame.fast[slot]
    key, of_stack = (id(owner), position, place), position == STACK
    if type(owner) is not kind or key in iteration.carries:
        return None
    values = frame.stack if of_stack else parts_of(owner)[position].values
    value = values[place] if place < len(values) else NULL
    if value is NULL or not any(map(is_value, flat(value))):
        return None
    iteration.owners[key[0]], iteration.carries[key] = owner, iteration.seen(key, value)
    if path:
        iteration.paths[key] = path
    return key


def memory_of(frame: Frame) -> dict[Any, Storage]:
    """The memory that variables hold, by slot, and in a list by slot and column."""
    found: dict[Any, Storage] = {}
    for slot, value in enumerate(frame.fast):
        if type(value) is ArrayProxy:
            found[slot] = value.storage
        elif type(value) is FilledList:
            found |= {(slot, place): column.storage for place, column in enumerate(value.own)}
    return found


def lists_of(iteration: Iteration, rooms: Rooms) -> list[Grown]:
    """The lists in variables for which a loop has made room, or a loop in it."""
    return [
        Grown(
            slot,
            value.kind,
            value.item,
            rooms.most.get(id(value), 0),
            id(value) in rooms.shorter,
            contents_of(value)[0] in iteration.carries,
        )
        for slot, value in enumerate(iteration.frame.fast)
        if type(value) is FilledList and _changes(iteration, value) and _is_lasting(rooms.most.get(id(value), 0)) and _is_plain(value.item)
    ]


def _changes(iteration: Iteration, grown: FilledList) -> bool:
    """Whether a list is of another length after some iterations."""
    return contents_of(grown)[1] in iteration.carries


def _is_lasting(most: Any) -> bool:
    """Whether a bound means the same in any iteration of a loop around."""
    return type(most) is int or most.hint is not None


def _is_of_run(iteration: Iteration, most: Any) -> bool:
    """Whether a bound is not a size of another run."""
    return type(most) is int or most.env is iteration.recorder.session.env


def _is_plain(structure: Any) -> bool:
    """Whether items are made of scalars, constants and texts, which mean the same in any run."""
    if isinstance(structure, (Record, Row, Text)):
        structure = structure.parts
    elif isinstance(structure, Kinds):
        structure = structure.options
    if is_tuple(structure):
        return all(map(_is_plain, structure))
    return isinstance(structure, (type, Constant)) or (isinstance(structure, TensorMeta) and structure.scalar)


class Supposed:
    """The lists that are supposed to change."""

    def __init__(self, iteration: Iteration, rooms: Rooms, base: list[Any]) -> None:
        self._iteration, self._rooms, self._base = iteration, rooms, base
        self._lists: list[tuple[FilledList, Any, bool]] = []  # each with the list that it stands for, and whether it was open

    def add(self, grown: Grown) -> None:
        """Make room in the list that a variable holds, unless it is another kind of list, or a loop
        around this one is the first to learn that it changes.
        """
        iteration, rooms = self._iteration, self._rooms
        target, around = iteration.frame.fast[grown.slot], iteration.world.recorder.growing
        is_filled = type(target) is FilledList
        if (target.kind if is_filled else type(target)) is not grown.kind or not _is_of_run(iteration, grown.most):
            return
        if around is not None and around.knows(target) and not is_filled:
            return
        was_open = is_filled and target.is_open
        name = iteration.frame.info.slots[grown.slot]
        try:
            rooms.grow_before(iteration, Grows(name, target, Like(grown.item), grown.most), self._base, grown.renewed)
        except Unsupported:  # what the iterations do to the list as it is says why it cannot be
            rooms.forget(iteration, id(target))
            return
        stands = iteration.frame.fast[grown.slot]
        if type(stands) is FilledList:
            self._lists.append((stands, target, was_open))
            rooms.shorter |= {id(stands)} if grown.shorter else set()

    def not_changed(self) -> list[tuple[FilledList, Any, bool]]:
        """Those that the last iteration did not change."""
        return [each for each in self._lists if id(each[0]) not in self._rooms.changed and not _changes(self._iteration, each[0])]

    def take_back(self, vain: list[tuple[FilledList, Any, bool]]) -> None:
        """These lists are as if nothing had been supposed."""
        iteration = self._iteration
        self._lists = [each for each in self._lists if each not in vain]
        for grown, target, was_open in vain:
            grown.is_open = was_open
            self._rooms.forget(iteration, id(grown))
            for column in grown.columns:
                iteration.memory.pop(column.storage, None)
            if target is not grown:
                put_back(iteration, grown, target)
                self._base[:] = iteration.frame.stack


def suppose(iteration: Iteration, rooms: Rooms, lists: list[Grown], base: list[Any]) -> Supposed:
    """Make room in the lists that are supposed to change, before the loop."""
    supposed = Supposed(iteration, rooms, base)
    if lists:
        rooms.count(iteration)
    for grown in lists:
        supposed.add(grown)
    return supposed
