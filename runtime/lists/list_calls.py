"""What calls do to vectors that may stand for lists of Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.ir.op import Op
from npexport.runtime.loops.counted_loops import is_number_call
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.memory.layouts import is_array, items_of
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, python_type

NUMBER, SCALAR = "number", "scalar"
"""What the items are, in the words of `ListOfRows`."""
TYPES = {np.dtype(np.float64): float, np.dtype(np.bool_): bool, np.dtype(np.int64): int}
LEAST, MOST = -(2**63), 2**63 - 1
READS = {list: "list index out of range", tuple: "tuple index out of range"}
WRITES = "list assignment index out of range"
"""What Python says where there is no item."""


def calls(node: Node, op: Op) -> bool:
    return node.op == CALL and node.target is op and not node.kwargs


def is_part(value: Any) -> bool:
    """Whether a value is made of a list, which may be an array: what is written into it then is."""
    return type(value) is Node and (is_beginning(value) or is_copy(value))


def is_new(node: Node) -> bool:
    val = node.meta["val"]
    return calls(node, ops.np.zeros) and is_array(val) and val.ndim == 1 and type(node.args[0]) is tuple


def copies_vector(node: Node) -> bool:
    """Whether a call makes a new vector with the elements of another."""
    if (
        not (calls(node, ops.np.copy) or calls(node, ops.np.astype))
        or "raises" in node.meta
        or is_part(node)
        or type(node.args[0]) is not Node
    ):
        return False
    val, base = node.meta["val"], node.args[0].meta["val"]
    return is_array(val) and is_array(base) and val.ndim == base.ndim == 1 and val.dtype == base.dtype


def places_of(graph: Graph) -> Iterator[tuple[Node, list[Node]]]:
    """The places in a graph that are used before another call may raise, and the calls that use
    them.
    """
    waiting: dict[Node, set[Node]] = {}
    for node in graph.nodes:
        for place in [place for place in node.all_input_nodes if place in waiting]:
            waiting[place].discard(node)
        if calls(node, ops.py.place):
            waiting[node] = {*node.users}
        elif node.op != CALL or "raises" in node.meta or is_checkpoint(node):
            for place in [place for place, users in waiting.items() if users]:
                del waiting[place]
    yield from [(place, list(place.users)) for place in waiting if place.users]


def crosses(place: Node) -> bool:
    """Whether a branch or a loop stands before the last use of a place: they may give its number
    another value.
    """
    nodes = place.graph.nodes
    return any(map(block_of, nodes[nodes.index(place) : max(map(nodes.index, place.users))]))


def is_seed(value: Any) -> bool:
    """Whether a value is an array of zeros that is nothing but what loops begin with."""
    if type(value) is not Node or not is_new(value):
        return False
    return all((block := block_of(user)) is not None and block.loops and value not in user.args[3] for user in value.users)


def reads_item(node: Node) -> bool:
    """Whether a call reads one element of a vector."""
    if not calls(node, ops.np.getitem) or not is_array(node.args[0].meta["val"]) or node.args[0].meta["val"].ndim != 1:
        return False
    place, val = node.args[1], node.meta["val"]
    return python_type(value_of(place)) is int and isinstance(val, TensorMeta) and val.scalar


def is_choice(node: Node) -> bool:
    """Whether a call chooses between an element and another number for what is written there."""
    if not calls(node, ops.np.where) or len(node.args) != 3 or not node.users:
        return False
    test, old, _ = node.args
    if type(test) is not Node or python_type(test.meta["val"]) is not bool or type(old) is not Node or not reads_item(old):
        return False
    if "raises" in node.meta and not may_overflow(node):
        return False
    return old.meta["val"].dtype == node.meta["val"].dtype and all(
        calls(user, ops.np.setitem) and user.args[0] is old.args[0] and user.args[2] is node for user in node.users
    )


def fits(read: Node, kind: str | None) -> bool:
    """Whether an item of a list stands for the element that is read."""
    dtype = read.meta["val"].dtype
    if kind != NUMBER:
        return kind == SCALAR
    return all(
        is_choice(user)
        or (calls(user, ops.np.setitem) and moves_last(user))
        or (is_number_call(user) and "raises" not in user.meta and python_type(user.meta["val"]) is TYPES[dtype])
        for user in read.users
    )


def writes_item(node: Node) -> bool:
    """Whether a call writes to one element of a vector."""
    if not calls(node, ops.np.setitem) or node.meta["val"].ndim != 1:
        return False
    return python_type(value_of(node.args[1])) is int


def may_miss(node: Node) -> tuple[bool, bool]:
    """Whether a call reads or writes at a place before the first element, and behind the last."""
    if "raises" not in node.meta:
        return False, False
    place, (size,) = value_of(node.args[1]), node.args[0].meta["val"].shape
    before, behind = known(place >= -size) is not True, known(place < size) is not True
    return (before, behind) if before or behind else (True, True)  # what is known is what the call itself makes sure of


def raises_as_list(node: Node) -> bool:
    """Whether a list tells of all that a call raises: places and integers that an array has not."""
    if reads_item(node):
        return not node.target.errors(node.args, {})  # type: ignore[union-attr]
    return writes_item(node) and (may_overflow(node) or not node.target.errors(node.args, {}))  # type: ignore[union-attr]


class Shift(NamedTuple):
    """The items behind a ``place`` go one place back (and the last one stays, too), or those from
    there on go one place on (and the last one is lost).
    """

    place: int
    back: bool


def shift_of(node: Node) -> Shift | None:
    """What a call is that writes the elements of a vector next to where they were."""
    value = node.args[2] if calls(node, ops.np.setitem) and node.meta["val"].ndim == 1 else None
    if type(value) is not Node or not calls(value, ops.np.getitem) or value.args[0] is not node.args[0] or list(value.users) != [node]:
        return None
    into, taken = node.args[1], value.args[1]
    if type(into) is not slice or type(taken) is not slice or type(into.start) is not int or type(taken.start) is not int:
        return None
    place = min(into.start, taken.start)
    back = (slice(place, -1), slice(place + 1, None)) == (into, taken)
    on = (slice(place, -1), slice(place + 1, None)) == (taken, into)
    return Shift(place, back) if place >= 0 and (back or on) else None


def moves_row(node: Node) -> bool:
    """Whether a call puts one item of a vector elsewhere in it."""
    return calls(node, ops.py.row_moved) and node.meta["val"].ndim == 1


def moves_last(write: Node) -> bool:
    """Whether a call writes an item to the place from which on the others have gone on."""
    base, _, value = write.args
    on = shift_of(base) if type(base) is Node else None
    moved = on is not None and not on.back and writes_item(write) and type(value) is Node and reads_item(value)
    return moved and value.args[0] is base.args[0] and "raises" not in write.meta


def writes_beginning(node: Node) -> bool:
    """Whether a call writes the first elements of another array, or all, to where they were."""
    if not calls(node, ops.np.setitem) or node.meta["val"].ndim != 1:
        return False
    index, value = node.args[1:]
    if (
        type(index) is not slice
        or type(value) is not Node
        or not is_array(value.meta["val"])
        or value.meta["val"].dtype != node.meta["val"].dtype
    ):
        return False
    if is_beginning(value):
        return value.args[1] == index and list(value.users) == [node]
    end = value_of(index.stop)
    plain = index.start is None and index.step is None and type(end) in (int, SymInt)
    return plain and known(end == value.meta["val"].shape[0]) is True


def is_beginning(node: Node) -> bool:
    """Whether a value is the elements of another before a place that is not negative."""
    if not calls(node, ops.np.getitem) or not is_array(node.meta["val"]) or type(node.args[1]) is not slice:
        return False
    index, base = node.args[1], node.args[0].meta["val"]
    end = value_of(index.stop)
    plain = index.start is None and index.step is None and isinstance(base, TensorMeta) and base.ndim == 1
    return plain and type(end) in (int, SymInt) and known(end >= 0) is True


def is_copy(node: Node) -> bool:
    """Whether a value is a copy that is made of such a part alone."""
    part = node.args[0] if calls(node, ops.np.copy) and len(node.args) == 1 else None
    return type(part) is Node and is_beginning(part) and list(part.users) == [node]


def stored_kind(value: Any, dtype: np.dtype[Any]) -> str | None:
    """What is found where a value has been written to an array of this dtype, if it is the value
    itself.
    """
    value = value.args[2] if type(value) is Node and is_choice(value) else value
    meta = value_of(value)
    if isinstance(meta, (TensorMeta, np.generic)):
        scalar = isinstance(meta, np.generic) or meta.scalar
        return SCALAR if scalar and meta.dtype == dtype and dtype.kind in "biufc" else None
    if dtype not in TYPES or python_type(meta) is not TYPES[dtype]:
        return None
    return None if type(meta) is int and not LEAST <= meta <= MOST else NUMBER


def overflows_only(write: Node) -> bool:
    """Whether a call writes an integer of Python at a place that is surely there, so that it raises
    only where the array has no room for the integer.
    """
    if not calls(write, ops.np.setitem) or not _may_overflow(write):
        return False
    places = [(value_of(place), size) for place, size in zip(items_of(write.args[1]), write.meta["val"].shape, strict=False)]
    return all(python_type(place) is int and known(place >= -size) is True and known(place < size) is True for place, size in places)


def _may_overflow(write: Node) -> bool:
    errors: set[type[BaseException]] = set(write.target.errors(write.args, {}))  # type: ignore[union-attr]
    return type(value_of(write.args[2])) is SymInt and errors <= {OverflowError, ValueError}


def may_overflow(write: Node) -> bool:
    """Whether a call writes an integer of Python for which an array may have no room."""
    value = write.args[2]
    meta = value_of(value)
    if not _may_overflow(write):
        return False
    element = calls(value, ops.sym.element) and np.can_cast(value.args[0].meta["val"].dtype, np.int64)
    return not element and not (known(meta >= LEAST) is True and known(meta <= MOST) is True)
