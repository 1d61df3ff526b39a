"""Lists that programs only append to, in loops on data: arrays with room for more items, beside the
number of items.

Law: in front of each append the number that says where the item goes is the number of items, by
induction over the iterations; so the array can be a list that has exactly these items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.climbing import Climbing
from npexport.runtime.lists.list_calls import calls, is_copy
from npexport.runtime.memory.inherited_memory import Block, block_of, is_item, results_of
from npexport.runtime.memory.layouts import is_array
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, python_type

MAX_DEPTH = 6
"""How deep in branches and loops lists are known."""

Counts = dict[Node, list[Any]]
"""Lists, and the values that say how many items each has."""


class AppendedLists:
    """The lists of a graph, its branches and loops.

    ``counts``: the numbers of their items; ``rooms`` and ``writes``: the calls that make room for
    an item, and those that put it there; ``sure``: those that read or write an item that is there.
    ``begun``: arrays of zeros that are room for more items than this number, which the list begins
    with. ``iteration``: the graph that a loop is compiled from.
    """

    def __init__(self, graph: Graph, iteration: Callable[[Node], Graph], begun: Mapping[Node, int] = MappingProxyType({})) -> None:
        self.counts: Counts = {}
        self._iteration = iteration
        self._room: dict[Node, Any] = {}  # for how many items there is room
        self._least: dict[Node, int] = {}  # how many there surely are, if any
        self.rooms: set[Node] = set()
        self.writes: set[Node] = set()
        self.sure: set[Node] = set()
        self.begun = begun
        self._facts: list[Any] = []  # numbers that are not negative where a graph is looked at
        self._climbing = Climbing()
        self._owners: dict[Graph, Node] = {}  # the branch or the loop of a sub-graph
        self.lost: list[Node] = []  # calls that make room in what is no list as far as is known
        if any(calls(node, ops.control.with_room) for each in graph.all_graphs() for node in each.nodes):
            self._see(graph)
            seen = [graph, *self._owners]
            self.lost = [node for each in seen for node in each.nodes if calls(node, ops.control.with_room) and node not in self.rooms]

    def beginnings(self) -> dict[Node, int]:
        """The arrays of zeros in whose memory, or longer memory, room was made for more items, and
        the first place that is written to.
        """
        waiting, seen = [*self.lost], set[Node]()
        while waiting:
            node = waiting.pop()
            if type(node) is Node and node not in seen:
                seen.add(node)
                waiting += self._before(node)
        return {node: min(_places(node, 0), default=0) for node in seen if calls(node, ops.np.zeros)}

    def _before(self, node: Node) -> list[Any]:
        """What an array was before a call, a branch or a loop."""
        if calls(node, ops.control.with_room) or calls(node, ops.np.setitem):
            return [node.args[0]]
        if is_item(node) and (block := block_of(node.args[0])) is not None:
            loop, place = node.args
            graphs = [self._iteration(loop)] if block.loops else block.graphs
            results = [each.output_node.args[0][place] for each in graphs]
            return [*results, block.values[place]] if block.loops else results
        owner = self._owners.get(node.graph) if node.op == PLACEHOLDER else None
        block = None if owner is None else block_of(owner)
        if owner is None or block is None:
            return []
        place = node.graph.placeholders.index(node)
        values = (*block.values, *owner.args[3]) if block.loops else block.values
        return [values[place]]

    def _see(self, graph: Graph) -> None:
        """What becomes of the lists that come into a graph."""
        outside = len(self._facts)
        for node in graph.nodes:
            if node.op != CALL:
                continue
            if calls(node, ops.control.check):
                self._facts += _not_negative(node.args[0], True)
            if (block := block_of(node)) is not None:
                self._owners |= dict.fromkeys([self._iteration(node)] if block.loops else block.graphs, node)
                (self._see_loop if block.loops else self._see_branch)(node, block)
            elif calls(node, ops.np.zeros) and type(node.args[0]) is tuple and len(node.args[0]) == 1:
                (number,) = node.args[0] if node not in self.begun else (self.begun[node],)
                self._put(node, [number], number if type(number) is int else 0)
            elif calls(node, ops.np.getitem) and self._holds(*node.args):
                self.sure.add(node)
            elif calls(node, ops.np.setitem) and self._holds(*node.args[:2]):
                self.sure.add(node)
                self._put(node, self.counts[node.args[0]], self._least[node.args[0]])
            elif (base := self._whole(node)) is not None:
                self._put(node, [*self.counts[base], node.meta["val"].shape[0]], self._least[base])
            elif is_copy(node):
                self._put(node, [node.meta["val"].shape[0]], 0)
            elif calls(node, ops.control.with_room) and node.args[0] in self.counts:
                self.rooms.add(node)
                self._put(node, self.counts[node.args[0]], self._least[node.args[0]])
                self._room[node] = value_of(node.args[1])
            elif self._appends(node):
                self.writes.add(node)
                self._put(node, [value_of(node.args[1]) + 1], self._least[node.args[0]] + 1)
                if node.args[0] in self._room:
                    self._room[node] = self._room[node.args[0]]
        del self._facts[outside:]

    def is_full(self, node: Any) -> bool:
        """Whether an array has the items of a list and no room for more."""
        return type(node) is Node and self._counted(node, node.meta["val"].shape[0] if node in self.counts else None)

    def holds_so_many(self, base: Node, count: Any) -> bool:
        """Whether a list has exactly so many items: as many as the array has elements, unless it
        grows.
        """
        return self._counted(base, count) if base in self.counts else _same(count, base.meta["val"].shape[0])

    def _holds(self, base: Any, place: Any) -> bool:
        """Whether a list surely has an item at this place, here."""
        index, numbers = value_of(place), [value_of(number) for number in self.counts.get(base, ())]
        if python_type(index) is not int or not any(self._is_positive(number - index) for number in numbers):
            return False
        bounds = self._climbing.of(place)
        if self._is_positive(index + 1) or (bounds is not None and bounds.least >= 0):
            return True
        return any(known(number - index <= self._least[base]) is True for number in numbers)

    def _is_positive(self, number: Any) -> bool:
        """Whether a number is more than 0, here."""
        return known(number > 0) is True or any(known(number > fact) is True for fact in self._facts)

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
        if not calls(node, ops.np.setitem) or node.args[0] not in self.counts or not self._counted(*node.args[:2]):
            return False
        (base, place), (size,) = node.args[:2], node.args[0].meta["val"].shape
        rooms = (self._room.get(base, 0), size)
        return "raises" not in node.meta or any(known(value_of(place) < room) is True for room in rooms)

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
        for side, truth in zip(block.graphs, (True, False), strict=True):
            self._given(side, block.values)
            self._climbing.given(side, block.values)
            given = zip(side.placeholders, block.values, strict=True)
            self._room |= {inner: self._room[value] for inner, value in given if type(value) is Node and value in self._room}
            facts = _not_negative(node.args[0], truth)
            self._facts += facts
            self._see(side)
            del self._facts[len(self._facts) - len(facts) :]
        outputs = [side.output_node.args[0] for side in block.graphs]
        for result in node.users:
            if is_item(result):
                values = [each[result.args[1]] for each in outputs]
                found = [
                    other for other in node.users if is_item(other) and self._all_counted(values, [each[other.args[1]] for each in outputs])
                ]
                found += self._stays(block, values)
                self._put(result, found, min(self._least.get(value, 0) for value in values))
                rooms = [self._room[value] for value in values if type(value) is Node and value in self._room]
                if len(rooms) == len(values) and all(known(room == rooms[0]) is True for room in rooms):
                    self._room[result] = rooms[0]

    def _stays(self, block: Block, values: Sequence[Any]) -> list[Any]:
        """The numbers from around a branch that are those of a list's items on all sides."""
        numbers = self.counts.get(values[0], ()) if type(values[0]) is Node else ()
        ints = {number for number in numbers if type(number) is int}
        found: list[Any] = [number for number in ints if self._all_counted(values, [number] * len(values))]
        places = [place for place, first in enumerate(block.graphs[0].placeholders) if any(first is number for number in numbers)]
        inner = [(block.values[place], [side.placeholders[place] for side in block.graphs]) for place in places]
        return found + [outer for outer, each in inner if self._all_counted(values, each)]

    def _see_loop(self, node: Node, block: Block) -> None:
        """What holds before the loop is assumed of an iteration, and given up where that does not
        leave it so.
        """
        graph, (carried, operands) = self._iteration(node), node.args[2:]
        carries, results = graph.placeholders[: len(carried)], graph.output_node.args[0]
        self._climbing.loop(graph, carried, operands, None)
        going = _margins(node) if graph is node.args[1].graph else []
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
            self._facts += going
            self._see(graph)
            del self._facts[len(self._facts) - len(going) :]
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
            self.sure -= nodes
            for node in nodes & self.counts.keys():
                del self.counts[node]

    def _counted(self, value: Any, number: Any) -> bool:
        """Whether a number is that of a list's items."""
        numbers = self.counts.get(value, ()) if type(value) is Node else ()
        return any(_same(other, number) for other in numbers)

    def _all_counted(self, values: Sequence[Any], numbers: Sequence[Any]) -> bool:
        return all(self._counted(value, number) for value, number in zip(values, numbers, strict=True))


