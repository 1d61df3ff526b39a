"""A graph that runs node by node over a namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from npexport.ir.checkpoints import aside
from npexport.ir.error_states import under
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import map_nodes
from npexport.ir.op import Op
from npexport.ir.printing import node_text
from npexport.runtime.namespaces import control, elementwise, indexing, linear, shapes  # noqa: F401 - they declare the rows
from npexport.runtime.namespaces.space import Lacks, Space, Values
from npexport.symshapes.errors import InternalError, Location, UserError

Watch = Callable[[Node, Any], None]


def builder_of(op: Any) -> Callable[[Space, Node], Values] | None:
    """What makes the function of a node that calls this operator, ``None`` where there is none."""
    if not isinstance(op, Op):
        return None
    return op.lowering or (_of_numbers if op.namespace in ("sym", "py") else None)


def _of_numbers(space: Space, node: Node) -> Values:
    """Numbers of Python are the same everywhere."""
    if any(isinstance(each.meta["val"], TensorMeta) for each in node.all_input_nodes) or isinstance(node.meta["val"], TensorMeta):
        raise Lacks("it is not an operator of the standard")
    return node.target.kernel  # type: ignore[no-any-return, union-attr]


def lacking(space: Space, graph: Graph) -> Iterator[tuple[Node, str]]:
    """The calls of a graph and of its sub-graphs that the namespace cannot make, and why."""
    for each in graph.all_graphs():
        left_out = aside(each)
        for node in each.nodes:
            if node.op == CALL and node not in left_out:
                try:
                    _function(space, node)
                except Lacks as reason:
                    yield node, str(reason)


def _function(space: Space, node: Node) -> Values:
    builder = builder_of(node.target)
    if builder is None:
        raise Lacks("the standard has no such operator, and it is not made of others")
    if isinstance(node.meta.get("val"), TensorMeta):
        space.dtype(node.meta["val"].dtype)
    return builder(space, node)


def refusal(space: Space, found: Sequence[tuple[Node, str]]) -> UserError:
    """The error (E245) that names each operator and its first line."""
    rows = dict.fromkeys(f"{node.target}: {reason}" for node, reason in found)
    error = UserError("E245", f"the namespace {space.name!r} cannot run the program:" + "".join(f"\n  - {row}" for row in rows))
    error.location = _location(found[0][0])
    return error


def _location(node: Node) -> Location | None:
    stack = node.meta.get("stack_trace", ())
    return stack[-1] if stack else None


class Running:
    """The calls of one graph, in their order, each with its function."""

    def __init__(self, space: Space, graph: Graph) -> None:
        self.space = space
        self.placeholders = graph.placeholders
        self.outputs = graph.output_node.args[0]
        left_out = aside(graph)  # a call that raises leaves all state as it was
        self.steps = [
            (node, under(node.meta.get("errors"), _function(space, node)), self._arguments(node))
            for node in graph.nodes
            if node.op == CALL and node not in left_out
        ]

    def _arguments(self, node: Node) -> tuple[Any, Any]:
        return self._inner(node.args), self._inner(node.kwargs)

    def _inner(self, arg: Any) -> Any:
        """The argument with sub-graphs as what runs them."""
        if type(arg) is GraphModule:
            return Running(self.space, arg.graph)
        return tuple(map(self._inner, arg)) if type(arg) is tuple else arg

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """What the graph gives for these values of its placeholders."""
        return self.run(values)

    def run(self, values: Sequence[Any], watch: Watch | None = None) -> tuple[Any, ...]:
        """What the graph gives; ``watch`` sees every value as soon as it is there."""
        found: dict[Node, Any] = dict(zip(self.placeholders, values, strict=True))
        for node, function, (args, kwargs) in self.steps:
            try:
                value = function(*map_nodes(args, found.__getitem__), **map_nodes(kwargs, found.__getitem__))
                found[node] = self._fitted(node, value)
            except Lacks as reason:
                raise refusal(self.space, [(node, str(reason))]) from None
            except Exception as error:
                location = _location(node)
                error.add_note("\n".join([f"Raised by {node_text(node)}", *([] if location is None else [location.render()])]))
                raise
            if watch is not None:
                watch(node, found[node])
        return tuple(map_nodes(self.outputs, found.__getitem__))

    def _fitted(self, node: Node, value: Any) -> Any:
        """The value in the dtype that the graph says."""
        meta = node.meta.get("val")
        if not isinstance(meta, TensorMeta):
            return value
        if isinstance(value, np.generic) and not self.space.is_array(value):
            value = self.space.constant(value)  # what a side of a branch gives as it is
        shape = tuple(value.shape)
        if len(shape) != meta.ndim or any(type(size) is int and size != have for size, have in zip(meta.shape, shape, strict=True)):
            raise InternalError("E902", f"{node_text(node)} gave the shape {shape} in {self.space.name}")
        return self.space.fitted(value, meta.dtype)
