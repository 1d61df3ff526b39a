"""The memory layouts of the values of a graph, as tokens: two arrays of one shape with equal tokens
have the same order of axes in memory.

``C``: contiguous in C order; ``ORDERED``: the axes in C order, with gaps or repetitions. An unknown
layout is a token of its own: the first node that has it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir import aliasing
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta, size_text
from npexport.ir.op import Op
from npexport.ir.ops import views
from npexport.ir.signature import ExportGraphSignature
from npexport.runtime.extensions import WRITTEN, extension

C, ORDERED = "C", "ordered"
NONE: Mapping[Node, Any] = {}


def size_key(meta: TensorMeta) -> tuple[Any, ...]:
    """The shape with its expressions as text. Equal keys mean equal shapes for every input, and
    comparing them records no guard.
    """
    for size in meta.shape:
        if type(size) is not int:
            return tuple([size if type(size) is int else size_text(size) for size in meta.shape])
    return meta.shape


def is_elementwise_ufunc(node: Node) -> bool:
    """Whether a call is a plain one of an element-wise ufunc with one output."""
    return not node.kwargs and len(node.args) == _operands_of_ufunc(node.target)


@functools.cache
def _operands_of_ufunc(op: Any) -> int | None:
    kernel = op.kernel if "ufunc" in op.traits else None
    if isinstance(kernel, np.ufunc) and kernel.signature is None and kernel.nout == 1:
        return kernel.nin
    return None


def is_exact(node: Node) -> bool:
    """Whether the layouts of a call's arrays affect nothing in its results but the payload of a
    NaN.
    """
    op: Any = node.target
    if "exact" not in op.traits or "by_parts" in op.traits:
        return "exact" in op.traits
    metas = [operand.meta["val"] for operand in (node, *node.all_input_nodes)]
    return not any(isinstance(meta, TensorMeta) and meta.dtype.kind == "c" for meta in metas)


def takes_memory(node: Node) -> bool:
    """Whether a call computes the same into the memory of an operand without gaps as into a new
    array.
    """
    return is_elementwise_ufunc(node) and "without_gaps" not in node.target.traits  # type: ignore[union-attr]


def takes_any_memory(node: Node) -> bool:
    """Whether a call computes the same into any memory, with gaps or not, as into a new array:
    NumPy uses loops of other instructions if elements are not next to one another.
    """
    return takes_memory(node) and is_exact(node)


def rounds_in_place(node: Node) -> bool:
    """Whether a call may give other bits in the memory of an operand than in a new array."""
    return is_elementwise_ufunc(node) and aliasing.rounds_in_place(node.target, node.meta["val"])  # type: ignore[arg-type]


def is_of_block(node: Node) -> bool:
    """Whether a value is a result of a branch or a loop, which gives arrays in C order."""
    block = node.args[0] if node.args else None
    return type(block) is Node and block.op == CALL and block.target.emit.block in ("branch", "loop")  # type: ignore[union-attr]


def is_array(value: Any) -> bool:
    """Whether a value is an array of at least one axis."""
    return isinstance(value, TensorMeta) and not value.scalar and bool(value.shape)


def has_memory(meta: Any) -> bool:
    """Whether a value is an array, of any rank, or several values."""
    return (isinstance(meta, TensorMeta) and not meta.scalar) or isinstance(meta, (tuple, list))


def items_of(index: Any) -> tuple[Any, ...]:
    """The items of an index."""
    return index if type(index) is tuple else (index,)


def is_basic(index: Any) -> bool:
    """Whether an index makes a view, whatever the data are: it consists of integers, slices and new
    axes.
    """
    return all(
        type(item) in (int, slice, type(None), type(Ellipsis)) or (type(item) is Node and not isinstance(item.meta["val"], TensorMeta))
        for item in items_of(index)
    )


def _ascends(index: Any) -> bool:
    return is_basic(index) and all(
        type(item) is not slice or item.step is None or (type(item.step) is int and item.step > 0) for item in items_of(index)
    )


def known_orders(graph: Graph, signature: ExportGraphSignature) -> dict[Node, str]:
    """The tokens of the arrays from outside that calls check for them."""
    pairs = zip(graph.placeholders, signature.input_specs, strict=True)
    found = {node: C if spec.layout == C else _order_of(spec.layout, node.meta.get("val")) for node, spec in pairs if spec.layout}
    return {node: token for node, token in found.items() if token}


def _order_of(strides: Any, meta: Any) -> str:
    """The token of an array with these strides, nothing where they are not in C order."""
    if type(strides) is not tuple or not isinstance(meta, TensorMeta):
        return ""
    steps = [abs(stride) for stride, size in zip(strides, meta.shape, strict=True) if type(size) is not int or size > 1]
    return ORDERED if all(steps) and all(outer > step for outer, step in itertools.pairwise(steps)) else ""


class Layouts:
    """The tokens of a graph's values.

    ``assumed``: as if all arrays from outside were in C order of which nothing is ``known``;
    ``back``: values with the layout of others, by what writes a view of these back. ``plain``: the
    tokens without the assumption: what lies in C order then, does so always.
    """

    def __init__(
        self, graph: Graph, assumed: bool, known: Mapping[Node, str], back: Mapping[Node, Node], plain: Mapping[Node, Any] = NONE
    ) -> None:
        self.back = back
        self.tokens: dict[Node, Any] = {}
        self._first: dict[Any, Node] = {}  # what makes a layout of others -> the first value that has it, which stands for it
        for node in graph.nodes:
            if plain.get(node) is C:
                self.tokens[node] = C
            elif isinstance(node.meta.get("val"), TensorMeta):
                self.tokens[node] = self._of_call(node) if node.op == CALL else known.get(node) or (C if assumed else self._own(node))

    def _own(self, node: Node) -> Any:
        """The token of a new array: all arrays of one axis have the same layout."""
        return C if node.meta["val"].ndim < 2 and node.op == CALL else node

    def _of_call(self, node: Node) -> Any:
        op: Any = node.target
        if node in self.back:
            return self.tokens.get(self.back[node], node)
        if is_of_block(node):
            return C
        if "view" in op.traits or "may_share" in op.traits:
            return self._of_view(node, op)
        if "ordered" in op.traits and node.kwargs.get("order", "K") != "K":
            return C if node.kwargs["order"] == "C" else self._own(node)
        if is_elementwise_ufunc(node):
            return self._of_ufunc(node)
        operands = self.asked(node)
        tokens = [self.tokens.get(operand, operand) for operand in operands]
        if "c_order" in op.traits and all(token == C or (token == ORDERED and "elementwise" in op.traits) for token in tokens):
            return C
        return tokens[0] if "scatter" in op.traits and tokens and operands[0] is base_of(node) else self._own(node)

    def _of_ufunc(self, node: Node) -> Any:
        operands = [arg for arg in node.args if type(arg) is Node and isinstance(arg.meta["val"], TensorMeta)]
        if self._are_ordered(operands):
            return C
        operands = [arg for arg in operands if _has_order(arg)]
        key = size_key(node.meta["val"])
        if self._are_ordered(operands) or any(self.tokens.get(arg) is C and size_key(arg.meta["val"]) == key for arg in operands):
            return C  # of several orders C's is taken, if an array has it that nothing is stretched along
        tokens = [self.tokens.get(operand, operand) for operand in operands]
        shapes = [size_key(operand.meta["val"]) for operand in operands]
        if len(set(tokens)) == 1 and set(shapes) == {key}:
            return tokens[0]
        return C if node.meta["val"].ndim < 2 else self._first.setdefault(("ufunc", *zip(tokens, shapes, strict=True)), node)

    def _are_ordered(self, nodes: list[Node]) -> bool:
        """Whether the axes of all these arrays are in C order."""
        tokens = self.tokens
        for node in nodes:
            token = tokens.get(node, node)
            if not (token is C or token is ORDERED):
                return False
        return True

    def _of_view(self, node: Node, op: Op) -> Any:
        base = node.args[0] if node.args else None
        if type(base) is not Node or node.kwargs:
            return node
        token, rest = self.tokens.get(base, base), node.args[1:]
        if token == C and op.view.keeps_order and len(rest) < 2:
            return C
        if token in (C, ORDERED) and op.view.strides is views.of_slices and _ascends(rest[0]):
            return ORDERED
        if op.view.strides is views.of_permutation and not any(type(leaf) is Node for leaf in leaves_of(rest)):
            return self._first.setdefault((op, repr(rest), token, size_key(base.meta["val"])), node)
        return node

    def asked(self, node: Node) -> list[Node]:
        """The operands whose layouts decide the layout of a call's result, as far as that is
        known.
        """
        if is_elementwise_ufunc(node):
            return [arg for arg in node.args if type(arg) is Node and isinstance(arg.meta["val"], TensorMeta) and _has_order(arg)]
        return [operand for operand in node.all_input_nodes if is_array(operand.meta["val"]) and operand.meta["val"].ndim > 1]

    def decisive(self, nodes: list[Node]) -> list[Node]:
        """The arrays from outside on whose layouts the tokens of these nodes depend."""
        found: dict[Node, None] = {}
        waiting, seen = list(nodes), set(nodes)
        while waiting:
            node = waiting.pop()
            if node.op == CALL:
                originals = [self.back[node]] if node in self.back else []
                asked = [operand for operand in (*self.asked(node), *originals) if operand not in seen]
                waiting += asked
                seen.update(asked)
            elif is_array(node.meta["val"]) and node.meta["val"].ndim > 1:
                found[node] = None
        return list(found)


def _has_order(node: Node) -> bool:
    """Whether the layout of an array orders two of its axes: an array that is stretched along all
    axes but one does not.
    """
    return len([size for size in node.meta["val"].shape if type(size) is not int or size != 1]) > 1


def base_of(node: Node) -> Node | None:
    """The first operand, which a functional write writes to."""
    return next((arg for arg in node.args if type(arg) is Node), None)


def copied(value: Any) -> Any:
    """A copy of the array in C order."""
    return np.array(value, order="C")


def in_c_order(value: Any) -> Any:
    """An array in C order that can be written to: the array itself if nobody else sees it, or a
    copy.
    """
    return value if value.flags.carray else np.array(value, order="C")


def dense(value: Any) -> Any:
    """An array in C order that nobody writes to: the array itself, or a copy."""
    return value if value.flags.c_contiguous and value.flags.aligned else np.array(value, order="C")


try:
    in_order_or = extension("npexport.runtime._checks").in_order_or
except ImportError:
    pass  # not built: every array is looked at by Python
else:
    _found = {in_order_or(np.ndarray, function): function for function in (in_c_order, dense)}
    in_c_order, dense = _found
    WRITTEN.update(_found)
