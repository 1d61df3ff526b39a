"""Regions: what is recorded while one is open becomes a sub-graph.

Nodes are appended to the graph as usual, so that earlier ones can be used. `Region.cut` takes them
out: what they use of the surrounding graph becomes an operand, found from the structure of the
graph alone. Nothing that refers to a node of a region stays behind: tables of shared nodes, sizes,
facts and views are restored, and earlier memory is either not written to inside, or restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.checkpoints import checkpoint_before
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, GraphModule, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.control import name_of
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.symint import SymBool, python_type
from npexport.tracer.arrays.core.current import Recording, recorder
from npexport.tracer.arrays.core.proxy import ScalarProxy, fresh
from npexport.tracer.arrays.core.tables import Table
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.arrays.memory.model import C_ORDER, SERIALS, Storage

UNFINISHED = object()
"""What a place holds where an exception leaves it at an unknown value: equal to nothing."""
_TABLES = ("_nodes", "constants", "_numbers")


def _node_in(value: Any) -> Any:
    """The node that an entry of a table is about: itself, or the source of a size; or ``None``."""
    found = value[0] if type(value) is tuple and value else value
    return found if type(found) is Node else None


class Region:
    """A sub-graph that is being recorded; ``what`` names it in errors. It is a context manager
    around the run of its function.

    It may be entered again: what is recorded then is appended, and shares the nodes of the first
    time.
    """

    code = "E128"
    logs = False  # whether earlier memory may be written to

    def __init__(self, recorder: Recording, what: str) -> None:
        self.recorder = recorder
        self.what = what
        self.entries: list[Node] = []
        self.nodes: list[Node] = []
        self.outputs: tuple[Any, ...] = ()
        self.watch: Callable[[], list[str]] = list  # the paths of what has been changed outside so far
        self.late: list[str] = []  # the paths of what was changed outside when something in it could raise
        self.handlers: frozenset[Any] = frozenset()  # those of the program that stand around it
        self.unfinished: str | None = None  # the place that an exception in it leaves in a state in which no call begins
        self.carried: set[int] = set()  # the earlier bit generators whose states come in and go out, by identity
        self.inside: list[Any] = []  # truths of the sizes that come in: they decide what raises, and no shape
        self._hoisted: set[Node] = set()
        self._tables: list[Table] = [getattr(recorder, name) for name in _TABLES]
        self._tables += [recorder.sizes._nodes, recorder.sizes._truths, recorder.sizes._sources]
        self._own: list[dict[Any, Any]] = []  # what the tables held of the region when it was left
        self._serial = -1

    def refusal(self, what: str, hint: str | None = None) -> Unsupported:
        return Unsupported(self.code, f"{self.what} {what}", hint=hint)

    def owns(self, storage: Storage) -> bool:
        """Whether the memory was made in the region."""
        return storage.serial >= self._serial and storage.outside is None

    def made(self, symbols: Any) -> bool:
        """Whether one of the symbols stands for a value that is known only inside."""
        return any(name not in self._known for name in symbols)

    def note_write(self, storage: Storage) -> None:
        """Raises ``Unsupported`` (E128) for memory that existed before."""
        if not self.owns(storage):
            raise self.refusal("writes to an array that exists before")

    def note_raising(self, node: Node, changed: list[str]) -> None:
        """A call that may raise was recorded, when this was ``changed`` outside."""
        self.late = self.late or changed

    def is_before(self, bit_generator: Any) -> bool:
        """Whether a bit generator existed before, and the sub-graph does not own its state."""
        return id(bit_generator) in self._generators and id(bit_generator) not in self.carried

    def note_demoted(self, storage: Storage) -> None:
        """The creation of earlier known data belongs to the surrounding graph."""
        if storage.serial < self._serial:
            self._hoisted.add(storage.node)  # type: ignore[arg-type]

    # Entering and leaving

    def __enter__(self) -> Region:
        recorder, session = self.recorder, self.recorder.session
        self._start = len(recorder.graph.nodes)
        if self._serial < 0:
            self._serial, self._generators = next(SERIALS), set(recorder.generators)
            self._known = session.env.symbols.keys() | session.env.names.keys()
        self._drawn, recorder.drawn = recorder.drawn, dict(recorder.drawn)
        env = session.env
        self._marks = [table.mark() for table in self._tables]
        for table, own in zip(self._tables, self._own, strict=False):
            table.update(own)
        self._session = session.progress, dict(session.counts), dict(session.decided)
        self._facts, self._guards, self._derived = env.facts, list(env.guards), recorder.derived
        self._declared, self._symbols = env.declared, set(env.symbols)
        env.facts, env.declared = env.facts.copy(), env.declared.copy()
        session.progress = lambda: None
        self._links: list[Any] = []
        recorder.derived = self._links
        recorder.regions.append(self)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        recorder, session = self.recorder, self.recorder.session
        self.watch = list  # which held what the program may have let go
        recorder.regions.pop()
        recorder.drawn = self._drawn
        nodes = recorder.graph.nodes
        entries = set(self.entries)
        self.nodes += [node for node in nodes[self._start :] if node.op == CALL and node not in self._hoisted]
        inside = entries | set(self.nodes)
        nodes[self._start :] = [node for node in nodes[self._start :] if node not in inside]
        marked = zip(self._tables, self._marks, strict=True)
        self._own = [table.leave(mark, lambda value: _node_in(value) in inside) for table, mark in marked]
        for link in self._links:
            if link.node in inside:
                link.node, link.version = None, -1
            elif self._derived is not None:
                self._derived.append(link)
        recorder.derived = self._derived
        recorder.raising = [(node, done) for node, done in recorder.raising if node not in inside]
        session.progress, session.counts, session.decided = self._session
        self._settle(session.env)
        if kind is None and any(placeholder.storage.node in inside for placeholder in recorder.placeholders):
            raise self.refusal("reads an array that overlaps one that was written to")

    def _settle(self, env: ShapeEnv) -> None:
        """Guards on the sizes of a call are promises of the whole program; guards on what only the
        data know are not checked inside.
        """
        env.facts, env.declared = self._facts, self._declared
        env.know(*env.symbols.keys() - self._symbols)
        for guard in env.guards[len(self._guards) :]:
            if any(name not in env.hints for name in guard.truth.symbols):
                env.guards[:] = self._guards
                raise self.refusal(f"relies on {env.text(guard.truth)}, which only the data know")
            env.facts.assume(guard.truth)

    def keep(self, nodes: list[Node] | None = None) -> None:
        """What was recorded belongs to the surrounding graph after all: all of it, or these nodes,
        which use nothing else of it.
        """
        kept = set(self.nodes if nodes is None else nodes)
        self.recorder.graph.nodes += [node for node in self.nodes if node in kept]
        self.nodes = [node for node in self.nodes if node not in kept]
        for table, own in zip(self._tables, self._own, strict=False):
            table.update({key: value for key, value in own.items() if _node_in(value) in kept})

    # Recording

    def enter(self, value: Any, name: str, ends: tuple[Any, Any] = (-int_oo, int_oo)) -> Any:
        """A value that comes in with every iteration, of the kind of ``value``, as the program sees
        it. ``ends``: bounds of an integer.
        """
        recorder, env = self.recorder, self.recorder.session.env
        kind = python_type(value)
        val = value
        if not isinstance(value, TensorMeta):
            origin = f"{name}, which {self.what} takes"
            makers: dict[Any, Callable[[], Any]] = {
                int: lambda: env.create_unbacked(*ends, origin),
                float: lambda: env.create_unbacked_float(origin),
            }
            val = makers.get(kind, lambda: env.create_unbacked_truth(origin))()
        info = {"val": val, "stack_trace": (), "nn_module_stack": {}}
        node = recorder.graph.placeholder(name, info)
        self.entries.append(node)
        if not isinstance(val, TensorMeta):
            recorder.sizes.bind(val, node)
            return val
        recorder.sizes.learn(node, val)
        return ScalarProxy(val, node) if val.scalar else fresh(Storage(val, node, None, C_ORDER))

    def add_checkpoints(self) -> None:
        """Record what has been written where calls may raise."""

    def free(self) -> list[Node]:
        """What the region uses of the surrounding graph, once each."""
        inside = {*self.entries, *self.nodes}
        found: dict[Node, None] = {}
        results = [leaf for leaf in leaves_of(self.outputs) if type(leaf) is Node]
        for operands in (*[node.all_input_nodes for node in self.nodes], results):
            found.update((operand, None) for operand in operands if operand not in inside)
        return list(found)

    def graph(self, name: str, operands: list[Node]) -> GraphModule:
        """The sub-graph of this name, whose operands are these nodes of the surrounding graph."""
        graph = Graph()
        for node in self.entries:
            graph.append(node)
        inner = {}
        for node in operands:
            info = {"val": node.meta["val"], "stack_trace": (), "nn_module_stack": {}}
            inner[node] = graph.append(Node(node.name, PLACEHOLDER, node.name, (), {}, info))
        for node in self.nodes:
            node.args, node.kwargs = map_nodes((node.args, node.kwargs), lambda operand: inner.get(operand, operand))
            graph.append(node)
        graph.output(map_nodes(self.outputs, lambda operand: inner.get(operand, operand)))
        needed = graph.needed(())
        graph.keep(node for node in graph.nodes if node.op != CALL or node in needed)
        return GraphModule(graph, name)


def left_open(recorder: Recording, conditions: list[Any]) -> list[Any]:
    """Those of the conditions on sizes that are not known to hold at this point."""
    truths = [truth for region in recorder.regions for truth in region.inside]
    if not conditions or not truths:
        return conditions
    facts = recorder.session.env.facts.copy()
    for truth in truths:
        facts.assume(truth)
    return [condition for condition in conditions if facts.decide(condition.expression) is not True]


@contextmanager
def stating(recorder: Recording) -> Iterator[list[Node]]:
    """Around the record of a call in a region or in a ``try``: conditions that NumPy requires of
    sizes that only the data know are not guards. They are checked there, after the call, which
    raises NumPy's error first; and they are only known to what comes after. Yields the nodes of
    these truths.
    """
    env, stated = recorder.session.env, []
    if env.stating is not None:
        yield []
        return
    facts = env.facts

    def state(truth: Any) -> None:
        stated.append(recorder.sizes.node(SymBool(truth, env)))
        env.facts = env.facts.copy()

    env.stating = state
    try:
        yield stated
    except BaseException:
        env.facts = facts
        raise
    finally:
        env.stating = None
    _check(recorder, stated)


def _check(recorder: Recording, stated: list[Node]) -> None:
    for truth in stated:
        recorder.effect(ops.control.check, (truth, name_of(AssertionError), ("the sizes do not fit",)), recorder.stack())


def sub_graphs(recorder: Recording, regions: dict[str, Region]) -> tuple[list[GraphModule], tuple[Any, ...]]:
    """The sub-graphs of one operator, by role, and what they use of the surrounding graph."""
    for region in regions.values():
        region.add_checkpoints()
    operands = list(dict.fromkeys(node for region in regions.values() for node in region.free()))
    number = recorder.sub_graphs
    recorder.sub_graphs += 1
    graphs = {region.graph(f"{role}_{number}", operands): region for role, region in regions.items()}
    recorder.unfinished.update({graph: region.unfinished for graph, region in graphs.items() if region.unfinished is not None})
    return [*graphs], tuple(operands)


def branch(recorder: Recording, truth: Any, one: Region, other: Region) -> list[Any]:
    """The results of a ``cond`` of two sides, the first of which is taken if the truth holds."""
    graphs, operands = sub_graphs(recorder, {"true_graph": one, "false_graph": other})
    try:
        node = recorder.node(ops.control.cond, (truth, *graphs, operands))
    except TypeError as misfit:  # the rule's: no call of the program's is made here
        raise Unsupported("E103", f"a branch depends on data: {misfit}") from None
    return list(recorder.wrap(node))


class Attempt(NamedTuple):
    """A call that may raise one of several exceptions, and what the program knows of that at run
    time. ``stated``: what holds if it does not raise.
    """

    recorder: Recording
    key: Any
    call: tuple[Any, ...]
    stated: list[Node]

    def number(self, errors: tuple[type[Exception], ...]) -> Any:
        """Which of the exceptions the call raises: from 1 on; 0 if it raises none."""
        known = self.recorder.attempts
        if (self.key, errors) not in known:
            known[self.key, errors] = self._asked(ops.control.raised, errors).meta["val"]
        return known[self.key, errors]

    def message(self, errors: tuple[type[Exception], ...]) -> DataText:
        """The message of the one of these exceptions that the call raises."""
        return DataText("str", self.recorder.wrap(self._asked(ops.control.message, errors)))

    def _asked(self, op: Op, errors: tuple[type[Exception], ...]) -> Node:
        region = Region(self.recorder, f"`{self.call[0]}`")
        with region:
            self.recorder.append(*self.call).meta["raises"] = True
            _check(self.recorder, self.stated)
        graphs, operands = sub_graphs(self.recorder, {"try_graph": region})
        names = tuple([name_of(error) or error for error in errors])
        return self.recorder.node(op, (*graphs, names, operands))


class _Saved(NamedTuple):
    """What a storage held before the first write."""

    node: Node | None
    array: Any
    recipe: Any
    ambiguities: list[Any] | None


class LoggingRegion(Region):
    """A region that may write to earlier memory: its writes are logged in ``written``, and undone
    when the region is left.

    ``written``: by storage, the node of its value at the end of the region. The version of a
    storage never goes back, so that no view takes the value of one run for that of another.
    """

    code = "E103"
    logs = True

    def __init__(self, recorder: Recording, what: str) -> None:
        super().__init__(recorder, what)
        self.written: dict[Storage, Node] = {}
        self._before: dict[Storage, _Saved] = {}
        self._raising: dict[Node, dict[Any, Any]] = {}  # what outside arrays hold where a call may raise, by placeholder

    def touched(self) -> set[Storage]:
        """The earlier memory that was written to so far."""
        return set(self._before)

    def note_write(self, storage: Storage) -> None:
        """Save the memory.

        Raises ``Unsupported`` (E103) if other arrays would change with it, or data that NumPy has
        written.
        """
        if self.owns(storage) or storage in self._before:
            return
        if storage.outside is not None and self.recorder.overlaps.of(storage.outside):
            raise self.refusal(f"writes to {storage.outside.path}, which shares memory with another array")
        self._before[storage] = _Saved(storage.node, storage.array, storage.recipe, storage.ambiguities)

    def __enter__(self) -> Region:
        super().__enter__()
        for storage, node in self.written.items():
            self._before[storage] = _Saved(storage.node, storage.array, storage.recipe, storage.ambiguities)
            storage.node, storage.array = node, None
            storage.version += 1
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        for storage, before in self._before.items():
            if storage.node is not None:
                self.written[storage] = storage.node
            storage.node, storage.array, storage.recipe = before[:3]
            noted = [ambiguity for ambiguity in storage.ambiguities or () if ambiguity not in (before.ambiguities or ())]
            storage.ambiguities = [*(before.ambiguities or ()), *noted]  # what a write settled here is open where its node stands
            storage.version += 1
        self._before = {}
        super().__exit__(kind, error, traceback)

    def note_raising(self, node: Node, changed: list[str]) -> None:
        super().note_raising(node, changed)
        if self.recorder.regions[-1] is self:
            now = {storage.outside: storage.node for storage, before in self._before.items() if storage.node is not before.node}
            self._raising[node] = {outside: value for outside, value in now.items() if outside is not None}

    def add_checkpoints(self) -> None:
        nodes, last = [], dict[Any, Any]()
        for node in self.nodes:
            written = self._raising.get(node, last)
            if written != last:
                nodes.append(checkpoint_before(self.recorder.graph, node, (tuple(written.values()),), of=tuple(written)))
                last = written
            nodes.append(node)
        self.nodes = nodes


def holds(truth: Any) -> bool:
    """Whether a truth is known at this point of the program."""
    return known(truth) is True or (type(truth) is SymBool and bool(recorder().regions) and not left_open(recorder(), [truth]))
