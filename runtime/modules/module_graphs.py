"""The graphs of a program's modules: each call of a module is one node of the surrounding graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir import ops
from npexport.ir.arguments import leaf_key, structural_key
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, GraphModule, Node, map_nodes
from npexport.ir.laws import is_array
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.module_calls import Call, path_of
from npexport.ir.node import value_of
from npexport.ir.op import Op
from npexport.ir.printing import value_text
from npexport.symshapes.symint import python_type

OpOf = Callable[[Call], Op]
"""The operator that makes a call."""


class GraphOfCalls:
    """A graph under construction; ``known``: what represents the nodes of the program's graph in
    it.
    """

    def __init__(self, op_of: OpOf) -> None:
        self.graph = Graph()
        self.known: dict[Node, Any] = {}
        self._op_of = op_of

    def take(self, value: Node, name: str = "") -> Node:
        """A placeholder for a value."""
        info = {"val": value.meta["val"], "stack_trace": (), "nn_module_stack": {}}
        self.known[value] = self.graph.placeholder(name or value.name, info)
        return self.known[value]  # type: ignore[no-any-return]

    def copy(self, node: Node) -> Node:
        """A copy of the node over the values that are known."""
        args, kwargs = map_nodes((node.args, node.kwargs), self.known.__getitem__)
        if node.target is ops.control.returned:  # all calls of a module alike
            args = (args[0], path_of(args[1]), args[2])
        name = self.graph.fresh_name(node.name)
        made = self.graph.append(Node(name, CALL, node.target, args, kwargs, dict(node.meta)))
        self.known[node] = made
        return made

    def call(self, call: Call) -> None:
        """A call, and its outputs one by one."""
        op = self._op_of(call)
        values = tuple([output.meta["val"] for output in call.outputs])
        info = {"val": values, "stack_trace": (), "nn_module_stack": {}, "raises": True}
        args = tuple([self.known[value] for value in call.inputs])
        made = self.graph.append(Node(self.graph.fresh_name(op.name), CALL, op, args, {}, info))
        for index, output in enumerate(call.outputs):
            info = {"val": values[index], "stack_trace": (), "nn_module_stack": {}}
            name = self.graph.fresh_name(output.name)
            self.known[output] = self.graph.append(Node(name, CALL, ops.sym.item, (made, index), {}, info))

    def body(self, call: Call) -> None:
        """The nodes and the calls of a call."""
        for part in call.body:
            self.call(part) if isinstance(part, Call) else self.copy(part)

    def finish(self, values: Any) -> Graph:
        """The graph with these outputs."""
        self.graph.output(map_nodes(values, self.known.__getitem__))
        return self.graph


def graph_of(call: Call, op_of: OpOf) -> Graph:
    """The graph of one call: from its inputs to its outputs."""
    made = GraphOfCalls(op_of)
    for value in call.inputs:
        made.take(value)
    made.body(call)
    return made.finish(tuple(call.outputs))


def graph_of_whole(root: Call, program_graph: Graph, op_of: OpOf, again: Iterable[Node]) -> Graph:
    """The graph of the whole program; ``again``: views in calls that are taken here once more, for
    outputs that share memory.
    """
    made = GraphOfCalls(op_of)
    for node in program_graph.placeholders:
        made.take(node)
    made.body(root)
    for node in again:
        made.copy(node)
    return made.finish(program_graph.output_node.args[0])


def form_of(graph: Graph, exact: bool, names: dict[str, str] | None = None) -> Any:
    """A key of graphs: those with equal keys do the same with their inputs. ``exact``: with equal
    sizes, too, as in graphs with branches and loops. Otherwise dynamic sizes are alike where they
    are equal to one another alike: what runs a graph computes every size of the inputs that it is
    given.

    ``names``: what numbers that only the data know are called, in the order in which they come up.
    """
    number = {node: index for index, node in enumerate(graph.nodes)}
    sizes: dict[str, int] = {}
    if names is None:  # those that come from outside keep theirs
        names = {name: name for node in graph.placeholders for name in _OF_DATA.findall(value_text(node.meta.get("val")))}

    def key(leaf: Any) -> Any:
        if type(leaf) is Node:
            return "node", number[leaf]
        return ("graph", form_of(leaf.graph, True, names)) if type(leaf) is GraphModule else leaf_key(leaf)

    def size(value: Any) -> Any:
        return ("size", sizes.setdefault(str(value.expression), len(sizes))) if hasattr(value, "expression") else value

    def form(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value), *map(form, value)
        if isinstance(value, TensorMeta):
            return dtype_name(value.dtype), value.scalar, *map(size, value.shape)
        return (type(value), size(value)) if hasattr(value, "expression") else value_text(value)

    def exactly(value: Any) -> str:
        return _OF_DATA.sub(lambda found: names.setdefault(found[0], f"u[{len(names)}]"), value_text(value, scalars=True))

    held: list[Any] = [node.target for node in graph.nodes if node.op == CALL]
    exact = exact or any(op.holds is not None for op in held) or bool(graph.sub_graphs())  # to the sizes that they are declared with
    rows = []
    for node in graph.nodes:
        what = node.target if node.op == CALL else node.op
        value = node.meta.get("val")
        shown = exactly(value) if exact else form(value)
        rows.append((what, shown, node.meta.get("errors", ()), structural_key(node.args, key), structural_key(node.kwargs, key)))
    return tuple(rows)


_OF_DATA = re.compile(r"\bu\d+\b")


class NotAlone(Exception):
    """A call needs a value that is neither passed to it nor part of the state."""


def _is_constant(value: Node) -> bool:
    """Whether a value is computed of nothing but constants."""
    return value.op == CALL and all(map(_is_constant, value.all_input_nodes))


class AloneGraph(GraphOfCalls):
    """The graph of a call by itself: from its state and its arguments; what it shares with the
    surrounding program is computed again.

    ``lifted``: the state that it takes, by placeholders of the program's graph.
    """

    def __init__(self, call: Call, op_of: OpOf, is_state: Callable[[Node], bool], is_own: Callable[[Node], bool]) -> None:
        super().__init__(op_of)
        self.call_made = call
        self._is_state = is_state
        self._is_own = is_own
        self.lifted: dict[Node, Node] = {}
        self.leaves: list[Node] = []
        end: Any = call.end
        self.held = {value: place for place, value, _ in end.args[3] if is_state(place)}
        for index, value in enumerate(end.args[1]):
            self._leaf(value, index)
        for value in call.inputs:
            if not self._gives_sizes(value):
                self._need(value)
        self.body(call)

    def _gives_sizes(self, value: Node) -> bool:
        """Whether the call asks an input for nothing but sizes that its arguments have too."""
        users = [part for part in self.call_made.body if value in (part.inputs if isinstance(part, Call) else part.all_input_nodes)]
        sizes = [part for part in users if isinstance(part, Node) and part.target is ops.sym.size]
        return value.op == PLACEHOLDER and value not in self.known and len(sizes) == len(users) and all(map(self._is_size, sizes))

    def copy(self, node: Node) -> Node:
        return self.known[node] if node in self.known else super().copy(node)

    def _leaf(self, value: Any, index: int) -> None:
        """A placeholder for an argument.

        Raises `NotAlone` for what the module may also read as its own: its graph does not tell them
        apart.
        """
        if type(value) is Node and (value in self.held or self._is_own(value) or _is_constant(value)):
            raise NotAlone(f"it is given `{value.name}`, which it may also read by itself")
        meta = value_of(value)
        if type(value) is Node and value in self.known and not is_array(meta) and python_type(meta) is not int:
            raise NotAlone(f"it is given the number `{value.name}` twice")
        base = value.name if type(value) is Node else f"argument_{index}"
        leaf = self.graph.placeholder(base, {"val": meta, "stack_trace": (), "nn_module_stack": {}})
        self.leaves.append(leaf)
        if type(value) is Node:
            self.known.setdefault(value, leaf)

    def _need(self, value: Node) -> None:
        """Make a value available. Raises `NotAlone`."""
        if value in self.known:
            return
        if value in self.held or self._is_state(value):
            place = self.held.get(value, value)
            if place in self.lifted:
                raise NotAlone(f"it uses `{place.name}` as it was and as it is")
            self.lifted[place] = self.take(value, place.name)
        elif value.op == PLACEHOLDER or not self._is_size(value):
            if value.op == PLACEHOLDER:
                raise NotAlone(f"it uses `{value.name}`, which is not one of its arguments")
            for operand in value.all_input_nodes:
                self._need(operand)
            self.copy(value)

    def _is_size(self, value: Node) -> bool:
        """Whether a value is the size of an axis of an argument, which makes it available."""
        expression = getattr(value.meta["val"], "expression", None)
        for leaf in self.leaves if expression is not None else ():
            meta = leaf.meta["val"]
            for axis, size in enumerate(meta.shape if isinstance(meta, TensorMeta) else ()):
                if getattr(size, "expression", None) == expression:
                    info = {"val": size, "stack_trace": (), "nn_module_stack": {}}
                    self.known[value] = self.graph.append(Node(self.graph.fresh_name("size"), CALL, ops.sym.size, (leaf, axis), {}, info))
                    return True
        return False

    def finished(self) -> Graph:
        """The graph: state and arguments, then calls; its outputs are what the state holds after
        it, and the result.
        """
        end: Any = self.call_made.end
        written = [(place, value, new) for place, value, new in end.args[4] if self._is_state(place)]
        self.written = [(place, new) for place, _, new in written]
        for value in [value for _, value, _ in written] + [value for value in end.args[2] if type(value) is Node]:
            self._need(value)
        self.finish((*[value for _, value, _ in written], *end.args[2]))
        calls = [node for node in self.graph.nodes if node.op == CALL]
        self.graph.keep([*self.lifted.values(), *self.leaves, *calls, self.graph.output_node])
        return self.graph
