"""The graph: straight-line SSA of three kinds of node.

Grammar::

    graph ::= placeholder* call_function* output
    node  ::= name, op, target, args, kwargs, meta

``meta`` keys: ``val`` (``TensorMeta``, a symbolic or plain scalar, or a tuple or list of those; of
the output always the tuple of its operands' values),
``stack_trace`` (locations, innermost last), ``nn_module_stack`` (dotted path -> class name,
outermost first), ``raises`` (true of a call that raises for some data or sizes: it is kept where
nobody uses its value, and what is written before it is written where it raises), ``errors`` (the
error state that the program set for a call: `npexport.ir.error_states`).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from npexport.ir.arguments import is_changeable, map_leaves
from npexport.ir.meta import TensorMeta
from npexport.ir.node import CALL, OUTPUT, PLACEHOLDER, Node, SubGraph, editing, is_name, map_nodes, sub_graphs
from npexport.ir.op import Op
from npexport.ir.printing import graph_code, graph_listing, graph_module_code
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import Kind, require

__all__ = ["CALL", "OUTPUT", "PLACEHOLDER", "Graph", "GraphModule", "Node", "is_name", "map_nodes", "replace_nodes"]


_SOUGHT = (None, PLACEHOLDER, CALL, OUTPUT, "get_attr", "call_module", "call_method")
"""Kinds of nodes that are looked for; of those of ``torch.fx``, the last ones, there are none."""
_TARGET = Kind(lambda value: value is None or isinstance(value, (Op, str)), "an operator", "Name one of npexport.ops, such as ops.np.sin.")
_BETWEEN = 1 << 64
"""How far the numbers of neighbours are apart: so often one spot can be halved."""
_PLACE = attrgetter("place")


def _shown(value: Any, text: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, TensorMeta):
        for axis, size in enumerate(value.shape):
            yield from _shown(size, f"{text}.shape[{axis}]")
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from _shown(item, f"{text}[{index}]")
    elif getattr(getattr(value, "expression", None), "is_symbol", False):
        yield str(value.expression), text


def replace_nodes(graph: Graph, replacements: dict[Node, Any]) -> None:
    """Replace these nodes by other nodes or values, and drop them."""
    for node in graph.nodes:
        node.args, node.kwargs = map_nodes((node.args, node.kwargs), lambda operand: replacements.get(operand, operand))
    graph.keep(node for node in graph.nodes if node not in replacements)


def environments_in(values: Iterable[Any]) -> list[Any]:
    """The shape environments of the symbolic sizes in the values of nodes."""
    found: dict[int, Any] = {}
    pending = [*values]
    while pending:
        value: Any = pending.pop()
        if isinstance(value, TensorMeta):
            pending += [size for size in value.shape if type(size) is not int]
        elif isinstance(value, (tuple, list)):
            pending += value
        elif hasattr(value, "env"):
            found.setdefault(id(value.env), value.env)
    return list(found.values())


class _Row(NamedTuple):
    """Represents a node while a graph is copied or pickled."""

    number: int


class InsertPoint:
    """Where new calls go: from now on, or, as a context manager, until it is left."""

    def __init__(self, graph: Graph, place: tuple[Node, int]) -> None:
        if not isinstance(place[0], Node) or place[0].graph is not graph:
            raise UserError("E243", f"{place[0]!r} is not a node of this graph", hint="Take one of graph.nodes.")
        self._graph = graph
        self._before = graph.place
        graph.place = place

    def __enter__(self) -> InsertPoint:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._graph.place = self._before


class Graph:
    """A list of nodes in execution order, each with a name of its own.

    Passes edit it with `find_nodes`, `inserting_before`, `inserting_after`, `call_function`,
    `erase_node` and ``Node.replace_all_uses_with``. What would break the graph is refused
    (``UserError``, E243).

    Attributes
    ----------
    nodes : list of Node
        Placeholders, calls, the output.
    place : tuple, optional
        The node beside which `call_function` inserts, and how far behind it.
    signature : ExportGraphSignature, optional
        That of the program, which names its nodes: `Node.replace_all_uses_with` keeps it true.
    asked : frozenset of str
        The sizes that guards of the program are about, of those that only data decide.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> graph = npexport.export(lambda x: np.sin(x) + 1, (np.zeros(3),)).graph
    >>> [node.name for node in graph.nodes]
    ['x', 'sin', 'add', 'output']
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.place: tuple[Node, int] | None = None
        self.signature: Any = None
        self.asked: frozenset[str] = frozenset()
        self.settled = False  # whether nobody changes lists and dicts in arguments for now
        self._taken: dict[str, int] = {OUTPUT: 0}  # the last node's name
        self._changeable: dict[Node, None] = {}  # those with lists and dicts in their arguments, and some that have left

    def fresh_name(self, base: str) -> str:
        """``base`` made an identifier, with a number if it is taken: ``add``, ``add_1``, …"""
        if base not in self._taken and not is_name(base):
            base = "".join(character if f"_{character}".isidentifier() else "_" for character in unicodedata.normalize("NFKC", base))
            base = base if is_name(base) else f"_{base}"
        count = self._taken.get(base)
        if count is None:
            self._taken[base] = 0
            return base
        while True:
            count += 1
            name = f"{base}_{count}"
            if name not in self._taken:
                self._taken[base] = count
                self._taken[name] = 0
                return name

    def placeholder(self, name: str, meta: dict[str, Any]) -> Node:
        """Append a placeholder."""
        name = self.fresh_name(name)
        return self.append(Node(name, PLACEHOLDER, name, (), {}, meta))

    def record(self, target: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: dict[str, Any]) -> Node:
        """Append a call that is in canonical form and whose value is known. The node is named after
        the operator.
        """
        return self.append(Node(self.fresh_name(target.name), CALL, target, args, kwargs, meta))

    def call_function(
        self, target: Op, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, meta: dict[str, Any] | None = None
    ) -> Node:
        """Insert a call of an operator where `inserting_before` or `inserting_after` say, else
        after all calls.

        Parameters
        ----------
        target : Op
            The operator.
        args : tuple, optional
            Nodes that stand before, plain values, and containers of them.
        kwargs : dict of str, optional
            The same by keyword.
        meta : dict, optional
            Entries of the node's ``meta``. Without it the value is what the operator's rule says,
            the source that of the node beside which the call is inserted.

        Returns
        -------
        Node
            The call.

        Raises
        ------
        UserError
            The operator takes no such arguments, or an operand does not stand before (E243).

        Examples
        --------
        >>> import numpy as np, npexport
        >>> program = npexport.export(np.sin, (np.zeros(3, np.float32),))
        >>> graph = program.graph
        >>> print(graph.call_function(npexport.ops.np.exp, (graph.nodes[0],)).meta["val"])
        f32[3]
        """
        return editing().call(self, target, args, kwargs or {}, meta)  # type: ignore[no-any-return]

    def inserting_before(self, node: Node) -> InsertPoint:
        """Insert new calls before a node: until the end of a ``with`` block, or without one from
        now on.
        """
        return InsertPoint(self, (node, 0))

    def inserting_after(self, node: Node) -> InsertPoint:
        """Insert new calls after a node, in the order in which they are made; after an input, they
        stand after all inputs.
        """
        return InsertPoint(self, (node, 1))

    def insert(self, index: int, node: Node) -> Node:
        """Insert an existing node; the next one comes after it."""
        self._taken.setdefault(node.name, 0)
        node.graph = self
        self.nodes.insert(index, node)
        self.watch(node)
        if 0 < index < len(self.nodes) - 1:
            node.place = (self.nodes[index - 1].place + self.nodes[index + 1].place) // 2
        if self.place is not None and self.place[1]:
            self.place = (node, 1)
        return node

    def find_nodes(self, *, op: str | None = None, target: Op | str | None = None) -> list[Node]:
        """The nodes of a kind (``"placeholder"``, ``"call_function"``, ``"output"``), or of a
        target, in order.

        >>> import numpy as np, npexport
        >>> program = npexport.export(lambda x: np.sin(np.sin(x)), (np.zeros(3),))
        >>> program.graph.find_nodes(op="call_function", target=npexport.ops.np.sin)
        [sin, sin_1]
        """
        if op not in _SOUGHT:
            hint = f'Pass "{PLACEHOLDER}", "{CALL}" or "{OUTPUT}".'
            raise UserError("E201", f"op is {op!r}, which is not a kind of node", hint=hint)
        require("target", target, _TARGET)
        return [node for node in self.nodes if op in (None, node.op) and (target is None or node.target == target)]

    def erase_node(self, node: Node) -> None:
        """Remove a node. Raises ``UserError`` (E243) if others use it."""
        editing().erase(self, node)

    def lint(self) -> None:
        """Check the laws of graphs; what a program promises beside, its ``validate`` checks.

        Raises ``InternalError`` (E902), which names the law and shows the neighbourhood of the
        node.
        """
        self.refresh()
        editing().lint(self)

    def refresh_users(self) -> None:
        """Take note of lists and dicts in the arguments of nodes that were changed in place."""
        for node in [*self._changeable] if not self.settled else ():
            if self.position(node) is None:
                del self._changeable[node]
            else:
                node.refresh()

    def refresh(self) -> None:
        """The same in sub-graphs too."""
        self.refresh_users()
        for module in self.sub_graphs():
            module.graph.refresh()

    def eliminate_dead_code(self) -> bool:
        """Drop the calls that neither an output nor a guard needs and that never raise; whether
        there were any.
        """
        self.refresh()
        needed = self.needed(self.asked)
        dead = [node for node in self.nodes if node.op == CALL and node not in needed]
        self.keep([node for node in self.nodes if node.op != CALL or node in needed])
        return bool(dead)

    def output(self, values: tuple[Any, ...]) -> Node:
        """Append the output node; ``args[0]`` is the tuple of the values."""
        return self.append(Node("output", OUTPUT, "output", (values,), {}, {}))

    def append(self, node: Node) -> Node:
        """Append an existing node; its name counts as taken."""
        self._taken.setdefault(node.name, 0)
        node.graph = self
        self.nodes.append(node)
        self.watch(node)
        return node

    def watch(self, node: Node) -> None:
        """Remember a node whose arguments can be changed in place."""
        if is_changeable(node.args) or node.kwargs:
            self._changeable[node] = None

    def position(self, node: Node) -> int | None:
        """Where a node stands in `nodes`; ``None`` where it does not.

        The numbers of nodes rise along `nodes` as long as they are put in one by one, and then tell
        where to look; where they do not, all are numbered anew.
        """
        for _ in range(2):
            index = bisect_left(self.nodes, node.place, key=_PLACE)
            if index < len(self.nodes) and self.nodes[index] is node:
                return index
            for index, each in enumerate(self.nodes):
                each.place = index * _BETWEEN
        return None

    def drop(self, index: int) -> None:
        """Remove the node at a place, which nothing uses."""
        node = self.nodes.pop(index)
        node.release()
        self._changeable.pop(node, None)

    def keep(self, nodes: Iterable[Node]) -> None:
        """Make these the nodes of the graph, in this order; all others no longer use anything."""
        kept = dict.fromkeys(nodes)
        for node in set(self.nodes).difference(kept):
            node.release()
        self._changeable = {node: None for node in self._changeable if node in kept}
        for node in kept:
            if node.graph is not self:
                node.graph = self
                self.watch(node)
            node.users = {user: None for user in node.users if user in kept}
        for node in kept:
            node.claim()
        self.nodes[:] = kept

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.nodes if node.op == PLACEHOLDER]

    @property
    def output_node(self) -> Node:
        return self.nodes[-1]

    def run(self, *inputs: Any) -> tuple[Any, ...]:
        """Interpret the graph, one operator after the other: a value for every placeholder in, the
        tuple of outputs out.

        This is the meaning of a graph; the compiled form is held to it. Raises ``TypeError`` for a
        wrong number of inputs.
        """
        placeholders = self.placeholders
        if len(inputs) != len(placeholders):
            raise TypeError(f"the graph has {len(placeholders)} inputs, {len(inputs)} came")
        return interpreted(self, inputs, computed)

    def needed(self, symbols: Collection[str]) -> set[Node]:
        """The nodes that are not dead: the output, calls that show sizes which only data decide,
        calls that may raise, and what these need.
        """
        shown = [node for node, _ in self.unbacked_bindings(symbols).values()]
        pending = [*shown, *[node for node in self.nodes if node.op == OUTPUT or "raises" in node.meta]]
        needed: set[Node] = set()
        while pending:
            node = pending.pop()
            if node not in needed:
                needed.add(node)
                pending += node.all_input_nodes
        return needed

    def unbacked_bindings(self, symbols: Collection[str]) -> dict[str, tuple[Node, str]]:
        """Where sizes are seen that only data decide: symbol -> the first input or call whose
        value shows it, and how, as in ``"{}.shape[0]"``.
        """
        found: dict[str, tuple[Node, str]] = {}
        for node in self.nodes if symbols else ():
            if node.op in (CALL, PLACEHOLDER):
                for symbol, text in _shown(node.meta.get("val"), "{}"):
                    if symbol in symbols:
                        found.setdefault(symbol, (node, text))
        return found

    def sub_graphs(self) -> list[GraphModule]:
        """The graphs in the arguments of control operators, in the order of their calls."""
        return sub_graphs(self.nodes)

    def all_graphs(self) -> Iterator[Graph]:
        """This graph, its sub-graphs, and theirs."""
        yield self
        for module in self.sub_graphs():
            yield from module.graph.all_graphs()

    def environments(self) -> list[Any]:
        """The shape environments of the symbolic sizes in the nodes' values."""
        return environments_in([node.meta.get("val") for graph in self.all_graphs() for node in graph.nodes])

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold a row for each node, in which operands are numbers of rows: a
        chain of any length is not a recursion.
        """
        rows = {node: _Row(index) for index, node in enumerate(self.nodes)}
        state = vars(self) | {"nodes": [node.row(rows.__getitem__) for node in self.nodes], "_changeable": {}}
        return state if self.place is None else state | {"place": (rows[self.place[0]], self.place[1])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, nodes=[], place=None)
        for name, op, target, args, kwargs, meta in state["nodes"]:
            args, kwargs = map_leaves((args, kwargs), lambda leaf: self.nodes[leaf.number] if type(leaf) is _Row else leaf)
            self.append(Node(name, op, target, args, kwargs, meta))
        if state["place"] is not None:
            self.place = self.nodes[state["place"][0].number], state["place"][1]

    def __repr__(self) -> str:
        return graph_listing(self)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)


def computed(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of a call with these arguments."""
    return node.target.computing(node)(*args, **kwargs)  # type: ignore[union-attr]


