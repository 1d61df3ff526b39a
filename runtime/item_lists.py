"""Arrays that hold the items of one list of Python and nothing more, as the list that they stand
for.

Laws: all values that share such memory are the list, through branches, too. Its items are what the
array would give: numbers of Python, or scalars of the array's dtype. Of its beginning an array is
made where anything but a list is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import ListOfRows
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import OutputKind
from npexport.runtime.emit import Source
from npexport.runtime.inherited_memory import Block, block_of, is_item
from npexport.runtime.layouts import is_array
from npexport.runtime.plan import Step
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, python_type

NUMBER, SCALAR = "number", "scalar"
"""What the items are, in the words of `ListOfRows`."""
_TYPES = {np.dtype(np.float64): float, np.dtype(np.bool_): bool, np.dtype(np.int64): int}
MAX_DEPTH = 4
"""How deep in branches lists are known."""


class ItemLists:
    """The lists of a graph and its branches.

    ``kinds``: each value that is a list, and what its items are; ``arrays``: the values that are
    made of lists. ``columns``: the values that leave the program as lists of such items; ``shown``:
    those of which sizes are asked.
    """

    def __init__(self, graph: Graph, columns: Mapping[Node, str], shown: set[Node]) -> None:
        self._first: dict[Node, Node] = {}
        self._not: set[Node] = set()  # values that are arrays
        self._stored: list[tuple[Node, str | None]] = []
        self._parts: list[Node] = []
        self.kinds: dict[Node, str] = {}
        self.arrays: set[Node] = set()
        if any(_is_new(node) for node in graph.nodes):
            self._see(graph, 0)
            self._decide(columns, shown)

    def __contains__(self, node: Any) -> bool:
        return node in self.kinds or node in self.arrays

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
            if node.op != CALL or "raises" in node.meta:
                self._not.update(node.all_input_nodes if node.op == CALL else ())
            elif (branch := block_of(node)) is not None and not branch.loops:
                self._see_branch(node, branch, depth)
            elif _writes_item(node):
                self._join(node, node.args[0])
                self._stored.append((node, _kind(node.args[2], node.meta["val"].dtype)))
            elif _writes_beginning(node):
                value = node.args[2]
                self._join(node, node.args[0], value.args[0] if _is_beginning(value) else value)
            elif _is_beginning(node) or _is_copy(node):
                self._parts.append(node)
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

    def _decide(self, columns: Mapping[Node, str], shown: set[Node]) -> None:
        arrays = {self._family(node) for node in self._not}
        found: dict[Node, str | None] = {}
        for write, kind in self._stored:
            family = self._family(write)
            found[family] = kind if found.get(family, kind) == kind and family not in arrays else None
        members = {*self._first, *found}
        self.kinds = {node: kind for node in members if (kind := found.get(self._family(node))) is not None}
        for part in reversed(self._parts):
            root = part.args[0].args[0] if _is_copy(part) else part.args[0]
            kind = found.get(self._family(root))
            if kind is None or type(root) is not Node:
                continue
            asked = part not in shown and all(user.op != CALL or user in self or _writes_beginning(user) for user in part.users)
            leaves = all(user.op == CALL for user in part.users) or columns.get(part) == kind
            if asked and leaves:
                self.kinds[part] = kind
            else:
                self.arrays.add(part)
        for part in self._parts:  # what is made of an array copies it
            if part in self and _is_copy(part) and part.args[0] not in self.kinds:
                self.kinds.pop(part, None)
                self.arrays.discard(part)

    def statements(self, step: Step, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
        """The name of a list, or of an array that is made of one, and the lines that make it."""
        node, in_place = step.node, step.place is not None and step.when == "always"
        value, kind = node.meta["val"], self.kinds.get(node)
        if _is_new(node):
            name = source.fresh()
            source.lists.add(name)
            first = value.dtype.type(0) if kind == SCALAR else _TYPES[value.dtype](0)
            return name, [f"{name} = [{source.value(first)}] * {value.shape[0]}"]
        base, writes = names[node.args[0]], _calls(node, ops.np.setitem)
        name = base if in_place and writes else source.fresh()
        taken = slice(None) if writes else node.args[1] if _calls(node, ops.np.getitem) else None
        text = base if taken is None else f"{base}[{source.subscript(taken, names)}]"
        if kind is None:
            return name, [f"{name} = {source.bind(np.array)}({text}, {source.bind(value.dtype)})"]
        source.lists.add(name)
        lines = [] if name == base else [f"{name} = {text}"]
        if writes:
            lines.append(f"{name}[{source.subscript(node.args[1], names)}] = {source.text(node.args[2], names)}")
        return name, lines


def _calls(node: Node, op: Op) -> bool:
    return node.op == CALL and node.target is op and not node.kwargs


def _is_new(node: Node) -> bool:
    val = node.meta["val"]
    return _calls(node, ops.np.zeros) and is_array(val) and val.ndim == 1 and type(val.shape[0]) is int


def _writes_item(node: Node) -> bool:
    """Whether a call writes to an element that is surely there."""
    if not _calls(node, ops.np.setitem) or node.meta["val"].ndim != 1:
        return False
    place, size = node.args[1], node.meta["val"].shape[0]
    value = place.meta["val"] if type(place) is Node else place
    inside = type(value) in (int, SymInt) and type(size) is int
    return inside and known(value >= 0) is True and known(value < size) is True


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
    return index == slice(None, *value.meta["val"].shape[:1])


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
    meta = value.meta["val"] if type(value) is Node else value
    if isinstance(meta, (TensorMeta, np.generic)):
        scalar = isinstance(meta, np.generic) or meta.scalar
        return SCALAR if scalar and meta.dtype == dtype and dtype.kind in "biufc" else None
    if dtype not in _TYPES or python_type(meta) is not _TYPES[dtype]:
        return None
    element = type(value) is Node and _calls(value, ops.sym.element)
    fits = type(meta) is int and -(2**63) <= meta < 2**63
    if python_type(meta) is int and not fits and not (element and np.can_cast(value.args[0].meta["val"].dtype, dtype)):
        return None
    return NUMBER


def columns_of(program: ExportedProgram) -> dict[Node, str]:
    """The values that leave a program once and as the only column of a list."""
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
    elif spec.type is ListOfRows and spec.context in (NUMBER, SCALAR) and len(spec.children) == 1:
        yield str(spec.context)
    else:
        for child in spec.children:
            yield from _leaves(child)
