"""Lists of a fixed number of numbers that loops carry, and read or write at places of data.

A graph has each item as a value of its own, and a write at a place as a choice for each item. The
compiled loop has one list of Python.

Laws:

1. The items are the list at every moment: what reads them stands before the next write, and nothing
   but reads, writes, numbers that are computed at once, and branches and loops of such uses them.
2. A place that is only read or written at is Python's own index: it raises what Python raises.
3. Any other number is a place if there is such an item; a write at it asks whether there is, unless
   an item was read there.
4. An item that never changes is a constant of the graph: what is written there is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.checkpoints import in_force
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.list_calls import READS, WRITES, calls, places_of
from npexport.runtime.memory.inherited_memory import block_of, results_of
from npexport.symshapes.env import known
from npexport.symshapes.symint import python_type

LEAST = 3
"""Fewer items are variables."""


_DEEPEST = 10
"""How deep in blocks lists are followed: what is deeper may be a function."""

Items = tuple[Any, ...]
"""The items of a list: values of the graph, and constants."""
Iteration = Callable[[Node], Graph]
"""The graph that a loop is compiled from."""


Shifts = dict[Any, tuple[Node, int]]
"""Values that come into a graph, and are another one less a number."""


class Put(NamedTuple):
    """A write at a place: the items before and after it. ``surely``: whether there is such an
    item.
    """

    before: Items
    after: Items
    surely: bool

    @property
    def first(self) -> int:
        """The number of the first item that may be written: its choice knows the place."""
        return next(number for number, choice in enumerate(self.after) if type(choice) is Node and type(choice.args[1]) is Node)

    @property
    def place(self) -> tuple[Node, int]:
        """A value, and the number that is added to it."""
        number = self.first
        first = self.after[number].args[1].args[0]
        if number and calls(first, ops.sym.sub) and type(first.args[1]) is int:
            return first.args[0], number - first.args[1]
        return first, number


class FixedLists:
    """The lists that one loop carries, unless they are ``known`` from a loop around it. ``groups``:
    the carries that are the items of each.

    ``reads``: the calls that read an item; ``puts``: the call of each write that knows its place;
    ``members``: all values that are an item, with its number and that of the list; ``direct``:
    numbers that are computed of an item. ``depth``: of the loop in blocks.
    """

    def __init__(self, iteration: Graph, count: int, known: Container[Node], inner: Iteration, depth: int) -> None:
        self.groups: list[Items] = []
        self.reads: dict[Node, int] = {}
        self.puts: dict[Node, Put] = {}
        self.members: dict[Node, tuple[int, int]] = {}
        self.direct: set[Node] = set()
        carries = iteration.placeholders[:count]
        for items in sorted(dict.fromkeys(_candidates(iteration, inner, {})), key=len, reverse=True):
            nodes = _nodes(items)
            free = all(item not in known and item not in self.members for item in nodes)
            if not free or not set(nodes) <= {*carries}:
                continue
            follower = _Follower(inner)
            last = follower.follow(iteration, items, depth + 2, {})
            outputs = iteration.output_node.args[0]
            kept = last is not None and [outputs[carries.index(item)] for item in nodes] == _nodes(last)
            if kept and follower.puts and sum(value in follower.members for value in outputs if type(value) is Node) == len(nodes):
                self._take(items, follower)

    def _take(self, items: Items, follower: _Follower) -> None:
        number = len(self.groups)
        self.groups.append(items)
        self.reads |= dict.fromkeys(follower.reads, number)
        self.puts |= {put.after[put.first]: put for put in follower.puts}
        self.direct |= follower.direct
        self.members |= {member: (number, place) for member, place in follower.members.items()}


class _Follower:
    """What becomes of the items of one list in a graph, its branches and loops."""

    def __init__(self, iteration: Iteration) -> None:
        self.reads: list[Node] = []
        self.puts: list[Put] = []
        self.members: dict[Node, int] = {}
        self.direct: set[Node] = set()
        self._iteration = iteration

    def follow(self, graph: Graph, items: Items, depth: int, shifts: Shifts) -> Items | None:
        """The items at the end; ``None`` if they are used for anything else."""
        self._join(items)
        nodes, pending = _nodes(items), list[Node]()  # of a write
        there: set[Any] = set()  # the places at which an item was read
        for node in graph.nodes:
            used = [operand for operand in node.all_input_nodes if operand in self.members]
            if node.op != CALL or not used:
                continue
            if not pending and calls(node, ops.py.item) and list(map(_key, node.args[0])) == list(map(_key, items)):
                self.reads.append(node)
                there.add(node.args[1])
            elif _chooses(node) and node.args[0][0] is nodes[len(pending)] and {*used} <= {*nodes}:
                pending.append(node)
                if len(pending) == len(nodes):
                    put = _written(items, _filled(items, pending), there, shifts)
                    if put is None:
                        return None
                    self.puts.append(put)
                    items, nodes, pending = put.after, pending, []
                    self._join(items)
            elif not pending and {*used} <= {*nodes} and block_of(node) is None and python_type(node.meta["val"]) in (int, float, bool):
                self.direct.add(node)
            elif pending or (following := self._block(node, items, depth, shifts)) is None:
                return None
            else:
                items, nodes = following, _nodes(following)
        return None if pending else items

    def _join(self, items: Items) -> None:
        self.members |= {item: place for place, item in enumerate(items) if type(item) is Node}

    def _block(self, node: Node, items: Items, depth: int, shifts: Shifts) -> Items | None:
        """The items behind a branch or a loop that is given all of them."""
        block = block_of(node)
        if block is None or depth >= _DEEPEST:
            return None
        given = (*block.values, *node.args[3]) if block.loops else block.values
        nodes = _nodes(items)
        if any(value in self.members and value not in nodes for value in given if type(value) is Node):
            return None
        if any(sum(value is item for value in given) != 1 for item in nodes):
            return None
        places = [next(place for place, value in enumerate(given) if value is item) for item in nodes]
        if block.loops:
            return self._loop(node, items, places, depth + 2, shifts)
        ends, outputs = [], [side.output_node.args[0] for side in block.graphs]
        for side in block.graphs:
            inner = _shifts(dict(zip(side.placeholders, given, strict=True)), shifts)
            end = self.follow(side, _filled(items, [side.placeholders[place] for place in places]), depth + 1, inner)
            if end is None:
                return None
            ends.append(end)
        return self._joined(node, [list(values) for values in outputs], ends, items)

    def _loop(self, node: Node, items: Items, places: list[int], depth: int, shifts: Shifts) -> Items | None:
        """The items behind a loop, to which they are given at these places."""
        test, body, count = node.args[0].graph, self._iteration(node), len(node.args[2])
        if any(test.placeholders[place].users for place in places):
            return None
        first = _filled(items, [body.placeholders[place] for place in places])
        inner = _shifts(dict(zip(body.placeholders[count:], node.args[3], strict=True)), shifts)
        end, outputs = self.follow(body, first, depth, inner), body.output_node.args[0]
        if end is None:
            return None
        leaving = [place for place, value in enumerate(outputs) if type(value) is Node and value in self.members]
        if min(places) >= count:
            return items if end == first and not leaving else None
        results = results_of(node)
        if max(places) >= count or sorted(places) != leaving or any(place not in results for place in places):
            return None
        if any(outputs[place] is not item for place, item in zip(places, _nodes(end), strict=True)):
            return None
        found = _filled(items, [results[place] for place in places])
        self._join(found)
        return found

    def _joined(self, branch: Node, outputs: list[list[Any]], ends: list[Items], items: Items) -> Items | None:
        """The results that are the items behind a branch, whose sides end with these."""
        leaving = [[place for place, value in enumerate(values) if type(value) is Node and value in self.members] for values in outputs]
        if not any(leaving):
            return items if all(_nodes(end)[0].op != CALL for end in ends) else None
        numbers = [next((place for place, value in enumerate(outputs[0]) if value is item), -1) for item in _nodes(ends[0])]
        results = results_of(branch)
        if any(sorted(numbers) != each for each in leaving) or any(number not in results for number in numbers):
            return None
        for values, end in zip(outputs, ends, strict=True):
            if any(values[number] is not item for number, item in zip(numbers, _nodes(end), strict=True)):
                return None
        found = _filled(items, [results[number] for number in numbers])
        self._join(found)
        return found


def _candidates(graph: Graph, iteration: Iteration, shifts: Shifts) -> Iterator[Items]:
    """Values that come into a graph, and are read or written as the items of a list."""
    inputs = {*graph.placeholders}
    written: dict[tuple[Node, Any], list[Node]] = {}
    for node in graph.nodes:
        if calls(node, ops.py.item) and len(nodes := _nodes(node.args[0])) >= LEAST and len({*nodes}) == len(nodes) and {*nodes} <= inputs:
            yield tuple(node.args[0])
        elif _chooses(node) and (index := _index_of(node, shifts)) is not None and node.args[0][0] in inputs:
            written.setdefault((index[0], _key(node.args[0][1])), []).append(node.args[0][0])
        elif (block := block_of(node)) is not None:
            given = (*block.values, *node.args[3]) if block.loops else block.values
            for side in [iteration(node)] if block.loops else block.graphs:
                outer = dict(zip(side.placeholders, given, strict=True))
                lasting = list(outer)[len(block.values) if block.loops else 0 :]
                inner = _shifts({value: outer[value] for value in lasting}, shifts)
                for items in _candidates(side, iteration, inner):
                    given_items = [outer[item] for item in _nodes(items)]
                    if all(type(item) is Node and item in inputs for item in given_items):
                        yield _filled(items, given_items)
    yield from [tuple(items) for items in written.values() if len(items) >= LEAST]


def _nodes(items: Iterable[Any]) -> list[Node]:
    """The items that are no constants."""
    return [item for item in items if type(item) is Node]


def _filled(items: Items, nodes: Iterable[Node]) -> Items:
    """The list with these values in the place of those that are no constants."""
    following = iter(nodes)
    return tuple([next(following) if type(item) is Node else item for item in items])


def _key(value: Any) -> Any:
    return value if type(value) is Node else repr(value)


def _chooses(node: Node) -> bool:
    """Whether a call chooses between an item and another number; it asks for nothing where no write
    is at this item.
    """
    asks = calls(node, ops.py.item) and (type(node.args[1]) is Node or node.args[1] is False)
    return asks and len(node.args[0]) == 2 and type(node.args[0][0]) is Node


def _index_of(choice: Node, shifts: Shifts) -> tuple[Node, int] | None:
    """The value and the number that are equal where a choice writes."""
    test = choice.args[1]
    first, number = test.args[0] if type(test) is Node and calls(test, ops.sym.eq) and test.args[1] == 0 else None, 0
    if type(first) is Node and calls(first, ops.sym.sub) and type(first.args[1]) is int:
        first, number = first.args
    if first in shifts:
        first, more = shifts[first]
        number += more
    return (first, number) if type(first) is Node and python_type(first.meta["val"]) is int else None


def _shifts(given: dict[Node, Any], shifts: Shifts) -> Shifts:
    """The shifts among the values that come into a graph; ``given``: what they are around it."""
    inside = {value: placeholder for placeholder, value in given.items() if type(value) is Node}
    found: Shifts = {}
    for value, placeholder in inside.items():
        shift = shifts.get(value)
        if shift is None and calls(value, ops.sym.sub) and type(value.args[0]) is Node and type(value.args[1]) is int:
            shift = (value.args[0], value.args[1])
        if shift is not None and shift[0] in inside:
            found[placeholder] = (inside[shift[0]], shift[1])
    return found


def _put_at(choice: Node, place: Node) -> int | None:
    """The number of the item that a choice writes if the place is this one."""
    index = _index_of(choice, {}) if _chooses(choice) else None
    return index[1] if index is not None and index[0] is place else None


def _written(before: Items, after: Items, there: set[Any], shifts: Shifts) -> Put | None:
    """The write that these choices are; ``there``: the places that have an item."""
    choices = [(number, choice) for number, choice in enumerate(after) if type(choice) is Node]
    found = [(number, index) for number, choice in choices if (index := _index_of(choice, shifts)) is not None]
    value = choices[0][1].args[0][1]
    if not found or any(_key(choice.args[0][1]) != _key(value) for _, choice in choices):
        return None
    first, (base, at) = found[0]
    start = at - first
    # a place is Python's own index, which counts from the first item on
    indexed = any(calls(other, ops.py.place) for _, (other, _) in found)
    unasked = sum(choice.args[1] is False for _, choice in choices)
    same = not (start and indexed) and len(found) + unasked == len(choices)
    same = same and all(index == (base, start + number) for number, index in found)
    place = after[0].args[1].args[0] if first == 0 else None if start else base  # where the first item is written it is 0
    surely = place is not None and (place in there or (calls(place, ops.py.place) and place.args[1] == len(before)))
    return Put(before, after, surely) if same or (not indexed and _are_at_one_place(choices)) else None


def _are_at_one_place(choices: Sequence[tuple[int, Node]]) -> bool:
    """Whether what is known of the numbers that are 0 where these choices write makes them one
    place.
    """
    tests = [(number, choice.args[1]) for number, choice in choices if choice.args[1] is not False]
    if any(type(test) is not Node or not calls(test, ops.sym.eq) or test.args[1] != 0 for _, test in tests):
        return False
    places = [value_of(test.args[0]) + number for number, test in tests]
    return all(python_type(place) is int and known(place == places[0]) is True for place in places)


class FixedTexts:
    """The statements for the lists of all loops so far; ``names`` are the texts of all values,
    ``kept`` the names that several values have.
    """

    def __init__(self, source: Source, names: dict[Node, str], kept: set[str]) -> None:
        self.source, self.names = source, names
        self._reads: dict[Node, str] = {}
        self._puts: dict[Node, tuple[str, Put]] = {}
        self._displays: dict[Node, type] = {}  # reads of items that are no list that a loop has
        self._indices: set[Node] = set()
        self._direct: set[Node] = set()
        self.members: dict[Node, str] = {}
        """What are items of lists, and their texts."""
        self.kept = kept

    def __contains__(self, node: Any) -> bool:
        return node in self._reads or node in self._displays or node in self.members or node in self._indices

    def stands_apart(self, node: Node) -> bool:
        """Whether a number has a statement of its own: the items of a list change later."""
        return node in self or node in self._direct

    def see(self, graph: Graph) -> None:
        """Find the places that are indices of lists and tuples: what reads an item raises then, in
        place of a call that a checkpoint is for.
        """
        restored = {node for node, checkpoint in in_force(graph).items() if checkpoint is not None}
        for place, users in [found for each in graph.all_graphs() for found in places_of(each) if found[0] not in restored]:
            kind = next((kind for kind, text in READS.items() if text == place.args[2]), None)
            alone = all(calls(user, ops.py.item) and user.args[1] is place and len(user.args[0]) == place.args[1] for user in users)
            if kind is not None and alone and not any(user in self for user in users):
                self._indices.add(place)
                self._displays |= dict.fromkeys(users, kind)

    def begin(self, iteration: Graph, carried: Sequence[Any], carries: list[str], inner: Iteration, depth: int) -> Iterator[str]:
        """The statements that make the lists of a loop; the names of their items among those of the
        ``carries``.
        """
        for place, first in enumerate(iteration.placeholders[: len(carries)]):
            carries[place] = self.members.get(first, carries[place])
        lists = FixedLists(iteration, len(carried), self.members, inner, depth)
        lists_names = [self.source.fresh() for _ in lists.groups]
        for name, items in zip(lists_names, lists.groups, strict=True):
            places = {number: iteration.placeholders.index(item) for number, item in enumerate(items) if type(item) is Node}
            texts = [
                self.source.text(carried[places[number]] if number in places else item, self.names) for number, item in enumerate(items)
            ]
            whole = self.source.whole(texts)
            yield f"{name} = [{', '.join(texts)}]" if whole is None else f"{name} = {whole}[:]"
            self.source.lengths[name] = len(items)
            for number, place in places.items():
                carries[place] = f"{name}[{number}]"
        self._reads |= {read: lists_names[number] for read, number in lists.reads.items()}
        self._puts |= {first: (lists_names[lists.members[first][0]], put) for first, put in lists.puts.items()}
        self._direct |= lists.direct
        self.members |= {node: f"{lists_names[number]}[{place}]" for node, (number, place) in lists.members.items()}
        used = {put.place[0] for _, put in self._puts.values() if put.surely} | {read.args[1] for read in self._reads}
        self._indices |= {
            place
            for each in iteration.all_graphs()
            for place, users in places_of(each)
            if place in used and all(self._indexes(user, place) for user in users)
        }
        self.see(iteration)

    def _indexes(self, user: Node, place: Node) -> bool:
        """Whether a call uses a place as the index of a list, and Python says the same of it."""
        if user in self._reads:
            return bool(place.args[2] == READS[list])
        if place.args[2] != WRITES:
            return False
        tests = [user] if calls(user, ops.sym.eq) else list(user.users) if calls(user, ops.sym.sub) else []
        chosen = [choice for test in tests for choice in test.users]
        return bool(chosen) and all(choice in self.members and _put_at(choice, place) is not None for choice in chosen)

    def lines(self, node: Node) -> Iterator[str]:
        """The statements of a call that reads or writes."""
        if node in self._reads:
            self.names[node] = self.source.fresh()
            yield f"{self.names[node]} = {self._reads[node]}[{self.source.text(node.args[1], self.names)}]"
        elif node in self._displays:
            self.names[node] = self.source.fresh()
            yield f"{self.names[node]} = {self._display(node)}[{self.source.text(node.args[1], self.names)}]"
        elif node in self._puts:
            name, put = self._puts[node]
            (base, more), value = put.place, node.args[0][1]  # the loop may count from another number by now
            place = self.source.text(base, self.names)
            place = f"({place} {'+' if more > 0 else '-'} {abs(more)})" if more else place
            test = "" if put.surely else f"if 0 <= {place} < {len(put.after)}: "
            yield f"{test}{name}[{place}] = {self.source.text(value, self.names)}"
            self.names.update((member, self.members[member]) for member in _nodes(put.after))
        elif node in self.members:
            self.names[node] = self.members[node]
        elif node in self._indices:
            text = self.source.text(node.args[0], self.names)
            self.names[node] = text if text.isidentifier() else self.source.fresh()
            self.kept.add(self.names[node])
            if text != self.names[node]:
                yield f"{self.names[node]} = {text}"

    def place(self, node: Node) -> str:
        """The statement for a place that is not a list's index: most are one."""
        index, count, text = [self.source.text(arg, self.names) for arg in node.args]
        self.names[node] = self.source.fresh()
        otherwise = f"{self.source.bind(node.target.kernel)}({index}, {count}, {text})"  # type: ignore[union-attr]
        return f"{self.names[node]} = {index} if 0 <= {index} < {count} else {otherwise}"

    def _display(self, read: Node) -> str:
        """The text of the items that a call reads one of."""
        items, kind = read.args[0], self._displays[read]
        if not any(type(item) is Node for item in items):
            return self.source.bind(kind(items))
        return self.source.text(kind(items), self.names)
