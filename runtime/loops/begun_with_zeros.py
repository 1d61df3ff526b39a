"""Arrays of zeros that loops begin with: each carry has one of its own, which the loop takes over
instead of a copy of one that others have, too.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.runtime.memory.blank import INSTEAD
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.memory.layouts import is_array


def begin_apart(graph: Graph) -> bool:
    """Whether loops of a graph and its sub-graphs were given arrays of their own."""
    changed = False
    for node in list(graph.nodes):
        block = block_of(node)
        if block is not None and block.loops:
            shared = [place for place, value in enumerate(block.values) if _is_zeros(value) and _is_shared(value, block.values)]
            for place in shared:
                _renew(node, place)
            changed |= bool(shared)
    for module in [arg for node in graph.nodes for arg in node.args if type(arg) is GraphModule]:
        changed |= begin_apart(module.graph)
    return changed


def _is_zeros(value: Any) -> bool:
    """Whether a value is a new array of zeros."""
    if type(value) is not Node or value.op != CALL or value.target.kernel not in INSTEAD or "raises" in value.meta:  # type: ignore[union-attr]
        return False
    return is_array(value.meta["val"]) and not value.kwargs and not any(is_array(each.meta["val"]) for each in value.all_input_nodes)


def _is_shared(value: Node, carried: tuple[Any, ...]) -> bool:
    return len(value.users) > 1 or sum(each is value for each in carried) > 1


def _renew(loop: Node, place: int) -> None:
    """Let a loop begin with another array of zeros."""
    graph, carried = loop.graph, list(loop.args[2])
    shared = carried[place]
    new = Node(graph.fresh_name(shared.name), CALL, shared.target, shared.args, {}, dict(shared.meta))
    carried[place] = graph.insert(graph.nodes.index(loop), new)
    loop.args = (*loop.args[:2], tuple(carried), *loop.args[3:])
    if not shared.users:
        graph.erase_node(shared)
