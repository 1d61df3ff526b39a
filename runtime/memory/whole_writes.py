"""Writes to all of an array, as graphs have them: ``setitem(x, ..., value)``.

``x *= 2; x += y`` is recorded in this way where the array is not in C order. Law: what is written
is the value itself, element by element; so element-wise operators that compute the same of any
memory may take the value in place of the array, where nobody asks in which order their results lie.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.memory.layouts import items_of, size_key, takes_any_memory
from npexport.runtime.memory.own_memory import takes_own_memory


def is_whole(index: object) -> bool:
    """Whether an index selects all of an array."""
    return all(type(item) in (slice, type(Ellipsis)) and item in (slice(None), Ellipsis) for item in items_of(index))


def is_whole_write(node: Node) -> bool:
    """Whether a call writes to all of an array."""
    op: Any = node.target
    return node.op == CALL and op.emit.in_place.count("{") == 3 and not node.kwargs and is_whole(node.args[1])


def are_alike(one: Node, other: Node) -> bool:
    """Whether two values are arrays of the same dtype and shape."""
    a, b = one.meta["val"], other.meta.get("val")
    if not isinstance(a, TensorMeta) or not isinstance(b, TensorMeta) or a.scalar or b.scalar:
        return False
    return a.dtype == b.dtype and a.dtype.metadata == b.dtype.metadata and size_key(a) == size_key(b)


def pass_over_writes(graph: Graph, kept: Collection[Node]) -> set[Node]:
    """Let operators take the values that have been written for them to read; the writes that
    nothing needs any more. ``kept``: the values that stay what they are.
    """
    loose = of_any_order(graph)
    passed = set()
    for write in graph.nodes:
        if not is_whole_write(write) or write in kept or "raises" in write.meta or not write.users:
            continue
        base, _, value = write.args
        if type(base) is not Node or type(value) is not Node or not are_alike(write, value) or not are_alike(write, base):
            continue
        if value.op == CALL and not takes_any_memory(value) and takes_own_memory(value, base):
            continue  # it is computed where the array is, and nowhere else
        if all(_overwrites(user, write) or (user in loose and user not in kept) for user in write.users):
            for user in list(write.users):
                instead = base if _overwrites(user, write) else value
                user.args = tuple([instead if arg is write else arg for arg in user.args])
            passed.add(write)
    return passed


def _overwrites(user: Node, array: Node) -> bool:
    """Whether a call replaces all elements of the array, and reads none of them."""
    return is_whole_write(user) and user.args[0] is array and user.args[2] is not array


def of_any_order(graph: Graph) -> set[Node]:
    """The results of element-wise operators that are nothing but written to arrays, or operands of
    such operators.
    """
    loose = set[Node]()
    writes = {node for node in graph.nodes if is_whole_write(node)}
    for node in reversed(graph.nodes) if writes else ():
        computed = node.op == CALL and node.users and isinstance(node.meta["val"], TensorMeta) and takes_any_memory(node)
        if computed and all(user in loose or (user in writes and user.args[0] is not node) for user in node.users):
            loose.add(node)
    return loose
