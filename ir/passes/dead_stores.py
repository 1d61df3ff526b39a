"""Dead-store elimination: a write that a later one replaces entirely, and that nobody reads in
between, is not computed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from npexport.ir.graph import CALL, Graph, Node


def skip_overwritten(graph: Graph, asked: Collection[str]) -> None:
    """Let writes start from what was before those that they overwrite, where nothing else reads
    these. (What is left of them is dead code.)

    A write of the whole array, or of the same places as the write before it, overwrites that.
    ``asked``: as for ``Graph.needed``.
    """
    uses: dict[Node, int] = {}
    needed = graph.needed(asked)
    for node in needed:
        for operand in node.all_input_nodes:
            uses[operand] = uses.get(operand, 0) + 1
    for node in reversed(graph.nodes):
        if node not in needed or not _writes(node):
            continue
        base = node.args[0]
        while _writes(base) and uses[base] == 1 and "raises" not in base.meta and _covers(node, base):
            _drop(base, uses)
            base = base.args[0]
            uses[base] = uses.get(base, 0) + 1
        if base is not node.args[0]:
            node.args = (base, *node.args[1:])


def _writes(node: Any) -> bool:
    """Whether it is ``setitem(base, index, value)`` of an index without arrays."""
    if not isinstance(node, Node) or node.op != CALL or (node.target.namespace, node.target.name) != ("np", "setitem"):  # type: ignore[union-attr]
        return False
    plain = len(node.args) == 3 and isinstance(node.args[0], Node)
    return plain and all(type(item) in (int, slice, type(...), type(None)) for item in _items(node.args[1]))


def _items(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _covers(later: Node, earlier: Node) -> bool:
    """Whether the later write goes to all places of the earlier one, in the same array."""
    whole = all(item is Ellipsis or item == slice(None) for item in _items(later.args[1]))
    return whole or repr(later.args[1]) == repr(earlier.args[1])


def _drop(node: Node, uses: dict[Node, int]) -> None:
    """One use less of a node; one that has none any more uses nothing."""
    queue = [node]
    while queue:
        node = queue.pop()
        uses[node] -= 1
        if uses[node] == 0 and node.op == CALL and "raises" not in node.meta:
            queue += node.all_input_nodes
