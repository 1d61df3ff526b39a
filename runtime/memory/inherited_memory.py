"""What branches and loops compute in the memory of the arrays that they are given.

An operand that nothing else sees afterwards is handed over: the sub-graphs own it, and what comes
out may lie in its memory. Laws:

1. The memory of an array that the program made itself may hold any result.
2. The memory of an array from outside, or of what an enclosing loop carries, holds one result at
   most, the same on every way through the sub-graphs: the value on the way to what that memory is
   to hold at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.runtime.memory.layouts import ORDERED, C, Layouts
from npexport.runtime.memory.view_writes import candidates
from npexport.symshapes.symint import python_type

Lies = Mapping[int, int]
"""Which results of a sub-graph share the memory of which of its operands."""


@dataclass
class Inside:
    """What is known of the sub-graphs of a graph, at all depths.

    ``lies``: (sub-graph, the placeholders that it owns) -> which results lie where; ``orders``: the
    tokens of placeholders that are arrays whose axes are in C order.
    """

    lies: dict[Any, Lies] = field(default_factory=dict)
    orders: dict[Node, str] = field(default_factory=dict)

    def look_into(self, graph: Graph, tokens: Mapping[Node, Any]) -> None:
        """Find the orders; ``tokens``: the layouts of the graph's values."""
        for node in graph.nodes:
            block = block_of(node)
            if block is None:
                continue
            carried = len(block.values) if block.loops else 0  # what is carried lies in C order
            values = (*block.values, *node.args[3]) if block.loops else block.values
            for each in block.graphs:
                for place, (first, value) in enumerate(zip(each.placeholders, values, strict=True)):
                    token = C if place < carried else tokens.get(value) if type(value) is Node else None
                    if token is C or token is ORDERED:
                        self.orders[first] = token
                if any(block_of(inner) is not None for inner in each.nodes):
                    self.look_into(each, Layouts(each, False, self.orders, {}).tokens)


class Block(NamedTuple):
    """The sub-graphs of a branch, or the iteration of a loop, and the values in whose memory it may
    compute: its first placeholders.
    """

    graphs: list[Graph]
    values: tuple[Any, ...]
    loops: bool


def block_of(node: Node) -> Block | None:
    """The parts of a branch or a loop that is compiled to statements."""
    if node.op != CALL:
        return None
    if node.target is ops.control.cond:
        return Block([arg.graph for arg in node.args if type(arg) is GraphModule], node.args[3], False)
    return Block([node.args[1].graph], node.args[2], True) if node.target is ops.control.while_loop else None


def is_item(node: Node) -> bool:
    """Whether a value is one of several results."""
    return node.target is ops.sym.item


def is_flag(cond_graph: GraphModule, body_graph: GraphModule, loop: Node) -> bool:
    """Whether the first carry of a loop says whether another iteration follows, and nothing else
    uses it.
    """
    flag = cond_graph.graph.placeholders[0]
    used = body_graph.graph.placeholders[0].users or any(not is_item(user) or user.args[1] == 0 for user in loop.users)
    return tuple(cond_graph.graph.output_node.args[0]) == (flag,) and not used and python_type(flag.meta["val"]) is bool


def uses(user: Node, node: Node) -> int:
    """How often a node is an operand of another one; what a control operator passes to its
    sub-graphs does not count.
    """
    if user.op == CALL and any(type(arg) is GraphModule for arg in user.args):
        return 0
    return sum(leaf is node for leaf in leaves_of((user.args, user.kwargs)))


def results_of(node: Node) -> dict[int, Node]:
    """The results of a branch or a loop that are used as one value each."""
    found: dict[int, list[Node]] = {}
    for user in node.users:
        if not is_item(user):
            return {}
        found.setdefault(user.args[1], []).append(user)
    return {number: users[0] for number, users in found.items() if len(users) == 1}


def continued(result: Node) -> list[Node]:
    """The operands of a branch or a loop whose memory this result of it could share."""
    block = block_of(result.args[0]) if is_item(result) and type(result.args[0]) is Node else None
    if block is None:
        return []
    number = result.args[1]
    places = {number} if block.loops else set.intersection(*(_reached(graph, number) for graph in block.graphs))
    return [value for place in sorted(places) if type(value := block.values[place]) is Node]


def _reached(graph: Graph, number: int) -> set[int]:
    """The placeholders into whose memory a result could be computed."""
    numbers = {node: place for place, node in enumerate(graph.placeholders)}
    waiting, seen = [graph.output_node.args[0][number]], set[Node]()
    while waiting:
        value = waiting.pop()
        if type(value) is Node and value not in seen:
            seen.add(value)
            waiting += [] if value in numbers else candidates(value) or continued(value)
    return {numbers[node] for node in seen if node in numbers}


def settled_places(
    block: Block, wanted: Mapping[int, int | None], lies_of: Callable[[Graph, Collection[Node]], Lies]
) -> tuple[list[int], dict[int, int]]:
    """The places of ``wanted`` values that are handed over, and the results that may lie in memory
    to which law 2 holds, with the places of these.

    ``wanted``: place -> the number of the result that must lie there if any does, -1 if it may be
    any one, ``None`` where law 1 holds. ``lies_of``: which of its results lie where, if a sub-graph
    owns these placeholders.
    """
    places = dict(wanted)
    while True:
        found = [lies_of(graph, [graph.placeholders[place] for place in places]) for graph in block.graphs]
        pairs = {pair for lies in found for pair in lies.items() if places[pair[1]] is not None}
        if block.loops:  # of a loop without an iteration
            pairs |= {(place, place) for place, number in places.items() if number is not None}
        wrong = {place for number, place in pairs if places[place] not in (-1, number)}
        wrong |= _repeated(pairs, 0) | _repeated(pairs, 1)
        if not wrong:
            return list(places), dict(pairs)
        places = {place: number for place, number in places.items() if place not in wrong}


def _repeated(pairs: Iterable[tuple[int, int]], key: int) -> set[int]:
    """The indices of pairs whose number, or whose place, another pair has, too."""
    by_key: dict[int, set[tuple[int, int]]] = {}
    for pair in pairs:
        by_key.setdefault(pair[key], set()).add(pair)
    return {place for same in by_key.values() if len(same) > 1 for _, place in same}
