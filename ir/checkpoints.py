"""The writes that have happened when a call raises: ``sym.checkpoint`` nodes record them for the
calls that follow.

``sym.checkpoint(values)`` has a value for every mutation of the signature, in its order: the
array's value at this point of eager execution, or ``None`` if it has not been written to. When a
call raises, the values of the last checkpoint are written back. In a sub-graph of a branch or a
loop, ``None`` stands for what the graph around it says.
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import MUTATIONS, ExportGraphSignature


def is_checkpoint(node: Node) -> bool:
    """Whether a node is a checkpoint."""
    return node.op == CALL and "checkpoint" in node.target.traits  # type: ignore[union-attr]


def is_noted(checkpoint: Node) -> bool:
    """Whether a checkpoint of a sub-graph notes what it says while the program runs."""
    return "noted" in checkpoint.meta


def checkpoint_before(graph: Graph, node: Node, args: tuple[Any, ...], **meta: Any) -> Node:
    """A new checkpoint with these arguments, which has no place in the graph yet, for a call that
    may raise.
    """
    stacks = {name: node.meta[name] for name in ("stack_trace", "nn_module_stack")}
    made = graph.record(ops.sym.checkpoint, args, {}, {"val": None, **stacks, "raises": True, **meta})
    graph.nodes.pop()
    return made


def has_checkpoints(graph: Graph) -> bool:
    """Whether a graph or one of its sub-graphs has checkpoints."""
    return any(is_checkpoint(node) for each in graph.all_graphs() for node in each.nodes)


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


def numbered(graph: Graph) -> tuple[dict[Node, int], dict[Node, int]]:
    """The checkpoints that are in force where something raises, numbered from 1 on; and the number
    of each call that raises after one.
    """
    after = {node: checkpoint for node, checkpoint in in_force(graph).items() if checkpoint is not None}
    numbers = {checkpoint: number for number, checkpoint in enumerate(dict.fromkeys(after.values()), 1)}
    return numbers, {node: numbers[checkpoint] for node, checkpoint in after.items()}


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
