"""Puts tables in the place of arrays of keys, their numbers, and arrays of their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.node import value_of
from npexport.runtime.lists.list_calls import calls
from npexport.runtime.lists.table_ops import COUNT, GET, HAS, KEYS, MISSES, NEW, PUT, PUT_DEFAULT, TABLE, VALUE, VALUES
from npexport.runtime.lists.table_reader import Block, Put, Reader, State
from npexport.runtime.memory.inherited_memory import block_of, is_item
from npexport.runtime.planning.loop_invariants import redirect
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

_FAR, _STEP = 2**62, 16
"""A number that is at most that large at first, and grows by at most that much each time, does not
reach 2**63 in the lifetime of a computer."""


class Writer:
    """``puts``: what has taken the place of the calls that write keys."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.puts: dict[Node, Node] = {}
        self.sure = "value" if all(_is_small(reader, put) for put in reader.puts) else ""

    def write(self, graph: Graph, loop: Node, keys: int) -> None:
        """``loop`` is where the table begins, as its carry number ``keys``."""
        reader = self.reader
        for put in reader.puts:
            self._put(put)
        for read in reader.reads:
            state = reader.by_values[reader.root(read.args[0])]
            read.target, read.args = VALUE, (self._here(read.graph, state), self._key(read.graph, read.args[1]))
        for test, (place, there) in reader.tests.items():
            state = reader.places[place].state
            test.target, test.args = HAS if there else MISSES, (self._here(test.graph, state), reader.key_here(test.graph, place))
        for user, value in reader.counted:
            self._count(user, value)
        first = Node(graph.fresh_name("table"), CALL, NEW, (), {}, dict(loop.args[2][keys].meta))
        graph.insert(graph.nodes.index(loop), first)
        first.meta[TABLE] = True
        seed, carried = loop.args[2][keys], list(loop.args[2])
        carried[keys] = first
        loop.args = (*loop.args[:2], tuple(carried), *loop.args[3:])
        reader.seen[seed] = None
        for block in reader.blocks:
            reader.seen.update(dict.fromkeys(_seeds(block.node)))
            _leave_out_results(block)
        gone: list[Node] = []
        for block in reader.blocks:
            gone += self._operands(block)
        for node, whole in reader.wholes.items():
            node.target, node.args = KEYS if whole.of_keys else VALUES, (self._here(node.graph, whole.state),)
        for node in (*reader.locals.values(), *reader.states):
            if node not in reader.wholes:
                node.meta[TABLE] = True
        self._sweep()
        for node in gone:
            node.graph.erase_node(node)
        for block in reader.blocks:
            _get(block.node)

    def _here(self, graph: Graph, state: State) -> Node:
        node = self.reader.here(graph, state)
        assert node is not None
        return self.puts.get(node, node)

    def _state(self, value: Any) -> State | None:
        root = self.reader.root(value)
        return self.reader.states.get(root) if type(root) is Node else None

    def _key(self, graph: Graph, place: Node) -> Any:
        return self.reader.key_here(graph, self.reader.root(place))

    def _put(self, put: Put) -> None:
        reader, graph, last = self.reader, put.keys.graph, put.values or put.keys
        state = reader.states[reader.root(put.keys.args[0])]
        key, value = _stored(put.keys), None if put.values is None else _stored(put.values)
        meta = {**last.meta, "val": put.keys.meta["val"], TABLE: True}
        meta |= {"raises": put.keys.meta["raises"]} if "raises" in put.keys.meta else {}
        args = (self._here(graph, state), key, value, self.sure if put.values is not None else "value")
        new = Node(graph.fresh_name("table"), CALL, PUT_DEFAULT if put.default else PUT, args, {}, meta)
        graph.insert(graph.nodes.index(last), new)
        self.puts[put.keys] = new
        for user in list(put.keys.users):
            if user not in reader.written:
                user.args, user.kwargs = map_nodes((user.args, user.kwargs), lambda each: new if each is put.keys else each)
        reader.seen.update(dict.fromkeys([put.keys, *([] if put.values is None else [put.values]), *reader.written]))

    def _count(self, user: Node, value: Node) -> None:
        """Another use of the number of keys."""
        graph = user.graph
        states = self.reader.by_count[self.reader.root(value)]
        state = next(state for state in states if self.reader.here(graph, state) is not None)
        node = Node(graph.fresh_name("count"), CALL, COUNT, (self._here(graph, state),), {}, {"val": value.meta["val"]})
        graph.insert(graph.nodes.index(user), node)
        user.args, user.kwargs = map_nodes((user.args, user.kwargs), lambda each: node if each is value else each)
        self.reader.seen[node] = None

    def _operands(self, block: Block) -> list[Node]:
        """Give a branch or a loop tables and keys; the parameters that are left out."""
        reader, node = self.reader, block.node
        *before, operands = node.args
        kept, gone = [], list[Node]()
        graphs = [arg.graph for arg in node.args if type(arg) is GraphModule]
        parameters = [graph.placeholders[len(node.args[2]) if block.carried else 0 :] for graph in graphs]
        for number, operand in enumerate(operands):
            root, inner = reader.root(operand), [each[number] for each in parameters]
            given = operand
            if type(root) is Node and root in reader.states:
                given = self._here(node.graph, reader.states[root])
            elif type(root) is Node and root in reader.places:
                given = reader.key_here(node.graph, root)
                for each in inner:
                    each.meta["val"] = value_of(given)
            elif reader.is_ours(operand):
                gone += inner
                continue
            kept.append(given)
        if block.carried:
            carried = [value for place, value in enumerate(node.args[2]) if place not in block.results]
            gone += [graph.placeholders[place] for graph in graphs for place in block.results]
            before[2] = tuple([self._here(node.graph, state) if (state := self._state(value)) else value for value in carried])
        node.args = (*before, tuple(kept))
        return gone

    def _sweep(self) -> None:
        """Drop the calls that nothing needs any more."""
        waiting = [node for node in self.reader.seen if block_of(node) is None and not calls(node, ops.control.check)]
        while True:
            dead = {node for node in waiting if not node.users}
            if not dead:
                return
            for graph in {node.graph for node in dead}:
                graph.keep([node for node in graph.nodes if node not in dead])
            waiting = [node for node in waiting if node not in dead]


