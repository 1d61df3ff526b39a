"""What a program has written so far: recorded where a call may raise, and put into the graph as
checkpoints.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from npexport.ir import ops
from npexport.ir.checkpoints import checkpoint_before, is_checkpoint
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.pytree import same_key
from npexport.symshapes.errors import Location
from npexport.tracer.arrays.core.current import Recording, raising_nothing
from npexport.tracer.arrays.core.outputs import origin
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.result_identity import earlier_memories_of, identity_node
from npexport.tracer.arrays.memory.model import Kind, Placeholder, Storage
from npexport.tracer.effects.copiers import places_of
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.replacements import now, takes_its_place
from npexport.tracer.effects.run_options import RunOptions
from npexport.tracer.effects.settled import FILLED, PLACES, filled, is_as_found
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state_places import Place
from npexport.tracer.effects.world import Host, ShadowedWorld


class Run(Host, Protocol):
    """The run of the program whose effects are found; `npexport.tracer.driver.trace.Trace`
    documents it.
    """

    graph: Graph
    options: RunOptions
    changes: Changes
    places: dict[Place, Placeholder]
    lists: dict[int, tuple[str, Any]]
    copies: dict[Any, Any]
    interrupted: dict[tuple[Any, Any], list[bool]]

    @property
    def world(self) -> ShadowedWorld: ...
    def definition(self) -> tuple[Location, ...]: ...


class Mutation(NamedTuple):
    """A piece of state has a new value at the end.

    ``placeholder``: the array of the state; ``None`` if no call reads what an earlier one left.
    ``value``: a number or scalar that its element becomes, or an array that takes its place
    (``rebinds``); otherwise its elements get their values at the end. ``path``: the place's path;
    ``place``: its previous contents.
    """

    placeholder: Any
    value: Any = None
    path: str = ""
    rebinds: bool = False
    place: Place | None = None


class Progress(NamedTuple):
    """The values of outside arrays that were written to, and of those that replaced others, by
    placeholder.

    ``held``: the values of places whose value is state, by path. ``arrays``: the replacing arrays
    themselves. ``others``: all other changes: path, value before and value now. ``changed``: the
    inputs whose shape or flags are not those that the caller passed.
    """

    written: dict[Any, Node]
    rebound: dict[Any, Node]
    held: dict[str, Node]
    arrays: dict[Any, ArrayProxy]
    others: list[tuple[str, Any, Any]]
    changed: list[Any]

    def of(self, mutation: Mutation) -> Node | None:
        """The present value of the state that a mutation writes to; ``None`` if it is unchanged."""
        if mutation.path in self.held:
            return self.held[mutation.path]
        return (self.rebound if mutation.rebinds else self.written).get(mutation.placeholder)


class Left(NamedTuple):
    """What an exception leaves: what has been ``done`` then, ``None`` within a sub-graph; and for
    each open sub-graph the paths of what has ``changed`` outside since it began.
    """

    done: Progress | None
    changed: list[list[str]]

    def nodes(self) -> set[Node]:
        """The nodes of the values."""
        if self.done is None:
            return set()
        arrays = [array.storage.node for array in self.done.arrays.values() if array.storage.node is not None]
        return {*self.done.written.values(), *self.done.rebound.values(), *self.done.held.values(), *arrays}

    def is_like(self, other: Left) -> bool:
        """Whether both are the same. No value of the program is asked whether it equals another."""
        if self.changed != other.changed or (self.done is None) != (other.done is None):
            return False
        pairs: Any = zip(self.done or (), other.done or (), strict=True)
        return all(len(mine) == len(theirs) and all(map(_is, _items(mine), _items(theirs))) for mine, theirs in pairs)


def _items(entries: Any) -> Iterator[Any]:
    return itertools.chain.from_iterable(entries.items()) if isinstance(entries, dict) else iter(entries)


def _is(mine: Any, theirs: Any) -> bool:
    if type(mine) is tuple and type(theirs) is tuple:
        return len(mine) == len(theirs) and all(map(_is, mine, theirs))
    if type(mine) is Node and type(theirs) is Node and mine.target is theirs.target and len(mine.args) == len(theirs.args):
        return all(map(operator.is_, mine.args, theirs.args))  # two copies of a number that is state are one value
    return mine is theirs or (type(mine) is type(theirs) and type(mine) in ATOMS and same_key(mine, theirs))


NOTHING_DONE = Progress({}, {}, {}, {}, [], [])


def progress(trace: Run) -> Progress:
    """What has been written so far; the trace is not changed."""
    recorder, shadows = trace.recorder, trace.world.shadows
    written: dict[Any, Any] = {p: p.storage.node for p in recorder.placeholders if p.mutated and p.kind in (Kind.INPUT, Kind.STATE)}
    changed = [(path, _found(shadows, path, old), new) for path, old, new in trace.changes.now()]
    replaced = [
        (shadows.shadow_of(old).storage.outside, new)
        for _, old, new in changed
        if isinstance(old, np.ndarray) and type(new) is ArrayProxy and _was_lifted(shadows.shadow_of(old), new)
    ]
    with raising_nothing(recorder):
        parts = list(_parts(changed))
    arrays = _Arrays(trace, written)
    rebound = {placeholder: arrays.node(array) for placeholder, array in replaced}
    taken = dict(replaced)
    taken |= {trace.places[place]: new for _, place, new in parts if place in trace.places and type(new) is ArrayProxy}
    reshaped = [placeholder for placeholder, _ in recorder.overlaps.changed_now()]
    others = [change for change in changed if not _is_state(shadows, *change)]
    others += trace.world.outside.now()
    return Progress(written, rebound, dict(_held(recorder, parts, arrays)), taken, others, reshaped)


def _found(shadows: Shadows, path: str, old: Any) -> Any:
    """What a call finds at a place: if the first call finds no array, the state of later calls."""
    return shadows.settled.places.get(path, old)


def _is_state(shadows: Shadows, path: str, old: Any, new: Any) -> bool:
    """Whether a change is of a value that is state, or of the container around such values."""
    if type(old) in PLACES:
        return bool(old.takes(new))
    if isinstance(old, np.ndarray):
        return type(new) is ArrayProxy and _was_lifted(shadows.shadow_of(old), new)
    return takes_its_place(shadows, old, new) and shadows.only_name(old, path)


def _held(recorder: Recording, parts: list[tuple[str, Place, Any]], arrays: _Arrays) -> Iterator[tuple[str, Node]]:
    """Path and value of the places whose value is state and has changed."""
    for path, place, new in parts:
        yield path, arrays.node(new) if type(new) is ArrayProxy else place.node(recorder, new)


def _parts(changed: list[tuple[str, Any, Any]]) -> Iterator[tuple[str, Place, Any]]:
    """Path, place and new value of the state that has changed."""
    for path, old, new in changed:
        if type(old) in PLACES and old.takes(new):
            yield from old.parts(path, new)


class Changes:
    """The places of the exported object with another value now.

    They are walked again if a container was changed since.
    """

    def __init__(self, shadows: Shadows) -> None:
        self._shadows = shadows
        self._contents: list[tuple[Any, list[str], list[Any]]] = []
        self._entries = -1
        self._found: list[tuple[str, Any, Any]] = []

    def now(self) -> list[tuple[str, Any, Any]]:
        """Path, value before and value now."""
        entries = len(self._shadows.entries)
        if entries != self._entries or not all(_holds(*contents) for contents in self._contents):
            containers = list(now(self._shadows))
            self._contents = [(container.shadow, *_contents(container.shadow)) for container in containers]
            self._entries = entries
            self._found = [
                (path, old, new)
                for container in containers
                for path, old, new in [*container.places(), *container.absent()]
                if new is not old and (new is not self._shadows.shadow_of(old) or not is_as_found(old, new))
            ]
        return self._found


def _contents(container: Any) -> tuple[list[str], list[Any]]:
    """What a container holds: names and values, and what lists hold that are state."""
    pairs = list(places_of(container))
    lists: list[Any] = [filled(value) for _, value in pairs if type(value) in FILLED]
    inside = [part for each in lists for part in (each.columns, each.length)]
    return [name for name, _ in pairs], [value for _, value in pairs] + inside


def _holds(container: Any, names: list[str], values: list[Any]) -> bool:
    """Whether a container holds just these values."""
    names_now, values_now = _contents(container)
    return names_now == names and all(map(operator.is_, values_now, values))


def _was_lifted(before: Any, after: ArrayProxy) -> bool:
    return type(before) is ArrayProxy and before is not after and before.storage.outside is not None


class _Arrays:
    """The nodes of arrays that replace others; memory is one array's, known data stay known."""

    def __init__(self, trace: Run, written: dict[Any, Node]) -> None:
        self._recorder = trace.recorder
        self._copies = trace.copies
        self._owners: dict[Node, Storage] = {node: placeholder.storage for placeholder, node in written.items()}

    def node(self, array: ArrayProxy) -> Node:
        """The node of the present value: a view that was made before raises nothing now."""
        node = self._whole(array.storage)
        with raising_nothing(self._recorder):
            for step in array.link.chain() if array.link is not None else ():
                node = self._recorder.node(step.op, (node, *step.args), step.kwargs)
        return node

    def _whole(self, storage: Storage) -> Node:
        """The whole memory, or the earlier memory that it is, depending on the data."""
        own = self._own(storage)
        if not any(memory.outside is not None for memory in earlier_memories_of(self._recorder, storage)):
            return own
        return identity_node(self._recorder, storage, own, self.node)

    def _own(self, storage: Storage) -> Node:
        if storage.array is not None:
            return self._copy(storage, self._recorder.constant(storage.array, storage.recipe))
        if storage.node is None:
            self._recorder.materialize(storage)
        node: Node = storage.node  # type: ignore[assignment]
        where = origin(node)
        if storage.outside is not None or (where.op == CALL and self._owners.setdefault(where, storage) is storage):
            return node
        return self._copy(storage, node)

    def _copy(self, storage: Storage, node: Node) -> Node:
        key = storage, storage.version, node
        if key not in self._copies:
            self._copies[key] = self._recorder.again(ops.np.copy, node)
        return self._copies[key]  # type: ignore[no-any-return]


