"""Runs one iteration of a loop on data to its end.

An iteration runs on values that stand for those of any iteration, until it reaches the start of the
next one, or leaves the loop. If one side of a branch inside does either before both sides meet, the
branch ends the iteration in a ``cond``: each side runs to the end of the iteration, and both give
what has changed and whether the loop goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import CellType
from typing import Any, NamedTuple

from npexport.ir.ops.control_flow import NUMBERS, alike
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.chosen import choice_of
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.generators import with_states
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion, branch
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order, note_gaps
from npexport.tracer.bytecode.flow import SUSPENDS
from npexport.tracer.control.counters import holds_a_result
from npexport.tracer.control.eithers import Facts, begins, known
from npexport.tracer.control.given_values import facts, fillers, memories, nodes_of, replaced, suppose, tear, write
from npexport.tracer.control.leaves import aligned, flat, form_of, formed, has_form, is_value, made, text
from npexport.tracer.control.rebound import apart, keep
from npexport.tracer.control.refusals import Refused, require_same_length
from npexport.tracer.effects.error_states import InForce
from npexport.tracer.effects.parts import KINDS, parts_of, same, same_places, step_of
from npexport.tracer.effects.snapshots import Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.interpreter.counting import begin, due
from npexport.tracer.interpreter.flow_graph import is_read, resolved
from npexport.tracer.interpreter.frame import NULL, Bound, Frame
from npexport.tracer.interpreter.join_points import gives, step
from npexport.tracer.interpreter.loop_analysis import Exit, Loop, depth_of, left_at

Key = tuple[int, int, int]
"""A leaf: the identity of its holder, the index of the part, and the index in the part."""
STACK = -1
"""The index of the part that is the stack of the loop's frame."""
GOING: Key = (0, 0, 0)
"""Whether the loop goes on."""
LEFT: Key = (0, 0, 1)
"""The number of the exit by which it is left."""


class Successor(NamedTuple):
    """Where one side of a branch begins: the instruction, and how the stack changes.

    ``divides``: called first, and goes on by one of several paths; then the instruction is where
    these meet.
    """

    place: int
    prepare: Callable[[list[Any]], list[Any]] = lambda stack: stack
    divides: Callable[[], None] | None = None


def successors_of(if_true: int, if_false: int) -> dict[bool, Successor]:
    """The successors of a branch whose sides begin with an unchanged stack."""
    return {True: Successor(if_true), False: Successor(if_false)}


class BranchInIteration(Unsupported):
    """Raised at a branch that decides how an iteration ends. Neither the program nor the
    interpreter catches it: all branches around it within the iteration decide that, too.

    ``of``: the frame and the loop, if the loop is not being captured yet.
    """

    def __init__(self, truth: Any, successors: dict[bool, Successor], of: tuple[Frame, Loop] | None = None) -> None:
        super().__init__("E103", "a branch depends on data")
        self.truth, self.successors, self.of = truth, successors, of


class Ending(NamedTuple):
    """How an iteration ends. ``going``: whether there is another. ``stack``: that of the next
    iteration, or after the loop.

    ``left``: the number of the exit, if the loop is left.
    """

    going: Any
    stack: list[Any]
    left: Any = 0


class _Leaves(Bound):
    """The continuation of the frame during an iteration: an exception or a return ends the loop."""

    def returned(self, vm: Any, value: Any) -> Any:
        raise Refused("it is left by a return")

    def raised(self, vm: Any, error: BaseException) -> Any:
        raise Refused(f"it raises {type(error).__name__}: {error}")


MOST_NESTED = 40  # branches: more are a loop, or a recursion, whose end depends on data


