"""Lists that programs only append to, in loops on data: arrays with room for more items, beside the
number of items.

Law: in front of each append the number that says where the item goes is the number of items, by
induction over the iterations; so the array can be a list that has exactly these items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.list_calls import calls
from npexport.runtime.memory.inherited_memory import Block, block_of, is_item, results_of
from npexport.runtime.memory.layouts import is_array
from npexport.symshapes.env import known
from npexport.symshapes.symint import python_type

Counts = dict[Node, list[Any]]
"""Lists, and the values that say how many items each has."""


class AppendedLists:
    """The lists of a graph, its branches and loops.

    ``counts``: the numbers of their items; ``rooms`` and ``writes``: the calls that make room for
    an item, and those that put it there. ``iteration``: the graph that a loop is compiled from.
    """

    def __init__(self, graph: Graph, iteration: Callable[[Node], Graph]) -> None:
        self.counts: Counts = {}
        self._iteration = iteration
        self._room: dict[Node, Any] = {}  # for how many items there is room
        self._least: dict[Node, int] = {}  # how many there surely are, if any
        self.rooms: set[Node] = set()
        self.writes: set[Node] = set()
        if any(calls(node, ops.control.with_room) for each in graph.all_graphs() for node in each.nodes):
            self._see(graph)

    def _see(self, graph: Graph) -> None:
        """What becomes of the lists that come into a graph."""
        for node in graph.nodes:
            if node.op != CALL:
                continue
            if (block := block_of(node)) is not None:
                (self._see_loop if block.loops else self._see_branch)(node, block)
            elif calls(node, ops.np.zeros) and type(node.args[0]) is tuple and len(node.args[0]) == 1:
                (number,) = node.args[0]
                self._put(node, [number], number if type(number) is int else 0)
            elif calls(node, ops.np.setitem) and self.holds(node.args[0], node.args[1]):
                self._put(node, self.counts[node.args[0]], self._least[node.args[0]])
            elif (base := self._whole(node)) is not None:
                self._put(node, [*self.counts[base], node.meta["val"].shape[0]], self._least[base])
            elif calls(node, ops.control.with_room) and node.args[0] in self.counts:
                self.rooms.add(node)
                self._put(node, self.counts[node.args[0]], self._least[node.args[0]])
                self._room[node] = value_of(node.args[1])
            elif self._appends(node):
                self.writes.add(node)
                self._put(node, [value_of(node.args[1]) + 1], self._least[node.args[0]] + 1)
                self._room[node] = self._room[node.args[0]]

    def is_full(self, node: Any) -> bool:
        """Whether an array has the items of a list and no room for more."""
        return type(node) is Node and self._counted(node, node.meta["val"].shape[0] if node in self.counts else None)

    def holds_so_many(self, base: Node, count: Any) -> bool:
        """Whether a list has exactly so many items: as many as the array has elements, unless it
        grows.
        """
        return self._counted(base, count) if base in self.counts else _same(count, base.meta["val"].shape[0])

    def holds(self, base: Any, place: Any) -> bool:
        """Whether a list surely has an item at this place."""
        index, numbers = value_of(place), [value_of(number) for number in self.counts.get(base, ())]
        if python_type(index) is not int or not any(known(index < number) is True for number in numbers):
            return False
        return known(index >= 0) is True or any(known(number - index <= self._least[base]) is True for number in numbers)

    def _whole(self, node: Node) -> Node | None:
        """The list of which a value is a copy, or all items."""
        if calls(node, ops.np.copy):
            return node.args[0] if len(node.args) == 1 and node.args[0] in self.counts else None
        base, index = node.args if calls(node, ops.np.getitem) else (None, None)
        if base not in self.counts or type(index) is not slice or index.start is not None or index.step is not None:
            return None
        end = index.stop.args[0] if is_most(index.stop) else index.stop
        return base if self._counted(base, end) else None

    def takes_over(self, part: Node) -> bool:
        """Whether nobody else uses the list of which a value is all items, and a loop made it."""
        base = part.args[0]
        if part not in self.counts or not calls(part, ops.np.getitem) or not is_item(base) or list(base.users) != [part]:
            return False
        loop, number = base.args
        block = block_of(loop)
        return block is not None and block.loops and results_of(loop).get(number) is base

    def _appends(self, node: Node) -> bool:
        """Whether a call writes behind the last item, where there is room for one more."""
        if not calls(node, ops.np.setitem) or node.args[0] not in self._room:
            return False
        return self._counted(*node.args[:2]) and known(value_of(node.args[1]) < self._room[node.args[0]]) is True

    def _given(self, graph: Graph, values: Sequence[Any]) -> None:
        """The lists among the operands of a sub-graph."""
        for placeholder, value in zip(graph.placeholders, values, strict=True):
            numbers = self.counts.get(value, ()) if type(value) is Node else ()
            pairs = zip(graph.placeholders, values, strict=True)
            found: list[Any] = [number for number in numbers if type(number) is int]
            found += [inner for inner, outer in pairs if any(_same(outer, number) for number in numbers)]
            sizes = placeholder.meta["val"].shape if numbers else ()
            found += [size for size in sizes if any(_same(size, number) for number in numbers)]
            self._put(placeholder, found, self._least[value] if numbers else 0)

    def _put(self, node: Node, numbers: list[Any], least: int) -> None:
        if numbers:
            self.counts[node], self._least[node] = numbers, least
        else:
            self.counts.pop(node, None)

    def _see_branch(self, node: Node, block: Block) -> None:
        for side in block.graphs:
            self._given(side, block.values)
            self._see(side)
        outputs = [side.output_node.args[0] for side in block.graphs]
        for result in node.users:
            if is_item(result):
                values = [each[result.args[1]] for each in outputs]
                found = [
                    other for other in node.users if is_item(other) and self._all_counted(values, [each[other.args[1]] for each in outputs])
                ]
                self._put(result, found, min(self._least.get(value, 0) for value in values))

    def _see_loop(self, node: Node, block: Block) -> None:
        """What holds before the loop is assumed of an iteration, and given up where that does not
        leave it so.
        """
        graph, (carried, operands) = self._iteration(node), node.args[2:]
        carries, results = graph.placeholders[: len(carried)], graph.output_node.args[0]
        pairs = [
            (list_, number)
            for list_, value in zip(carries, carried, strict=True)
            if is_array(list_.meta["val"])
            for number, first in zip(carries, carried, strict=True)
            if self._counted(value, first)
        ]
        following = dict(zip(carries, results, strict=True))
        first = dict(zip(carries, carried, strict=True))
        least = {list_: self._least[first[list_]] for list_, _ in pairs}
        while True:
            self._given(graph, (*carried, *operands))
            for carry in carries:
                self._put(carry, [number for list_, number in pairs if list_ is carry], least.get(carry, 0))
            self._see(graph)
            lost = [pair for pair in pairs if not self._counted(following[pair[0]], following[pair[1]])]
            fewer = [list_ for list_, number in least.items() if self._least.get(following[list_], 0) < number]
            if not lost and not fewer:
                break
            self._forget(graph)
            pairs = [pair for pair in pairs if pair not in lost]
            least |= dict.fromkeys(fewer, 0)
        for result in node.users:
            if is_item(result):
                carry = carries[result.args[1]]
                numbers = {carries.index(number) for list_, number in pairs if list_ is carry}
                self._put(result, [other for other in node.users if is_item(other) and other.args[1] in numbers], least.get(carry, 0))

    def _forget(self, graph: Graph) -> None:
        """Nothing is known of the values of a graph."""
        for each in graph.all_graphs():
            nodes = {*each.nodes, *each.placeholders}
            self._room = {node: room for node, room in self._room.items() if node not in nodes}
            self.rooms -= nodes
            self.writes -= nodes
            for node in nodes & self.counts.keys():
                del self.counts[node]

    def _counted(self, value: Any, number: Any) -> bool:
        """Whether a number is that of a list's items."""
        numbers = self.counts.get(value, ()) if type(value) is Node else ()
        return any(_same(other, number) for other in numbers)

    def _all_counted(self, values: Sequence[Any], numbers: Sequence[Any]) -> bool:
        return all(self._counted(value, number) for value, number in zip(values, numbers, strict=True))


def is_most(value: Any) -> bool:
    """Whether a value is a number, or 0 if that is negative."""
    return type(value) is Node and calls(value, ops.sym.max) and value.args[1:] == (0,)


def _same(number: Any, other: Any) -> bool:
    if number is other:
        return True
    one, two = value_of(number), value_of(other)
    return python_type(one) is int and python_type(two) is int and known(one == two) is True