def _seeds(node: Node) -> list[Node]:
    """The arrays of zeros that a loop begins with."""
    block = block_of(node)
    values = block.values if block is not None and block.loops else ()
    return [value for value in values if type(value) is Node and calls(value, ops.np.zeros)]


def _stored(write: Node) -> Any:
    """What a call writes if it is new."""
    value = write.args[2]
    return value.args[2] if type(value) is Node and calls(value, ops.np.where) else value


def _leave_out_results(block: Block) -> None:
    node, left = block.node, block.results
    bodies = [node.args[1].graph] if block.carried else [arg.graph for arg in node.args if type(arg) is GraphModule]
    for graph in bodies:
        values = graph.output_node.args[0]
        graph.output_node.args = (tuple([value for place, value in enumerate(values) if place not in left]),)
    node.meta["val"] = type(node.meta["val"])([value for place, value in enumerate(node.meta["val"]) if place not in left])
    for user in list(node.users):
        number = user.args[1]
        if number not in left:
            user.args = (node, number - sum(place < number for place in left))


def _get(branch: Node) -> None:
    """Make a branch that gives the value of a key, or else a number, one call."""
    block = block_of(branch)
    if block is None or block.loops or len(branch.users) != 1:
        return
    test, one, other, operands = branch.args
    (item,), found, instead = branch.users, [node for node in one.graph.nodes if node.op == CALL], other.graph.output_node.args[0]
    if type(test) is not Node or test.target is not HAS or not is_item(item) or len(instead) != 1 or len(found) != 2:
        return
    read, number = found
    if read.target is not VALUE or not (is_item(number) is False and number.args == (read,)) or one.graph.output_node.args[0] != (number,):
        return
    if any(node.op == CALL for node in other.graph.nodes):
        return
    inside = dict(zip(one.graph.placeholders, operands, strict=True)) | dict(zip(other.graph.placeholders, operands, strict=True))
    table, key, default = [inside.get(arg, arg) if type(arg) is Node else arg for arg in (*read.args, instead[0])]
    if (table, key) != test.args or type(default) not in (int, float, bool):
        return
    graph = branch.graph
    node = Node(graph.fresh_name("got"), CALL, GET, (table, key, default), {}, dict(item.meta))
    graph.insert(graph.nodes.index(branch), node)
    redirect(item, node)
    for each in (item, branch, test):
        if not each.users:
            graph.erase_node(each)


def _is_small(reader: Reader, put: Put) -> bool:
    """Whether an integer that is put is small, or little more than one that is there."""
    return put.values is None or put.values.meta["val"].dtype != np.int64 or _grows(reader, _stored(put.values), _STEP)


def _grows(reader: Reader, value: Any, most: int) -> bool:
    value = reader.root(value)
    meta = value_of(value)
    if type(meta) is int:
        return -_FAR <= meta <= _FAR
    if type(value) is not Node or type(meta) is not SymInt:
        return False
    if known(meta >= -_FAR) is True and known(meta <= _FAR) is True:
        return True
    if calls(value, ops.sym.element):
        return value.args[0] in reader.reads
    if calls(value, ops.sym.add) or calls(value, ops.sym.sub):
        first, second = value.args
        if calls(value, ops.sym.add) and type(first) is int:
            first, second = second, first
        return type(second) is int and abs(second) <= most and _grows(reader, first, most - abs(second))
    block = block_of(value.args[0]) if is_item(value) else None
    if block is None or block.loops:
        return False
    return all(_grows(reader, side.output_node.args[0][value.args[1]], most) for side in block.graphs)
