"""Loops over a counter: if an iteration asks for another one by a number that decreases by the same
amount in every iteration, the number of iterations is known before the first one.
"""

from __future__ import annotations

import re
from collections import _count_elements  # type: ignore[attr-defined]
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.editing import copied_graph
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.ir.raising import NOTHING
from npexport.runtime.emission.emit import Source
from npexport.runtime.loops.endings import staying, without
from npexport.runtime.loops.shifted_counters import take_shorter
from npexport.runtime.memory.inherited_memory import is_flag, is_item
from npexport.runtime.planning.loop_invariants import redirect
from npexport.symshapes.symint import SymInt

Array = np.ndarray[Any, Any]

_OVER = re.compile(r"for (?P<item>\w+) in (?P<vector>\w+):")
_COUNTS = re.compile(r"(?P<table>\w+)\[(?P<item>\w+)\] = \((?P=table)\.get\((?P=item), 0\) \+ 1\)")
_FEW = 32
_MANY = 4096
"""So many items at least and at most are made numbers at once in a loop that may be left."""


class Counted(NamedTuple):
    """``place``: of the counter among the carries, which grows by ``step`` in an iteration;
    ``margin``: a graph of the parameters of an iteration, whose output is at least 0 where another
    iteration follows that of these values, and less by ``pace`` in the next; ``body``: the
    iteration, without both. ``leaves``: whether sides of a branch may leave the loop before.
    """

    place: int
    step: int
    margin: Graph
    pace: int
    body: Graph
    leaves: bool


def counted(cond_graph: GraphModule, body_graph: GraphModule, loop: Node) -> Counted | None:
    """The counter of a loop; ``None`` if it has none."""
    test, body, carries = cond_graph.graph, body_graph.graph, len(loop.args[2])
    iteration = staying(body) if is_flag(cond_graph, body_graph, loop) else body
    outputs = iteration.output_node.args[0]
    going = outputs[0]
    if tuple(test.output_node.args[0]) != (test.placeholders[0],) or type(going) is not Node or going.target is not ops.sym.ge:
        return None
    left, bound = going.args
    margin = left.meta["val"] if type(left) is Node else None
    if type(margin) is not SymInt or type(bound) is not int or bound != 0:
        return None
    for place in range(1, carries):
        counter = iteration.placeholders[place]
        step = _step(counter, outputs[place])
        if step and _rests_on(left, counter, iteration.placeholders[carries:]):
            (symbol,) = counter.meta["val"].expression.terms
            pace = -step * margin.expression.terms.get(symbol, 0)
            others = [atom for atom in margin.expression.terms if atom != symbol]
            if pace > 0 and all(atom.symbols.isdisjoint(symbol.symbols) for atom in others):
                used = any(not is_item(user) or user.args[1] == place for user in loop.users)
                return Counted(place, step, _margin(iteration), pace, without(body, 0, place, used), iteration is not body)
    return None


class Head(NamedTuple):
    """The statements that begin a loop, each with the nodes that it computes; the names of the
    items of its iterations, and of the vectors that it iterates over.
    """

    lines: list[tuple[str, list[Node]]]
    items: list[str]
    vectors: list[str]


