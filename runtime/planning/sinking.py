"""Where calls stand: what is needed late is computed late, so that it lies nowhere meanwhile.

``sum(np.roll(x, k) for k in range(8))`` is recorded as eight calls and seven sums. Laws: only calls
move that never raise nor warn, and only to before their first user; no array lives longer for it,
so each operand is an input that nobody writes to, is used later all the same, or moves along; or
it is the only other one, and is there instead of a result that is no smaller. What one side of a
branch alone needs, and no operand, is made there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from npexport.ir.aliasing import is_view
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.signature import ExportGraphSignature
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.memory.layouts import is_array, size_key
from npexport.runtime.planning.loop_invariants import redirect
from npexport.runtime.planning.placement import is_large
from npexport.runtime.planning.plan import mutations

LARGE = 1 << 14
"""Bytes of an array from which on it matters for how long it is there."""


def moved(graph: Graph, signature: ExportGraphSignature) -> list[Node] | None:
    """The nodes in the order in which they should be computed; ``None`` if that is their present
    order.
    """
    large = [node.op == CALL and is_large(node, LARGE) and not is_view(node) for node in graph.nodes]
    if sum(large) < 3:
        return None
    order = _Order(graph, signature, large)
    for node, heavy in zip(reversed(graph.nodes), reversed(large), strict=True):
        if heavy:
            order.move(node)
    return order.nodes() if order.before else None


class Late(NamedTuple):
    """An operand of a branch that one of its sides alone uses, and could make: its place."""

    branch: Node
    place: int
    user: Graph


def late_operands(graph: Graph) -> Iterator[Late]:
    """The new arrays that one side of a branch alone uses, in sub-graphs, too; of a branch, the
    last ones first.
    """
    for node in graph.nodes:
        for module in [arg for arg in node.args if type(arg) is GraphModule]:
            yield from late_operands(module.graph)
        block = block_of(node)
        if block is None or block.loops:
            continue
        for place in reversed(range(len(block.values))):
            value = block.values[place]
            users = [side for side in block.graphs if side.placeholders[place].users]
            once = sum(each is value for each in block.values) == 1
            if type(value) is Node and list(value.users) == [node] and once and len(users) == 1 and _is_made_alone(value):
                yield Late(node, place, users[0])


def _is_made_alone(value: Node) -> bool:
    """Whether a call makes an array without operands, and no data make it raise or warn."""
    plain = value.op == CALL and "creation" in value.target.traits and not value.all_input_nodes  # type: ignore[union-attr]
    return plain and "raises" not in value.meta and value.target.is_quiet(*value.args, **value.kwargs)  # type: ignore[union-attr]


def make_inside(late: Late) -> None:
    """Compute an operand in the side that uses it."""
    branch, place, user = late
    *before, operands = branch.args
    value = operands[place]
    inside = Node(user.fresh_name(value.name), CALL, value.target, value.args, value.kwargs, dict(value.meta))
    user.insert(len(user.placeholders), inside)
    redirect(user.placeholders[place], inside)
    for side in before[1:]:
        side.graph.erase_node(side.graph.placeholders[place])
    branch.args = (*before, (*operands[:place], *operands[place + 1 :]))
    value.graph.erase_node(value)


def _is_instead(operand: Node, result: Node) -> bool:
    """Whether a new array is no larger than another one that is computed of it."""
    one, other = operand.meta["val"], result.meta["val"]
    new = operand.op == CALL and not is_view(operand) and is_array(one) and is_array(other)
    return new and size_key(one) == size_key(other) and one.dtype.itemsize <= other.dtype.itemsize


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
        """Move a call before its first user, if that is allowed and something is between them."""
        place = self.anchor[node]
        first = min((self.anchor[user] for user in node.users), default=place)
        between = self.heavy[first] - self.heavy[place + 1] if first > place else 0
        if between > 0 and self.graph.output_node not in node.users and self._may_stand(node, first):
            self.anchor[node] = first
            self.before.setdefault(first, []).append(node)

    def _may_stand(self, node: Node, place: int, along: bool = False) -> bool:
        """Whether a call may be computed just before this place; ``along``: with its only user."""
        op = node.target
        plain = node.op == CALL and "raises" not in node.meta and not op.home and op.is_quiet(*node.args, **node.kwargs)  # type: ignore[union-attr]
        if not plain or any(type(leaf) is GraphModule for leaf in leaves_of((node.args, node.kwargs))):
            return False
        ending = [operand for operand in node.all_input_nodes if is_large(operand, LARGE) and not self._lasts(operand, node, place)]
        return not ending or (not along and len(ending) == 1 and _is_instead(ending[0], node))

    def _lasts(self, operand: Node, user: Node, place: int) -> bool:
        """Whether an operand exists at this place without a longer lifetime."""
        root = operand
        while root.op == CALL and is_view(root):
            root = root.args[0]
        if root.op != CALL:
            return root not in self.written
        if root is not operand:
            return list(operand.users) == [user] and self._lasts(operand.args[0], operand, place)
        if list(operand.users) == [user]:
            return self._may_stand(operand, place, along=True)
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
