"""Branches on data: both sides run from the same state of the world up to where they meet, and
become one ``cond``.

The sides run one after the other, each in a region of its own
(`npexport.tracer.arrays.core.regions`), and the world is restored after each
(`npexport.tracer.effects.snapshots`). What differs after them is joined leaf by leaf
(`npexport.tracer.control.joins`). A side that raises, if no handler of the program waits for that,
becomes a side of the ``cond`` that raises. What cannot be joined exactly is refused with E103.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

from npexport.symshapes.errors import ExportError, Unsupported
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.regions import LoggingRegion, branch
from npexport.tracer.control.absent_keys import put
from npexport.tracer.control.failures import Failure, changes_outside, emit, failure_of, require_order, watch
from npexport.tracer.control.forks import BranchInIteration, Successor
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.joins import Join
from npexport.tracer.control.one_sided import Build, Mismatch
from npexport.tracer.control.reachable_from_one_side import left_by_one_side
from npexport.tracer.control.rebound import AtJoinPoint, Rebound, take_back
from npexport.tracer.control.refusals import Grows, require_even, require_few_within
from npexport.tracer.control.renewed_lists import Place, bound_anew, of_state, renew, require_stand_ins
from npexport.tracer.control.results import both_sides, facts, origin_of, suppose, write
from npexport.tracer.control.side_lists import SideRooms, making_room
from npexport.tracer.control.symbolic_unions import UnionBuilder, known
from npexport.tracer.effects.error_states import InForce
from npexport.tracer.effects.overlay import DELETED, NameWrite, describe
from npexport.tracer.effects.parts import Part, same, same_parts, step_of
from npexport.tracer.effects.snapshots import NO_GENERATOR, Change, Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.flow_graph import RETURN, is_certainly_read, is_read, looks_at_variables
from npexport.tracer.interpreter.frame import NULL, Frame, Machine, Task
from npexport.tracer.interpreter.handler_analysis import catching
from npexport.tracer.interpreter.inlining import is_left
from npexport.tracer.interpreter.join_points import (
    Ended,
    GivenUp,
    MeetsOutside,
    Passed,
    Suspended,
    behind,
    called,
    common,
    ends_side,
    further,
    meeting_point,
    run_until,
)
from npexport.tracer.interpreter.loop_analysis import Loop, innermost, loops, raising_place
from npexport.tracer.interpreter.program import running

_ATTEMPTS = 6
"""The largest number of times that the sides are run to find out where they meet."""
_PROLONGED = 2
"""The largest depth of nested branches that may meet later: both sides hold what stands between."""


class Side(NamedTuple):
    """What one side of a branch left behind: where it is, its changes, and what it recorded."""

    region: LoggingRegion
    ended: Ended
    pc: int
    line: int
    changes: dict[int, Change]
    names: dict[tuple[int, str], NameWrite]
    errors: InForce
    facts: Any
    rebound: list[Rebound]
    renews: list[Place]
    failure: Failure | None

    def owners(self) -> list[Any]:
        """The objects that it changed."""
        return [change.owner for change in self.changes.values() if change.alters(functools.partial(known, facts=self.facts))]

    def may_raise(self) -> bool:
        return any("raises" in node.meta for node in self.region.nodes)


def refused(what: str, hint: str | None = None, on: str = "data") -> Unsupported:
    """The error for a branch that cannot become part of the program; ``on``: what it depends on."""
    return Unsupported("E103", f"a branch depends on {on}, and {what}", hint=hint)


class _Later(Exception):
    """What the sides leave cannot be joined where they meet, but perhaps at a later ``place``."""

    def __init__(self, place: tuple[Frame, int], depth: int, slot: int | None) -> None:
        self.place, self.until = place, (depth, slot)


@dataclass
class DataBranch:
    """One branch; ``successors``: by truth, where a side begins."""

    world: ShadowedWorld
    vm: Machine
    start: Frame
    truth: Any
    successors: dict[bool, Successor]

    def run(self, meets: tuple[Frame, int | None] | None = None) -> None:
        """Run both sides, and go on where they meet, or on the side that does not raise.

        ``meets``: the join point, if exceptions move it: this frame or one that called it, and the
        instruction. If this raises ``Unsupported``, the world is restored, unless the error is
        `Spoiled`.
        """
        if self.world.probe is not None:  # the side would be more than a check
            raise GivenUp
        starts = self.successors[True].place, self.successors[False].place
        place = self._within_sides(meets) if meets else (self.start, meeting_point(self.start.code, self.start.pc - 1, starts))
        self.until: tuple[int, int | None] | None = None  # if they meet later: the depth of the stack then, what is not read any more
        self.may_meet_later = self.world.tally.prolonged < _PROLONGED
        iteration = functools.partial(Iteration, self.world, self.vm, self.start, Loop(-1, frozenset()), -1)
        making_room(self.world.recorder, iteration, functools.partial(self._try, place))

    def _try(self, place: tuple[Frame, int | None], rooms: SideRooms) -> None:
        self.rooms = rooms
        try:
            self._attempt(place)
        except (Grows, Spoiled, MeetsOutside):
            raise
        except Unsupported as error:
            if self.until is None:
                raise
            self.until, self.may_meet_later = None, False
            try:
                self._attempt(place)
            except Unsupported:
                if error.code != "E103":  # what stands between cannot be part of any side
                    raise error from None
                raise

    def _attempt(self, place: tuple[Frame, int | None]) -> None:
        for _ in range(_ATTEMPTS):
            prolonged = self.until is not None
            self.world.tally.prolonged += prolonged
            try:
                elsewhere = self._run_until(*place)
            except _Later as later:
                elsewhere, self.until = later.place, later.until
            finally:
                self.world.tally.prolonged -= prolonged
            if elsewhere is None:
                return
            place = elsewhere
        raise refused("its sides handle exceptions in several places")

    def _run_until(self, frame: Frame, join_point: int | None) -> tuple[Frame, int | None] | None:
        """Go on where the sides meet; if that is elsewhere, do nothing and return the place."""
        if join_point is None:
            raise refused("both sides raise, or never end")
        self.frame, self.join_point = frame, join_point
        self.inside = called(self.start, frame)
        world = self.world
        require_few_within(world, self.start)
        world.tally.open_branches += 1
        starts = [place for each in self.successors.values() for place in (*each.starts, each.place)]
        self.world.recorder.session.forget_unread(tuple(starts))  # the snapshot would keep it
        try:
            with snapshot(world, self.vm) as taken:
                self.rooms.before = taken
                try:
                    sides = both_sides(self.world.recorder, lambda truth: self._side(truth, taken))
                except MeetsOutside as inner:
                    return self._within_sides(inner.place)
                except BranchInIteration as inner:  # what the side did before is part of the iteration, too
                    raise self._decides(inner.of) from None
                except Passed:
                    if self._loop_around(frame) is not None:
                        raise self._decides_loop(frame) from None
                    if self.until is None and ends_side(frame):
                        raise MeetsOutside((frame, join_point)) from None
                    raise refused("its sides meet behind those of the branch around it") from None
                for truth, side in sides.items():
                    if (elsewhere := self._elsewhere(side)) is not None:
                        return elsewhere
                    if side.ended.error is not None:
                        other = sides[not truth]
                        both = side.failure is None and other.failure is not None and self._elsewhere(other) is None
                        self._raising(not truth, other) if both else self._raising(truth, side)
                        return None
                self._join(sides[True], sides[False], taken)
                return None
        finally:
            world.tally.open_branches -= 1

    def _elsewhere(self, side: Side) -> tuple[Frame, int | None] | None:
        """Where the sides meet if a handler turned out to take the exception of one of them: where
        the path through the handler joins the other.
        """
        error, _, handler = side.ended
        if handler is not None:
            return self._within_loop((self.frame, common(self.frame.code, self.join_point, handler)))
        if error is None:
            return None
        found = catching(self.vm, self.frame.back, (type(error),), unsure=side.failure is None)
        if found is None or running.nested:
            return None
        frame, _, target = found
        if any(type(each.then) is Task or each.generator is not None for each in called(self.start, frame)):
            return None
        return self._within_sides(self._within_loop((frame, behind(frame, target))))

    def _decides(self, of: tuple[Frame, Loop] | None) -> BranchInIteration:
        """The exception for a branch that decides how an iteration of this call chain ends."""
        frame = self.world.iteration.frame if of is None else of[0]
        if frame is self.start:
            return BranchInIteration(self.truth, self.successors, of)
        sides = {truth: Successor(frame.pc, divides=functools.partial(self._begin, truth)) for truth in (True, False)}
        return BranchInIteration(self.truth, sides, of)

    def _within_loop(self, place: tuple[Frame, int | None]) -> tuple[Frame, int | None]:
        """The place, if it is in the iteration of the handler. Raises `BranchInIteration`."""
        frame, join_point = place
        loop = self._loop_around(frame)
        if loop is None or join_point in loop.members or frame.generator is not None:
            return place
        raise self._decides_loop(frame)

    def _loop_around(self, frame: Frame) -> Loop | None:
        """The innermost loop that the branch, or the call in which it stands, is part of."""
        code, here = frame.code, frame.pc - 1
        starts = [successor.place for successor in self.successors.values()] if frame is self.start else [here]
        return next((loop for loop in loops(code) if here in loop.members and any(loop.has(code, start) for start in starts)), None)

    def _decides_loop(self, frame: Frame) -> BranchInIteration:
        """The exception for a branch that decides the loop that it is part of."""
        loop, iteration = self._loop_around(frame), self.world.iteration
        captured = iteration is not None and iteration.frame is frame and iteration.loop == loop
        return self._decides(None if captured or loop is None else (frame, loop))

    def _within_sides(self, place: tuple[Frame, int | None]) -> tuple[Frame, int | None]:
        """The place. Raises `MeetsOutside`, `BranchInIteration` where a side, a loop ends first."""
        for each in called(self.start, place[0]):
            if ends_side(each):
                raise MeetsOutside(place)
            if raising_place(each.code) is not None and self._loop_around(each) is not None:
                raise self._decides_loop(each)
        return place

    # One side

    def _begin(self, truth: bool) -> None:
        """Move the frame to the beginning of a side."""
        successor = self.successors[truth]
        self.start.pc, self.start.stack[:] = successor.place, successor.prepare(list(self.start.stack))
        if successor.divides is not None:
            successor.divides()

    def _side(self, truth: bool, taken: Snapshot) -> Side:
        frame, rec, vm = self.start, self.world.recorder, self.vm
        line = frame.info.decoded.location(frame.code, self.successors[truth].place).line
        region = LoggingRegion(rec, f"the side of a branch on data at line {line}")
        found, outside = None, self.world.outside.paths()
        watch(self.world, self.vm, region, taken)
        try:
            with region:
                suppose(self.world.recorder, self.truth, truth)
                self._begin(truth)
                ended = run_until(vm, self.frame, self.join_point, self._is_ready if self.until is not None and truth else None)
                if truth and self.until is not None and ended.error is None and ended.handler is None:
                    self.join_point = self.frame.pc if self._is_inside(self.frame.pc) else RETURN
                raises = ended.error is not None
                failure = failure_of(self.world, vm, self.frame, ended, outside) if raises else None
                found = taken.changes(but_errors=True) if raises else self._changes(taken)
                left = {key: change for key, change in found.items() if not (raises and self.world.outside.is_as_before(change.owner))}
                changes = {key: change for key, change in left.items() if not any(change.owner is one for one in self.inside)}
                rebound, renews = ([], []) if raises else bound_anew(self._end(), taken, changes)
                names, errors = taken.written_names(left=raises), self.world.errors.in_force()
                return Side(region, ended, self.frame.pc, line, changes, names, errors, facts(rec), rebound, renews, failure)
        except ExportError as error:
            vm.locate(error)  # where the side stands
            raise
        except Suspended as suspended:
            is_left(self.world, self.frame)
            raise refused(f"one side (line {line}) {suspended}", hint=_LIST if "`yield`" in str(suspended) else None) from None
        except Changed as changed:
            raise Spoiled("E103", f"a branch depends on data, and one side (line {line}) {changed}", hint=changed.hint()) from None
        finally:
            taken.restore(found)

    def _end(self) -> AtJoinPoint:
        """Where the side that has run ends."""
        return AtJoinPoint(self.world, self.vm, self.frame, self.frame.pc if self._is_inside(self.frame.pc) else RETURN)

    def _changes(self, taken: Snapshot) -> dict[int, Change]:
        """What a side that does not raise has changed."""
        found = taken.require_none_dropped(taken.changes(but_errors=True))
        return taken.changes(but_errors=True) if renew(self._end(), taken, found) else found

    def _is_ready(self) -> bool:
        """Whether the values that cannot be joined are gone."""
        assert self.until is not None
        depth, slot = self.until
        return len(self.frame.stack) <= depth and (slot is None or not is_read(self.frame, slot, self.frame.pc))

    # A side that raises

    def _raising(self, truth: bool, side: Side) -> None:
        """Record that a side raises, and go on with the other one, which may raise in turn."""
        changed = changes_outside(self.world, side.owners(), [storage for storage in side.region.written if storage.outside is None])
        self._require_order(side, changed, f"writes to something outside, and raises {type(side.ended.error).__name__}")
        with side.region:
            if side.failure is None:
                raise refused(f"the side at line {side.line} raises {type(side.ended.error).__name__}, which the program may catch")
            self.start.pc = self.successors[truth].place + 1  # its handlers stand around the exception
            emit(self.world, side.failure)
        empty = LoggingRegion(self.world.recorder, "")
        with empty:
            pass
        branch(self.world.recorder, self.truth, *((side.region, empty) if truth else (empty, side.region)))
        self.world.recorder.session.decide(self.truth, not truth)
        self._begin(not truth)

    # Joining

    def _join(self, one: Side, other: Side, taken: Snapshot) -> None:
        if one.pc != other.pc and self._is_inside(one.pc) + self._is_inside(other.pc):
            raise refused(f"the sides at the lines {one.line} and {other.line} do not meet again in this function")
        if not taken.errors.are_left_alike(one.errors, other.errors):
            raise refused("one side changes how floating-point errors are handled")
        take_back(one, other, taken)
        chooser = UnionBuilder(self.world, self.vm, (one.facts, other.facts), lambda mismatch: mismatch.said(one.line, other.line))
        join = Join(self.world, self.truth, taken, one.region, other.region, chooser)
        try:
            places = self._places(join, one, other, taken)
        except Mismatch as mismatch:
            require_stand_ins([*one.renews, *other.renews])
            raise refused(mismatch.difference(one.line, other.line), mismatch.hint(), origin_of(self.world.recorder, self.truth)) from None
        memory = self._memory(join, one, other)
        for side in (one, other):
            self._require_order(side, side.region.late, "changes what is held outside, and does something that may raise")
        results: list[Any] = []
        if join.leaves or one.may_raise() or other.may_raise():
            for side, mine in ((one, 0), (other, 1)):
                with side.region:
                    given = tuple([self.world.recorder.argument(leaf[mine]) for leaf in join.leaves])
                side.region.outputs = given
            results = branch(self.world.recorder, self.truth, one.region, other.region)
        self.world.mixes |= join.mixes
        for storage, build in memory:
            write(storage, build(results))
        for storage in join.finish(results):
            self.world.recorder.may_alias_at.setdefault(storage, self.world.recorder.stack())
        self.world.recorder.choices.update((results[place].storage, ways) for place, ways in join.ways(results))
        for owner, part, builds in places:
            put(self.world, owner, part, [build(results) for build in builds])
        self._set_names(results)
        self.world.errors.put_back(one.errors)
        while self.vm.frame is not self.frame:
            self.vm.leave(self.vm.current_frame)
        self.frame.pc = one.pc

    def _is_inside(self, pc: int) -> bool:
        """Whether a side ended anywhere but before a ``return``."""
        return bool(self.frame.info.decoded.instructions[pc].name != "RETURN_VALUE")

    def _require_order(self, side: Side, changed: list[str], what: str) -> None:
        """Check that a call can begin with what was ``changed`` when something in a side raises."""
        try:
            if side.names and (side.ended.error is not None or side.may_raise()):
                raise GivenUp
            require_order(self.world, side.region, changed)
        except GivenUp:
            raise refused(f"the side at line {side.line} {what}") from None

    def _memory(self, join: Join, one: Side, other: Side) -> list[tuple[Any, Build]]:
        """The earlier memory that a side has written to, with its new value."""
        found = []
        for storage in dict.fromkeys((*one.region.written, *other.region.written)):
            values = [side.region.written.get(storage, all_of(storage)) for side in (one, other)]
            found.append((storage, join.leaf(*values)))
        return found

    def _places(self, join: Join, one: Side, other: Side, taken: Snapshot) -> list[tuple[Any, Part, list[Build]]]:
        """All places whose value a side has changed, with their joined values."""
        found: list[tuple[Any, Part, list[Build]]] = []
        for key in dict.fromkeys((*one.changes, *other.changes)):
            owner, path = (one.changes.get(key) or other.changes[key])[:2]
            mine, theirs = [side.changes[key].after if key in side.changes else taken.parts(owner) for side in (one, other)]
            if owner is self.frame:
                found += self._variables(join, mine, theirs, one, other)
            elif type(owner) is Frame:
                raise refused("one side changes the variables of a function that called it")
            elif (left := left_by_one_side(key, taken, one, other)) is not None:
                found += left
            elif any(part.kind == "generator" for part in mine) and not same_parts(mine, theirs):
                raise refused("one side changes a generator that exists before", hint=NO_GENERATOR)
            else:
                if not self.rooms.is_uneven(owner) and id(owner) not in self.world.partial_dicts:
                    require_even(path, owner, taken.parts(owner), mine, theirs)
                require_stand_ins(of_state(self.world, owner, one.renews + other.renews))
                found += [(owner, part, builds) for part, builds in join.parts_of_before(owner, mine, theirs, path)]
        self._names = [self._name(join, key, one, other) for key in dict.fromkeys((*one.names, *other.names))]
        return found

    def _variables(self, join: Join, mine: Any, theirs: Any, one: Side, other: Side) -> list[tuple[Any, Part, list[Build]]]:
        """Join the local variables and the operands on the stack, in or behind a handler.

        A variable that cannot be joined becomes unbound: reading it is refused.
        """
        frame, (held, state), (held_there, state_there) = self.frame, mine, theirs
        if len(held.values) != len(held_there.values):
            raise refused("the sides end in the middle of different expressions")
        if state.values[0] is not state_there.values[0]:
            raise refused("one side handles an exception when the sides meet")
        poison = {**state.values[1], **state_there.values[1]}
        builds: list[Build] = []
        renews = [each for each in (*one.renews, *other.renews) if each.owner is frame]
        pc = one.pc if self._is_inside(one.pc) else RETURN
        for slot, (a, b) in enumerate(zip(held.values, held_there.values, strict=True)):
            path = step_of(held, slot) if slot < len(frame.fast) or self._is_inside(one.pc) else "what is returned"
            poisoned = a is NULL and slot in state.values[1] or b is NULL and slot in state_there.values[1]
            waits = slot >= len(frame.fast)
            later = (slot - len(frame.fast), None) if waits else (len(held.values) - len(frame.fast), slot)
            asked = waits or (is_certainly_read(frame, slot, pc) and not self._is_carried(pc, slot))
            if self.world.tally.open_branches == 1 and join.resizes_memory(a, b) and asked:
                self._meet_later(pc, *later)  # what is joined is not written to
            if waits:
                if (a is NULL) is not (b is NULL):
                    raise refused("the sides end in the middle of different expressions")
                try:
                    builds.append(join.value(a, b, path))
                except Mismatch:
                    self._meet_later(pc, *later)
                    builds.append(join.insisting(a, b, path))
                continue
            try:
                if not same(a, b) and (poisoned or not is_read(frame, slot, pc)):
                    raise Mismatch(path, "one thing", "another")
                require_stand_ins([each for each in renews if each.place == slot and self.rooms.is_of_loop(each.old)])
                builds.append(join.strict(a, b, path) if looks_at_variables(frame.code) else join.optional(a, b, path))
            except Mismatch as mismatch:
                if looks_at_variables(frame.code):
                    raise
                if is_read(frame, slot, pc) and not poisoned:
                    if is_certainly_read(frame, slot, pc) and not self._is_carried(pc, slot, "FOR_ITER"):
                        self._meet_later(pc, *later)  # no side takes a further item from an iterator
                    require_stand_ins([each for each in renews if each.place == slot])
                    with contextlib.suppress(Mismatch):
                        builds.append(join.insisting(a, b, path))
                        continue
                if not poisoned:
                    difference = mismatch.difference(one.line, other.line)
                    poison[slot] = functools.partial(refused, difference, mismatch.hint(), origin_of(self.world.recorder, self.truth))
                builds.append(lambda results: NULL)
        return [(frame, held, builds), (frame, state, [lambda results: state.values[0], lambda results: poison])]

    def _meet_later(self, pc: int, depth: int, slot: int | None) -> None:
        """Raises `_Later` if the sides can meet as soon as an expression that they leave in
        different states is done, or a variable is not read any more: what is between belongs to
        both.

        ``depth``: of the stack then.
        """
        frame = self.frame
        if not self.may_meet_later:
            return
        if pc == RETURN:
            outer = frame.back
            if type(outer) is Frame and not (ends_side(frame) or type(frame.then) is Task or frame.generator is not None or running.nested):
                raise _Later((outer, outer.pc), len(outer.stack), None)
            return
        if (place := further(frame, pc)) is not None:
            raise _Later((frame, place), depth, slot)

    def _is_carried(self, pc: int, slot: int, header: str = "") -> bool:
        """Whether later iterations, of loops that begin with this instruction, read a variable."""
        loop = innermost(self.frame.code, pc)
        if loop is None or (header and self.frame.info.decoded.instructions[loop.header].name != header):
            return False
        return is_read(self.frame, slot, loop.header)

    def _name(self, join: Join, key: tuple[int, str], one: Side, other: Side) -> tuple[NameWrite, Build]:
        write = one.names.get(key) or other.names[key]
        mine, theirs = [side.names[key].value if key in side.names else self.world.value_before(write) for side in (one, other)]
        path = describe(write.owner, write.name)
        if (mine is DELETED) is not (theirs is DELETED):
            raise refused(f"`{path}` exists after one side, and not after the other", hint="Give it a value on both sides: None.")
        return write, (lambda results: DELETED) if mine is DELETED else join.value(mine, theirs, path)

    def _set_names(self, results: list[Any]) -> None:
        for each, build in self._names:
            self.world.overlay.write(each.owner, each.name, build(results), each.stack)
            self.world.forget(each.owner, each.name)


_LIST = "Iterate over a list of all that the generator yields: for value in list(generator(x)); next, sum, any and all take it as it is."