def interpreted(graph: Graph, inputs: Sequence[Any], call: Callable[[Node, tuple[Any, ...], dict[str, Any]], Any]) -> tuple[Any, ...]:
    """The outputs of a graph; ``call`` gives the value of each node as `computed` does."""
    values: dict[Node, Any] = dict(zip(graph.placeholders, inputs, strict=True))
    for node in graph.nodes[len(values) : -1]:
        values[node] = call(node, *map_nodes((node.args, node.kwargs), values.__getitem__))
    outputs: tuple[Any, ...] = map_nodes(graph.output_node.args[0], values.__getitem__)
    return outputs


class GraphModule(SubGraph):
    """The bare graph as a callable: a value for every placeholder in, the tuple of all outputs
    (mutations first) out.

    Its sub-graphs are its attributes. As an argument of a control operator it is known by its
    ``name``.
    """

    graph: Graph

    def __init__(self, graph: Graph, name: str = "") -> None:
        self.graph = graph
        self.name = name
        self.meta: dict[str, Any] = {}

    def __getattr__(self, name: str) -> GraphModule:
        for module in self.__dict__["graph"].sub_graphs() if "graph" in self.__dict__ else ():
            if module.name == name:
                return module  # type: ignore[no-any-return]
        raise AttributeError(f"the graph has no sub-graph {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *[module.name for module in self.graph.sub_graphs()]]

    @property
    def code(self) -> str:
        """The source of ``forward``."""
        return graph_code(self.graph)

    def recompile(self) -> str:
        """Check the laws of the graph, as after edits by hand; its source.

        Modules that ``ExportedProgram.module`` makes from then on run the edited graph.
        Raises ``InternalError`` (E902) as `Graph.lint` does.
        """
        self.graph.lint()
        return self.code

    def print_readable(self, print_output: bool = True) -> str:
        """The source of the module's class; printed too unless ``print_output`` is false."""
        text = repr(self)
        if print_output:
            print(text)
        return text

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return self.graph.run(*inputs)

    def __repr__(self) -> str:
        return graph_module_code(self.graph)