def ends_of(count: Counted, first: Any) -> tuple[int, int] | None:
    """The numbers from and to which a loop counts that makes an iteration, if both are known."""
    (margin,) = count.margin.output_node.args[0]
    value = value_of(margin)
    symbol = count.body.placeholders[count.place].meta["val"].expression
    left = value if type(value) is int else None
    if type(value) is SymInt and len(value.expression.terms) == 1 and [*value.expression.terms] == [*symbol.terms]:
        ((_, times),) = value.expression.terms.items()
        left = times * first + value.expression.const if type(first) is int else None
    if left is None or type(first) is not int:
        return None
    return first, first + max(int(left) // count.pace + 2, 1) * count.step


def head_of(count: Counted, given: Sequence[str], start: str, end: str, counter: str, source: Source, lists: Collection[Node]) -> Head:
    """A loop over the numbers from ``start`` to ``end``, and over the vectors of which every
    iteration reads the item at the number and an offset, before anything that could raise or warn:
    the iteration takes these items behind its other values.

    Nobody writes to what comes from around a loop, and items of vectors are not views. ``lists``:
    the values that are lists, which are read where they are used.
    """
    head, nodes = Head([], [], []), list[Node]()
    sizes = [node.meta["val"] for node in count.body.placeholders[len(count.body.placeholders) - len(given) :]]
    for node, place, offset, number in _rows(count, len(given), lists):
        first, last, vector = _moved(start, offset), _moved(end, offset), given[place]
        looked_up = f"{source.bind(map)}({vector}.__getitem__, {source.bind(range)}({first}, {last}))"  # an item that is none raises
        if number is not None:
            op: Any = number.target
            looked_up = f"{source.bind(map)}({source.bind(op.emit.kernel(number))}, {looked_up})"
        inside = f"{first} >= 0 and {last} <= {vector}.shape[0]"
        head.items.append(source.fresh())
        head.vectors.append(source.fresh())
        (size,), ends = sizes[place].shape, (_constant(first), _constant(last))
        fits = type(size) is int and None not in ends
        taken = vector if fits and ends == (0, size) else f"{vector}[{first}:{last}]"
        if number is not None:  # of a loop that may be left, few may be needed
            taken = f"{source.bind(numbers_of)}({taken})" if count.leaves else f"{taken}.tolist()"
        surely = fits and 0 <= ends[0] <= ends[1] <= size  # type: ignore[operator]
        head.lines.append((f"{head.vectors[-1]} = {taken}" + ("" if surely else f" if {inside} else {looked_up}"), [node]))
        nodes.append(node)
    counts = bool(count.body.placeholders[count.place].users) or not nodes
    moved = _shift(count)
    over = [*([f"{source.bind(range)}({_moved(start, moved)}, {_moved(end, moved)}, {count.step})"] if counts else []), *head.vectors]
    numbers = over[0] if len(over) == 1 else f"{source.bind(zip)}({', '.join(over)})"
    head.lines.append((f"for {', '.join([counter] * counts + head.items)} in {numbers}:", nodes))
    return head


def counting(head: str, rows: Sequence[str], source: Source) -> str | None:
    """The statement that does what a loop over one vector does, if that counts the items in a dict
    and nothing else.
    """
    over = _OVER.fullmatch(head)
    counts = _COUNTS.fullmatch(rows[0]) if len(rows) == 1 else None
    if over is None or counts is None or counts["item"] != over["item"]:
        return None
    return f"{source.bind(_count_elements)}({counts['table']}, {over['vector']})"


def numbers_of(vector: Array) -> Iterable[Any]:
    """The numbers of Python that the items are, made as they are asked for: never more at once than
    were taken before, or the first few.
    """
    if len(vector) <= _FEW:
        return vector.tolist()  # type: ignore[no-any-return]
    return chain.from_iterable(map(np.ndarray.tolist, _blocks(vector)))


def _blocks(vector: Array) -> Iterator[Array]:
    place, size = 0, _FEW
    while place < len(vector):
        yield vector[place : place + size]
        place += size
        size = min(place, _MANY)


def _constant(number: str) -> int | None:
    return int(number) if number.removeprefix("-").isdecimal() else None


def _moved(number: str, offset: int) -> str:
    constant = _constant(number)
    if constant is not None:
        return str(constant + offset)
    return f"({number} {'-' if offset < 0 else '+'} {abs(offset)})" if offset else number


def _rows(count: Counted, number: int, lists: Collection[Node]) -> Iterator[tuple[Node, int, int, Node | None]]:
    """The reads of vectors among the last ``number`` values of an iteration, each with the position
    of the vector, the offset, and the call that makes it a number of Python, if that alone uses it.
    Items take the place of the reads and of these calls.
    """
    body = count.body
    counter = body.placeholders[count.place]
    operands = body.placeholders[len(body.placeholders) - number :]
    vectors = {node: place for place, node in enumerate(operands) if _is_vector(node) and node not in lists}
    for node in [node for node in body.nodes if node.op == CALL] if count.step == 1 else ():
        op: Any = node.target
        place = vectors.get(node.args[0]) if op is ops.np.getitem else None
        if place is not None and (offset := _offset(node.args[1], counter)) is not None:
            name = body.fresh_name(node.name)
            as_number = _as_number(node)
            taken = node if as_number is None else as_number
            redirect(taken, body.insert(len(body.placeholders), Node(name, PLACEHOLDER, name, (), {}, {"val": taken.meta["val"]})))
            for each in dict.fromkeys((taken, node)):
                body.erase_node(each)
            yield node, place, offset, as_number
        elif op.namespace != "sym" or op.raises is not NOTHING:
            break
    needed = body.needed(())
    body.keep([node for node in body.nodes if node.op == PLACEHOLDER or node in needed])


def _shift(count: Counted) -> int:
    """How far from the counter the number is that takes its place, if an iteration uses nothing
    else of it.
    """
    counter = count.body.placeholders[count.place]
    moved = [_offset(user, counter) for user in counter.users if user.op == CALL]
    if len(set(moved)) != 1 or None in moved or len(moved) != len(counter.users):
        return -count.step if take_shorter(count.body, counter, count.step) else 0
    for user in list(counter.users):
        redirect(user, counter)
    needed = count.body.needed(())
    count.body.keep([node for node in count.body.nodes if node.op == PLACEHOLDER or node in needed])
    return moved[0] or 0


def is_number_call(node: Node) -> bool:
    """Whether a call makes an element the number that ``tolist`` gives."""
    op: Any = node.target
    return node.op == CALL and bool(op.emit.is_number(node))


def _as_number(read: Node) -> Node | None:
    """Such a call, if nothing else uses an element."""
    user: Any = next(iter(read.users), read)
    fits = len(read.users) == 1 and is_number_call(user) and "raises" not in user.meta
    return user if fits and user.target.emit.kernel is not None and user.target.emit.kernel(user) is not None else None


def _is_vector(node: Node) -> bool:
    meta = node.meta["val"]
    return isinstance(meta, TensorMeta) and meta.ndim == 1 and meta.dtype.kind in "biufcmMSU"


def _offset(index: Any, counter: Node) -> int | None:
    """The difference between an index and the counter; ``None`` if it is unknown."""
    value = index.meta["val"] if type(index) is Node else None
    apart = value.expression - counter.meta["val"].expression if type(value) is SymInt else None
    return None if apart is None or apart.terms else int(apart.const)


def _step(counter: Node, following: Any) -> int:
    """The step of a counter in an iteration; 0 if it is unknown."""
    first = counter.meta["val"]
    if (
        type(first) is not SymInt
        or not first.expression.is_symbol
        or type(following) is not Node
        or type(following.meta["val"]) is not SymInt
    ):
        return 0
    grown = following.meta["val"].expression - first.expression
    return 0 if grown.terms else int(grown.const)


def _rests_on(value: Any, counter: Node, constant: list[Node]) -> bool:
    """Whether a number is computed from nothing but the counter and what is the same in all
    iterations.
    """
    if type(value) is not Node:
        return type(value) is int
    if value.op == PLACEHOLDER:
        return value is counter or value in constant
    op: Any = value.target
    return value.op == CALL and op.namespace == "sym" and all(_rests_on(arg, counter, constant) for arg in value.args)


def _margin(iteration: Graph) -> Graph:
    """The graph that decides whether another iteration follows, and nothing else."""
    graph = copied_graph(iteration)
    output = graph.output_node
    output.args = ((output.args[0][0].args[0],),)
    needed = {output}
    for node in reversed(graph.nodes):
        needed.update(node.all_input_nodes if node in needed else ())
    graph.keep([node for node in graph.nodes if node.op == PLACEHOLDER or node in needed])
    return graph
