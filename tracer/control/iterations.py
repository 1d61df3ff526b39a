"""Runs one iteration of a loop on data to its end.

An iteration runs on values that stand for those of any iteration, until it reaches the start of the
next one, or leaves the loop. If one side of a branch inside does either before both sides meet, the
branch ends the iteration in a ``cond``: each side runs to the end of the iteration, and both give
what has changed and whether the loop goes on.

Where the paths that stay in the loop meet before that, the sides run only to there, and a second
branch, on whether the loop has been left, goes on: what follows is recorded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CellType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from npexport.symshapes.errors import ExportError
from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.texts import holds_data
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.bytecode.flow import SUSPENDS
from npexport.tracer.control.absent_attributes import with_new_attributes
from npexport.tracer.control.carried_sizes import CarriedSizes
from npexport.tracer.control.counters import holds_a_result
from npexport.tracer.control.endings import GOING, LEFT, STACK, Ending, JoinedEnding, Key, Places, Side
from npexport.tracer.control.failures import require_order, watch
from npexport.tracer.control.forks import BranchInIteration, Successor
from npexport.tracer.control.leaves import flat, is_carried, made
from npexport.tracer.control.rebound import apart, keep
from npexport.tracer.control.refusals import MOST_IN_ITERATION, MOST_NESTED, Refused, Unfinished, count_run, require_same_length
from npexport.tracer.control.renewed_lists import renew
from npexport.tracer.control.results import both_sides, facts, memories, nodes_of, suppose
from npexport.tracer.control.symbolic_unions import known
from npexport.tracer.effects.parts import KINDS, parts_of, same, same_places, step_of
from npexport.tracer.effects.snapshots import ITERATED, Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import partial_objects
from npexport.tracer.interpreter.counting import begin, due
from npexport.tracer.interpreter.flow_graph import is_read, resolved
from npexport.tracer.interpreter.frame import NULL, PUSHED, Bound, Frame, Machine
from npexport.tracer.interpreter.handler_analysis import catching
from npexport.tracer.interpreter.inlining import note_iterated
from npexport.tracer.interpreter.join_points import ENDLESS, MOST_INSTRUCTIONS, GivenUp, gives, meeting_in_loop, step
from npexport.tracer.interpreter.loop_analysis import Exit, Loop, depth_of, left_at, raising_place
from npexport.tracer.interpreter.program import running

_RESULTS = frozenset({"RETURN_VALUE", "RAISE_LEFT"})
"""Instructions that end the frame with the value on the stack."""


class Led(NamedTuple):
    """Where a successor leads: ``"start"``, ``"out"`` or ``"on"``, and how the iteration ends
    there.
    """

    kind: str
    ending: Ending
    successor: Successor


class _Leaves(Bound):
    """The continuation of the frame during an iteration: a return ends the loop; so does an
    exception that a function around the frame takes, with which the frame is at `RAISE_LEFT` then.
    """

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.then)
        self.frame, self.at = frame, raising_place(frame.code)
        self.back, self.real, self.handled = frame.back, frame.real, frame.handled

    def returned(self, vm: Machine, value: Any) -> Any:
        raise Refused("it is left by a return")

    def raised(self, vm: Machine, error: BaseException) -> Any:
        if error is running.interrupt:
            raise error
        frame, at = self.frame, self.at
        if at is not None and frame.pc != at + 1 and catching(vm, self.back, (type(error),), unsure=True) is not None:
            vm.frame, vm.depth = frame, vm.depth + 1
            if frame.back is None:
                frame.fast.reverse()  # as it was before it was left
            frame.then, frame.back, frame.real, frame.handled = self, self.back, self.real, self.handled
            frame.pc, frame.stack[:] = at, [error]
            return PUSHED
        said = "" if any(map(holds_data, error.args)) else f": {error}"
        raise Refused(f"it raises {type(error).__name__}{said}")


class Iteration:
    """Runs the iterations of a loop in ``frame`` from ``start`` on, the instruction where all of
    them begin. ``exits``: where the loop is left. ``containers``: what it iterates over.
    ``watches``: whether what an exception leaves is examined for each path; a loop examines it for
    an iteration as a whole.
    """

    watches = False

    def __init__(self, world: ShadowedWorld, vm: Machine, frame: Frame, loop: Loop, start: int) -> None:
        self.world, self.vm, self.frame, self.loop, self.recorder = world, vm, frame, loop, world.recorder
        self.start, self.exits, self.containers = start, list[Exit](), list[Any]()
        self.unseen: list[Exit] = []  # exits that are supposed, and that no path has taken
        self.depth = len(world.recorder.regions)  # how many regions are open around it
        self.base = list(frame.stack)  # as it is before an iteration, or in the first one
        self.level = depth_of(frame.code, loop)  # how many values are on the stack where an iteration begins, and where the loop is left
        self.line = frame.info.decoded.location(frame.code, max(frame.pc - 1, 0)).line
        self.returned = {index: NULL for index, each in enumerate(frame.info.decoded.instructions) if each.name in _RESULTS}
        self.owners: dict[int, Any] = {id(frame): frame, id(self.returned): self.returned}
        self.stop = start  # the instruction to which a path runs: where paths meet before an iteration ends, or the next begins
        self.asked: list[Any] = []  # the truths that decided how an iteration ends
        self.paths: dict[Key, str] = {}
        self.at_exits: dict[Storage, set[Storage]] = {}  # memories that a result may be in where the loop is left, and nowhere else
        self.carries: dict[Key, Any] = {}
        self.sizes = CarriedSizes(world.recorder.session.env)
        self.memory: dict[Storage, str] = {}  # what is written to
        self.at_iteration = False  # whether the first iteration has its item
        self.region: Any = None  # of the iteration, unless it is the first of a loop
        self.before: Snapshot | None = None  # what there is before the iteration, unless it is the first
        self.places: WeakKeyDictionary[Storage, Places] = WeakKeyDictionary()  # by result of an ending
        self.mixed = False  # whether one of the paths to the end of an iteration may have two arrays in one memory
        self.supposes = False  # whether an integer that data know was taken to fit into what it is joined with

    @property
    def shown(self) -> str:
        return f"the loop (line {self.line})"

    def outlives(self, leaf: Any) -> bool:
        """Whether a leaf is the same object in every iteration, if it is an object."""
        return is_carried(leaf) or (self.before is not None and self.before.knows(leaf))

    # Leaves

    def read(self, key: Key) -> Any:
        """The present value of a leaf."""
        if key[1] == STACK:
            return self.frame.stack[key[2]]
        return parts_of(self.owners[key[0]])[key[1]].values[key[2]]

    @staticmethod
    def leaves_of(values: dict[Key, Any]) -> dict[tuple[Key, int], Any]:
        """What is at each place of values."""
        return {(key, place): leaf for key, value in values.items() for place, leaf in enumerate(flat(value))}

    def seen(self, key: Key, value: Any) -> Any:
        """A leaf as an iteration gives it: a loop takes views apart."""
        return value

    def put(self, values: dict[Key, Any]) -> None:
        """Set the values of leaves."""
        values = {key: value if key[0] == id(self.returned) else made(value) for key, value in values.items()}
        parts: dict[tuple[int, int], list[Any]] = {}
        for (owner, position, place), value in values.items():
            if owner == id(self.frame) and position in (STACK, 0):
                (self.frame.stack if position == STACK else self.frame.fast)[place] = value
                continue
            if (owner, position) not in parts:
                parts[owner, position] = list(parts_of(self.owners[owner])[position].values)
            parts[owner, position][place] = value
        for (owner, position), items in parts.items():
            part = parts_of(self.owners[owner])[position]
            KINDS[part.kind](self.owners[owner], part._replace(values=tuple(items)))  # type: ignore[misc]

    def forget(self, owner: int) -> None:
        """What an object holds is not carried any more."""
        self.owners.pop(owner, None)
        for carried in (self.carries, self.paths):
            for key in [key for key in carried if key[0] == owner]:
                del carried[key]

    def is_read(self, key: Key, going: Any = None) -> bool:
        """Whether the next iteration, or the program after the loop, may read a leaf; ``going``:
        which of the two follows.
        """
        if key[1] == STACK:
            return going is not False or any(key[2] < left.depth for left in self.exits)
        if key[0] == id(self.returned):
            return going is not True
        if key[0] != id(self.frame) or key[1] != 0:
            return True
        frame, slot = self.frame, key[2]
        after = going is not True and any(is_read(frame, slot, left.place) for left in self.exits)
        return after or (going is not False and is_read(frame, slot, self.stop))

    def lasting(self, values: Any) -> set[Storage]:
        """The memories of arrays, and all that they may be in if another iteration follows."""
        arrays = [leaf for value in values for leaf in flat(value) if type(leaf) is ArrayProxy]
        return set().union(*[memories(self.recorder, [array]) - self.at_exits.get(array.storage, set()) for array in arrays])

    def is_variable(self, key: Key) -> bool:
        """Whether the leaf may be unbound, for which its readers check."""
        owner = self.owners[key[0]]
        return key[1] == 0 and (owner is self.frame or type(owner) is CellType) or bool(partial_objects.names_of(owner))

    def changed(self, before: Snapshot, but_errors: bool = False) -> dict[Key, Any]:
        """The leaves that have changed since a snapshot and may be read, except for the stack.

        ``but_errors``: the error state may differ.
        """
        try:
            changes = before.require_none_dropped(before.changes(but_errors))
            if renew(self, before, changes):
                changes = before.changes(but_errors)
        except Changed as changed:
            refusal = Refused(f"it {changed}")
            raise (Spoiled("E103", refusal.message) if before.spoiled else refusal) from None
        if before.written_names():
            raise Refused("it writes a global variable or an attribute of a class, function or module")
        leaves, olds = dict[Key, Any](), dict[Key, Any]()
        done = before.frames[: before.frames.index(self.frame)]  # what the iteration had called
        for change in changes.values():
            mine = change.owner is self.frame
            if type(change.owner) is Frame and change.owner in done:
                continue
            if any(change.owner is container for container in self.containers):
                raise Refused(f"it changes `{change.path}`, which it iterates over")
            if len(change.before) != len(change.after):
                raise Refused(f"`{change.path}` changes its attributes")
            for position, (old, new) in enumerate(zip(*with_new_attributes(self.world, change), strict=True)):
                if old.kind == "fixed":
                    continue  # has not changed, or `changes` would have raised
                if old.kind == "generator":
                    note_iterated(self.world, self.frame, self.loop)
                    raise Refused("it changes a generator that exists before")
                if old.kind == "position":
                    raise Refused(f"it goes on with `{change.path}`, an iterator that exists before", hint=ITERATED)
                count = len(self.frame.fast) if mine and position == 0 else len(old.values)
                if type(change.owner) is FilledList and change.owner.frozen and not old.values[2]:
                    raise Refused(f"`{change.path}`, a list that a loop fills, is put into another list")
                if not (mine and position == 0) and not same_places(old, new):
                    require_same_length(change.path, change.owner, old, new)
                    raise Refused(f"`{change.path}` changes its length or its keys: fill an array that is made before it")
                for place in range(count):
                    if old.kind == "named" and old.keys[place] == "poison":
                        self._require_none_read(new.values[place] if mine else {})
                        continue
                    key = (id(change.owner), position, place)
                    if not same(old.values[place], new.values[place]) and self.is_read(key):
                        self.owners[id(change.owner)] = change.owner
                        path = "what is returned" if change.owner is self.returned else change.path + step_of(old, place)
                        self.paths[key] = path.lstrip(".")
                        leaves[key], olds[key] = new.values[place], old.values[place]
        keep(self, before, leaves, olds)
        return leaves

    def held_before(self, before: Snapshot, key: Key) -> Any:
        """What a leaf was; `NULL` for an attribute that its owner lacked."""
        values = before.parts(self.owners[key[0]])[key[1]].values
        return values[key[2]] if key[2] < len(values) else NULL

    def fills(self, grown: FilledList) -> bool:
        """Whether the loop makes an earlier list longer, or shorter."""
        return False

    def _require_none_read(self, poison: Mapping[int, Any]) -> None:
        """Raises `Refused` if a variable may be read that the sides of a branch leave different."""
        for slot in poison:
            if self.frame.fast[slot] is NULL and self.is_read((id(self.frame), 0, slot)):
                name = self.frame.info.slots[slot]
                raise Refused(f"`{name}` is set on one side of a branch in it, and was not set before", first=True)

    # Where successors lead

    def leads(self, successor: Successor, stack: list[Any]) -> tuple[str, Ending]:
        """``"start"``, ``"out"`` or ``"on"``, and how the iteration ends there."""
        code, place = self.frame.code, resolved(self.frame.code, successor.place)
        if place == self.stop and successor.divides is None:
            return "start", Ending(True, stack)
        name = self.frame.info.decoded.instructions[place].name
        returns = name == "RAISE_LEFT" or (name == "RETURN_VALUE" and holds_a_result(stack, self.base))
        if self.loop.has(code, successor.place) or len(stack) > self.level or successor.divides is not None or returns:
            return "on", Ending(None, stack)
        return "out", self.out(left_at(code, successor.place, len(stack)), stack)

    def out(self, left: Exit, stack: list[Any]) -> Ending:
        """The ending of an iteration that leaves the loop."""
        if left not in self.exits:
            self.exits.append(left)
        if left in self.unseen:
            self.unseen.remove(left)
        return Ending(False, stack[: left.depth], self.exits.index(left))

    def successor_at(self, left: Exit) -> Successor:
        """Where the program goes on if the loop is left there."""
        value = NULL if left.depth else self.returned.get(left.place, NULL)
        return Successor(left.place, left.cut if value is NULL else lambda stack: [made(value)])

    def successors(self) -> tuple[tuple[int, Successor], ...]:
        """Where the program goes on by each exit, with its number."""
        return tuple(enumerate(map(self.successor_at, self.exits)))

    # Running

    def run(self, divides: Callable[[], None] | None = None) -> Ending:
        """Run to the end of the iteration; ``divides``: called first (`Successor`)."""
        frame, branch = self.frame, None
        outer, then = self.world.iteration, frame.then
        if outer is None:
            self.world.tally.divided = 0
        self.world.iteration, frame.then = self, _Leaves(frame)
        try:
            if divides is not None:
                divides()
            ending = self._run(divides is not None or frame.pc != self.stop)
        except BranchInIteration as raised:
            # without the traceback, which holds what the iteration made
            branch = BranchInIteration(raised.truth, raised.successors, raised.of)
        except ExportError as error:
            self.vm.locate(error)  # where the iteration stands
            raise
        finally:
            self.world.iteration, frame.then = outer, then
        return ending if branch is None else self.branch(branch)

    def _run(self, moved: bool) -> Ending:
        vm, frame, instructions = self.vm, self.frame, self.frame.info.decoded.instructions
        for _ in range(MOST_INSTRUCTIONS):
            if vm.frame is frame:
                name = instructions[frame.pc].name
                if moved and frame.pc == self.stop:
                    return Ending(True, due(frame.stack) if instructions[frame.pc - 1].name == "FOR_ITER" else list(frame.stack))
                if moved and frame.pc == self.start:
                    raise Refused("an exception leads to its next iteration")
                if name == "RAISE_LEFT":
                    self.returned[frame.pc] = frame.stack[-1]
                    return self.out(Exit(frame.pc, 0), [])
                if name in SUSPENDS:
                    raise Refused(f"it {gives(name)} in the middle")
                if moved and not self.loop.has(frame.code, frame.pc):
                    returns = holds_a_result(frame.stack, self.base)
                    if returns and name == "RETURN_VALUE":
                        self.returned[frame.pc] = frame.stack[-1]
                        return self.out(Exit(frame.pc, 0), [])
                    if not returns and len(frame.stack) <= self.level:
                        return self.out(left_at(frame.code, frame.pc, len(frame.stack)), list(frame.stack))
            moved = True
            step(vm, vm.current_frame)
        raise Refused(f"an iteration {ENDLESS}")

    def branch(self, branch: BranchInIteration) -> Ending:
        """The end of an iteration that a branch decides."""
        self.world.tally.divided += 1
        count_run(self.world)
        if self.world.tally.divided > MOST_IN_ITERATION:
            raise Refused(f"an iteration has more than {MOST_IN_ITERATION} branches on data: their paths do not meet")
        self.asked.append(branch.truth.expression)
        successors = self._all_lead(branch.successors)
        one, other = successors[True], successors[False]
        if {one.kind, other.kind} == {"start", "out"}:
            begins, ends = (one.ending, other.ending) if one.kind == "start" else (other.ending, one.ending)
            if all(map(same, begins.stack, ends.stack)):
                return Ending(branch.truth if one.kind == "start" else sym_not(branch.truth), begins.stack, ends.left)
        meeting = self._meeting(one, other)
        if meeting is not None:
            try:
                ending = self._until(meeting, branch)
            except Refused:  # to the end of the iteration, the paths may leave what can be joined
                pass
            else:
                return self._from(meeting, ending)
        return self._divide(branch.truth, successors)

    def _all_lead(self, successors: dict[bool, Successor]) -> dict[bool, Led]:
        """Where both paths lead."""
        return {side: Led(*self.leads(one, one.prepare(list(self.frame.stack))), one) for side, one in successors.items()}

    def _meeting(self, one: Led, other: Led) -> int | None:
        """Where two paths meet, before the iteration ends, unless they leave the loop."""
        places = one.successor.place, other.successor.place
        divided = any(each.kind != "on" or each.successor.divides is not None for each in (one, other))
        if divided or places[0] == places[1]:  # an exception leads one of them elsewhere
            return None
        return meeting_in_loop(self.frame.code, self.loop.members, places, self.stop)

    def _until(self, meeting: int, branch: BranchInIteration) -> Ending:
        """Run both paths to where they meet, which ends them as the next iteration would."""
        outer, self.stop = self.stop, meeting
        try:
            return self._divide(branch.truth, self._all_lead(branch.successors))
        finally:
            self.stop = outer

    def _from(self, meeting: int, ending: Ending) -> Ending:
        """Go on where two paths have met, of which some may have left the loop."""
        if ending.going is False:
            return ending
        deepest = max((left.depth for left in self.exits), default=0)
        on = Led("on", Ending(None, ending.stack), Successor(meeting))
        out = Led("out", Ending(False, ending.stack[:deepest], ending.left), Successor(meeting))
        if ending.going is not True:
            return self._divide(ending.going, {True: on, False: out})
        self.frame.stack[:], self.frame.pc = ending.stack, meeting
        return self.run()

    def _divide(self, truth: Any, successors: dict[bool, Led]) -> Ending:
        """Run both paths of a branch to their ends, and join these."""
        errors = self.world.errors.in_force()
        if len(self.recorder.regions) > MOST_NESTED:
            raise Refused(f"{MOST_NESTED} branches on data are nested in it: a loop within it ends when the data say so")
        sides = both_sides(self.recorder, lambda side: self._side(truth, side, successors[side]))
        if not errors.are_left_alike(sides[True].errors, sides[False].errors):
            raise Refused("one path through it changes how floating-point errors are handled")
        self.world.errors.put_back(sides[True].errors)
        ending = JoinedEnding(self, truth, sides).ending()
        while self.vm.frame is not self.frame:  # the branch stands in a function that the iteration calls
            self.vm.leave(self.vm.current_frame)
        return ending

    def _side(self, truth: Any, side: bool, led: Led) -> Side:
        """Run one path to the end of the iteration; everything is restored."""
        kind, ending, successor = led
        region = LoggingRegion(self.recorder, self.shown)
        with snapshot(self.world, self.vm, (self.returned,)) as before:
            if self.watches:
                watch(self.world, self.vm, region, before)
            try:
                with region:
                    suppose(self.recorder, truth, side)
                    self.frame.stack[:] = ending.stack
                    self.frame.pc = successor.place
                    if kind == "on":
                        begin(self.frame.stack)
                    ending = self.run(successor.divides) if kind == "on" else ending
                    leaves = {key: self.seen(key, known(value)) for key, value in self.changed(before, True).items()}
                    stack = list(map(known, ending.stack))
                    values = apart(self, before, [*leaves.values(), *stack])
                    leaves, stack = dict(zip(leaves, values, strict=False)), values[len(leaves) :]
                    ending = ending._replace(stack=stack)
                    nodes = {key: nodes_of(self.recorder, value) for key, value in leaves.items()}
                    for position, value in enumerate(ending.stack):
                        nodes[(id(self.frame), STACK, position)] = nodes_of(self.recorder, value)
                    nodes[GOING], nodes[LEFT] = nodes_of(self.recorder, ending.going), nodes_of(self.recorder, ending.left)
                    told, errors = facts(self.recorder), self.world.errors.in_force()
            finally:
                before.restore()
        if self.watches:
            self.require_order(region, region.late)
        return Side(region, ending, leaves, nodes, told, errors)

    def require_order(self, region: LoggingRegion, changed: list[str]) -> None:
        """Raises `Refused` if a call cannot begin with what was ``changed`` when something in the
        region raises.
        """
        try:
            require_order(self.world, region, changed)
        except GivenUp:
            kind = Unfinished if self.world.unfinished else Refused
            raise kind("it changes what is held outside, and does something that may raise") from None
