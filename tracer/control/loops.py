"""Loops on data: a branch that decides whether a loop goes on becomes one ``while_loop``, which
begins where the branch stands.

What an iteration changes is carried; iterations are run (`npexport.tracer.control.iterations`)
until nothing else changes. A loop with two exits tells by which it was left, and the program goes
on with a branch on that.

Laws:

1. What an iteration reads that an earlier one wrote comes in as a carry, of the same kind, shape
   and dtype in every iteration.
2. A variable that is not read any more is not carried; one that has no value on some path through
   the loop may not be read after it.
3. Memory that is written to in place is carried as a whole. An array that a variable is rebound to
   is carried as a value: whether it shares another array's memory may depend on the iterations, so
   neither is written to from then on (`Recorder.may_alias`).
"""

from __future__ import annotations

import functools
import re
from contextlib import nullcontext
from typing import Any

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.ops.control_flow import alike
from npexport.symshapes.errors import InternalError, Unsupported
from npexport.symshapes.functions import sym_bool, sym_not
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.generators import with_states
from npexport.tracer.arrays.core.regions import LoggingRegion, Region, sub_graphs
from npexport.tracer.arrays.core.texts import grows_from, is_text
from npexport.tracer.control.carried_memory import Carrier
from npexport.tracer.control.counters import of_any_iteration
from npexport.tracer.control.data_branches import DataBranch
from npexport.tracer.control.earlier_captures import suppose
from npexport.tracer.control.endings import GOING, LEFT, SAME, STACK, Ending, Key
from npexport.tracer.control.exit_values import UNKNOWN, ends_by_count, finals, varies
from npexport.tracer.control.exits import may_be_dropped
from npexport.tracer.control.failures import changes_outside, watch
from npexport.tracer.control.forks import OF_DATA, BranchInIteration, Captured, Exits, Fork, Successor
from npexport.tracer.control.leaves import (
    filled,
    fitting,
    flat,
    form_of,
    formed,
    has_form,
    is_of_texts,
    is_value,
    meta_of,
    rebuilt,
    standing,
    text,
)  # fmt: skip
from npexport.tracer.control.refusals import TEXTS, Grows, Refused, count_run, endless, require_end, require_few_around
from npexport.tracer.control.renewed_lists import renewable, require_stand_ins
from npexport.tracer.control.results import nodes_of, replaced, write
from npexport.tracer.control.side_lists import before_the_branch, making_room
from npexport.tracer.control.symbolic_unions import as_text_of_data, begins, known
from npexport.tracer.control.unrolled_loops import unrolled_if_refused
from npexport.tracer.effects.parts import same
from npexport.tracer.effects.snapshots import Snapshot, Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import DUE, Counting, begin
from npexport.tracer.interpreter.flow_graph import resolved
from npexport.tracer.interpreter.frame import NULL, Frame, Machine
from npexport.tracer.interpreter.inlining import is_left
from npexport.tracer.interpreter.join_points import MeetsOutside, common, is_within_side, meet_within_iteration, returns
from npexport.tracer.interpreter.loop_analysis import Loop, ended_by, every_iteration_passes, innermost, left_at, loop_of

MAX_RUNS = 8
"""The largest number of times that an iteration is run to find what it carries."""
_NO_PROGRESS = "Change in the loop what its condition reads; or write `if`, where one iteration is meant."
_MOST_GROWN = 24  # the same, to find the containers that become stand-ins before the loop


