"""What a loop on data carries from iteration to iteration, and which memory the carried arrays may
share.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from weakref import WeakKeyDictionary

from npexport.ir.ops.control_flow import alike
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.layout_guards import may_have_gaps
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.counters import resumed
from npexport.tracer.control.earlier_captures import NOTHING, Earlier, carried_by, expect, lists_of, memory_of
from npexport.tracer.control.endings import STACK, Ending, Key, require_c_order
from npexport.tracer.control.growing import Rooms
from npexport.tracer.control.identities import Identities, Place
from npexport.tracer.control.induction_variables import InductionVariables
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.leaves import Fit, compound_of, flat, is_value, made, text, with_views
from npexport.tracer.control.refusals import Refused
from npexport.tracer.control.results import mark_aliases, memories
from npexport.tracer.control.views_by_places import by_places
from npexport.tracer.effects.snapshots import Snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.flow_graph import is_read
from npexport.tracer.interpreter.frame import NULL, Frame, Machine
from npexport.tracer.interpreter.loop_analysis import Exit, Loop, depth_of
from npexport.tracer.interpreter.symbolic_union import options_of

Memories = dict[Place, set[Storage]]
"""The memories that each of them may be in."""


class Carrier(Iteration):
    """``carries``: first values of the leaves that are carried."""

    def __init__(self, world: ShadowedWorld, vm: Machine, frame: Frame, loop: Loop, start: int) -> None:
        super().__init__(world, vm, frame, loop, start)
        self.fit: Fit = alike  # what leaves before and after an iteration have in common; `fits` where arrays keep their sizes
        self.ends_by_count = True  # whether a counter says by itself that another iteration follows
        self.doubts = False  # whether that was found of another capture, or of an iteration that carried too little
        self.counter: Key | None = None  # where the counter of the loop is held, if the number of iterations is known
        self.rooms = Rooms(world, vm)
        self.steady = InductionVariables()
        self.gaps: set[Place] = set()  # leaves of carries that may have gaps in memory after an iteration
        self.going: Any = True  # whether an iteration is made
        self.begins = True  # whether it is known to be
        self.referrers: Counter[Storage] = Counter()  # how many places hold arrays of each memory before an iteration
        self.alone = self.mixed_before = False
        self.related: Memories = {}  # the memories that a carry may be in after any number of iterations
        self.same = Identities(world.recorder)
        self.unbegun: Exit | None = None  # where the loop is left that makes no iteration, if it is left nowhere else then
        self.expected: set[Key] = set()  # carries that are supposed, since they were when the loop was captured before
        self.constant: set[Key] = set()  # what no iteration changes
        self.unset: list[Key] = []  # carries that hold anything before the first iteration
        self.forms: dict[Key, Any] = {}  # of carries that are given another form
        self.valued: set[Key] = set()  # leaves that are carried by their values, though they are views
        self.supposed: dict[Storage, Any] | None = None  # memory that the iterations are supposed to write to: what it holds before one

    def seen(self, key: Key, value: Any) -> Any:
        """A variable, or what is returned, with stand-ins in place of views of earlier memory."""
        if key in self.valued or (key[:2] != (id(self.frame), 0) and key[0] != id(self.returned)):
            return value
        return by_places(value, self.recorder.regions[self.depth :])

    def changes_views(self, before: Snapshot, entered: dict[Key, Any], leaves: dict[Key, Any]) -> bool:
        """Whether other leaves are views of earlier memory than was assumed."""
        found = False
        for key in [key for key in leaves if key[1] != STACK and key not in self.valued]:
            carried = self.carries.get(key, NULL)
            old = self.held_before(before, key) if carried is NULL else carried
            first, value = self.seen(key, old), leaves[key]
            one, other = with_views(first, value), with_views(value, first)
            if other is not value or (carried is not NULL and one is not first):
                self.valued.add(key)
                one, leaves[key] = old if carried is NULL else made(carried), other
            if one is not old:
                self.carries[key], found = one, True
        return found

    def begin(self, region: LoggingRegion) -> None:
        """An iteration is run on stand-ins, after the first one if that ended in the middle."""
        if self.region is None:
            self.mixed_before = self.mixed
        self.supposes, self.mixed = False, self.mixed_before
        self.region, self.places = region, WeakKeyDictionary()

    def mark_aliases(self, related: list[tuple[Any, set[Storage]]], made: list[set[Storage]]) -> None:
        """Mark results that may share memory with those given beside them. If the loop leaves each
        array in memory of its own, no two results share memory, whichever arrays they are; within
        another loop they may, since a stand-in for two arrays may stand for one.
        """
        if self.alone and not self.mixed and self.world.iteration is None:
            for pair in related:
                mark_aliases(self.recorder, [pair])
        else:
            mark_aliases(self.recorder, related, made)

    def is_of_list(self, key: Key) -> bool:
        """Whether a leaf belongs to the stand-in of a list that the loop fills."""
        return type(self.owners.get(key[0])) is FilledList

    def fills(self, grown: FilledList) -> bool:
        return self.rooms.fills(grown)

    def count(self) -> None:
        """Replace iterators of ranges that the loop, and loops inside it, use by counters."""
        frame, stack = self.frame, self.frame.stack
        counts = frame.info.decoded.instructions[self.loop.header].name == "FOR_ITER"
        for place in range(len(stack) - 1, max(depth_of(frame.code, self.loop) - counts, 0) - 1, -1):
            found = resumed(stack[place], self.fit is alike)
            if found is None:
                continue
            iterator, (counter, taken, containers) = stack[place], found
            stack[place] = counter
            self.containers += containers
            if any(one is not counter and self.recorder.session.is_held(one) for one in taken):
                stack[place] = iterator
                raise Refused("the program holds its iterator")
            key = id(frame), STACK, place
            self.carries[key] = counter  # from the first: no iteration runs on a number that is its own
            self.counter = key if counts and counter.is_static() else None  # the lowest one is the loop's

    def drop_iterators(self, level: int) -> None:
        """Forget iterators above this level of the stack: every path leaves the loop."""
        for key in [key for key in self.carries if key[1] == STACK and key[2] >= level]:
            del self.carries[key]
            if self.counter == key:
                self.counter = None

    def guess(self) -> None:
        """Carry the variables that the loop's code binds and an iteration reads."""
        frame, instructions = self.frame, self.frame.info.decoded.instructions
        for index in sorted(self.loop.members):
            name, slot, _ = instructions[index]
            value = frame.fast[slot] if name == "STORE_FAST" else NULL
            key = (id(frame), 0, slot)
            if value is not NULL and slot not in self.earlier.constant and self.is_read(key, True) and any(map(is_value, flat(value))):
                self.carries[key] = self.seen(key, value)
                self.paths[key] = frame.info.slots[slot]
        self.expected = {each for carried in self.earlier.carries if (each := expect(self, carried)) is not None}
        self.unseen = [left for left in self.earlier.exits if left not in self.exits]
        self.exits += self.unseen
        self.steady.guess(frame, self.loop, self.carries, self.earlier.unsteady)
        self.ends_by_count, self.doubts = self.earlier.by_count, not self.earlier.by_count

    def is_of_iterations(self, key: Key, value: Any) -> bool:
        """Whether a variable, of numbers and scalars, is only read if the loop is left after an
        iteration began: then it may hold anything before the first one, or if there is none. The
        same goes for what is returned.
        """
        if key[0] == id(self.returned):
            if not all(map(self.outlives, flat(value))):
                raise Refused(f"what it returns is {text(value)}, which is made in it")
            return True
        if key[:2] != (id(self.frame), 0) or self.unbegun is None or any(type(leaf) is ArrayProxy for leaf in flat(value)):
            return False
        return not any(is_read(self.frame, key[2], place) for place in (self.start, *([] if self.begins else [self.unbegun.place])))

    def drops(self, entered: dict[Key, Any], leaves: dict[Key, Any]) -> bool:
        """Drop carries that no iteration changes; whether there were any."""
        wrong = [
            key for key, value in entered.items()
            if key not in self.constant and all(a is b for a, b in zip(flat(value), flat(leaves.get(key, value)), strict=True))
        ]  # fmt: skip
        for key in wrong:
            del self.carries[key]
            self.constant.add(key)
            self.counter = None if self.counter == key else self.counter
        return bool(wrong)

    def withdraw(self) -> None:
        """Nothing is supposed of what is carried, or of where the loop is left."""
        for key in self.expected:
            self.carries.pop(key, None)
        self.expected, self.unset, self.forms = set(), [], {}
        self.forget_unseen()

    def forget_unseen(self) -> None:
        """The loop is not left where no path leaves it."""
        self.exits, self.unseen = [left for left in self.exits if left not in self.unseen], []

    def suppose_written(self) -> None:
        """Carry the memory that the loop wrote to when it was captured before, as it is for each
        iteration of a loop around it.
        """
        if self.supposed is not None:
            return
        held = memory_of(self.frame)
        found = dict.fromkeys([held.get(each, each) for each in self.earlier.memory if each in held or type(each) is Storage])
        self.supposed = {each: None for each in found if each.outside is None and each.node is not None and self.referrers[each]}
        self.memory = {each: self.name_of(each) for each in self.supposed} | self.memory

    def name_of(self, memory: Storage) -> str:
        """What readers know memory by: its path outside, or a variable that holds it."""
        if memory.outside is not None:
            return memory.outside.path
        slots = [slot for slot, value in enumerate(self.frame.fast) if type(value) is ArrayProxy and value.storage is memory]
        whole = [slot for slot in slots if self.frame.fast[slot].link is None]
        return next((self.frame.info.slots[slot] for slot in (*whole, *slots)), "array")

    def forget_unwritten(self) -> list[Storage]:
        """Drop memory that an iteration did not write to although it was supposed to."""
        supposed = self.supposed or {}
        wrong = [each for each, node in supposed.items() if each in self.memory and each.node is node]
        for each in wrong:
            del self.memory[each], supposed[each]
        return wrong

    @property
    def earlier(self) -> Earlier:
        """What is known of the loop from when it was captured before."""
        found: Earlier = self.world.earlier.get((self.frame.code, self.start), NOTHING)
        return found

    def note_changed(self) -> None:
        """Remember what is known of the loop by now: the memory that it writes to and the lists
        that it makes longer, by variable if one holds it. Iterations of a loop around it may make
        it anew.
        """
        places = {storage: place for place, storage in memory_of(self.frame).items()}
        memory = [places.get(each, each) for each in self.memory]
        unsteady = frozenset([key[2] for key in self.steady.wrong])
        constant = frozenset([key[2] for key in self.constant if key[:2] == (id(self.frame), 0)]) | self.earlier.constant
        exits = tuple([left for left in self.exits if left not in self.unseen])
        found = Earlier(memory, lists_of(self, self.rooms), self.ends_by_count, unsteady, carried_by(self), constant, exits)
        self.world.earlier[self.frame.code, self.start] = found

    def held(self, before: Snapshot) -> Counter[Storage]:
        """How many places hold an array of each piece of memory before the iteration. What is taken
        apart counts at each place that holds it: several variables may hold one tuple.
        """
        found: Counter[Storage] = Counter()
        for owner, parts in before.objects():
            for part in parts if compound_of(owner) is None else ():
                for place, value in enumerate(part.values):
                    dead = owner is self.frame and place < len(self.frame.fast) and not self.is_read((id(self.frame), 0, place))
                    iterated = [option for each in value.arrays() for _, option in options_of(each)] if type(value) is Counting else []
                    arrays = iterated if dead else [*iterated, *flat(value)]
                    found.update([array.storage for array in arrays if type(array) is ArrayProxy])
        return found

    def finds_gaps(self, leaves: dict[Key, Any]) -> bool:
        """Whether arrays that had no gaps in memory may have some after an iteration."""
        found = {
            (key, place)
            for key, value in leaves.items()
            if key in self.carries
            for place, leaf in enumerate(flat(value))
            if type(leaf) is ArrayProxy and may_have_gaps(leaf)
        }
        more = not found <= self.gaps
        self.gaps |= found
        return more

    def with_gaps(self, key: Key, value: Any) -> Any:
        """The stand-in of a carry, with possible gaps noted in the layouts of its arrays."""
        for place, (first, leaf) in enumerate(zip(flat(self.carries[key]), flat(value), strict=True)):
            if type(leaf) is ArrayProxy:
                gaps = (key, place) in self.gaps or (type(first) is ArrayProxy and may_have_gaps(first))
                leaf.storage.layout = leaf.storage.layout._replace(gaps=gaps)
        return value

    def require_whole(self, entered: dict[Key, Any], leaves: dict[Key, Any], ending: Ending) -> None:
        """Check the arrays that variables are rebound to: whether each is alone in its memory,
        before and after the iteration, and how it is laid out (law 3).
        """
        after: Counter[Storage] = Counter()
        values = [value for place, value in enumerate(self.frame.fast) if self.is_read((id(self.frame), 0, place))]
        values += [value for key, value in leaves.items() if key[0] != id(self.frame)]
        for value in (*values, *ending.stack):
            after.update([leaf.storage for leaf in flat(value) if type(leaf) is ArrayProxy])
        touched = self.recorder.regions[-1].touched() | set(self.memory)
        after.update(self.rooms.put_in)
        self.rooms.require_unwritten(touched)
        pairs = [
            ((key, place), one, other, now)
            for key, first in self.carries.items()
            for place, (one, other, now) in enumerate(
                zip(flat(first), flat(leaves.get(key, entered[key])), flat(entered[key]), strict=True)
            )
            if type(one) is ArrayProxy or type(other) is ArrayProxy
        ]
        self.alone = self._are_alone([(one, other) for _, one, other, _ in pairs], after)
        self.written = [one.storage for _, one, _, now in pairs if now.storage.version]
        self._relate(pairs)
        for _, one, other, now in pairs:
            require_c_order(self.recorder.layouts, one)
            require_c_order(self.recorder.layouts, other)
            if now.storage.version and not self.alone:
                raise Refused("it writes to an array that a variable is bound to anew, which other variables may hold")
            if not (self.alone or touched.isdisjoint(memories(self.recorder, [one, other]))):
                raise Refused("a variable is bound anew to what may be an array that it writes to")
        for storage in self.memory:
            require_c_order(self.recorder.layouts, all_of(storage))

    def _are_alone(self, pairs: list[tuple[Any, Any]], after: Counter[Storage]) -> bool:
        """Whether each array, before and after an iteration, shares with no other any memory that
        it may be in when another iteration follows.
        """
        region, befores, afters = self.recorder.regions[-1], set[Storage](), set[Storage]()
        for one, other in pairs:
            if not (type(one) is type(other) is ArrayProxy and one.link is None and other.link is None):
                return False
            before, later = self.lasting([one]), self.lasting([other])
            if not all(memory.outside is None and self.referrers[memory] == (memory is one.storage) for memory in before):
                return False
            if not all(region.owns(memory) and after[memory] == (memory is other.storage) for memory in later):
                return False
            if not (befores.isdisjoint(before) and afters.isdisjoint(later)):
                return False
            befores |= before
            afters |= later
        return True

    def _relate(self, pairs: list[Any]) -> None:
        """For each carry, find the memories that it may be in after any number of iterations,
        including those of the carries that it is rebound to. Once an iteration has run, the value
        from before the loop is gone.
        """
        entries = {now.storage: key for key, _, _, now in pairs if type(now) is ArrayProxy}
        before = {key: memories(self.recorder, [one]) for key, one, _, _ in pairs}
        turned = _closed({key: memories(self.recorder, [other]) for key, _, other, _ in pairs}, entries, before)
        self.related = turned if self.begins else {key: memory | before[key] for key, memory in turned.items()}


def _closed(after: Memories, entries: dict[Storage, Place], before: Memories) -> Memories:
    """The memories after an iteration, extended by those of the carries that enter it."""
    for _ in after:
        for memory in after.values():
            for place in [entries[storage] for storage in memory if storage in entries]:
                memory |= after[place] | before[place]
    return after
