"""Outputs as nodes: results that share memory in eager execution come from one node by the same views, all others from different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npexport.ir import ops
from npexport.ir.graph import CALL, Node
from npexport.ir.op import Op
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.storage import Storage

if TYPE_CHECKING:
    from npexport.tracer.arrays.recorder import Recorder


_MAY_COPY = (ops.np.reshape, ops.np.ravel)


def origin(node: Node) -> Node:
    """The node whose memory the value lies in, as far as views go."""
    while node.op == CALL and isinstance(node.target, Op) and "view" in node.target.traits:
        node = node.args[0]
    return node


def place(node: Node, written: set[Node]) -> Node:
    """What tells memories apart: the origin; for a reshape of an outside array that
    the program does not write to, which is a view or a copy by its layout, the reshape itself."""
    found = origin(node)
    if found.op == CALL or found in written:
        return found
    while node is not found:
        if node.target in _MAY_COPY:
            return node
        node = node.args[0]
    return found


class Outputs:
    """``node(value)`` is what stands in the output node for a proxy. Every memory belongs to one storage: the others get copies."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._owners: dict[Node, Storage] = {}
        self._bases: dict[Storage, Node] = {}
        for placeholder in recorder.placeholders:
            if placeholder.node is not None:
                self._owners[placeholder.node] = placeholder.storage
        self._written = {p.node for p in recorder.placeholders if p.mutated and p.node is not None}
        for placeholder in recorder.placeholders:
            if placeholder.mutated:
                placeholder.storage.node = self._base(placeholder.storage)

    def node(self, value: ArrayProxy) -> Node:
        """The node of an output."""
        if type(value) is ScalarProxy:
            return value.node()
        node = self._base(value.storage)
        for step in [] if value.link is None else value.link.chain():
            node = self._recorder.node(step.op, (node, *step.args), step.kwargs)
        return node

    def _base(self, storage: Storage) -> Node:
        """The value of a whole storage, in memory that no other storage has."""
        base = self._bases.get(storage)
        if base is None:
            if storage.node is None:
                self._recorder.demote(storage)
            base: Node = storage.node  # type: ignore[no-redef, assignment]
            if self._owners.setdefault(place(base, self._written), storage) is not storage:
                base = self._recorder.again(ops.np.copy, base)
                self._owners[base] = storage
            self._bases[storage] = base
        return base
