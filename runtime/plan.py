"""Memory planning: when each value dies, and which operators may compute into the memory of a dying operand.

A *storage* is the memory that a node made; views share the storages of their operands. Laws:

1. An operator computes in place only into a storage that the program itself made, of which no other value is alive afterwards
   and no other operand is a view. Inputs, state and constants are never written.
2. The exception: the memory of a mutated input or buffer may hold the values that lead to its final value, as it does in
   eager execution, and no others; and none that is handed out as an array of its own.
3. The result of an operator that computes in place has the memory layout that a new array would have had.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npexport.ir.aliasing import escaping, storages_of
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta, size_text
from npexport.ir.signature import ExportGraphSignature, InputKind, OutputKind


@dataclass
class Plan:
    """``dying[node]``: the values that are not used after ``node``; ``in_place[node]``: the operand whose memory takes the result."""

    dying: dict[Node, list[Node]] = field(default_factory=dict)
    in_place: dict[Node, Node] = field(default_factory=dict)


def plan_memory(graph: Graph, signature: ExportGraphSignature) -> Plan:
    """The plan of a graph whose placeholders and outputs the signature describes."""
    storages = storages_of(graph, signature)
    operands_of = {node: node.all_input_nodes for node in graph.nodes}
    last_use: dict[Node, int] = {}
    for here, (node, operands) in enumerate(operands_of.items()):
        last_use[node] = here
        for operand in operands:
            last_use[operand] = here
    for node in _read_again(graph, signature):
        last_use[node] = len(graph.nodes)
    storage_end: dict[Node, int] = {}
    for node, roots in storages.items():
        for root in roots:
            storage_end[root] = max(storage_end.get(root, 0), last_use[node])
    leading = _leading_values(graph, signature, storages)
    plan = Plan()
    layouts: dict[Node, Any] = {}
    memory: dict[Node, Node] = {}  # value -> the node whose memory it lies in
    for here, (node, operands) in enumerate(operands_of.items()):
        if node.op == CALL:
            layouts[node] = _layout(node, layouts)
            for operand in _candidates(node):
                owner = memory.get(operand, operand)
                target = leading.get(node)
                free = storages[operand] == {operand} and storage_end[operand] == here and not _read_only(operand)
                private = all(other is operand or operand not in storages[other] for other in operands)
                allowed = owner is target or (owner.op == CALL and _keeps_layout(node, operand, layouts))
                if free and private and allowed and _same_type(node, operand):
                    plan.in_place[node] = operand
                    memory[node] = owner
                    break
        plan.dying[node] = [operand for operand in operands if last_use[operand] == here and operand is not plan.in_place.get(node)]
    return plan


def _read_again(graph: Graph, signature: ExportGraphSignature) -> Iterator[Node]:
    """The sizes and positions of the views that are taken once more, of a written input, for an output that shares its memory."""
    for spec, node in zip(signature.output_specs, graph.output_node.args[0], strict=True):
        while spec.alias is not None and isinstance(node, Node) and node.op == CALL:
            yield from (operand for operand in node.all_input_nodes if operand is not node.args[0])
            node = node.args[0] if "view" in node.target.traits else None  # type: ignore[union-attr]


def size_key(meta: TensorMeta) -> tuple[Any, ...]:
    """The shape, expressions as text: equal keys are equal shapes for every input, and comparing them records no guard."""
    return tuple([size if type(size) is int else size_text(size) for size in meta.shape])


def is_elementwise_ufunc(node: Node) -> bool:
    """Whether a call is a plain one of an element-wise ufunc with one output."""
    return not node.kwargs and len(node.args) == _operands_of_ufunc(node.target)


@functools.cache
def _operands_of_ufunc(op: Any) -> int | None:
    kernel = op.kernel if "ufunc" in op.traits else None
    if isinstance(kernel, np.ufunc) and kernel.signature is None and kernel.nout == 1:
        return kernel.nin
    return None


def is_array(value: Any) -> bool:
    return isinstance(value, TensorMeta) and not value.scalar and value.ndim > 0


def _candidates(node: Node) -> list[Node]:
    """The operands into which this operator could compute."""
    if not is_array(node.meta["val"]):
        return []
    if "scatter" in node.target.traits:  # type: ignore[union-attr]
        base = next((arg for arg in node.args if type(arg) is Node), None)
        uses = sum(1 for operand in _mentions((node.args, node.kwargs)) if operand is base)
        return [base] if base is not None and uses == 1 else []
    return [arg for arg in node.args if isinstance(arg, Node)] if is_elementwise_ufunc(node) else []


def _read_only(node: Node) -> bool:
    """Whether a value, though in memory of its own, must not be written to: the imaginary part of a real array."""
    return node.op == CALL and "view" in node.target.traits  # type: ignore[union-attr]


def _mentions(arg: Any) -> list[Node]:
    """Every node in an argument, as often as it stands there."""
    if isinstance(arg, Node):
        return [arg]
    if isinstance(arg, dict):
        return _mentions(list(arg.values()))
    if isinstance(arg, slice):
        return _mentions([arg.start, arg.stop, arg.step])
    return [node for item in arg for node in _mentions(item)] if isinstance(arg, (tuple, list)) else []


def _same_type(node: Node, operand: Node) -> bool:
    have, need = operand.meta["val"], node.meta["val"]
    return is_array(have) and have.dtype == need.dtype and size_key(have) == size_key(need)


def _keeps_layout(node: Node, operand: Node, layouts: dict[Node, Any]) -> bool:
    """Law 3. A scatter is the functional form of a write into the memory of its operand, so that layout is the right one."""
    is_scatter = "scatter" in node.target.traits  # type: ignore[union-attr]
    return is_scatter or node.meta["val"].ndim == 1 or layouts.get(operand, operand) == layouts[node]


def _layout(node: Node, layouts: dict[Node, Any]) -> Any:
    """A token: arrays of one shape with equal tokens have their axes in the same order in memory.

    An element-wise result follows its operands where these agree; operands of at most one axis have no say.
    """
    if not is_elementwise_ufunc(node):
        return node
    full = [arg for arg in node.args if isinstance(arg, Node) and isinstance(arg.meta["val"], TensorMeta) and arg.meta["val"].ndim > 1]
    tokens = {layouts.get(arg, arg) for arg in full}
    shapes = {size_key(arg.meta["val"]) for arg in full}
    return tokens.pop() if len(tokens) == 1 and shapes == {size_key(node.meta["val"])} else node


def _leading_values(graph: Graph, signature: ExportGraphSignature, storages: dict[Node, set[Node]]) -> dict[Node, Node]:
    """Value -> the mutated placeholder whose memory may hold it: final values and the writes on their way there."""
    leading: dict[Node, Node] = {}
    leaving = escaping(graph, signature, storages)
    final = set(graph.output_node.all_input_nodes)
    for last, target in mutations(graph, signature):
        value = last
        while target is not None and isinstance(value, Node) and value.op == CALL and value not in leading:
            if value in leaving or (value is not last and value in final):
                break
            leading[value] = target
            steps = _candidates(value)
            if "scatter" not in value.target.traits:  # type: ignore[union-attr]
                steps = [step for step in steps if step.op == CALL and "scatter" in step.target.traits]  # type: ignore[union-attr]
            value = steps[0] if steps else None
    return leading


def mutations(graph: Graph, signature: ExportGraphSignature) -> list[tuple[Any, Node | None]]:
    """Each mutation output's value with the placeholder whose elements it is written to; ``None`` where the state takes a new array."""
    by_name = {node.name: node for node in graph.placeholders}
    by_target = {
        spec.target: by_name[spec.arg.name] for spec in signature.input_specs if spec.kind in (InputKind.BUFFER, InputKind.PARAMETER)
    }
    found: list[tuple[Any, Node | None]] = []
    for value, spec in zip(graph.output_node.args[0], signature.output_specs, strict=True):
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            found.append((value, by_name[spec.target or ""]))
        elif spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION):
            found.append((value, None if spec.rebinds else by_target[spec.target]))
    return found