def appended_lists(graph: Graph, iteration: Callable[[Node], Graph]) -> AppendedLists:
    """The lists of a graph: zeros are the items of one, or room for more than it begins with where
    that explains more of the calls that make room.
    """
    found = AppendedLists(graph, iteration)
    while beginnings := {node: number for node, number in found.beginnings().items() if node not in found.begun}:
        other = AppendedLists(graph, iteration, {**found.begun, **beginnings})
        if not other.rooms > found.rooms:
            break
        found = other
    return found


def _places(array: Node, depth: int) -> Iterator[int]:
    """The constant places to which an array is written first, in sides of branches, too."""
    for user in array.users:
        if calls(user, ops.np.setitem) and user.args[0] is array and type(user.args[1]) is int:
            yield user.args[1]
        block = block_of(user)
        if block is None or block.loops or depth == MAX_DEPTH:
            continue
        for side in block.graphs:
            given = dict(zip(side.placeholders, block.values, strict=True))
            for placeholder in [each for each, value in given.items() if value is array]:
                yield from _places(placeholder, depth + 1)


def drop_places(graph: Graph) -> bool:
    """Leave out the places of a list that nobody uses any more: there is memory for as many as it
    has items. Returns whether there were any.
    """
    places = [(each, node) for each in graph.all_graphs() for node in each.nodes if calls(node, ops.np.arange) and not node.users]
    unused = [(each, node, node.args[0]) for each, node in places if len(node.args) == 1 and type(node.args[0]) is Node]
    unused = [found for found in unused if calls(found[2], ops.sym.size)]
    for each, node, size in unused:
        each.erase_node(node)
        if not size.users:
            each.erase_node(size)
    return bool(unused)


