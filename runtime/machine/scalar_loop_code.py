"""Loops over numbers as Python for a compiler of machine code: what
`npexport.runtime.machine.scalar_loops` hands to numba, or to the machine of `_loops.c`.

Laws:

1. An iteration that machine numbers cannot make exactly as Python and NumPy do is not made.
   Integers that leave 64 bits, divisors of zero, NumPy's floats that are not finite (which may
   warn), places outside an array: the function returns the carries as they stood before the
   iteration, and the loop in Python goes on with it, and raises or warns there. Nothing in an
   iteration is written before its end, or the machine takes it back; so an iteration may be begun
   twice.
2. An array that a loop carries is one piece of memory, and every value that stands for it is read
   before the next write makes another of it.

Text holds numbered names and literals of integers only.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.runtime.lists.fixed_lists import Put
from npexport.runtime.lists.linear_tests import Sum, linear_tests
from npexport.runtime.lists.list_calls import shift_of
from npexport.runtime.machine.array_operations import OF_ARRAYS
from npexport.runtime.machine.list_registers import ListRegisters
from npexport.runtime.machine.scalar_operations import (
    AGAIN,
    BOOL,
    BOOLS,
    DONE,
    INT,
    INTS,
    LEFT,
    OF_DTYPE,
    OPERATIONS,
    Rows,
    Unfit,
    Value,
    fits,
    kind_of,
    kind_within,
)
from npexport.runtime.memory.layouts import is_array, items_of


class Loop(NamedTuple):
    """``text`` of a function of (iterations at most, carries, operands), which gives (`DONE`,
    `LEFT` or `AGAIN`, carries); ``constants`` of its names, and the items of its ``tables``; the
    kinds of carries and operands, of an array its dtype and rank.
    """

    text: str
    constants: dict[str, Any]
    tables: dict[str, tuple[str, ...]]
    carries: tuple[Any, ...]
    operands: tuple[Any, ...]
    of_numpy: bool  # whether an iteration computes floats of NumPy


def loop_of(
    cond_graph: GraphModule, body_graph: GraphModule, carried: Sequence[Any], operands: Sequence[Any], *, writes: bool, few: bool = True
) -> Loop | None:
    """The function of a loop that carries nothing but numbers, and where it ``writes``, as the
    machine's does, arrays; ``None`` if it cannot run in machine code. ``few``: keys are looked for
    among few alone.
    """
    values = [value_of(value) for value in (*carried, *operands)]
    kinds = [kind_of(value) for value in values]
    if None in kinds or (not writes and any(type(kind) is tuple for kind in kinds[: len(carried)])):
        return None
    names = [f"c{index}" for index in range(len(carried))]
    given = [f"g{index}" for index in range(len(operands))]
    lists = ListRegisters(body_graph.graph if writes else Graph(), len(carried))
    iteration = _Iteration(f"return ({{}}, {', '.join(names)})", writes, lists, few)
    try:
        iteration.loop(cond_graph.graph, body_graph.graph, list(map(Value, (*names, *given), kinds)), len(names), outermost=True)
    except Unfit:
        return None
    head = f"def loop({', '.join(('iterations', *names, *given))}):\n"
    return Loop(
        head + "".join(f"    {row}\n" for row in iteration.rows),
        iteration.constants,
        {name: items for items, name in iteration.tables.items()},
        tuple(kinds[: len(names)]),
        tuple(kinds[len(names) :]),
        iteration.of_numpy,
    )


class _Row(NamedTuple):
    """A part of an array, as the array and the integers that say which; ``version``: of the array
    after the last write to the part; ``places``: their texts.
    """

    array: Node
    index: Any
    version: int
    places: list[str]


class _Iteration(Rows):
    """The rows so far; ``leave`` is the text that gives the carries back, ``writes`` whether they
    are the machine's, which has ``lists`` and looks for keys, among ``few`` or all. ``tables``:
    their names, by the texts of the items.
    """

    def __init__(self, leave: str, writes: bool, lists: ListRegisters, few: bool) -> None:
        super().__init__(leave)
        self.writes = writes
        self.few = few
        self.lists = lists
        self.tables: dict[tuple[str, ...], str] = {}
        self.versions: dict[str, int] = {}  # of the arrays that were written to
        self.constants: dict[str, Any] = {}
        self.floats: dict[bytes, str] = {}
        self.values: dict[Node, Value] = {}
        self.parts: dict[Node, list[Value]] = {}
        self.array_rows: dict[Node, _Row] = {}

    def value(self, arg: Any) -> Value:
        if type(arg) is Node:
            found = self.values.get(arg)
            if found is None or (type(found.kind) is tuple and found.version != self.versions.get(found.text, 0)):
                raise Unfit
            return found
        kind = kind_of(arg)
        if kind is None or type(kind) is tuple or isinstance(arg, TensorMeta):
            raise Unfit
        if kind in INTS:
            if not -(1 << 63) < arg < 1 << 63:
                raise Unfit
            return Value(f"({int(arg)})", kind)
        if kind in BOOLS:
            return Value(repr(bool(arg)), kind)
        name = self.floats.setdefault(struct.pack("d", arg), f"k{len(self.floats)}")
        self.constants[name] = float(arg)
        return Value(name, kind)

    def graph(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """Write the rows of a graph with these operands; its outputs."""
        self.values.update(zip(graph.placeholders, given, strict=True))
        tests, unneeded = linear_tests(graph, self.lists.direct)
        unneeded |= self.lists.unneeded(graph)
        for node in graph.nodes:
            if node.op != CALL or node in unneeded:
                continue
            if node in tests:
                self.values[node] = self.compared(tests[node])
            else:
                self.node(node)
        return [self.value(value) for value in graph.output_node.args[0]]

    def node(self, node: Node) -> None:
        op: Any = node.target
        if node.meta.get("errors") or node.kwargs:
            raise Unfit
        if node in self.lists.members:
            self.values[node] = Value(f"c{self.lists.members[node]}", kind_of(node.meta["val"]))
            if node in self.lists.puts:
                self.put_item(self.lists.puts[node])
        elif op is ops.control.cond:
            self.parts[node] = self.branch(*node.args)
        elif op is ops.control.while_loop:
            self.parts[node] = self.inner(*node.args)
        elif op is ops.sym.item and node.args[0] in self.parts:
            self.values[node] = self.parts[node.args[0]][node.args[1]]
        elif op is ops.sym.size and type(node.args[1]) is int:
            self.values[node] = self.size(*node.args)
        elif op is ops.np.getitem:
            if self.writes and is_array(node.meta["val"]):
                self.row(node, *node.args)
            else:
                self.values[node] = self.element(*node.args)
        elif (write := OF_ARRAYS.get(op.step) if self.writes else None) is not None:
            write(self, node, *node.args)
        elif op is ops.py.mixed_operator:
            named = ops.REGISTRY.get(f"sym.{node.args[0]}")
            self.operate(node, "" if named is None else named.step, node.args[2])
        else:
            self.operate(node, op.step, node.args)
        if node in self.values and self.values[node].kind != kind_within(node.meta["val"]):
            raise Unfit
        if node in self.lists.direct:  # the item that it may be changes later
            self.values[node] = self.values[node]._replace(text=self.given(self.values[node].text))

    def operate(self, node: Node, step: str, operands: Sequence[Any]) -> None:
        write = OPERATIONS.get((step, len(operands)))
        kind = kind_of(node.meta["val"])
        if write is None or kind is None or type(kind) is tuple:
            raise Unfit
        values = [self.value(operand) for operand in operands]
        if any(type(value.kind) is tuple for value in values):
            raise Unfit
        self.values[node] = write(self, step, kind, *values)

    def compared(self, test: Sum) -> Value:
        """Whether one integer, or the sum of one and a number, is at least another, equals it, or
        does not.
        """
        more, less = ([self.value(value) for value in values] for values in (test.more, test.less))
        fits(all(value.kind == INT for value in (*more, *less)))
        relation = test.relation
        if not less or not more:  # x >= -constant, or constant >= x
            number = f"({test.constant if less else -test.constant})"
            return Value(self.given(f"{number} {relation} {less[0].text}" if less else f"{more[0].text} {relation} {number}"), BOOL)
        if test.constant == 0 or (test.constant, relation) == (-1, ">="):
            return Value(self.given(f"{more[0].text} {'>' if test.constant else relation} {less[0].text}"), BOOL)
        name, over = self.fresh(), self.fresh()
        self.add(f"{name}, {over} = add({more[0].text}, ({test.constant}))")
        self.leave_if(over)
        return Value(self.given(f"{name} {relation} {less[0].text}"), BOOL)

    # Branches and loops

    def branch(self, pred: Any, true_graph: GraphModule, false_graph: GraphModule, operands: Sequence[Any]) -> list[Value]:
        given = [self.value(operand) for operand in operands]
        items, kinds = self.lists.carries(true_graph.graph.output_node.args[0]), []
        names = [self.fresh() if item is None else f"c{item}" for item in items]
        condition, before = self.value(pred), self.versions
        if condition.kind not in BOOLS:
            raise Unfit
        versions = []
        for head, module in ((f"if {condition.text}:", true_graph), ("else:", false_graph)):
            self.add(head)
            self.depth += 1
            self.versions = before.copy()
            outputs = self.graph(module.graph, given)
            self.assign(names, outputs)
            self.depth -= 1
            versions.append(self.versions)
            kinds.append([output.text if type(output.kind) is tuple else output.kind for output in outputs])
        if kinds[0] != kinds[1]:
            raise Unfit
        self.versions = {each: self.later(before, each, *versions) for each in {*versions[0], *versions[1]}}
        return [
            Value(output.text, output.kind, self.versions.get(output.text, 0)) if type(output.kind) is tuple else Value(name, output.kind)
            for name, output in zip(names, outputs, strict=True)
        ]

    def later(self, before: dict[str, int], name: str, *versions: dict[str, int]) -> int:
        """The version of an array behind a branch: one of its own if a side has written to it."""
        found = {each.get(name, 0) for each in versions}
        if found == {before.get(name, 0)}:
            return before.get(name, 0)
        self.count += 1
        return self.count

    def inner(self, cond_graph: GraphModule, body_graph: GraphModule, carried: Sequence[Any], operands: Sequence[Any]) -> list[Value]:
        first = [self.value(value) for value in carried]
        stays = [type(value.kind) is tuple or item is not None for value, item in zip(first, self.lists.carries(carried), strict=True)]
        carries = [value if stay else Value(self.fresh(), value.kind) for value, stay in zip(first, stays, strict=True)]
        self.assign([carry.text for carry in carries], first)
        given = [self.value(operand) for operand in operands]
        self.loop(cond_graph.graph, body_graph.graph, [*carries, *given], len(carries), outermost=False)
        return [
            Value(carry.text, carry.kind, self.versions.get(carry.text, 0)) if type(carry.kind) is tuple else carry for carry in carries
        ]

    def loop(self, test: Graph, iteration: Graph, values: list[Value], carries: int, *, outermost: bool) -> None:
        """A loop in place; for numba, an inner one that makes too many iterations is left to
        Python, as one that may never end.
        """
        arrays = [value.text for value in values[:carries] if type(value.kind) is tuple]
        given = [value.text for value in values[carries:] if type(value.kind) is tuple]
        if (arrays and not self.writes) or len({*arrays}) < len(arrays) or not {*arrays}.isdisjoint(given):
            raise Unfit
        self.add("while True:")
        self.depth += 1
        (going,) = self.graph(test, values)
        if going.kind not in BOOLS:
            raise Unfit
        self.add(f"if not {going.text}: {self.leave.format(DONE) if outermost else 'break'}")
        self.add("iterations -= 1")
        self.add(f"if iterations < 0: {self.leave.format(AGAIN if outermost else LEFT)}")
        outputs = self.graph(iteration, values)
        fits(all(self.versions.get(value.text, 0) == value.version for value in values[carries:] if type(value.kind) is tuple))
        if [output.kind for output in outputs] != [value.kind for value in values[:carries]]:
            raise Unfit
        if any(type(output.kind) is tuple and output.text != value.text for output, value in zip(outputs, values, strict=False)):
            raise Unfit
        self.assign([value.text for value in values[:carries]], outputs)
        if outermost and (arrays or self.lists.puts):
            self.add("commit()")
        self.depth -= 1

    def assign(self, names: Sequence[str], values: Sequence[Value]) -> None:
        all_ = zip(names, values, strict=True)
        pairs = [(name, value.text) for name, value in all_ if type(value.kind) is not tuple and name != value.text]
        self.add(f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}" if pairs else "pass")

    # Numbers

    def element(self, array: Any, index: Any) -> Value:
        """An item of an array; for numba, of one that nothing in the loop writes to."""
        operand, places = self.places(array, index)
        if self.writes:
            return Value(self.given(f"item({', '.join((operand.text, *places))})"), OF_DTYPE[operand.kind[0]])
        texts = []
        for axis, place in enumerate(places):
            size, name = f"{operand.text}.shape[{axis}]", self.given(place)
            self.add(f"if {name} < 0: {name} += {size}")
            self.leave_if(f"{name} < 0 or {name} >= {size}")
            texts.append(name)
        return Value(self.given(f"{operand.text}[{', '.join(texts)}]"), OF_DTYPE[operand.kind[0]])

    def size(self, array: Any, axis: int) -> Value:
        """Of an axis, which a graph may count from the last one."""
        operand = self.value(array)
        fits(type(operand.kind) is tuple and -operand.kind[1] <= axis < operand.kind[1])
        return Value(f"{operand.text}.shape[{axis % operand.kind[1]}]", INT)

    def places(self, array: Any, index: Any) -> tuple[Value, list[str]]:
        """An array, and the integers that say which of its items is meant."""
        if array in self.array_rows:
            row = self.array_rows[array]
            fits(self.versions.get(self.values[row.array].text, 0) == row.version)
            operand, places = self.values[row.array], [*row.places, *self.integers(index)]
        else:
            operand, places = self.value(array), self.integers(index)
        fits(type(operand.kind) is tuple and len(places) == operand.kind[1])
        return operand, places

    def integers(self, index: Any) -> list[str]:
        places = [self.value(place) for place in items_of(index)]
        fits(all(place.kind in INTS for place in places))
        return [place.text for place in places]

    def row(self, node: Node, array: Any, index: Any) -> None:
        """A part of an array at integers that are places; or one that is written next to where it
        was, by the call that follows.
        """
        operand = self.value(array)
        if len(node.users) == 1 and shift_of(next(iter(node.users))) is not None:
            return
        places = self.integers(index)
        for axis, place in enumerate(places if "raises" in node.meta else ()):
            self.leave_if(f"{place} < 0 or {place} >= {operand.text}.shape[{axis}]")
        self.array_rows[node] = _Row(array, index, operand.version, places)

    def put_row(self, node: Node, array: Any, index: Any, row: _Row) -> None:
        """A part of an array that was written to is put back to where it was."""
        operand = self.values.get(array)  # a part of a part is none
        if operand is None or row.array is not array or row.index != index or self.versions.get(operand.text, 0) != row.version:
            raise Unfit
        self.values[node] = operand._replace(version=row.version)

    def table(self, values: Sequence[Value]) -> str:
        """The name of a table of these numbers, which are of one kind."""
        fits(type(values[0].kind) is str and all(value.kind == values[0].kind for value in values))
        return self.tables.setdefault(tuple([value.text for value in values]), f"t{len(self.tables)}")

    def put_item(self, put: Put) -> None:
        """A write to an item, if there is one at this place."""
        base, more, number = self.lists.written(put)
        place, value, table = self.value(base), self.value(number), self.table([self.value(item) for item in put.before])
        fits(place.kind == INT and value.kind == self.value(put.before[0]).kind)
        text = place.text
        if more:
            text, over = self.fresh(), self.fresh()
            self.add(f"{text}, {over} = add({place.text}, ({more}))")
            self.leave_if(over)
        self.add(f"drop({table}, {text}, {value.text})")

    def written(self, node: Node, array: Value) -> None:
        """The array has another version, which is this call's result."""
        fits(array.text.startswith("c"))
        self.count += 1
        self.versions[array.text] = self.count
        self.values[node] = Value(array.text, array.kind, self.count)