class Capture(Carrier):
    """The capture of one loop."""

    def __init__(self, world: ShadowedWorld, vm: Machine, frame: Frame, loop: Loop, start: int) -> None:
        super().__init__(world, vm, frame, loop, start)
        self.mixes = True  # whether a carry may be a number of Python before an iteration, and NumPy's after it
        self.finals: dict[tuple[Key, int], Any] = {}  # what is known of leaves after the last iteration
        self.condition: Any = None  # on sizes, that decides whether another iteration is made

    def replace(self, going: Any, left: Any) -> None:
        """Replace the loop by a node: the frame, whose stack is that of an iteration, moves to
        where the loop is left.

        ``going``: whether an iteration is made; ``left``: by which exit the loop is left otherwise.
        """
        frame = self.frame
        require_end(self.world)
        require_few_around(self.world, frame)
        frame.pc = self.start
        self.level = len(frame.stack) - (frame.info.decoded.instructions[self.start - 1].name == "FOR_ITER")  # exact
        self.count()
        self.base = base = list(frame.stack)
        self.going, self.begins = going, going is True
        self.at_iteration = bool(base) and base[-1] is DUE
        self.guess()
        region, nodes = self._settled(base)
        if self.condition is not None and all(truth == self.condition for truth in self.asked):
            raise Refused("its iterations do not change whether it goes on")
        inside = frame, self.loop.header
        if not self.exits:
            raise endless(self.world)
        if len(self.exits) > 1 and self.world.tally.left.count(inside) >= MAX_RUNS:
            raise Refused("what follows it enters it again; where that is a `continue`, write `if` and `else` in its place")
        self.rooms.require_unwatched(base)
        self.note_changed()
        self._record(going, left, region, nodes)
        frame.pc = self.exits[0].place
        self.world.tally.left.append(inside)
        try:
            leave(self.world, self.vm, frame, self.exit, self.successors())
        except (BranchInIteration, Spoiled, MeetsOutside):
            raise
        except Unsupported as error:  # what the loop has written stands in the graph
            raise Spoiled(error.code, error.message, hint=error.hint) from error
        finally:
            self.world.tally.left.pop()

    def _settled(self, base: list[Any]) -> tuple[LoggingRegion, dict[Any, list[Any]]]:
        """Run iterations until one carries all that it changes, and nothing else; its nodes."""
        supposed, calls = suppose(self, self.rooms, self.earlier.lists, base), self.world.host.modules
        unsettled = grown = 0
        while unsettled < MAX_RUNS and grown < _MOST_GROWN:
            forget, before = self.recorder.session.env.remember(), calls.mark()
            may_alias = self.recorder.may_alias.copy()
            region, nodes, grows = self.rooms.watched(lambda: with_states(lambda: self._supposing(base)))
            vain = supposed.not_changed() if nodes is not None else []
            if nodes is not None and not vain and not self.unseen:
                return region, nodes
            forget()  # what was found out about the values of one iteration
            self.recorder.may_alias = may_alias
            calls.back(before)
            supposed.take_back(vain)
            if nodes is not None:
                self.forget_unseen()
            if grows is None:
                unsettled += 1
            else:
                grown += 1
                self.note_changed()
                self.rooms.grow_before(self, grows, base)
                self.supposed = None  # its memory is another now
        grown = any(is_text(as_text_of_data(value)) for value in self.carries.values())
        raise Refused("what an iteration changes differs each time it is run", hint=TEXTS if grown else None)

    def _supposing(self, base: list[Any]) -> tuple[LoggingRegion | None, dict[Any, list[Any]] | None]:
        """`_iteration`; where it cannot be captured, perhaps because of a carry that is supposed,
        there is another without these.
        """
        try:
            return self._iteration(base)
        except (BranchInIteration, Spoiled, MeetsOutside, Grows, InternalError):
            raise
        except Unsupported:
            if not self.expected:
                raise
            self.withdraw()
            return None, None

    # One iteration

    def _iteration(self, base: list[Any]) -> tuple[LoggingRegion, dict[Any, list[Any]] | None]:
        """Run an iteration on stand-ins; its nodes, or ``None`` if it carries more than known."""
        count_run(self.world)
        for storage in self.memory:
            if storage.node is None:
                self.recorder.materialize(storage)
        region, exits, nodes = LoggingRegion(self.recorder, self.shown), len(self.exits), None
        self.begin(region)
        with snapshot(self.world, self.vm, (self.returned,)) as before:
            self.before, self.referrers = before, self.held(before)
            self.suppose_written()
            self.rooms.begin(self, region, before)
            watch(self.world, self.vm, region, before)
            try:
                with region:
                    entered = self._enter(region)
                    ending = self.run()
                    wrong = self.forget_unwritten()
                    leaves = {key: self.seen(key, known(value)) for key, value in self.changed(before).items()}
                    if len(ending.stack) > len(base):
                        raise Refused("it is left from within a loop in it")
                    for place, value in enumerate(ending.stack):
                        if value is not NULL and not same(value, base[place]):
                            leaves[id(self.frame), STACK, place] = value
                    more = self._finds_more(before, entered, leaves, base) or self.drops(entered, leaves) or self.finds_gaps(leaves)
                    more |= self.same.finds_more(region, self.leaves_of(entered | leaves))
                    more |= self.steady.are_wrong(entered, leaves)
                    more |= self._was_wrong_of_counters(entered, leaves, ending.going, not more)
                    if not (more or wrong):
                        if self.supposes:
                            raise Refused("an integer that only data know is a scalar of NumPy on another path")
                        nodes = {key: nodes_of(self.recorder, leaves.get(key, first)) for key, first in self.carries.items()}
                        nodes[GOING], nodes[LEFT] = nodes_of(self.recorder, ending.going), nodes_of(self.recorder, ending.left)
                        nodes[SAME] = self.same.settle()
                        self.require_whole(entered, leaves, ending)
                        self._foresee(entered, leaves, ending)
                        self.rooms.require_room()
            finally:
                self.rooms.end()
                before.restore()
                self.frame.stack[:] = base
        self.carries |= {key: filled(self.carries[key]) for key in self.unset}
        self.carries |= {key: formed(self.carries[key], form) for key, form in self.forms.items()}
        self.unset, self.forms = [], {}
        written = {storage: self.name_of(storage) for storage in region.written if storage not in self.memory and storage not in wrong}
        self.memory.update(written)
        if nodes is not None:
            self.require_order(region, region.late or self._left_by(region))
        return region, None if written or len(self.exits) > exits else nodes

    def _left_by(self, region: LoggingRegion) -> list[str]:
        """The paths of what iterations change outside, if a later one may raise."""
        if not any("raises" in node.meta for node in region.nodes):
            return []
        made = [storage for storage in self.memory if storage.outside is None]
        return changes_outside(self.world, [self.owners.get(key[0]) for key in self.carries], made)

    def _enter(self, region: LoggingRegion) -> dict[Key, Any]:
        """The stand-ins of the carries in any iteration."""
        region.enter(True, "going")
        if len(self.exits) > 1:
            region.enter(0, "exit")
        entered: dict[Key, Any] = {}
        self.sizes.begin(region.made)
        self.same.begin(self.leaves_of(self.carries), self.referrers)
        for key, first in self.carries.items():
            name = re.sub(r"\W+", "_", self.paths.get(key, "carry")).strip("_") or "carry"
            if type(first) is Counting:
                entered[key] = of_any_iteration(region, first, name, self.frame.stack[-1] is DUE, self.ends_by_count)
                continue
            metas = [self.sizes.of_any_iteration((key, place), meta_of(leaf), name) for place, leaf in enumerate(flat(first))]
            leaves = [region.enter(meta, name) if is_value(leaf) else leaf for leaf, meta in zip(flat(first), metas, strict=True)]
            entered[key] = self.with_gaps(key, rebuilt(first, iter(leaves)))
        self.put(entered)
        self.steady.suppose(self.recorder, self.carries, entered)
        region.inside += self.rooms.bounds(self.carries)
        self.rooms.enter()
        for storage, name in self.memory.items():
            node = region.enter(storage.meta, re.sub(r"\W+", "_", name).strip("_") or "array").storage.node
            region.note_write(storage)
            if self.recorder.trial is not None:
                self.recorder.trial.note(storage)
            storage.node, storage.array, storage.recipe = node, None, None
            storage.version += 1
            if self.supposed and storage in self.supposed:
                self.supposed[storage] = node
        self.same.enter(region, self.leaves_of(entered))
        begin(self.frame.stack)  # it reads memory as it is in any iteration
        return entered

    def _was_wrong_of_counters(self, entered: dict[Key, Any], leaves: dict[Key, Any], going: Any, settled: bool) -> bool:
        """Whether more was assumed of counters than holds (`npexport.ir.invariants`), or less."""
        counters = [value for key, value in entered.items() if type(value) is Counting and leaves.get(key, value) is not value]
        holds = all(ends_by_count(value, going) for value in counters) if counters else self.ends_by_count
        wrong = holds is not self.ends_by_count and (self.ends_by_count or self.doubts)
        self.ends_by_count, self.doubts = self.ends_by_count != wrong, (wrong or self.doubts) and not settled
        return wrong

    def _finds_more(self, before: Snapshot, entered: dict[Key, Any], leaves: dict[Key, Any], base: list[Any]) -> bool:
        if found := self.changes_views(before, entered, leaves):
            return True
        for key, value in leaves.items():
            path = self.paths.get(key, "a value of an expression")
            if key in self.carries:
                first = self.carries[key]
            elif key[1] == STACK:
                first = base[key[2]]
            else:
                first = self.held_before(before, key)
            if first is NULL and self.is_of_iterations(key, value):
                first = standing(value)
                self.unset.append(key)
            if first is NULL and not (self.mixes and self.is_variable(key)):
                raise Refused(f"`{path}` has no value where the loop makes no iteration, and may be read after it", True)
            fit = alike if self.is_of_list(key) else self.fit
            if not fitting(first, value, fit):
                grows = grows_from(entered.get(key), value)
                form = NULL if grows else form_of(first, value, f"`{path}`", fit, self.outlives)
                if form is NULL or not (self.mixes or is_of_texts(form)) or not begins(self.world, self.vm, form):
                    require_stand_ins([each for each in renewable(self, before, before.changes(True)) if each.new is value])
                    what = f"`{path}` is {text(first)} before an iteration, and {'a longer one' if grows else text(value)} after it"
                    raise Refused(what, True, TEXTS if is_text(as_text_of_data(value)) else None, resizes=fitting(first, value, alike))
                leaves[key] = formed(value, form)
                if not has_form(first, form):
                    self.forms[key] = form
                    self.world.mixes = self.world.promotes = found = True
            if key not in self.carries:
                self.carries[key] = first
                found = True
        return self._changes_sizes(entered, leaves) or found

    def _changes_sizes(self, entered: dict[Key, Any], leaves: dict[Key, Any]) -> bool:
        """Whether lengths change from iteration to iteration other than was assumed."""
        values = []
        for key, first in self.carries.items():
            if key in self.forms:
                continue
            now = entered.get(key, first)
            rows = zip(flat(first), flat(now), flat(leaves.get(key, now)), strict=True)
            values += [((key, place), *map(meta_of, row)) for place, row in enumerate(rows)]
        return self.sizes.settle(values)

    def _foresee(self, entered: dict[Key, Any], leaves: dict[Key, Any], ending: Ending) -> None:
        """Find what is known of the values after a known number of iterations."""
        self.finals = self.rooms.lengths(self, entered, leaves, ending)  # anew: an iteration that was given up may have taken another path
        if self.counter is None or not self.at_iteration or len(self.exits) > 1 or not ends_by_count(entered[self.counter], ending.going):
            return
        counter = self.carries[self.counter]
        places = [(key, place) for key, first in self.carries.items() for place, _ in enumerate(flat(first))]
        ends = {key: leaves.get(key, entered[key]) for key in entered}
        values = [tuple([flat(of[key])[place] for of in (self.carries, entered, ends)]) for key, place in places]
        found = finals(1 + len(range(counter.value, counter.stop, counter.step)), values)
        self.finals = {place: value for place, value in zip(places, found, strict=True) if value is not UNKNOWN}

    # The node

    def _record(self, going: Any, left: Any, body: LoggingRegion, nodes: dict[Any, list[Any]]) -> None:
        rec = self.recorder
        places = [(key, place) for key, first in self.carries.items() for place, leaf in enumerate(flat(first)) if is_value(leaf)]
        if not places and not self.memory and nodes[GOING][0] is not False:
            raise Refused("no iteration changes what the next one reads: it does not end if there is one", hint=_NO_PROGRESS)
        word, same = len(self.exits) > 1, self.same.carried(body, nodes[SAME])
        body.outputs = (
            *nodes[GOING],
            *(nodes[LEFT] if word else ()),
            *[nodes[key][place] for key, place in places],
            *[body.written[storage] for storage in self.memory],
            *[after for _, after in same],
        )
        test = Region(rec, self.shown)
        with test:
            for node in body.entries:
                test.enter(node.meta["val"], node.name)
        test.outputs = (test.entries[0],)
        firsts = {key: nodes_of(self.recorder, first) for key, first in self.carries.items()}
        first = (
            *nodes_of(self.recorder, going),
            *(nodes_of(self.recorder, left) if word else []),
            *[firsts[key][place] for key, place in places],
            *[rec.current(storage, None) for storage in self.memory],
            *[before for before, _ in same],
        )
        graphs, operands = sub_graphs(rec, {"while_loop_cond_graph": test, "while_loop_body_graph": body})
        if self.counter is not None and not varies(self.recorder, (*leaves_of(first), *operands)):
            raise Refused("all that it computes with is known while the program is exported")
        try:
            node = rec.node(ops.control.while_loop, (*graphs, first, operands))
        except TypeError as misfit:  # the rule's: no call of the program's is made here
            raise Refused(str(misfit)) from None
        found = iter(rec.wrap(node)[1:])
        self.exit = next(found) if word else 0
        results = {key: self.with_gaps(key, replaced(value, found)) for key, value in self.carries.items()}
        values = {key: self._final(key, value) for key, value in results.items()}
        for storage in self.memory:
            write(storage, next(found))
        self.same.give(self.leaves_of(results), found, self.going)
        for storage in self.written:  # by the first iteration: nobody here sees it, perhaps a loop around this one
            rec.written(storage)
            storage.version += 1
        shared = self.leaves_of({key: value for key, value in values.items() if not self.is_of_list(key)})  # memory of lists is their own
        related = [(leaf, self.related.get(place, set())) for place, leaf in shared.items()]
        self.mark_aliases(related, [self.same.made(place, memory) for place, (_, memory) in zip(shared, related, strict=True)])
        self.same.follow(self.leaves_of(results))
        self.put(values)
        for owner in self.owners.values():
            if type(owner) is FilledList:
                owner.most = owner.capacity
        self.rooms.settle()

    def _final(self, key: Key, value: Any) -> Any:
        """The value of a carry, with what is known of it."""
        return rebuilt(value, iter([self.finals.get((key, place), leaf) for place, leaf in enumerate(flat(value))]))


