"""How the iterations of a loop on data end, and how the ends of two paths are joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary, WeakSet

from npexport.ir.ops.control_flow import NUMBERS, alike
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion, branch
from npexport.tracer.arrays.core.result_identity import Ways, choice_of, joined_ways
from npexport.tracer.arrays.memory.layout_guards import Layouts, not_in_c_order, note_gaps
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.leaves import aligned, flat, form_of, formed, has_form, is_value, made, text, with_views
from npexport.tracer.control.refusals import Refused
from npexport.tracer.control.results import fillers, mark_aliases, memories, nodes_of, replaced, write
from npexport.tracer.control.symbolic_unions import Facts, begins, known
from npexport.tracer.effects.error_states import InForce
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import NULL, Frame, Machine

Key = tuple[int, int, int]
"""A leaf: the identity of its holder, the index of the part, and the index in the part."""
STACK = -1
"""The index of the part that is the stack of the loop's frame."""
GOING: Key = (0, 0, 0)
"""Whether the loop goes on."""
LEFT: Key = (0, 0, 1)
"""The number of the exit by which it is left."""
SAME: Key = (0, 0, 2)
"""Which carries are earlier arrays."""


class Ending(NamedTuple):
    """How an iteration ends. ``going``: whether there is another. ``stack``: that of the next
    iteration, or after the loop.

    ``left``: the number of the exit, if the loop is left.
    """

    going: Any
    stack: list[Any]
    left: Any = 0


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


Places = tuple[Any, WeakSet[Storage]]
"""What is known of a result of an ending: the mark of the ending, and the memories that the paths
to it have for the result. Memory that nobody else holds is gone.
"""


class Holding(Protocol):
    """An iteration, or a side of a branch, for the search of what holds a container."""

    world: ShadowedWorld
    vm: Machine
    frame: Frame

    def is_read(self, key: Key) -> bool: ...
    def fills(self, grown: FilledList) -> bool: ...


class Iterated(Holding, Protocol):
    """An iteration, for what is said of its end: `npexport.tracer.control.iterations.Iteration`
    documents it.
    """

    recorder: Recording
    region: Any
    owners: dict[int, Any]
    paths: dict[Key, str]
    carries: dict[Key, Any]
    returned: dict[int, Any]
    at_exits: dict[Storage, set[Storage]]
    places: WeakKeyDictionary[Storage, Places]
    mixed: bool

    def read(self, key: Key) -> Any: ...
    def seen(self, key: Key, value: Any) -> Any: ...
    def put(self, values: dict[Key, Any]) -> None: ...
    def is_read(self, key: Key, going: Any = None) -> bool: ...
    def is_variable(self, key: Key) -> bool: ...
    def outlives(self, leaf: Any) -> bool: ...
    def lasting(self, values: Any) -> set[Storage]: ...