class Iteration:
    """Runs the iterations of a loop in ``frame`` from ``start`` on, the instruction where all of
    them begin. ``exits``: where the loop is left. ``containers``: what it iterates over.
    """

    def __init__(self, world: Any, vm: Any, frame: Frame, loop: Loop, start: int) -> None:
        self.world, self.vm, self.frame, self.loop = world, vm, frame, loop
        self.start, self.exits, self.containers = start, list[Exit](), list[Any]()
        self.base = list(frame.stack)  # as it is before an iteration, or in the first one
        self.level = depth_of(frame.code, loop)  # how many values are on the stack where an iteration begins, and where the loop is left
        self.line = frame.info.decoded.location(frame.code, max(frame.pc - 1, 0)).line
        self.returned = {index: NULL for index, each in enumerate(frame.info.decoded.instructions) if each.name == "RETURN_VALUE"}
        self.owners: dict[int, Any] = {id(frame): frame, id(self.returned): self.returned}
        self.asked: list[Any] = []  # the truths that decided how an iteration ends
        self.paths: dict[Key, str] = {}
        self.supposes = False  # whether an integer that data know was taken to fit into what it is joined with

    @property
    def shown(self) -> str:
        return f"the loop (line {self.line})"

    # Leaves

    def read(self, key: Key) -> Any:
        """The present value of a leaf."""
        if key[1] == STACK:
            return self.frame.stack[key[2]]
        return parts_of(self.owners[key[0]])[key[1]].values[key[2]]

    def put(self, values: dict[Key, Any]) -> None:
        """Set the values of leaves."""
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
        return after or (going is not False and is_read(frame, slot, self.start))

    def is_variable(self, key: Key) -> bool:
        """Whether the leaf may be unbound, for which its readers check."""
        return key[1] == 0 and (key[0] == id(self.frame) or type(self.owners[key[0]]) is CellType)

    def changed(self, before: Snapshot, but_errors: bool = False) -> dict[Key, Any]:
        """The leaves that have changed since a snapshot and may be read, except for the stack.

        ``but_errors``: the error state may differ.
        """
        try:
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
                raise Refused(f"it changes `{change.path}`, which it goes over")
            if len(change.before) != len(change.after):
                raise Refused(f"`{change.path}` changes its attributes")
            for position, (old, new) in enumerate(zip(change.before, change.after, strict=True)):
                if old.kind == "fixed":
                    continue  # has not changed, or `changes` would have raised
                if old.kind == "position":
                    raise Refused(f"it goes on with `{change.path}`, an iterator that exists before")
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
        if place == self.start and successor.divides is None:
            return "start", Ending(True, stack)
        returns = self.frame.info.decoded.instructions[place].name == "RETURN_VALUE" and holds_a_result(stack, self.base)
        if self.loop.has(code, successor.place) or len(stack) > self.level or successor.divides is not None or returns:
            return "on", Ending(None, stack)
        return "out", self.out(left_at(code, successor.place, len(stack)), stack)

    def out(self, left: Exit, stack: list[Any]) -> Ending:
        """The ending of an iteration that leaves the loop."""
        if left not in self.exits:
            self.exits.append(left)
        return Ending(False, stack[: left.depth], self.exits.index(left))

    # Running

    def run(self, divides: Callable[[], None] | None = None) -> Ending:
        """Run to the end of the iteration; ``divides``: called first (`Successor`)."""
        frame, branch = self.frame, None
        outer, then = self.world.iteration, frame.then
        self.world.iteration, frame.then = self, _Leaves(then)
        try:
            if divides is not None:
                divides()
            ending = self._run(divides is not None or frame.pc != self.start)
        except BranchInIteration as raised:
            branch = BranchInIteration(raised.truth, raised.successors)  # without the traceback, which holds what the iteration made
        except ExportError as error:
            self.vm.locate(error)  # where the iteration stands
            raise
        finally:
            self.world.iteration, frame.then = outer, then
        return ending if branch is None else self.branch(branch)

    def _run(self, moved: bool) -> Ending:
        vm, frame, instructions = self.vm, self.frame, self.frame.info.decoded.instructions
        while True:
            if vm.frame is frame:
                name = instructions[frame.pc].name
                if moved and frame.pc == self.start:
                    return Ending(True, due(frame.stack) if instructions[frame.pc - 1].name == "FOR_ITER" else list(frame.stack))
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
            step(vm, vm.frame)

    def branch(self, branch: BranchInIteration) -> Ending:
        """The end of an iteration that a branch decides."""
        self.asked.append(branch.truth.expression)
        successors = {
            side: (*self.leads(successor, successor.prepare(list(self.frame.stack))), successor)
            for side, successor in branch.successors.items()
        }
        (one, first, _), (other, second, _) = successors[True], successors[False]
        if {one, other} == {"start", "out"}:
            begins, ends = (first, second) if one == "start" else (second, first)
            if all(map(same, begins.stack, ends.stack)):
                return Ending(branch.truth if one == "start" else sym_not(branch.truth), begins.stack, ends.left)
        errors = self.world.errors.in_force()
        if len(recorder().regions) > MOST_NESTED:
            raise Refused(f"{MOST_NESTED} branches on data are nested in it: a loop within it ends when the data say so")
        sides = with_states(lambda: {side: self._side(branch.truth, side, *successors[side]) for side in (True, False)})
        if not errors.are_left_alike(sides[True].errors, sides[False].errors):
            raise Refused("one path through it changes how floating-point errors are handled")
        self.world.errors.put_back(sides[True].errors)
        ending = JoinedEnding(self, branch.truth, sides).ending()
        while self.vm.frame is not self.frame:  # the branch stands in a function that the iteration calls
            self.vm.leave(self.vm.frame)
        return ending

    def _side(self, truth: Any, side: bool, kind: str, ending: Ending, successor: Successor) -> Side:
        """Run one path to the end of the iteration; everything is restored."""
        region = LoggingRegion(recorder(), self.shown)
        with snapshot(self.world, self.vm, (self.returned,)) as before:
            try:
                with region:
                    suppose(truth, side)
                    self.frame.stack[:] = ending.stack
                    self.frame.pc = successor.place
                    if kind == "on":
                        begin(self.frame.stack)
                    ending = self.run(successor.divides) if kind == "on" else ending
                    leaves = {key: known(value) for key, value in self.changed(before, True).items()}
                    stack = list(map(known, ending.stack))
                    values = apart(self, before, [*leaves.values(), *stack])
                    leaves, stack = dict(zip(leaves, values, strict=False)), values[len(leaves) :]
                    ending = ending._replace(stack=stack)
                    nodes = {key: nodes_of(value) for key, value in leaves.items()}
                    for position, value in enumerate(ending.stack):
                        nodes[(id(self.frame), STACK, position)] = nodes_of(value)
                    nodes[GOING], nodes[LEFT] = nodes_of(ending.going), nodes_of(ending.left)
                    told, errors = facts(), self.world.errors.in_force()
            finally:
                before.restore()
        return Side(region, ending, leaves, nodes, told, errors)


