"""Which values of a graph share memory."""

from __future__ import annotations

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import MUTATIONS, ExportGraphSignature


def storages_of(graph: Graph) -> dict[Node, set[Node]]:
    """For each value the nodes whose memory it may lie in: its own, and for views (which may turn out to be copies) their operands'."""
    storages: dict[Node, set[Node]] = {}
    for node in graph.nodes:
        storages[node] = {node}
        if node.op == CALL and not makes_new_memory(node):
            storages[node].update(*(storages[operand] for operand in node.all_input_nodes))
    return storages


def makes_new_memory(node: Node) -> bool:
    """Whether a call's value is a new array of its own (or several)."""
    return node.target.traits.isdisjoint(("view", "may_share"))  # type: ignore[union-attr]


def handed_out(graph: Graph, signature: ExportGraphSignature) -> list[Node]:
    """The values that leave the program as arrays of their own: user outputs but those that alias written inputs, and new arrays of the
    state.
    """
    pairs = zip(graph.output_node.args[0], signature.output_specs, strict=True)
    return [
        value for value, spec in pairs if isinstance(value, Node) and spec.alias is None and (spec.kind not in MUTATIONS or spec.rebinds)
    ]


def escaping(graph: Graph, signature: ExportGraphSignature, storages: dict[Node, set[Node]]) -> set[Node]:
    """The nodes whose memory leaves the program."""
    return set().union(*(storages[value] for value in handed_out(graph, signature)))