class JoinedEnding:
    """The end of an iteration to which two paths lead, as results of one ``cond``: the leaves that
    they changed are joined by key, while `Join` joins whole objects.
    """

    def __init__(self, iteration: Iterated, truth: Any, sides: dict[bool, Side]) -> None:
        self.iteration, self.truth, self.sides = iteration, truth, sides
        self.results: dict[bool, list[Any]] = {True: [], False: []}
        self.shapes: dict[Key, Any] = {}
        self.plain: dict[Key, Any] = {}  # numbers of one path that the other does not need
        self.sources: dict[Key, list[Any]] = {}  # the values that are joined
        self._ways: dict[tuple[Key, int], tuple[Ways, Ways]] = {}  # by place: what each path says that the result is

    def ending(self) -> Ending:
        """The end of both paths. Raises `Refused` before anything is recorded."""
        iteration, rec, one, other = self.iteration, self.iteration.recorder, self.sides[True], self.sides[False]
        if one.ending.going is not other.ending.going:
            self._add(GOING, one.ending.going, other.ending.going, one.ending.going)
        if one.ending.left is not other.ending.left:
            self._add(LEFT, one.ending.left, other.ending.left, one.ending.left)
        for key in dict.fromkeys([*one.leaves, *other.leaves]):
            self._join(key, iteration.read(key))
        depth = max(len(side.ending.stack) for side in (one, other))
        for place in range(depth):
            self._join((id(iteration.frame), STACK, place), NULL)
        for key, shape in self.shapes.items():
            for _, parts in self._sources(key, shape) if key in self.sources else ():
                for part in parts:
                    require_c_order(rec.layouts, part)
        memory = dict.fromkeys([*one.region.written, *other.region.written])
        for name, side in self.sides.items():
            self.results[name] += [side.region.written.get(storage) or rec.current(storage, None) for storage in memory]
        self._note_ways()
        for name, side in self.sides.items():
            side.region.outputs = tuple(self.results[name])
        found = iter(branch(rec, self.truth, one.region, other.region))
        values = {key: replaced(shape, found) for key, shape in self.shapes.items()} | self.plain
        for storage in memory:
            write(storage, next(found))
        going, left = values.pop(GOING, one.ending.going), values.pop(LEFT, one.ending.left)
        self._choose(values, found)
        joined = [pair for key, value in values.items() for pair in self._sources(key, value)]
        for leaf, parts in joined:
            if type(leaf) is ArrayProxy:
                note_gaps(leaf, [part for part in parts if type(part) is ArrayProxy])
        mark_aliases(self.iteration.recorder, [(leaf, memories(self.iteration.recorder, parts)) for leaf, parts in joined])
        self._note_exits(values)
        iteration.put({key: value for key, value in values.items() if key[1] != STACK})
        stack = [made(values.get((id(iteration.frame), STACK, place), NULL)) for place in range(depth)]
        return Ending(going, stack, left)

    def _note_exits(self, values: dict[Key, Any]) -> None:
        """Tell memories that results are in before another iteration from those after the loop."""
        goings = [self.sides[name].ending.going for name in (True, False)]
        carried = {leaf.storage for key in values.keys() & self.iteration.carries.keys() for leaf in _arrays(values[key])}
        # each of these is what its path has: another of them only if that is so there
        mark = object()
        self.iteration.places |= {leaf.storage: (mark, WeakSet()) for value in values.values() for leaf in _arrays(value)}
        self.iteration.mixed |= not (self._has_apart(values, 0) and self._has_apart(values, 1))
        for key, value in values.items():
            going = [side for side, goes in zip(self.sources[key], goings, strict=True) if goes is not False and side is not NULL]
            sides = [aligned(side, value) for side in going]
            for place, leaf in enumerate(flat(value)):
                if type(leaf) is ArrayProxy:
                    lasting = self.iteration.lasting([side[place] for side in sides]) - carried
                    self.iteration.at_exits[leaf.storage] = memories(self.iteration.recorder, [leaf]) - lasting - {leaf.storage}

    def _has_apart(self, values: dict[Key, Any], path: int) -> bool:
        """Whether every array that a path leaves has its memory for itself, which the iteration
        owns.
        """
        iteration, found = self.iteration, list[tuple[Storage, Any, WeakSet[Storage]]]()
        region = iteration.region or self.sides[path == 0].region  # before a loop, only what the path has made is its own
        for key in {**values, **iteration.carries}:
            left, joined = _arrays(self._left(values, key, path)), _arrays(values.get(key, NULL))
            if left and key in values and len(left) != len(joined):
                return False
            for place, leaf in enumerate(left):
                storage, (of, memory) = leaf.storage, self._places(leaf)
                apart = all(one is not storage and (each is of or memory.isdisjoint(other)) for one, each, other in found)
                if leaf.link is not None or not (apart and all(map(region.owns, memory))):
                    return False
                found.append((storage, of, memory))
                if key in values:
                    iteration.places[joined[place].storage][1].update(memory)
        return True

    def _left(self, values: dict[Key, Any], key: Key, path: int) -> Any:
        """What a path leaves at a place."""
        if key in values:
            return self.sources[key][path]
        stack = self.sides[path == 0].ending.stack
        if key[1] == STACK:
            return stack[key[2]] if key[2] < len(stack) else NULL
        return self.iteration.read(key)

    def _places(self, array: ArrayProxy) -> Places:
        """The memories that the paths to this one have for an array; and the mark of the ending of
        which it is a result, or its memory: the results of one ending are apart on its paths.
        """
        places, storage = self.iteration.places, array.storage
        known: Places | None = places.get(storage)
        return known or (storage, WeakSet([each for each in memories(self.iteration.recorder, [array]) if each not in places]))

    def _note_ways(self) -> None:
        """Note what results are on each path that may be earlier arrays. Truths that only one path
        knows become results themselves.
        """
        regions = [self.sides[name].region for name in (True, False)]
        for key, shape in self.shapes.items():
            sides = [None if side is NULL else aligned(side, shape) for side in self.sources.get(key, ())]
            for place, leaf in enumerate(flat(shape)) if sides else ():
                values = [side and side[place] for side in sides]
                if type(leaf) is not ArrayProxy or any(type(value) not in (ArrayProxy, type(None)) for value in values):
                    continue
                found = choice_of(values, regions, self.iteration.recorder.may_alias)
                if found is not None and (
                    all(len(ways) == 1 for ways in found) or any(side and side.lasts for ways in found for _, side in ways)
                ):
                    self._ways[key, place] = found[0], found[1]
                    self._add_truths(True, found[0])
                    self._add_truths(False, found[1])

    def _add_truths(self, name: bool, ways: Ways) -> None:
        with self.sides[name].region:
            truths = [self.iteration.recorder.argument(truth) for truth, _ in ways if truth is not True]
        self.results[name] += truths
        self.results[not name] += [False] * len(truths)

    def _choose(self, values: dict[Key, Any], truths: Iterator[Any]) -> None:
        """Note the results that are an earlier array on one path."""
        for (key, place), sides in self._ways.items():
            one, other = [tuple([(truth if truth is True else next(truths), side) for truth, side in ways]) for ways in sides]
            self.iteration.recorder.choices[flat(values[key])[place].storage] = joined_ways(self.truth, one, other)

    def _sources(self, key: Key, value: Any) -> list[tuple[Any, list[Any]]]:
        """The leaves of a result, each with what is joined in it."""
        sides = [aligned(side, value) for side in self.sources[key] if side is not NULL]
        return [(leaf, [side[place] for side in sides]) for place, leaf in enumerate(flat(value))]

    def _join(self, key: Key, held: Any) -> None:
        """Join one leaf; where it is not read, it may be anything of its kind."""
        values = [self.iteration.seen(key, side.value(key, held)) for side in (self.sides[True], self.sides[False])]
        sides = (self.sides[True], self.sides[False])
        reads = [self.iteration.is_read(key, side.ending.going) and (key[1] != STACK or key[2] < len(side.ending.stack)) for side in sides]
        if key[0] == id(self.iteration.returned):  # where nothing is returned, nobody reads it
            reads = [read and value is not NULL for read, value in zip(reads, values, strict=True)]
        one, other = [value if reads[place] else NULL for place, value in enumerate(values)]
        if one is NULL and other is NULL:
            if any(reads) and key[1] != STACK and self.iteration.is_variable(key):  # neither path leaves it bound
                self.sources[key], self.plain[key] = [NULL, NULL], NULL
            return
        if all(reads):
            one, other = self._with_views(True, key, one, other), self._with_views(False, key, other, one)
        self.sources[key] = [one, other]
        shape = other if one is NULL else one
        if all(reads):
            path = self.iteration.paths.get(key, "a value of an expression")
            bound = (one is not NULL and other is not NULL) or self.iteration.is_variable(key)
            shape = form_of(one, other, f"`{path}`", alike, self.iteration.outlives) if bound else NULL
            if shape is NULL or not begins(self.iteration.world, self.iteration.vm, shape):
                second = f"another {type(other).__name__}" if text(one) == text(other) else text(other)
                raise Refused(f"`{path}` is {text(one)} on one path through it, and {second} on the other")
        if all(reads) or any(is_value(leaf) and type(leaf) not in NUMBERS for leaf in flat(shape)):
            self._add(key, one, other, shape, reads)
        else:
            self.plain[key] = shape

    def _with_views(self, name: bool, key: Key, value: Any, beside: Any) -> Any:
        """`with_views` of what a path leaves."""
        found, side = with_views(value, beside), self.sides[name]
        if found is not value:
            with side.region:
                side.nodes[key] = nodes_of(self.iteration.recorder, found)
        return found

    def _add(self, key: Key, one: Any, other: Any, shape: Any, reads: Sequence[bool] = (True, True)) -> None:
        self.shapes[key] = shape
        for name, value, read in ((True, one, reads[0]), (False, other, reads[1])):
            nodes = self._nodes(self.sides[name], key, value, shape) if read else fillers(self.iteration.recorder, shape)
            self.results[name] += [node for leaf, node in zip(flat(shape), nodes, strict=True) if is_value(leaf)]

    def _nodes(self, side: Side, key: Key, value: Any, shape: Any) -> list[Any]:
        if key in side.nodes and has_form(value, shape):
            return side.nodes[key]
        if any(type(leaf) is ArrayProxy and leaf.storage in side.region.written for leaf in flat(value)):  # here it is as it was before
            raise Refused(f"`{self.iteration.paths.get(key, 'a value')}` is in memory that one path through it writes to")
        if has_form(value, shape):
            return nodes_of(self.iteration.recorder, value)
        self.iteration.world.mixes = True
        with side.region:
            return nodes_of(self.iteration.recorder, formed(value, shape))


def _arrays(value: Any) -> list[ArrayProxy]:
    return [leaf for leaf in flat(value) if type(leaf) is ArrayProxy] if value is not NULL else []


def require_c_order(layouts: Layouts, array: Any) -> None:
    """Raises `Refused` unless the array is in C order, for all accepted layouts of inputs."""
    problem = not_in_c_order(layouts, array) if type(array) is ArrayProxy else None
    if problem is not None:
        raise Refused(f"it carries {problem}", hint=_IN_C_ORDER)


_IN_C_ORDER = "Carry it in C order: x = np.ascontiguousarray(x) before the loop, and of what an iteration leaves."