def is_most(value: Any) -> bool:
    """Whether a value is a number, or 0 if that is negative."""
    return type(value) is Node and calls(value, ops.sym.max) and value.args[1:] == (0,)


def _not_negative(test: Any, truth: bool) -> list[Any]:
    """The numbers that are not negative where a test has this outcome."""
    if type(test) is not Node or not calls(test, ops.sym.ge):
        return []
    margin = value_of(test.args[0]) - value_of(test.args[1])
    return [margin if truth else -margin - 1]


def _margins(loop: Node) -> list[Any]:
    """The numbers that are not negative in each iteration, since it is made: carries less a
    constant.
    """
    test, body, carried = loop.args[0].graph, loop.args[1].graph, loop.args[2]
    following, found = body.output_node.args[0], []
    if tuple(test.output_node.args[0]) != (test.placeholders[0],) or not (margin := _not_negative(following[0], True)):
        return []
    begins = [0] if carried[0] is True else _not_negative(carried[0], True)
    for carry, first, last in zip(body.placeholders, carried, following, strict=False):
        less = value_of(last) - margin[0] if type(carry.meta["val"]) is SymInt else None
        if type(less) is int and any(known(value_of(first) - less >= number) is True for number in begins):
            found.append(carry.meta["val"] - less)
    return found


def _same(number: Any, other: Any) -> bool:
    if number is other:
        return True
    one, two = value_of(number), value_of(other)
    return python_type(one) is int and python_type(two) is int and known(one == two) is True