def leave(world: ShadowedWorld, vm: Machine, frame: Frame, number: Any, exits: Exits) -> None:
    """Go on after a loop with several exits: the number decides which one was taken."""
    iteration = world.iteration
    if iteration is None or iteration.frame is not frame:
        for place in range(len(exits) - 1, -1, -1):
            if len(exits) > 1 and may_be_dropped(world, vm, frame, number, exits, place):
                exits = exits[:place] + exits[place + 1 :]
    (_, out), *rest = exits
    if not rest:
        frame.pc, frame.stack[:] = out.place, out.prepare(frame.stack)
        return
    successors = {False: out, True: leaving(world, vm, frame, number, tuple(rest))}
    truth = sym_bool(number) if exits[0][0] == 0 else number != exits[0][0]
    inside = [iteration is not None and iteration.frame is frame and iteration.loop.has(frame.code, each.place) for _, each in exits]
    join_point = common(frame.code, *[each.place for _, each in exits if returns(frame.code, each.place)])
    if iteration is not None and iteration.frame is frame and not (all(inside) and join_point in iteration.loop.members):
        raise BranchInIteration(truth, successors)
    around = (
        None if iteration is not None and iteration.frame is frame else ended_by(frame.code, [each.place for _, each in exits], join_point)
    )
    if around is not None:
        first_iteration(Capture(world, vm, frame, around, around.header), truth, successors)
        return
    if join_point is None:
        raise Refused("the paths on which it is left never meet")
    branch(DataBranch(world, vm, frame, truth, successors), (frame, join_point))


