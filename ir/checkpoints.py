"""The writes that have happened when a call raises: ``sym.checkpoint`` nodes record them for the
calls that follow.

``sym.checkpoint(values)`` has a value for every mutation of the signature, in its order: the
array's value at this point of eager execution, or ``None`` if it has not been written to. When a
call raises, the values of the last checkpoint are written back.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import MUTATIONS, ExportGraphSignature


def is_checkpoint(node: Node) -> bool:
    """Whether a node is a checkpoint."""
    return node.op == CALL and "checkpoint" in node.target.traits  # type: ignore[union-attr]


def in_force(graph: Graph) -> dict[Node, Node | None]:
    """The calls that raise for some data or sizes, each with the last checkpoint before it."""
    found: dict[Node, Node | None] = {}
    last = None
    for node in graph.nodes:
        if is_checkpoint(node):
            last = node
        elif "raises" in node.meta:
            found[node] = last
    return found


def aside(graph: Graph) -> set[Node]:
    """The checkpoints, and the calls whose values only they use: code that writes nothing back
    after an exception leaves them out.
    """
    found: set[Node] = set()
    shown = {node for node, _ in graph.unbacked_bindings(graph.asked).values()}
    for node in reversed(graph.nodes):
        unseen = node.op == CALL and bool(node.users) and "raises" not in node.meta and node not in shown
        if is_checkpoint(node) or (unseen and found.issuperset(node.users)):
            found.add(node)
    return found


def rebound(graph: Graph, signature: ExportGraphSignature) -> list[Node]:
    """The values at checkpoints that become new arrays of the state."""
    specs = [spec for spec in signature.output_specs if spec.kind in MUTATIONS]
    values: list[Any] = [pair for node in graph.nodes if is_checkpoint(node) for pair in zip(node.args[0], specs, strict=True)]
    return [value for value, spec in values if spec.rebinds and value is not None]