class Side(NamedTuple):
    """One path to the end of an iteration: the values of leaves that it changed, and the nodes that
    they are made of.
    """

    region: LoggingRegion
    ending: Ending
    leaves: dict[Key, Any]
    nodes: dict[Key, list[Any]]
    facts: Facts
    errors: InForce

    def value(self, key: Key, held: Any) -> Any:
        """The value of a leaf at the end; ``held``: at the beginning."""
        if key[1] != STACK:
            return self.leaves[key] if key in self.leaves else known(held, self.facts)
        return self.ending.stack[key[2]] if key[2] < len(self.ending.stack) else NULL


class JoinedEnding:
    """The end of an iteration to which two paths lead, as results of one ``cond``: the leaves that
    they changed are joined by key, while `Join` joins whole objects.
    """

    def __init__(self, iteration: Iteration, truth: Any, sides: dict[bool, Side]) -> None:
        self.iteration, self.truth, self.sides = iteration, truth, sides
        self.results: dict[bool, list[Any]] = {True: [], False: []}
        self.shapes: dict[Key, Any] = {}
        self.plain: dict[Key, Any] = {}  # numbers of one path that the other does not need
        self.sources: dict[Key, list[Any]] = {}  # the values that are joined

    def ending(self) -> Ending:
        iteration, rec, one, other = self.iteration, recorder(), self.sides[True], self.sides[False]
        self._add(GOING, one.ending.going, other.ending.going, one.ending.going)
        if one.ending.left is not other.ending.left:
            self._add(LEFT, one.ending.left, other.ending.left, one.ending.left)
        for key in dict.fromkeys([*one.leaves, *other.leaves]):
            self._join(key, iteration.read(key))
        depth = max(len(side.ending.stack) for side in (one, other))
        for place in range(depth):
            self._join((id(iteration.frame), STACK, place), NULL)
        memory = dict.fromkeys([*one.region.written, *other.region.written])
        for name, side in self.sides.items():
            self.results[name] += [side.region.written.get(storage) or rec.current(storage, None) for storage in memory]
            side.region.outputs = tuple(self.results[name])
        found = iter(branch(rec, self.truth, one.region, other.region))
        values = {key: replaced(shape, found) for key, shape in self.shapes.items()} | self.plain
        for storage in memory:
            write(storage, next(found))
        going, left = values.pop(GOING), values.pop(LEFT, one.ending.left)
        if not rec.regions:
            self._choose(values)
        joined = [pair for key, value in values.items() for pair in self._sources(key, value)]
        for leaf, parts in joined:
            if type(leaf) is ArrayProxy:
                note_layout(leaf, parts)
        tear([(leaf, memories(parts)) for leaf, parts in joined])
        iteration.put({key: value if key[0] == id(iteration.returned) else made(value) for key, value in values.items() if key[1] != STACK})
        stack = [made(values.get((id(iteration.frame), STACK, place), NULL)) for place in range(depth)]
        return Ending(going, stack, left)

    def _choose(self, values: dict[Key, Any]) -> None:
        """Note the results that are an array of the caller's on one path."""
        rec, regions = recorder(), [self.sides[name].region for name in (True, False)]
        for key, value in values.items():
            sides = [None if side is NULL else aligned(side, value) for side in self.sources[key]]
            for place, leaf in enumerate(flat(value)):
                if type(leaf) is ArrayProxy:
                    found = choice_of([side and side[place] for side in sides], regions, rec.torn)
                    if found is not None:
                        rec.choices[leaf.storage] = self.truth, *found

    def _sources(self, key: Key, value: Any) -> list[tuple[Any, list[Any]]]:
        """The leaves of a result, each with what is joined in it."""
        sides = [aligned(side, value) for side in self.sources[key] if side is not NULL]
        return [(leaf, [side[place] for side in sides]) for place, leaf in enumerate(flat(value))]

    def _join(self, key: Key, held: Any) -> None:
        """Join one leaf; where it is not read, it may be anything of its kind."""
        values = [side.value(key, held) for side in (self.sides[True], self.sides[False])]
        sides = (self.sides[True], self.sides[False])
        reads = [self.iteration.is_read(key, side.ending.going) and (key[1] != STACK or key[2] < len(side.ending.stack)) for side in sides]
        if key[0] == id(self.iteration.returned):  # where nothing is returned, nobody reads it
            reads = [read and value is not NULL for read, value in zip(reads, values, strict=True)]
        one, other = [value if reads[place] else NULL for place, value in enumerate(values)]
        if one is NULL and other is NULL:
            return
        self.sources[key] = [one, other]
        for side, value in zip(sides, (one, other), strict=True):
            if not memories([value]).isdisjoint(side.region.written):
                raise Refused(f"`{self.iteration.paths.get(key, 'a value')}` is in memory that one path through it writes to")
        shape = other if one is NULL else one
        if all(reads):
            path = self.iteration.paths.get(key, "a value of an expression")
            bound = (one is not NULL and other is not NULL) or self.iteration.is_variable(key)
            shape = form_of(one, other, f"`{path}`", alike) if bound else NULL
            if shape is NULL or not begins(self.iteration.world, self.iteration.vm, shape):
                raise Refused(f"`{path}` is {text(one)} on one path through it, and {text(other)} on the other")
        if all(reads) or any(is_value(leaf) and type(leaf) not in NUMBERS for leaf in flat(shape)):
            self._add(key, one, other, shape, reads)
        else:
            self.plain[key] = shape

    def _add(self, key: Key, one: Any, other: Any, shape: Any, reads: Sequence[bool] = (True, True)) -> None:
        self.shapes[key] = shape
        for name, value, read in ((True, one, reads[0]), (False, other, reads[1])):
            nodes = self._nodes(self.sides[name], key, value, shape) if read else fillers(shape)
            self.results[name] += [node for leaf, node in zip(flat(shape), nodes, strict=True) if is_value(leaf)]

    def _nodes(self, side: Side, key: Key, value: Any, shape: Any) -> list[Any]:
        if has_form(value, shape):
            return side.nodes.get(key) or nodes_of(value)
        self.iteration.world.mixes = True
        with side.region:
            return nodes_of(formed(value, shape))


def note_layout(result: ArrayProxy, values: list[Any]) -> None:
    """Note the layout of a result that is one of several values. Raises `Refused`."""
    arrays = [value for value in values if type(value) is ArrayProxy]
    for array in arrays:
        require_c_order(array)
    note_gaps(result, arrays)


def require_c_order(array: Any) -> None:
    """Raises `Refused` unless the array is in C order, for all accepted layouts of inputs."""
    problem = not_in_c_order(recorder().layouts, array) if type(array) is ArrayProxy else None
    if problem is not None:
        raise Refused(f"it carries {problem}")