def leaving(world: ShadowedWorld, vm: Machine, frame: Frame, number: Any, exits: Exits) -> Successor:
    """The successor of a branch on whether a loop is left by one of these exits."""
    starts = tuple([each.place for _, each in exits])
    if len(exits) == 1:
        return exits[0][1]
    return Successor(starts[0], divides=functools.partial(leave, world, vm, frame, number, exits), starts=starts)


def branch(of_data: DataBranch, meets: tuple[Frame, int | None] | None = None) -> None:
    """Capture a branch, or the loop that it turns out to decide because of a handler around it."""
    world, vm = of_data.world, of_data.vm
    try:
        of_data.run(meets)
    except BranchInIteration as found:
        if found.of is None or is_within_side(vm.frame, found.of[0], found.of[1].members):
            raise
        truth, successors, (frame, loop) = found.truth, found.successors, found.of  # the traceback holds what the sides made
    else:
        return
    with unrolled_if_refused(world, frame, loop):
        first_iteration(Capture(world, vm, frame, loop, loop.header), truth, successors)


def choose(fork: Fork, join_point: int | None = None, how: Captured = OF_DATA) -> bool:
    """Capture the loop that a branch decides, if there is one; then the frame has moved to where
    the loop is left.

    ``join_point``: of its sides, if exceptions move it. Raises `BranchInIteration` for a branch of
    the loop that is being captured.
    """
    world, vm, frame, truth, successors = fork
    if world.probe is not None or is_left(world, frame):
        return False
    code, place, iteration, sides = frame.code, frame.pc - 1, world.iteration, fork.starts
    found = loop_of(code, place, sides)
    around = innermost(code, place) if found is None else found[0]
    if around is None or (found is None and meet_within_iteration(code, place, sides, around.members, around.header, join_point)):
        return False
    if iteration is not None and iteration.frame is frame and around == iteration.loop:
        raise BranchInIteration(truth, successors)
    if is_within_side(frame, frame, around.members):
        raise BranchInIteration(truth, successors, (frame, around))
    with nullcontext() if how.sized else unrolled_if_refused(world, frame, around):
        if found is None or not every_iteration_passes(code, around, resolved(code, found[1])):
            capture = Capture(world, vm, frame, around, around.header)
            capture.fit = how.fit
            return first_iteration(capture, truth, successors)
        side = resolved(code, successors[True].place) == resolved(code, found[1])
        capture = Capture(world, vm, frame, around, resolved(code, found[1]))
        capture.condition, capture.mixes, capture.fit = how.condition, how.mixes, how.fit
        capture.sizes.peels = how.sized and how.condition is None
        out = successors[not side]
        stack = out.prepare(list(frame.stack))
        capture.unbegun = left_at(code, out.place, len(stack))
        capture.out(capture.unbegun, stack)
        frame.stack[:] = successors[side].prepare(list(frame.stack))
        capture.replace(truth if side else sym_not(truth), 0)
        return True


def first_iteration(capture: Capture, truth: Any, successors: dict[bool, Successor], begins: bool = False) -> bool:
    """Run the rest of an iteration in the middle of which it turns out that data decide the loop:
    its end is joined, and the loop begins with the next. ``begins``: also where no path has left
    it.
    """
    capture.count()
    run = functools.partial(capture.branch, BranchInIteration(truth, successors))
    world, vm, frame = capture.world, capture.vm, capture.frame
    ending = making_room(world.recorder, lambda: capture, lambda rooms: before_the_branch(world, vm, frame, rooms, run))
    frame.stack[:] = ending.stack
    capture.drop_iterators(len(ending.stack))
    if ending.going is False:  # all paths leave the loop in this iteration
        leave(world, vm, frame, ending.left, capture.successors())
    elif capture.exits:
        capture.replace(ending.going, ending.left)
    elif begins:
        capture.replace(True, 0)
    else:  # no path leaves the loop in this iteration
        frame.pc = capture.start
    return True
