"""Values that a call computes from arrays that no call writes, and keeps: any other call would
compute the same.

The program computes them in every call. In the world of later calls such a place holds a
`Recomputed`, which becomes the nodes of the first call again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from npexport.ir.graph import CALL, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.node import sub_graphs
from npexport.ir.op import Op
from npexport.symshapes.symint import SymFloat, SymInt
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.views import view
from npexport.tracer.arrays.memory.model import Kind, Link, Placeholder

_OUTSIDE = {Kind.STATE: "self.", Kind.CONSTANT: "global "}


class Recomputed:
    """The value of a node of the first run, and the ``links`` of views behind it.

    ``nodes``: all nodes that it needs, in order.
    """

    def __init__(self, recorder: Recording, node: Node, value: Any, nodes: list[Node], sources: dict[Node, Placeholder]) -> None:
        self.nodes = nodes
        self._rearranged: bool = recorder.rearranged
        self.sources = sources
        self._node = node
        self._layout = value.storage.layout if type(value) is ArrayProxy else None
        self._links: list[Link] = value.link.chain() if type(value) is ArrayProxy and value.link is not None else []
        self._writeable = type(value) is ArrayProxy and value.writeable

    @property
    def raises(self) -> bool:
        """Whether the computation raises for some data."""
        return any(node.meta.get("raises") for node in self.nodes)

    def again(self, recorder: Recording, find: Callable[[np.ndarray[Any, Any], str], ArrayProxy]) -> Any:
        """The value in another run.

        ``find(array, origin)`` is what that run has for an outside array.
        """
        recorder.rearranged |= self._rearranged
        new: dict[Node, Any] = {}
        for node in self.nodes:
            source = self.sources.get(node)
            if source is None:
                args, kwargs = map_nodes((node.args, node.kwargs), new.__getitem__)
                new[node] = recorder.node(cast(Op, node.target), args, kwargs)
            elif source.kind is Kind.LITERAL:
                new[node] = recorder.constant(source.array)
            else:
                new[node] = find(source.array, _OUTSIDE[source.kind] + source.path).node()
        if self._layout is None:
            return recorder.wrap(new[self._node])
        array = recorder.wrap(new[self._node], self._layout)
        for link in self._links:
            args, kwargs = map_nodes((link.args, link.kwargs), new.__getitem__)
            array = view(recorder, link.op, array, args, kwargs, False)
        array.writeable = self._writeable
        return array


def recomputed(recorder: Recording, value: Any) -> Recomputed | None:
    """The value of a run, if it depends only on outside arrays that do not change; or ``None``."""
    node = _node(recorder, value)
    if not isinstance(node, Node):
        return None
    placeholders = {placeholder.node: placeholder for placeholder in recorder.placeholders}
    links = value.link.chain() if type(value) is ArrayProxy and value.link is not None else []
    nodes: dict[Node, None] = {}
    if not all(_collect(each, nodes) for each in [node, *(operand for link in links for operand in _operands(link))]):
        return None
    sources = {each: placeholders[each] for each in nodes if each in placeholders}
    if any(each.op != CALL and each not in sources for each in nodes) or sub_graphs(nodes):
        return None  # input numbers, and control operators, whose functions may use what is outside of them
    if any(source.kind is Kind.INPUT or source.mutated for source in sources.values()):
        return None
    return Recomputed(recorder, node, value, list(nodes), sources)


def _node(recorder: Recording, value: Any) -> Any:
    if type(value) is ArrayProxy:
        return value.storage.node if value.storage.outside is None else None
    if type(value) is ScalarProxy:
        return value._node if value.memory is None else None
    return recorder.sizes.node(value) if type(value) in (SymInt, SymFloat) else None


def _operands(link: Link) -> list[Node]:
    found: list[Node] = []
    map_nodes((link.args, link.kwargs), found.append)
    return found


def _collect(node: Node, found: dict[Node, None]) -> bool:
    """Add the node and what it needs; whether sizes are numbers, and no sub-graph is involved."""
    stack = [(node, False)]
    while stack:
        each, ready = stack.pop()
        if each in found:
            continue
        if ready:
            found[each] = None
            continue
        if not _is_static(each.meta.get("val")):
            return False
        stack.append((each, True))
        stack += [(operand, False) for operand in each.all_input_nodes]
    return True


def _is_static(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_static, value))
    return not isinstance(value, TensorMeta) or all(type(size) is int for size in value.shape)
