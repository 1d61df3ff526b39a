"""Arrays that hold the items of one list of Python and nothing more, as the list that they stand
for.

Laws:

1. All values that share such memory are the list, through branches and loops, too.
2. Its items are what the array would give: numbers of Python, or scalars of the array's dtype. An
   integer that the array has no room for raises what the array would raise.
3. Of its beginning an array is made where anything but a list is asked for.
4. Lists in which keys are looked up are `KeyColumn` or `KeyPart`, all columns of the keys or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import OF_ROWS, ListOfRows, numbers_in
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import OutputKind
from npexport.runtime.counted_loops import Counted, counted, is_number_call
from npexport.runtime.emit import Source
from npexport.runtime.inherited_memory import Block, block_of, is_item
from npexport.runtime.key_columns import KeyColumn, KeyPart, row_place
from npexport.runtime.layouts import is_array
from npexport.runtime.plan import Step
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, python_type

NUMBER, SCALAR = "number", "scalar"
"""What the items are, in the words of `ListOfRows`."""
_TYPES = {np.dtype(np.float64): float, np.dtype(np.bool_): bool, np.dtype(np.int64): int}
MAX_DEPTH = 6
"""How deep in branches and loops lists are known."""
_LEAST, _MOST = -(2**63), 2**63 - 1


class ItemLists:
    """The lists of a graph, its branches and loops.

    ``kinds``: each value that is a list, and what its items are; ``arrays``: the values that are
    made of lists. ``counts``: the loops, and what `counted` says of them, whose iterations are the
    ones that are looked at. ``columns``: the values that leave the program as lists of such items;
    ``shown``: those of which sizes are asked.
    """

    def __init__(self, graph: Graph, columns: Mapping[Node, str], shown: set[Node]) -> None:
        self._first: dict[Node, Node] = {}
        self._not: set[Node] = set()  # values that are arrays
        self._stored: list[tuple[Node, str | None]] = []
        self._parts: list[Node] = []
        self._read: list[Node] = []
        self._searches: list[Node] = []
        self._choices: list[Node] = []
        self._spread: list[Node] = []  # writes of more than one item
        self._seeds: dict[Node, list[Node]] = {}  # arrays of zeros -> the carries that begin with one of their own
        self._keys: dict[Node, type[KeyColumn | KeyPart]] = {}  # the families of columns of keys, and what they are
        self.kinds: dict[Node, str] = {}
        self.arrays: set[Node] = set()
        self.items: set[Node] = set()  # reads of lists, and what becomes of these
        self.counts: dict[Node, Counted | None] = {}
        if any(_is_new(node) for each in graph.all_graphs() for node in each.nodes):
            self._see(graph, 0)
            self._decide(columns, shown)

    def __contains__(self, node: Any) -> bool:
        return node in self.kinds or node in self.arrays or node in self.items

    def _family(self, node: Node) -> Node:
        while node in self._first:
            node = self._first[node]
        return node

    def _join(self, node: Node, *others: Any) -> None:
        for other in others:
            first, second = self._family(node), self._family(other)
            if first is not second:
                self._first[second] = first

    def _see(self, graph: Graph, depth: int) -> None:
        """What shares memory, and what asks for arrays."""
        self._not.update(() if 0 < depth < MAX_DEPTH else graph.placeholders)
        if depth == 0:
            self._not.update(graph.output_node.all_input_nodes)
        for node in graph.nodes:
            if node.op != CALL:
                continue
            if (block := block_of(node)) is not None:
                (self._see_loop if block.loops else self._see_branch)(node, block, depth)
            elif _is_choice(node):
                self._choices.append(node)
            elif "raises" in node.meta and not (_writes_item(node) and _may_overflow(node)):
                self._not.update(node.all_input_nodes if _is_new(node) else (node, *node.all_input_nodes))
            elif _writes_item(node):
                self._join(node, node.args[0])
                self._not.update([node] if _is_part(node.args[0]) else ())
                self._stored.append((node, _kind(node.args[2], node.meta["val"].dtype)))
            elif _writes_beginning(node):
                value = node.args[2]
                self._join(node, node.args[0], value.args[0] if _is_beginning(value) else value)
                self._not.update([node] if _is_part(node.args[0]) else ())
                self._spread.append(node)
            elif _is_part(node):
                self._parts.append(node)
            elif _reads_item(node):
                self._read.append(node)
            elif _calls(node, ops.py.row_place):
                self._searches.append(node)
            elif not _is_new(node) and not is_item(node):
                self._not.update((node, *node.all_input_nodes))

    def _see_branch(self, node: Node, branch: Block, depth: int) -> None:
        sides = branch.graphs
        for side in sides:
            for placeholder, operand in zip(side.placeholders, branch.values, strict=True):
                if is_array(placeholder.meta["val"]):
                    self._join(placeholder, operand)
            self._see(side, depth + 1)
        for place, values in enumerate(zip(*[side.output_node.args[0] for side in sides], strict=True)):
            results = [user for user in node.users if is_item(user) and user.args[1] == place]
            arrays = [value for value in values if type(value) is Node and is_array(value.meta["val"])]
            if len(arrays) == len(values) and results:
                self._join(results[0], *results[1:], *arrays)
            else:
                self._not.update(arrays)
        self._not.update([user for user in node.users if not is_item(user)])

    def _see_loop(self, node: Node, block: Block, depth: int) -> None:
        test, body, carried, operands = node.args
        count = self.counts[node] = counted(test, body, node)
        iteration = body.graph if count is None else count.body
        for graph in (test.graph, iteration):
            for placeholder, value in zip(graph.placeholders, (*carried, *operands), strict=True):
                if not is_array(placeholder.meta["val"]):
                    continue
                if graph is iteration and _is_seed(value):
                    self._seeds.setdefault(value, []).append(placeholder)
                elif not _is_seed(value):
                    self._join(placeholder, value)
            self._see(graph, depth + 1)
        for place, (first, last) in enumerate(zip(iteration.placeholders, iteration.output_node.args[0], strict=False)):
            if is_array(first.meta["val"]):
                results = [user for user in node.users if is_item(user) and user.args[1] == place]
                self._join(first, test.graph.placeholders[place], last, *results)
                self._not.update([first] if len(results) < len(node.users) and not all(map(is_item, node.users)) else ())

    def _decide(self, columns: Mapping[Node, str], shown: set[Node]) -> None:
        arrays = {self._family(node) for node in self._not}
        found: dict[Node, str | None] = {}
        for write, kind in self._stored:
            family = self._family(write)
            found[family] = kind if found.get(family, kind) == kind and family not in arrays else None
        found = self._settled(found)
        members = {*self._first, *found}
        self.kinds = {node: kind for node in members if (kind := found.get(self._family(node))) is not None}
        for search in self._searches:
            self._keys |= dict.fromkeys(map(self._family, search.args[0]), KeyColumn if len(search.args[0]) == 1 else KeyPart)
        for read in self._read:
            if read.args[0] in self.kinds:
                self.items.update((read, *(read.users if self.kinds[read.args[0]] == NUMBER else ())))
        self.items.update(choice for choice in self._choices if choice.args[1] in self.items)
        self.items.update(search for search in self._searches if search.args[0][0] in self.kinds)
        self.items.update(seed for seed, carries in self._seeds.items() if all(carry in self.kinds for carry in carries))
        self._decide_parts(columns, shown, found)

    def _settled(self, found: dict[Node, str | None]) -> dict[Node, str | None]:
        """The kinds of families, where what is read of them fits, and all columns of keys are
        lists.
        """
        for read in self._read:
            family = self._family(read.args[0])
            if not _fits(read, found.get(family)):
                found[family] = None
        spread = set(map(self._family, self._spread))
        while True:
            tables = [list(map(self._family, search.args[0])) for search in self._searches]
            single = {family for family, *others in tables if not others}
            mixed = {
                each for table in tables for each in table
                if any(found.get(other) is None or other in spread or (len(table) > 1 and other in single) for other in table)
                or len({*table}) < len(table)
            }  # fmt: skip
            if all(found.get(family) is None for family in mixed):
                return found
            found |= dict.fromkeys(mixed)

    def _decide_parts(self, columns: Mapping[Node, str], shown: set[Node], found: Mapping[Node, str | None]) -> None:
        """Which beginnings of lists are lists, and which are arrays."""
        for part in reversed(self._parts):
            root = part.args[0].args[0] if _is_copy(part) else part.args[0]
            kind = found.get(self._family(root))
            if kind is None or type(root) is not Node:
                continue
            asked = all(user.op != CALL or user in self or _writes_beginning(user) for user in part.users)
            leaves = all(user.op == CALL for user in part.users) or columns.get(part) == kind
            if asked and leaves:
                self.kinds[part] = kind
            else:
                self.arrays.add(part)
        for part in self._parts:  # what is made of an array copies it
            if part in self and _is_copy(part) and part.args[0] not in self.kinds:
                self.kinds.pop(part, None)
                self.arrays.discard(part)

    def own(self, node: Node, text: str, source: Source) -> str:
        """The text of a copy of a list."""
        keys = self._keys.get(self._family(node))
        return f"{text}[:]" if keys is None else f"{source.bind(keys)}({text})"

    def beginning(self, value: Any, carry: Node, names: Mapping[Node, str], source: Source) -> str | None:
        """The text of the list that a loop begins with where that holds zeros; ``None`` if it is
        another value.
        """
        if carry not in self.kinds or carry not in self._seeds.get(value, ()):
            return None
        size = names[value] if value in self.items else f"{source.bind(len)}({names[value]})"  # others begin with the array
        return self._zeros(value, carry, size, source)

    def _zeros(self, node: Node, family: Node, size: str, source: Source) -> str:
        dtype = node.meta["val"].dtype
        first = dtype.type(0) if self.kinds[family] == SCALAR else _TYPES[dtype](0)
        text, keys = f"[{source.value(first)}] * {size}", self._keys.get(self._family(family))
        return text if keys is None else f"{source.bind(keys)}({text})"

    def statements(self, step: Step, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
        """The name of a list, or of an array that is made of one, and the lines that make it."""
        node, in_place = step.node, step.place is not None and step.when == "always"
        kind = self.kinds.get(node)
        if node in self.items:
            return self._item(node, names, source)
        if _is_new(node):
            name = source.fresh()
            source.lists.add(name)
            return name, [f"{name} = {self._zeros(node, node, source.text(node.args[0][0], names), source)}"]
        base, writes = names[node.args[0]], _calls(node, ops.np.setitem)
        name = base if in_place and writes else source.fresh()
        taken = slice(None) if writes else node.args[1] if _calls(node, ops.np.getitem) else None
        text = self.own(node, base, source) if writes else base if taken is None else f"{base}[{source.subscript(taken, names)}]"
        if kind is None:
            return name, [f"{name} = {source.bind(np.array)}({text}, {source.bind(node.meta['val'].dtype)})"]
        source.lists.add(name)
        lines = [] if name == base else [f"{name} = {text}"]
        return name, [*lines, *(self._write(node, name, names, source) if writes else ())]

    def _write(self, node: Node, name: str, names: Mapping[Node, str], source: Source) -> Iterator[str]:
        """The lines that put a value into a list."""
        text, place = source.text(node.args[2], names), source.subscript(node.args[1], names)
        if _may_overflow(node):
            if not text.isidentifier():
                number = source.fresh()
                yield f"{number} = {text}"
                text = number
            yield _checked(text, source)
        keys = self._keys.get(self._family(node))
        if keys is None:
            yield f"{name}[{place}] = {text}"
            return
        test = ""
        if self.kinds[node] == NUMBER and node.meta["val"].dtype.kind in "bi":  # equal ones are the same
            test = f"if {name}[{place}] != {text}: "
        if keys is KeyColumn:  # `KeyColumn.put` of the first row that is not searched
            new = f"{name}.places.setdefault({text}, {place}); {name}.searched = {place} + 1; {name}[{place}] = {text}"
            yield f"if {place} == {name}.searched: {new}"
            test = f"el{test}" if test else "else: "
        yield f"{test}{name}.put({place}, {text})"

    def _item(self, node: Node, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
        """The same of what is read of lists."""
        if _is_new(node):  # the number of zeros, for the loops that begin with them
            name = source.fresh()
            return name, [f"{name} = {source.text(node.args[0][0], names)}"]
        if not (_is_choice(node) or _reads_item(node) or _calls(node, ops.py.row_place)):
            return names[node.args[0]], []
        name = source.fresh()
        if _is_choice(node):
            test, old, new = [source.text(arg, names) for arg in node.args]
            check = [_checked(new, source)] if _may_overflow(node) else []
            return name, [*check, f"{name} = {old} if {test} else {new}"]
        if _reads_item(node):
            return name, [f"{name} = {names[node.args[0]]}[{source.subscript(node.args[1], names)}]"]
        columns, key, count = [source.text(arg, names) for arg in node.args]
        if len(node.args[0]) == 1:
            keys, number = names[node.args[0][0]], source.text(node.args[1][0], names)
            return name, [
                f"{name} = {keys}.places.get({number}, {count}) if {keys}.searched == {count} else {keys}.find({number}, {count})"
            ]
        parts = [names[column] for column in node.args[0]]
        same = " and ".join(
            [f"{part}.table is {parts[0]}.table" for part in parts[1:]]
            + [f"{part}.number == {number}" for number, part in enumerate(parts)]
        )
        found = f"{parts[0]}.table.places.get({key}, {count}) if {same} and {source.bind(len)}({parts[0]}.table.rows) == {count}"
        return name, [f"{name} = {found} else {source.bind(row_place)}({columns}, {key}, {count})"]


def _calls(node: Node, op: Op) -> bool:
    return node.op == CALL and node.target is op and not node.kwargs


def _is_part(value: Any) -> bool:
    """Whether a value is made of a list, which may be an array: what is written into it then is."""
    return type(value) is Node and (_is_beginning(value) or _is_copy(value))


def _is_new(node: Node) -> bool:
    val = node.meta["val"]
    return _calls(node, ops.np.zeros) and is_array(val) and val.ndim == 1 and type(node.args[0]) is tuple


def _is_seed(value: Any) -> bool:
    """Whether a value is an array of zeros that is nothing but what loops begin with."""
    if type(value) is not Node or not _is_new(value):
        return False
    return all((block := block_of(user)) is not None and block.loops and value not in user.args[3] for user in value.users)


def _reads_item(node: Node) -> bool:
    """Whether a call reads one element of a vector."""
    if not _calls(node, ops.np.getitem) or not is_array(node.args[0].meta["val"]) or node.args[0].meta["val"].ndim != 1:
        return False
    place, val = node.args[1], node.meta["val"]
    return python_type(place.meta["val"] if type(place) is Node else place) is int and isinstance(val, TensorMeta) and val.scalar


def _is_choice(node: Node) -> bool:
    """Whether a call chooses between an element and another number for what is written there."""
    if not _calls(node, ops.np.where) or len(node.args) != 3 or not node.users:
        return False
    test, old, _ = node.args
    if type(test) is not Node or python_type(test.meta["val"]) is not bool or type(old) is not Node or not _reads_item(old):
        return False
    if "raises" in node.meta and not _may_overflow(node):
        return False
    return old.meta["val"].dtype == node.meta["val"].dtype and all(
        _calls(user, ops.np.setitem) and user.args[0] is old.args[0] and user.args[2] is node for user in node.users
    )


def _fits(read: Node, kind: str | None) -> bool:
    """Whether an item of a list stands for the element that is read."""
    dtype = read.meta["val"].dtype
    if kind != NUMBER:
        return kind == SCALAR
    return all(
        _is_choice(user) or (is_number_call(user) and "raises" not in user.meta and python_type(user.meta["val"]) is _TYPES[dtype])
        for user in read.users
    )


def _checked(number: str, source: Source) -> str:
    """The statement that raises where an array has no room for an integer."""
    return f"if not {_LEAST} <= {number} <= {_MOST}: {source.bind(_overflow)}({number})"


def _overflow(number: int) -> None:
    np.zeros(1, np.int64)[0] = number


def _writes_item(node: Node) -> bool:
    """Whether a call writes to an element that is surely there."""
    if not _calls(node, ops.np.setitem) or node.meta["val"].ndim != 1:
        return False
    place, size = node.args[1], node.meta["val"].shape[0]
    value = place.meta["val"] if type(place) is Node else place
    return type(value) in (int, SymInt) and (type(size) is not int or (known(value >= 0) is True and known(value < size) is True))


def _writes_beginning(node: Node) -> bool:
    """Whether a call writes the first elements of another array, or all, to where they were."""
    if not _calls(node, ops.np.setitem) or node.meta["val"].ndim != 1:
        return False
    index, value = node.args[1:]
    if (
        type(index) is not slice
        or type(value) is not Node
        or not is_array(value.meta["val"])
        or value.meta["val"].dtype != node.meta["val"].dtype
    ):
        return False
    if _is_beginning(value):
        return value.args[1] == index and list(value.users) == [node]
    end = index.stop.meta["val"] if type(index.stop) is Node else index.stop
    plain = index.start is None and index.step is None and type(end) in (int, SymInt)
    return plain and known(end == value.meta["val"].shape[0]) is True


def _is_beginning(node: Node) -> bool:
    """Whether a value is the elements of another before a place that is not negative."""
    if not _calls(node, ops.np.getitem) or not is_array(node.meta["val"]) or type(node.args[1]) is not slice:
        return False
    index, base = node.args[1], node.args[0].meta["val"]
    end = index.stop.meta["val"] if type(index.stop) is Node else index.stop
    plain = index.start is None and index.step is None and isinstance(base, TensorMeta) and base.ndim == 1
    return plain and type(end) in (int, SymInt) and known(end >= 0) is True


def _is_copy(node: Node) -> bool:
    """Whether a value is a copy that is made of such a part alone."""
    part = node.args[0] if _calls(node, ops.np.copy) and len(node.args) == 1 else None
    return type(part) is Node and _is_beginning(part) and list(part.users) == [node]


def _kind(value: Any, dtype: np.dtype[Any]) -> str | None:
    """What is found where a value has been written to an array of this dtype, if it is the value
    itself.
    """
    value = value.args[2] if type(value) is Node and _is_choice(value) else value
    meta = value.meta["val"] if type(value) is Node else value
    if isinstance(meta, (TensorMeta, np.generic)):
        scalar = isinstance(meta, np.generic) or meta.scalar
        return SCALAR if scalar and meta.dtype == dtype and dtype.kind in "biufc" else None
    if dtype not in _TYPES or python_type(meta) is not _TYPES[dtype]:
        return None
    return None if type(meta) is int and not _LEAST <= meta <= _MOST else NUMBER


def _may_overflow(write: Node) -> bool:
    """Whether a call writes an integer of Python for which an array may have no room."""
    value = write.args[2]
    meta = value.meta["val"] if type(value) is Node else value
    if type(meta) is not SymInt or not set(write.target.errors(write.args, {})) <= {OverflowError, ValueError}:  # type: ignore[union-attr]
        return False
    element = _calls(value, ops.sym.element) and np.can_cast(value.args[0].meta["val"].dtype, np.int64)
    return not element and not (known(meta >= _LEAST) is True and known(meta <= _MOST) is True)


def columns_of(program: ExportedProgram) -> dict[Node, str]:
    """The values that leave a program once, as a column of a list."""
    pairs = zip(program.graph_signature.output_specs, program.graph.output_node.args[0], strict=True)
    values = [value for spec, value in pairs if spec.kind is OutputKind.USER_OUTPUT]
    kinds = list(_leaves(program.call_spec.out_spec))
    every = program.graph.output_node.args[0]
    once = {value for value in values if type(value) is Node and sum(other is value for other in every) == 1}
    if len(kinds) != len(values):
        return {}
    return {value: kind for value, kind in zip(values, kinds, strict=True) if type(value) is Node and value in once and kind}


def _leaves(spec: TreeSpec) -> Iterator[str]:
    if spec.type is None:
        yield ""
    elif spec.type is ListOfRows:
        context = spec.context[1] if spec.context[0] in OF_ROWS else spec.context
        numbers = numbers_in(context)
        yield from numbers if "one" not in repr(context) and "lists" not in repr(context) else [""] * len(numbers)
    else:
        for child in spec.children:
            yield from _leaves(child)
