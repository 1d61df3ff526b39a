"""Where calls stand: what is needed late is computed late, so that it lies nowhere meanwhile.

``sum(np.roll(x, k) for k in range(8))`` is recorded as eight calls and seven sums. Laws: only calls
move that never raise nor warn, and only to before their first user; no array lives longer for it,
so each operand is an input that nobody writes to, is used later all the same, or moves along.
"""

from __future__ import annotations

from itertools import accumulate

from npexport.ir.aliasing import is_view
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.signature import ExportGraphSignature
from npexport.runtime.placement import is_large
from npexport.runtime.plan import mutations

LARGE = 1 << 14
"""Bytes of an array from which on it matters for how long it is there."""


def moved(graph: Graph, signature: ExportGraphSignature) -> list[Node] | None:
    """The nodes in the order in which they should be computed; ``None`` where that is theirs."""
    large = [node.op == CALL and is_large(node, LARGE) and not is_view(node) for node in graph.nodes]
    if sum(large) < 3:
        return None
    order = _Order(graph, signature, large)
    for node, heavy in zip(reversed(graph.nodes), reversed(large), strict=True):
        if heavy:
            order.move(node)
    return order.nodes() if order.before else None


class _Order:
    """``anchor``: the place in the graph of what each call now stands before, or of itself;
    ``before``: what stands there in its place, last first.
    """

    def __init__(self, graph: Graph, signature: ExportGraphSignature, large: list[bool]) -> None:
        self.graph = graph
        self.anchor = {node: place for place, node in enumerate(graph.nodes)}
        self.heavy = list(accumulate(large, initial=0))
        self.written = {target for _, target in mutations(graph, signature)}
        self.before: dict[int, list[Node]] = {}

    def move(self, node: Node) -> None:
        """Let a call stand before its first user, where that is allowed and there is something
        between them.
        """
        place = self.anchor[node]
        first = min((self.anchor[user] for user in node.users), default=place)
        between = self.heavy[first] - self.heavy[place + 1] if first > place else 0
        if between > 0 and self.graph.output_node not in node.users and self._may_stand(node, first):
            self.anchor[node] = first
            self.before.setdefault(first, []).append(node)

    def _may_stand(self, node: Node, place: int) -> bool:
        """Whether a call may be computed just before this place."""
        op = node.target
        plain = node.op == CALL and "raises" not in node.meta and not op.home and op.is_quiet(*node.args, **node.kwargs)  # type: ignore[union-attr]
        if not plain or any(type(leaf) is GraphModule for leaf in leaves_of((node.args, node.kwargs))):
            return False
        return all(not is_large(operand, LARGE) or self._lasts(operand, node, place) for operand in node.all_input_nodes)

    def _lasts(self, operand: Node, user: Node, place: int) -> bool:
        """Whether an operand is there at this place without living longer for it."""
        root = operand
        while root.op == CALL and is_view(root):
            root = root.args[0]
        if root.op != CALL:
            return root not in self.written
        if root is not operand:
            return list(operand.users) == [user] and self._lasts(operand.args[0], operand, place)
        if list(operand.users) == [user]:
            return self._may_stand(operand, place)
        return max(self.anchor[other] for other in operand.users if other is not user) >= place

    def nodes(self) -> list[Node]:
        """All nodes in their new order."""
        found: list[Node] = []
        waiting = {node for nodes in self.before.values() for node in nodes}
        for place, node in enumerate(self.graph.nodes):
            found += reversed(self.before.get(place, []))
            if node not in waiting:
                found.append(node)
        return found
