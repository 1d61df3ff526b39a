"""The graph: straight-line SSA of three kinds of node.

Grammar::

    graph ::= placeholder* call_function* output
    node  ::= name, op, target, args, kwargs, meta

``meta`` keys: ``val`` (``TensorMeta``, a symbolic or plain scalar, or a tuple or list of those), ``stack_trace`` (locations,
innermost last), ``nn_module_stack`` (dotted path -> class name, outermost first), ``raises`` (true of a call that raises for some data
or sizes: it is kept where nobody uses its value; not written to files, whose programs have no dead code).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op

PLACEHOLDER, CALL, OUTPUT = "placeholder", "call_function", "output"


class Node:
    """One node; ``target`` is an ``Op`` for calls, the placeholder's own name or ``"output"`` otherwise."""

    __slots__ = ("args", "kwargs", "meta", "name", "op", "target")

    def __init__(self, name: str, op: str, target: Op | str, args: tuple[Any, ...], kwargs: dict[str, Any], meta: dict[str, Any]) -> None:
        self.name = name
        self.op = op
        self.target = target
        self.args = args
        self.kwargs = kwargs
        self.meta = meta

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes that stand in the arguments, each once, in order."""
        found: dict[Node, None] = {}
        _collect(self.args, found)
        if self.kwargs:
            _collect(self.kwargs.values(), found)
        return list(found)

    def __repr__(self) -> str:
        return self.name


def _collect(args: Iterable[Any], found: dict[Node, None]) -> None:
    for arg in args:
        kind = type(arg)
        if kind is Node:
            found[arg] = None
        elif kind is tuple or kind is list:
            _collect(arg, found)
        elif kind is dict:
            _collect(arg.values(), found)
        elif kind is slice:
            _collect((arg.start, arg.stop, arg.step), found)


def _shown(value: Any, text: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, TensorMeta):
        for axis, size in enumerate(value.shape):
            yield from _shown(size, f"{text}.shape[{axis}]")
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from _shown(item, f"{text}[{index}]")
    elif getattr(getattr(value, "expr", None), "is_symbol", False):
        yield str(value.expr), text


def map_nodes(arg: Any, fn: Callable[[Node], Any]) -> Any:
    """``arg`` with ``fn`` applied to every node in it; containers are rebuilt, everything else is kept."""
    kind = type(arg)
    if kind is Node:
        return fn(arg)
    if kind is tuple:
        return tuple([map_nodes(item, fn) for item in arg])
    if kind is list:
        return [map_nodes(item, fn) for item in arg]
    if kind is dict:
        return {key: map_nodes(item, fn) for key, item in arg.items()}
    if kind is slice:
        return slice(map_nodes(arg.start, fn), map_nodes(arg.stop, fn), map_nodes(arg.step, fn))
    return arg


def replace_nodes(graph: Graph, replacements: dict[Node, Any]) -> None:
    """Use other nodes or values in place of these nodes, and drop these."""
    for node in graph.nodes:
        node.args, node.kwargs = map_nodes((node.args, node.kwargs), lambda operand: replacements.get(operand, operand))
    graph.nodes[:] = [node for node in graph.nodes if node not in replacements]


class Graph:
    """A list of nodes in execution order, each with a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._taken: dict[str, int] = {}

    def fresh_name(self, base: str) -> str:
        """``base`` made an identifier and, where it is taken, numbered: ``add``, ``add_1``, …"""
        if not base.isidentifier():
            base = re.sub(r"\W", "_", base) or "_"
            if base[0].isdigit():
                base = "_" + base
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

    def call_function(self, target: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: dict[str, Any]) -> Node:
        """Append a call of an operator; its name is the operator's."""
        return self.append(Node(self.fresh_name(target.name), CALL, target, args, kwargs, meta))

    def output(self, values: tuple[Any, ...]) -> Node:
        """Append the output node; ``args[0]`` is the tuple of the values."""
        return self.append(Node("output", OUTPUT, "output", (values,), {}, {}))

    def append(self, node: Node) -> Node:
        """Append a node that is made already; its name counts as taken."""
        self._taken.setdefault(node.name, 0)
        self.nodes.append(node)
        return node

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.nodes if node.op == PLACEHOLDER]

    @property
    def output_node(self) -> Node:
        return self.nodes[-1]

    def run(self, *inputs: Any) -> tuple[Any, ...]:
        """Interpret the graph, one operator after the other: a value for every placeholder in, the tuple of outputs out.

        This is the meaning of a graph; the compiled form is held to it. Raises ``TypeError`` for a wrong number of inputs.
        """
        placeholders = self.placeholders
        if len(inputs) != len(placeholders):
            raise TypeError(f"the graph has {len(placeholders)} inputs, {len(inputs)} came")
        values: dict[Node, Any] = dict(zip(placeholders, inputs, strict=True))
        for node in self.nodes[len(placeholders) : -1]:
            args, kwargs = map_nodes((node.args, node.kwargs), values.__getitem__)
            values[node] = node.target(*args, **kwargs)  # type: ignore[operator]
        outputs: tuple[Any, ...] = map_nodes(self.output_node.args[0], values.__getitem__)
        return outputs

    def needed(self, symbols: Collection[str]) -> set[Node]:
        """What is not dead: the output, where these sizes are seen that only data decide, calls that may raise, and what those need."""
        needed = {self.output_node, *(node for node, _ in self.showing(symbols).values())}
        for node in reversed(self.nodes):
            if node in needed or "raises" in node.meta:
                needed.add(node)
                needed.update(node.all_input_nodes)
        return needed

    def showing(self, symbols: Collection[str]) -> dict[str, tuple[Node, str]]:
        """Where sizes are seen that only data decide: symbol -> the first call whose value shows it, and how, as in ``"{}.shape[0]"``."""
        found: dict[str, tuple[Node, str]] = {}
        for node in self.nodes if symbols else ():
            if node.op == CALL:
                for symbol, text in _shown(node.meta.get("val"), "{}"):
                    if symbol in symbols:
                        found.setdefault(symbol, (node, text))
        return found

    def environments(self) -> list[Any]:
        """The shape environments of the symbolic sizes that occur in the nodes' values."""
        found: dict[int, Any] = {}
        pending = [node.meta.get("val") for node in self.nodes]
        while pending:
            value: Any = pending.pop()
            if isinstance(value, TensorMeta):
                pending += [size for size in value.shape if type(size) is not int]
            elif isinstance(value, (tuple, list)):
                pending += value
            elif hasattr(value, "env"):
                found.setdefault(id(value.env), value.env)
        return list(found.values())

    def __repr__(self) -> str:
        from npexport.ir.printing import graph_listing

        return graph_listing(self)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)
