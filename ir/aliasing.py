"""Which values of a graph share memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import MUTATIONS, ExportGraphSignature


def storages_of(graph: Graph, signature: ExportGraphSignature | None = None) -> dict[Node, set[Node]]:
    """For each value the nodes whose memory it may lie in: its own, and for views (which may turn out to be copies) their operands'.

    With the signature, inputs that overlap are in each other's memory too: what is written there before the end, both would see.
    """
    storages = {} if signature is None else _overlapping(graph, signature)
    for node in graph.nodes:
        storages.setdefault(node, {node})
        if node.op == CALL and not makes_new_memory(node):
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


def is_view(node: Node) -> bool:
    """Whether a call's value is a view of its first argument, or may turn out to be one."""
    op: Any = node.target
    return "view" in op.traits and not makes_new_memory(node)


def makes_new_memory(node: Node) -> bool:
    """Whether a call's value is a new array of its own (or several)."""
    op: Any = node.target
    return op.traits.isdisjoint(("view", "may_share")) or (op.kernel is np.imag and node.args[0].meta["val"].dtype.kind != "c")


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