def put_back(trace: Run, mutations: list[Mutation]) -> list[Mutation]:
    """The arrays of the state that others replaced where a call may raise, and that are in their
    places again at the end.
    """
    others = {placeholder for _, done in trace.recorder.raising for placeholder in done.rebound}
    others -= {mutation.placeholder for mutation in mutations if mutation.rebinds}
    shadows = trace.world.shadows
    for path, old, _ in [place for entry in now(shadows) for place in entry.places()] if others else ():
        if path in shadows.settled.places and isinstance(old, np.ndarray):  # holds state of another kind at the end
            others.discard(shadows.shadow_of(old).storage.outside)
    return [
        Mutation(placeholder, shadows.shadow_of(placeholder.array), rebinds=True)
        for placeholder in trace.recorder.placeholders
        if placeholder in others
    ]


def add_checkpoints(graph: Graph, raising: list[tuple[Node, Progress]], mutations: list[Any]) -> None:
    """Insert a checkpoint before every call that may raise with other state than the one before;
    those of sub-graphs, which name what they are about, get the places of these mutations.
    """
    found: dict[Node, Node] = {}
    last: tuple[Any, ...] = (None,) * len(mutations)
    for node, done in raising:
        if "raises" not in node.meta:  # the program does not call it
            continue
        values = tuple(map(done.of, mutations))
        if values != last:
            found[node] = checkpoint_before(graph, node, (values,))
            last = values
    graph.keep(each for node in graph.nodes for each in ((found[node], node) if node in found else (node,)))
    places = [None if mutation.rebinds else mutation.placeholder for mutation in mutations]
    for each in [each for module in graph.sub_graphs() for each in module.graph.all_graphs()]:
        for node in filter(is_checkpoint, each.nodes):
            written = dict(zip(node.meta.pop("of"), node.args[0], strict=True))
            node.args = (tuple(map(written.get, places)),)
