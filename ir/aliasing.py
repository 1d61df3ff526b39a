"""Which values of a graph share memory."""

from __future__ import annotations

from typing import Any

from npexport.ir.checkpoints import rebound
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.signature import MUTATIONS, ExportGraphSignature


def may_alias(graph: Graph, signature: ExportGraphSignature | None = None) -> dict[Node, set[Node]]:
    """For each value the nodes whose memory it may lie in: its own, and for views (which may turn
    out to be copies) their operands'.

    With the signature, inputs that overlap are in each other's memory too: what is written there
    before the end, both would see.
    """
    storages = {} if signature is None else _overlapping(graph, signature)
    results: dict[Any, Node] = {}
    for node in graph.nodes:
        storages.setdefault(node, {node})
        if is_result_of_sub_graph(node):
            storages[node].add(results.setdefault(tuple(node.args), node))
        elif (sources := _sources(node)) is not None:
            call, places, numbers = sources
            storages[node].update(*(storages[call.args[place]] for place in places))
            storages[node].update(results.setdefault((call, "made", number), node) for number in numbers)
        elif node.op == CALL and not makes_new_memory(node) and not is_plain_scalar(node):
            storages[node].update(*(storages[operand] for operand in node.all_input_nodes))
    return storages


def _overlapping(graph: Graph, signature: ExportGraphSignature) -> dict[Node, set[Node]]:
    inputs = {node.name: node for node in graph.placeholders}
    storages = {node: {node} for node in inputs.values()}
    for spec in signature.input_specs:
        node = inputs[spec.arg.name]
        if spec.same_as is not None:
            for other in list(storages[inputs[spec.same_as]]):
                storages[node].add(other)
                storages[other].add(node)
        for name, offset in spec.overlaps:
            if offset is not None:
                storages[node].add(inputs[name])
                storages[inputs[name]].add(node)
    return storages


def is_result_of_sub_graph(node: Node) -> bool:
    """Whether a value is a result of a branch or a loop: each has memory of its own."""
    source = node.args[0] if node.op == CALL and node.args and "projection" in node.target.traits else None  # type: ignore[union-attr]
    return type(source) is Node and any(type(arg) is GraphModule for arg in source.args)


def _sources(node: Node) -> tuple[Node, tuple[int, ...], tuple[int, ...]] | None:
    """For one result of a call that declares where its results are: the call, positions of its
    arguments, numbers of memory of its own.
    """
    call = node.args[0] if node.op == CALL and node.args and "projection" in node.target.traits else None  # type: ignore[union-attr]
    if type(call) is not Node or call.op != CALL or call.target.view.sources is None:  # type: ignore[union-attr]
        return None
    return call, *call.target.view.sources[node.args[1]]  # type: ignore[union-attr]


def is_view(node: Node) -> bool:
    """Whether a call's value is a view of its first argument, or may be one at run time."""
    op: Any = node.target
    return "view" in op.traits and not makes_new_memory(node)


def makes_new_memory(node: Node) -> bool:
    """Whether a call's value is a new array, or several new arrays."""
    op: Any = node.target
    return op.traits.isdisjoint(("view", "may_share")) or (op.view.renews is not None and op.view.renews(node.args[0].meta["val"]))


def is_plain_scalar(node: Node) -> bool:
    """Whether a value is no array and shares no memory with one; scalars of structured dtypes are
    views of their elements.
    """
    value = node.meta["val"]
    if isinstance(value, TensorMeta):
        return value.scalar and value.dtype.names is None
    return not isinstance(value, (tuple, list))


def escaping_roots(graph: Graph, signature: ExportGraphSignature) -> list[Node]:
    """The values that leave the program as arrays: user outputs except those that alias written
    inputs, and new arrays of the state.
    """
    pairs = zip(graph.output_node.args[0], signature.output_specs, strict=True)
    found = [
        value for value, spec in pairs if isinstance(value, Node) and spec.alias is None and (spec.kind not in MUTATIONS or spec.rebinds)
    ]
    return [*found, *rebound(graph, signature)]


def escaping(graph: Graph, signature: ExportGraphSignature, storages: dict[Node, set[Node]]) -> set[Node]:
    """The nodes whose memory leaves the program."""
    return set().union(*(storages[value] for value in escaping_roots(graph, signature)))
