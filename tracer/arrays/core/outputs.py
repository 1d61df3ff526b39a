"""Outputs as nodes: results that share memory in eager execution come from one node through the
same views; all others from separate nodes.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Set
from typing import TYPE_CHECKING, Any

from npexport.ir import ops
from npexport.ir.aliasing import is_view
from npexport.ir.graph import CALL, Node
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.ownership import is_whole, rely_on_owner, rely_on_shown_flag
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.result_identity import identity_node, place_there
from npexport.tracer.arrays.core.views import reads_only
from npexport.tracer.arrays.memory.layout_guards import ambiguities_of, are_one
from npexport.tracer.arrays.memory.layout_inference import Unanswered, Values
from npexport.tracer.arrays.memory.model import Kind, Link, Storage

if TYPE_CHECKING:
    from npexport.tracer.arrays.core.recorder import Recorder


def shown_by(value: Any) -> ArrayProxy | None:
    """The array whose memory a caller sees through the value: like an array, a record is a view of
    memory. A record that is an input is itself.
    """
    if type(value) is ScalarProxy:
        return value.memory if value._node.op == CALL else None
    return value if type(value) is ArrayProxy else None


def all_shown_by(values: list[Any]) -> list[ArrayProxy]:
    """The arrays whose memory a caller sees through the values."""
    return [array for array in map(shown_by, values) if array is not None]


def origin(node: Node) -> Node:
    """The node whose memory contains the value, found by following views."""
    while node.op == CALL and isinstance(node.target, Op) and is_view(node):
        node = node.args[0]
    return node


def place(node: Node, written: set[Node]) -> Node:
    """What distinguishes memories: the origin; for a reshape of an outside array that the program
    does not write to, which is a view or a copy by its layout, the reshape itself.
    """
    found = first = origin(node)
    if found.op == CALL or found in written:
        return found
    while node is not found:
        first = node if _may_be_copied(node) else first  # what follows the first of them are views of it
        node = node.args[0]
    return first


class Outputs:
    """``node(value)`` is the entry of the output node for a proxy; ``values`` are all outputs.

    Each buffer belongs to one storage: others get copies.
    """

    def __init__(self, recorder: Recorder, values: list[Any]) -> None:
        self._recorder = recorder
        self._values = Values(recorder.graph, recorder.placeholders)
        self._owners: dict[Node, Storage] = {}
        self._links: dict[Node, Link] = {}
        self._told: dict[Storage, list[tuple[Link, Storage | None]]] = {}
        self._may_be: set[Node] = set()  # the views that a result is on one side of a branch on data
        self._bases: dict[Storage, Node] = {}
        self._views: dict[Storage, list[Link | None]] = {}
        for array in all_shown_by(values):
            self._views.setdefault(array.storage, []).append(array.link)
        self._copied = Counter(id(ambiguity.source) for storage in self._views for ambiguity in ambiguities_of(storage))
        for placeholder in recorder.placeholders:
            if placeholder.node is not None:
                self._owners[placeholder.node] = placeholder.storage
        self._found: dict[int, tuple[ArrayProxy, Node]] = {}  # by identity
        self._named: set[Node] = set()
        self._written = {p.node for p in recorder.placeholders if p.mutated and p.node is not None}
        for placeholder in recorder.placeholders:
            if placeholder.mutated:
                self.whole(placeholder.storage)

    def node(self, value: AnyProxy) -> Node:
        """The node of an output; each array has one."""
        if type(value) is ScalarProxy:
            memory = shown_by(value)
            return value.node() if memory is None else self._recorder.node(ops.np.getitem, (self.node(memory), ()))
        if id(value) not in self._found:
            self._found[id(value)] = value, self._node(value)
        return self._found[id(value)][1]

    def _is_shown(self, source: weakref.ref[Storage]) -> bool:
        """Whether the caller also sees the memory elsewhere, in a changed outside array. Of memory
        that is another array's as the data say, the program's value is a copy.
        """
        storage = source()
        if storage is not None and any(other.outside or other in self._views for other in self._recorder.may_alias.of(storage)):
            return True
        if storage is not None and storage.outside is not None:
            return storage.outside.node in self._written
        return storage in self._views or self._copied[id(source)] > 1

    def _node(self, value: ArrayProxy, chosen: Storage | None = None) -> Node:
        """``chosen``: the memory of the result that may be this array, as data decide."""
        self._recorder.layouts.decide_shown(value.storage, self._is_shown)
        node = self.whole(value.storage)
        value = place_there(self._recorder, value)
        outside, link = value.storage.outside, value.link
        is_input = outside is not None and outside.kind is Kind.INPUT
        changed = is_input and outside in self._recorder.overlaps.changes
        if changed and any(map(is_whole, self._recorder.layouts.one_object(value))):
            return node  # the caller's array itself, whatever its shape and flags are now
        writeable = not _renews(node) if outside is None else not is_input or bool(outside.array.flags.writeable)
        if outside is not None and not is_input:  # the program's own, and writeable
            rely_on_shown_flag(value)
        same: list[Link] = []  # the last steps, where they give the array itself
        while link is not None and link.op.view.copies == "order":
            same.insert(0, link)
            link = link.parent
        if link is not None:
            link = self._told_apart(value.storage, link, chosen)
            kept = self._recorder.fence is not None and node is value.storage.node  # calls of modules share no nodes with what is outside
            for step in link.chain():
                writeable &= not reads_only(step)
                kept = kept and step.version == value.storage.version
                before, node = node, step.node if kept else self._recorder.node(step.op, (node, *step.args), step.kwargs)  # type: ignore[assignment]
            if chosen is not None:
                self._may_be.add(node)
            first = self._links.setdefault(node, link)
            if first is not link:  # another view, though of the same elements
                if node in self._may_be and (first.rebuilt or link.rebuilt):
                    raise _untold()
                node = self._recorder.again(step.op, before, *step.args, **step.kwargs)
        if value.writeable != writeable:
            if value.writeable:
                rely_on_owner(value)
            node = self._recorder.node(ops.np.with_flags, (node, value.writeable))
        for step in same:
            node = self._recorder.node(step.op, (node, *step.args), step.kwargs)
        return node

    def _told_apart(self, storage: Storage, link: Link, chosen: Storage | None) -> Link:
        """The first output that is the same view; this one if there is none. Raises E103 if one of
        them is it, or is not, as data decide.
        """
        earlier = self._told.setdefault(storage, [])
        for other, of in earlier:
            same = are_one(link, other)
            if same is None and (chosen is None or of is not chosen):  # one result is one of these
                raise _untold()
            if same:
                return other
        earlier.append((link, chosen))
        return link

    def named(self, value: ArrayProxy) -> Node:
        """The node of an array that replaces state; if it has been returned in another place, that
        of a view of it: the signature names such outputs by their nodes.
        """
        node = self.node(value)
        if node in self._named:
            node = self._recorder.again(ops.np.getitem, node, ...)
        self._named.add(node)
        return node

    def made(self) -> Set[Storage]:
        """The memories that have a node."""
        return self._bases.keys()

    def whole(self, storage: Storage) -> Node:
        """The value of a whole storage, in memory that no other storage has."""
        base = self._bases.get(storage)
        if base is None:
            value = self._value(storage)
            if storage.outside is not None and storage.mutated and storage.outside.node is not None:
                self._written.add(storage.outside.node)
            base = self._bases[storage] = self._chosen(storage, self._own(storage, value))
        return base

    def _chosen(self, storage: Storage, own: Node) -> Node:
        """The result's own memory, or an earlier array that it is, depending on the data."""
        if storage not in self._recorder.given or storage not in self._recorder.choices:
            return own
        return identity_node(self._recorder, storage, own, lambda array: self._node(array, storage))

    def _value(self, storage: Storage) -> Node:
        if storage.node is None:
            self._recorder.materialize(storage)
        base: Node = storage.node  # type: ignore[assignment]
        views = self._views.get(storage, ())
        several = len(views) > 1 and any(map(_may_copy, views))
        if storage.outside is None and (several or self._has_other_layout(base, storage)):
            return self._laid_out(base, storage)
        return base

    def _has_other_layout(self, base: Node, storage: Storage) -> bool:
        """Whether the node's value may have another order than the array in eager execution."""
        shape = base.meta["val"].shape
        if not self._recorder.rearranged or len(shape) < 2 or not storage.layout.known:
            return False
        try:
            found, wanted = self._values.order(base), storage.layout.order
        except Unanswered:
            return True
        return found != wanted and long_axes(found, shape) != long_axes(wanted, shape)

    def _laid_out(self, base: Node, storage: Storage) -> Node:
        """The same elements in the memory order of eager execution, which a reshape depends on."""
        node, order = self._recorder.node, storage.layout.order
        shape = base.meta["val"].shape
        if order is None:
            return node(ops.np.reshape, (node(ops.np.flatten, (base,)), shape))
        packed = node(ops.np.flatten, (node(ops.np.transpose, (base, order)),))
        packed = node(ops.np.reshape, (packed, tuple([shape[axis] for axis in order])))
        return node(ops.np.transpose, (packed, tuple(sorted(range(len(order)), key=order.__getitem__))))

    def _own(self, storage: Storage, base: Node) -> Node:
        where = place(base, self._written)
        literal = origin(base) in self._recorder.literals
        if not literal and self._owners.setdefault(where, storage) is storage:
            return base
        repeated = where is base and _may_be_copied(base) and not literal
        again = (base.target, *base.args) if repeated else (ops.np.copy, base)
        base = self._recorder.again(*again)
        self._owners[base] = storage
        return base


def long_axes(order: tuple[int, ...] | None, shape: tuple[Any, ...]) -> list[int]:
    """The axes that have an order in memory."""
    return [axis for axis in order or range(len(shape)) if not (type(shape[axis]) is int and shape[axis] < 2)]


def _may_copy(link: Link | None) -> bool:
    return link is not None and any(step.op.view.copies for step in link.chain())


def _may_be_copied(node: Node) -> bool:
    """Whether the layout of its argument decides if a call returns a view or a copy."""
    return isinstance(node.target, Op) and bool(node.target.view.copies)


def _renews(node: Node) -> bool:
    return isinstance(node.target, Op) and node.target.view.renews is not None


def _untold() -> Unsupported:
    what = "two results are one array on one side of a branch on data, and two views of its elements on the other"
    return Unsupported("E103", what, hint="Make the views after the branch, or copy the array on one side (.copy()).")
