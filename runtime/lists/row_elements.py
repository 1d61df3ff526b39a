"""Elements of rows, as lists of lists have them: ``x[i][j]`` is read and written as ``x[i, j]``,
and a new row is written element by element.

Laws:

1. A row goes only if nothing but reads and writes of its elements uses it, in sides of branches,
   too: there it is taken of the array, which they are given as well. So no view stands between the
   array and a write that would then need a copy of it.
2. All places are single numbers that are places of the array: of two calls that are joined, one at
   most raises, where a number does not fit.
3. A row is written that way if it was made of few numbers for this write alone. If one of them does
   not fit, it is the first that is written: then nothing else has been.
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.list_calls import calls, overflows_only
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.memory.layouts import is_array, items_of
from npexport.runtime.planning.loop_invariants import redirect
from npexport.symshapes.symint import python_type


def join_rows(graph: Graph) -> bool:
    """Whether rows of a graph and its sub-graphs were left out."""
    changed = False
    for row in list(graph.nodes):
        if _is_row(row) and _is_taken_apart(row, *row.args):
            for user in list(row.users):
                _join(user, row)
            graph.erase_node(row)
            changed = True
    for write in list(graph.nodes):
        made = _made(write)
        if made:
            _spread(write, made)
            changed = True
    for module in [arg for node in graph.nodes for arg in node.args if type(arg) is GraphModule]:
        changed |= join_rows(module.graph)
    return changed


_FEW = 4
"""The most elements of a row that are written one by one."""


def _made(write: Node) -> list[Node | None]:
    """The write of each element of the row that a call writes to a place of an array; ``None`` for
    one that stays zero. Nothing where the row is no such row.
    """
    if not calls(write, ops.np.setitem) or "raises" in write.meta or not _is_place(write) or type(write.args[2]) is not Node:
        return []
    array, row = write.args[0].meta["val"], write.args[2]
    meta = row.meta["val"]
    if not is_array(meta) or meta.ndim != 1 or array.ndim != len(items_of(write.args[1])) + 1 or array.dtype != meta.dtype:
        return []
    size = meta.shape[0]
    found: list[Node | None] = [None] * (size if type(size) is int and size <= _FEW and size == array.shape[-1] else 0)
    while (
        found and len(row.users) == 1 and calls(row, ops.np.setitem) and type(row.args[1]) is int and "val" in row.meta and _is_place(row)
    ):
        found[row.args[1]] = found[row.args[1]] or row
        row = row.args[0]
    whole = calls(row, ops.np.zeros) and len(row.users) == 1 and row is not write.args[2]
    return found if whole and sum(each is not None and "raises" in each.meta for each in found) < 2 else []


def _spread(write: Node, made: list[Node | None]) -> None:
    """Write each element of a row by itself."""
    graph, (array, index, row), meta = write.graph, write.args, write.meta
    places = sorted(range(len(made)), key=lambda place: made[place] is None or "raises" not in made[place].meta)  # type: ignore[union-attr]
    for place in places:
        element = made[place]
        own = meta if element is None else {**element.meta, "val": meta["val"]}
        args = (array, (*items_of(index), place), 0 if element is None else element.args[2])
        if place == places[-1]:
            write.args, write.meta = args, own
        else:
            array = graph.insert(graph.nodes.index(write), Node(graph.fresh_name(write.name), CALL, write.target, args, {}, dict(own)))
    while not row.users:
        (before,) = row.args[:1]
        graph.erase_node(row)
        if type(before) is not Node:
            break
        row = before


def _is_row(node: Node) -> bool:
    """Whether a value is an array that lies in another at such a place."""
    return bool(calls(node, ops.np.getitem) and node.users and is_array(node.meta["val"]) and _is_place(node))


def _is_place(node: Node) -> bool:
    """Whether a call reads or writes at single numbers that are places of the array."""
    array, index = node.args[:2]
    if type(array) is not Node or not is_array(array.meta["val"]) or ("raises" in node.meta and not overflows_only(node)):
        return False
    return all(python_type(value_of(item)) is int for item in items_of(index))


def _is_taken_apart(row: Node, array: Any, index: Any) -> bool:
    """Whether all that uses a row can use the array: the law."""
    return all(_takes_element(user, row, array, index) for user in row.users)


def _takes_element(user: Node, row: Node, array: Any, index: Any) -> bool:
    block = block_of(user)
    if block is not None:
        places = [place for place, value in enumerate(block.values) if value is row]
        if block.loops or len(places) != 1 or not all(value in block.values for value in _needed(array, index)):
            return False
        return all(_is_taken_apart(side.placeholders[places[0]], *_inside(side, block.values, array, index)) for side in block.graphs)
    if user.op != CALL or user.kwargs or user.args[0] is not row:
        return False
    if calls(user, ops.np.getitem):
        return _is_place(user)
    written = next(iter(user.users), user)
    back = len(user.users) == 1 and calls(written, ops.np.setitem) and written.args == (array, index, user)
    inner = calls(user, ops.np.setitem) and user.args[2] is not row and _is_place(user)
    return inner and back and "raises" not in written.meta and _is_place(written)


def _needed(array: Node, index: Any) -> list[Node]:
    return [array, *[item for item in items_of(index) if type(item) is Node]]


def _inside(side: Graph, values: Any, array: Node, index: Any) -> tuple[Node, Any]:
    """The array and the index in a side of a branch that takes these values."""
    inner = dict(zip(values, side.placeholders, strict=True))
    found = tuple([inner[item] if type(item) is Node else item for item in items_of(index)])
    return inner[array], found if type(index) is tuple else found[0]


def _join(user: Node, row: Node) -> None:
    """Let a call use the array in place of a row."""
    array, index = row.args
    if block_of(user) is not None:
        _take_inside(user, row)
    elif calls(user, ops.np.getitem):
        user.args = (array, (*items_of(index), *items_of(user.args[1])))
    else:
        (written,) = user.users
        written.meta = {**user.meta, "val": written.meta["val"]}
        written.args = (array, (*items_of(index), *items_of(user.args[1])), user.args[2])
        user.graph.erase_node(user)


def _take_inside(branch: Node, row: Node) -> None:
    """Let the sides of a branch take a row of the array that they are given."""
    *before, values = branch.args
    place = values.index(row)
    for side in [arg.graph for arg in before if type(arg) is GraphModule]:
        given = side.placeholders[place]
        if given.users:
            args = _inside(side, values, *row.args)
            inside = Node(side.fresh_name(row.name), CALL, row.target, args, {}, dict(row.meta))
            side.insert(len(side.placeholders), inside)
            redirect(given, inside)
        side.erase_node(given)
    branch.args = (*before, (*values[:place], *values[place + 1 :]))
