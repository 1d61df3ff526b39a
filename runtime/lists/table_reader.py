"""What a graph does with an array of keys, their number and an array of their values, if a dict can
do the same.

Values of branches and loops are known by their roots: a parameter of a side, or an operand of a
loop, is what it was given. A loop's carries are roots themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.appended_lists import is_most
from npexport.runtime.lists.list_calls import NUMBER, calls, fits, stored_kind
from npexport.runtime.lists.number_texts import signs_of
from npexport.runtime.memory.inherited_memory import block_of, is_item
from npexport.symshapes.symint import python_type


class Unlike(Exception):
    """A graph does something that a dict does not do."""


class State(NamedTuple):
    """A table at one time: the roots of its keys, of their number, and of their values, ``None`` of
    a set.
    """

    keys: Node
    count: Any
    values: Node | None


class Place(NamedTuple):
    """Where a key was looked up: in a state; ``key``: its root."""

    state: State
    key: Any


class Put(NamedTuple):
    """The calls that write a key, its value, and count it; ``default``: whether that changes no
    value that is there.
    """

    keys: Node
    values: Node | None
    default: bool


class Whole(NamedTuple):
    """All keys of a table, or all values."""

    state: State
    of_keys: bool


class Block(NamedTuple):
    """A branch or a loop, the numbers of its results, and of its operands, that are left out."""

    node: Node
    results: set[int]
    carried: bool


class Reader:
    """``roots``: the roots of values; ``states``: of the keys that are roots. ``places``: of the
    roots that are places of keys; ``locals``: keys in each graph, by their roots. ``again``:
    whether keys are looked up among all keys of a table as in the table itself.
    """

    def __init__(self, again: bool) -> None:
        self._again = again
        self.roots: dict[Node, Any] = {}
        self.states: dict[Node, State] = {}
        self.by_values: dict[Node, State] = {}
        self.by_count: dict[Node, list[State]] = {}
        self.places: dict[Node, Place] = {}
        self.tests: dict[Node, tuple[Node, bool]] = {}  # -> the place that is asked for, and whether it is there
        self.locals: dict[tuple[int, Node], Node] = {}
        self.placed: dict[Node, set[State]] = {}  # the states in which a place surely has its key
        self.tainted: set[Node] = set()  # sums with places
        self.puts: list[Put] = []
        self.written: set[Node] = set()  # the calls that puts consist of
        self.reads: list[Node] = []
        self.wholes: dict[Node, Whole] = {}  # all keys, or all values
        self.blocks: list[Block] = []
        self.counted: list[tuple[Node, Node]] = []  # other uses of numbers of keys
        self._chosen: list[Node] = []
        self.made: list[Node] = []
        self.seen: dict[Node, None] = {}  # calls that may be left out where nothing uses them any more

    # Roots

    def root(self, value: Any) -> Any:
        while type(value) is Node and value in self.roots:
            value = self.roots[value]
        return value

    def _enter(self, graph: Graph, keys: Node, count: Any, values: Node | None) -> State:
        """A state whose keys come to be in a graph."""
        state = self.states[keys] = State(keys, count, values)
        self.locals[id(graph), keys] = keys
        if values is not None:
            self.by_values[values] = state
        if type(count) is Node:
            self.by_count.setdefault(count, []).append(state)
        return state

    def is_ours(self, value: Any) -> bool:
        root = self.root(value)
        return type(root) is Node and any(root in each for each in (self.states, self.by_values, self.by_count, self.places, self.tainted))

    def here(self, graph: Graph, state: State) -> Node | None:
        """The keys of a state in a graph."""
        return self.locals.get((id(graph), state.keys))

    def key_here(self, graph: Graph, place: Node) -> Any:
        """The key that was looked up, in a graph; there it takes the place of its place."""
        if place.graph is graph:
            return place.args[1][0]
        return next((node for node in graph.placeholders if self.root(node) is place), None)

    # Loops and branches

    def loop(self, graph: Graph, node: Node, keys: int, count: int, values: int | None) -> None:
        """A loop that carries a table at these places."""
        test, body, carried, operands = node.args
        places = {keys, count} if values is None else {keys, count, values}
        for each in (test.graph, body.graph):
            parameters = each.placeholders
            self.roots.update(zip(parameters[len(carried) :], operands, strict=True))
            self._given(each, parameters[len(carried) :])
            self._enter(each, parameters[keys], parameters[count], None if values is None else parameters[values])
            for place, value in enumerate(carried):
                if place not in places and self.is_ours(value):
                    self._plain(graph, node, value)
            self.graph(each)
            outputs = each.output_node.args[0]
            if each is body.graph:
                found = self.states.get(self.root(outputs[keys]))
                if found is None or not _same(self.root(outputs[count]), found.count):
                    raise Unlike
                if values is not None and self.root(outputs[values]) is not found.values:
                    raise Unlike
            left = places if each is body.graph else set[int]()
            self.leave(each, [value for place, value in enumerate(outputs) if place not in left])
        self.blocks.append(Block(node, places - {keys}, True))
        self._results(graph, node, keys, count, values)

    def _results(self, graph: Graph, node: Node, keys: int, count: Any, values: int | None) -> None:
        """The state that a branch or a loop gives at these places; ``count`` may be a root."""
        items: dict[int, Node] = {}
        for user in node.users:
            if not is_item(user) or user.args[1] in items:
                raise Unlike
            items[user.args[1]] = user
        number = items.get(count) if type(count) is int else count
        taken = None if values is None else items.get(values)
        if keys not in items and ((type(count) is int and number is not None) or taken is not None):
            items[keys] = self._item_of(graph, node, keys)
        if keys in items:
            self._enter(graph, items[keys], number, taken)
            self.seen.update(dict.fromkeys([item for item in (number, taken) if item is not None and is_item(item)]))

    def _item_of(self, graph: Graph, node: Node, number: int) -> Node:
        """A result of a branch or a loop that nothing has used before."""
        values = {"val": node.args[1].graph.output_node.args[0][number].meta["val"]}
        item = Node(graph.fresh_name("table"), CALL, ops.sym.item, (node, number), {}, values)
        self.made.append(item)
        return graph.insert(graph.nodes.index(node) + 1, item)

    def _given(self, graph: Graph, parameters: Sequence[Node]) -> None:
        for parameter in parameters:
            root = self.root(parameter)
            if root in self.states:
                self.locals.setdefault((id(graph), root), parameter)

    def leave(self, graph: Graph, values: Sequence[Any] | None = None) -> None:
        """Values, or all, that leave a graph as nothing but themselves."""
        for value in graph.output_node.all_input_nodes if values is None else values:
            if self.is_ours(value):
                self._plain(graph, graph.output_node, value)

    def _branch(self, graph: Graph, node: Node) -> None:
        test, one, other, operands = node.args
        asked, found = self.tests.get(self.root(test)), list[list[Any]]()
        for number, side in enumerate((one.graph, other.graph)):
            self.roots.update(zip(side.placeholders, operands, strict=True))
            self._given(side, side.placeholders)
            before = {place: set(states) for place, states in self.placed.items()}
            if asked is not None and asked[1] is (number == 0):
                self._put_at(asked[0])
            self.graph(side)
            self.placed = before
            found.append([self.root(value) for value in side.output_node.args[0]])
        left, tables = set[int](), list[tuple[int, Any, int | None]]()
        for number, pair in enumerate(zip(*found, strict=True)):
            states = [self.states.get(root) for root in pair if type(root) is Node]
            if len(states) < 2 or None in states:
                continue
            count: Any = self._at(found, [state.count for state in states])  # type: ignore[union-attr]
            values = self._at(found, [state.values for state in states])  # type: ignore[union-attr]
            if count is None and states[0].count is states[1].count:  # type: ignore[union-attr]
                count, kept = states[0].count, set[int]()  # type: ignore[union-attr]
            else:
                kept = {count}
            if count is None or (values is None) != (states[0].values is None):  # type: ignore[union-attr]
                raise Unlike
            left |= {number, *kept, *([] if values is None else [values])}
            tables.append((number, count if kept else _Root(count), values))
        for side in (one.graph, other.graph):
            self.leave(side, [value for number, value in enumerate(side.output_node.args[0]) if number not in left])
        self.blocks.append(Block(node, left - {number for number, _, _ in tables}, False))
        for number, count, values in tables:
            self._results(graph, node, number, count.value if type(count) is _Root else count, values)

    @staticmethod
    def _at(found: Sequence[Sequence[Any]], roots: Sequence[Any]) -> int | None:
        """Which result is these roots on the two sides."""
        pairs = [number for number, pair in enumerate(zip(*found, strict=True)) if all(map(_same, pair, roots))]
        return pairs[0] if len(pairs) == 1 and roots[0] is not None else None

    def _put_at(self, place: Node) -> None:
        self.placed.setdefault(place, set()).add(self.places[place].state)

    # Calls

    def graph(self, graph: Graph) -> None:
        """Read the calls of a graph."""
        before = {place: set(states) for place, states in self.placed.items()}
        for node in list(graph.nodes):
            if node.op != CALL:
                continue
            asked = self.tests.get(test) if calls(node, ops.control.check) and (test := self._operand(node, 0)) is not None else None
            if asked is not None and asked[1]:
                self._put_at(asked[0])
            if node not in self.written and any(self.is_ours(each) or each in self.wholes for each in node.all_input_nodes):
                self._call(graph, node)
        self.placed = before
        if not all(map(self._is_choice, self._chosen)):
            raise Unlike

    def _call(self, graph: Graph, node: Node) -> None:
        self.seen[node] = None
        first, place = self._operand(node, 0), self._operand(node, 1)
        of_table, whole = first in self.states or first in self.by_values, node.args and self._is_of_whole(node.args[0])
        block = block_of(node)
        if block is not None:
            (self._inner_loop if block.loops else self._branch)(graph, node)
        elif calls(node, ops.py.row_place) and self._is_search(node):
            self.places[node] = Place(self.states[self.root(node.args[0][0])], self.root(node.args[1][0]))
        elif calls(node, ops.np.setitem) and first in self.states and place in self.places:
            self._put(graph, node, self.states[first])
        elif calls(node, ops.np.getitem) and place in self.places:
            self._read(graph, node)
        elif (of_table and self._is_whole(node)) or (_is_copy(node) and node.args[0] in self.wholes):
            self._see_whole(node)
        elif calls(node, ops.sym.size) and first in self.states and whole:
            self.roots[node] = self.states[first].count
        elif calls(node, ops.control.with_room) and of_table:
            self.roots[node] = node.args[0]
        elif self._is_sum(node):
            self.tainted.add(node)
        elif calls(node, ops.sym.ge) and self._is_tainted(node):
            self._test(graph, node)
        elif not self._is_choice(node):
            for operand in node.all_input_nodes:
                if self.is_ours(operand):
                    self._plain(graph, node, operand)

    def _operand(self, node: Node, number: int) -> Node | None:
        """The root of an operand."""
        root = self.root(node.args[number]) if len(node.args) > number else None
        return root if type(root) is Node else None

    def _is_search(self, node: Node) -> bool:
        columns, key, count = node.args
        state = self.states.get(self.root(columns[0])) if len(columns) == 1 else None
        if state is None or not _same(self.root(count), state.count) or self.is_ours(key[0]):
            return False
        meta = value_of(key[0])
        return python_type(meta) is int and columns[0].meta["val"].dtype == np.int64

    def _is_of_whole(self, value: Any) -> bool:
        """Whether a value is all keys or values, or a parameter that is."""
        while type(value) is Node and value in self.roots and value not in self.wholes:
            value = self.roots[value]
        return type(value) is Node and value in self.wholes

    def _see_whole(self, node: Node) -> None:
        base = node.args[0]
        root = self.root(base)
        self.wholes[node] = (
            self.wholes[base] if base in self.wholes else Whole(self.states.get(root) or self.by_values[root], root in self.states)
        )
        if self._again:
            self.roots[node] = base

    def _is_whole(self, node: Node) -> bool:
        """Whether a value is all keys, or all values."""
        if not calls(node, ops.np.getitem) or type(node.args[1]) is not slice:
            return False
        base, index = node.args
        state = self.states.get(self.root(base)) or self.by_values.get(self.root(base))
        if state is None or index.start is not None or index.step is not None or "raises" in node.meta or node.args[0] in self.wholes:
            return False
        return is_most(index.stop) and _same(self.root(index.stop.args[0]), state.count)

    def _plain(self, graph: Graph, user: Node, value: Any) -> None:
        """Another use, which there may be of numbers of keys, and of all keys and values."""
        root = self.root(value)
        if value in self.wholes and block_of(user) is None:
            return
        states = self.by_count.get(root, ()) if root not in self.tainted and root not in self.places else ()
        if not any(self.here(graph, state) is not None for state in states):
            raise Unlike
        self.counted.append((user, value))

    def _is_tainted(self, node: Node) -> bool:
        return any(self.root(each) in self.places or self.root(each) in self.tainted for each in node.all_input_nodes)

    def _is_sum(self, node: Node) -> bool:
        return bool(signs_of(node)) and self._is_tainted(node) and self._terms(node) is not None

    def _terms(self, value: Any) -> dict[Any, int] | None:
        """Numbers of keys and places in a sum, and how often; its constant under ``None``."""
        root = self.root(value)
        if type(root) is int:
            return {None: root}
        if root in self.by_count or root in self.places:
            return {root: 1}
        if type(root) is not Node or root.op != CALL or not signs_of(root):
            return None
        found: dict[Any, int] = {}
        for sign, operand in zip(signs_of(root), root.args, strict=True):
            terms = self._terms(operand)
            if terms is None:
                return None
            for term, times in terms.items():
                found[term] = found.get(term, 0) + sign * times
        return found

    def _test(self, graph: Graph, node: Node) -> None:
        """A comparison of the place of a key with the number of keys."""
        terms = self._terms(node.args[0]) if node.args[1] == 0 and type(node.args[1]) is int else None
        const = 0 if terms is None else terms.pop(None, 0)
        places = [term for term in terms or () if term in self.places]
        if terms is None or len(places) != 1:
            raise Unlike
        (place,) = places
        state = self.places[place].state
        times = (terms.pop(place), terms.pop(state.count, 0), const)
        if terms or times not in ((-1, 1, -1), (1, -1, 0)):
            raise Unlike
        if self.here(graph, state) is None or self.key_here(graph, place) is None:
            raise Unlike
        self.tests[node] = place, times[0] == -1

    def _is_choice(self, node: Node) -> bool:
        """Whether a call gives what is there at a place, or else what is new and put there."""
        if not calls(node, ops.np.where) or len(node.args) != 3:
            return False
        test, old, new = node.args
        asked = self.tests.get(self.root(test))
        if asked is None or not asked[1] or type(old) is not Node or not calls(old, ops.np.getitem) or self.is_ours(new):
            return False
        if self.root(old.args[1]) is not asked[0]:
            return False
        return all(calls(user, ops.np.setitem) and user.args[2] is node and user.args[:2] == old.args for user in node.users)

    def _read(self, graph: Graph, node: Node) -> None:
        """A read of a value, or of what is there for a choice."""
        base, place = self.root(node.args[0]), self.root(node.args[1])
        if all(calls(user, ops.np.where) for user in node.users):
            self._chosen += node.users  # they are looked at once it is known what is asked
            self.seen.update(dict.fromkeys(node.users))
            return
        state = self.by_values.get(base)
        if state is None or state not in self.placed.get(place, ()) or not fits(node, NUMBER):
            raise Unlike
        if self.here(graph, state) is None or self.key_here(graph, place) is None:
            raise Unlike
        self.reads.append(node)

    def _put(self, graph: Graph, node: Node, state: State) -> None:
        """A write of a key, and what belongs to it."""
        place = self.root(node.args[1])
        users = [each for each in graph.nodes if each.op == CALL and self._operand(each, 1) is place]
        values = [each for each in users if calls(each, ops.np.setitem) and self.root(each.args[0]) is state.values]
        counts = [each for each in users if calls(each, ops.py.rows_with) and _same(self.root(each.args[0]), state.count)]
        there = state in self.placed.get(place, ())
        right = self.places[place].state is state and len(values) == (state.values is not None) and len(counts) <= 1
        if not right or not (counts or there) or self.here(graph, state) is None:
            raise Unlike
        key = node.args[2].args[2] if self._is_choice_of(node) else node.args[2]
        if not _same(self.root(key), self.places[place].key):
            raise Unlike
        written = values[0] if values else None
        if written is not None and (self.is_ours(written.args[2]) or stored_kind(written.args[2], written.meta["val"].dtype) != NUMBER):
            raise Unlike
        self.puts.append(Put(node, written, written is not None and self._is_choice_of(written)))
        self.written |= {node, *values, *counts}
        new = self._enter(graph, node, counts[0] if counts else state.count, written)
        self.placed.setdefault(place, set()).add(new)
        self._is_behind(graph, self.puts[-1], counts)

    def _is_choice_of(self, write: Node) -> bool:
        return type(write.args[2]) is Node and write.args[2].op == CALL and self._is_choice(write.args[2])

    @staticmethod
    def _is_behind(graph: Graph, put: Put, counts: list[Node]) -> None:
        """All uses of what a put gives have to stand behind the last of its calls but the count."""
        last = graph.nodes.index(put.values or put.keys)
        for user in (*put.keys.users, *[user for count in counts for user in count.users]):
            if graph.nodes.index(user) < last:
                raise Unlike

    def _inner_loop(self, graph: Graph, node: Node) -> None:
        carried = [self.root(value) for value in node.args[2]]
        keys = [place for place, root in enumerate(carried) if root in self.states]
        if len(keys) > 1:
            raise Unlike
        if not keys:
            self._read_only(graph, node)
            return
        state = self.states[carried[keys[0]]]
        count = [place for place, root in enumerate(carried) if _same(root, state.count)]
        values = [place for place, root in enumerate(carried) if root is state.values]
        if len(count) != 1 or len(values) != (state.values is not None):
            raise Unlike
        self.loop(graph, node, keys[0], count[0], values[0] if values else None)

    def _read_only(self, graph: Graph, node: Node) -> None:
        """A loop that is given a table."""
        test, body, carried, operands = node.args
        for value in carried:
            if self.is_ours(value):
                self._plain(graph, node, value)
        for each in (test.graph, body.graph):
            parameters = each.placeholders[len(carried) :]
            self.roots.update(zip(parameters, operands, strict=True))
            self._given(each, parameters)
            self.graph(each)
            self.leave(each, each.output_node.args[0])
        self.blocks.append(Block(node, set[int](), True))


class _Root(NamedTuple):
    value: Any


def _is_copy(node: Node) -> bool:
    return calls(node, ops.np.copy) and len(node.args) == 1 and type(node.args[0]) is Node


def _same(one: Any, other: Any) -> bool:
    return one is other if type(one) is Node or type(other) is Node else type(one) is type(other) and one == other
