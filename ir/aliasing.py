"""Which values of a graph share memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from npexport.ir.checkpoints import rebound
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.signature import MUTATIONS, ExportGraphSignature
from npexport.symshapes.env import known

_OF_OTHERS = "projection", "view", "may_share"
"""The traits of operators whose results may be in memory of other calls."""


def may_alias(graph: Graph, signature: ExportGraphSignature | None = None) -> dict[Node, set[Node]]:
    """For each value the nodes whose memory it may lie in: its own, and for views (which may turn
    out to be copies) their operands'.

    With the signature, inputs that overlap are in each other's memory too: what is written there
    before the end, both would see.
    """
    storages = {} if signature is None else _overlapping(graph, signature)
    results: dict[Any, Node] = {}
    for node in graph.nodes:
        storages.setdefault(node, {node})
        if node.op == CALL and node.target.traits.isdisjoint(_OF_OTHERS):  # type: ignore[union-attr]
            continue
        if is_result_of_sub_graph(node):
            storages[node].add(results.setdefault(tuple(node.args), node))
        elif (sources := _sources(node)) is not None:
            call, places, numbers = sources
            storages[node].update(*(storages[call.args[place]] for place in places))
            storages[node].update(results.setdefault((call, "made", number), node) for number in numbers)
        elif node.op == CALL and not makes_new_memory(node) and not is_plain_scalar(node):
            storages[node].update(*(storages[operand] for operand in node.all_input_nodes))
    return storages


def _overlapping(graph: Graph, signature: ExportGraphSignature) -> dict[Node, set[Node]]:
    inputs = {node.name: node for node in graph.placeholders}
    storages = {node: {node} for node in inputs.values()}
    for spec in signature.input_specs:
        node = inputs[spec.arg.name]
        if spec.same_as is not None:
            for other in list(storages[inputs[spec.same_as]]):
                storages[node].add(other)
                storages[other].add(node)
        for name, offset in spec.overlaps:
            if offset is not None:
                storages[node].add(inputs[name])
                storages[inputs[name]].add(node)
    return storages


def is_result_of_sub_graph(node: Node) -> bool:
    """Whether a value is a result of a branch or a loop: each has memory of its own."""
    source = node.args[0] if node.op == CALL and node.args and "projection" in node.target.traits else None  # type: ignore[union-attr]
    return type(source) is Node and any(type(arg) is GraphModule for arg in source.args)


def _sources(node: Node) -> tuple[Node, tuple[int, ...], tuple[int, ...]] | None:
    """For one result of a call that declares where its results are: the call, positions of its
    arguments, numbers of memory of its own.
    """
    call = node.args[0] if node.op == CALL and node.args and "projection" in node.target.traits else None  # type: ignore[union-attr]
    if type(call) is not Node or call.op != CALL or call.target.view.sources is None:  # type: ignore[union-attr]
        return None
    return call, *call.target.view.sources[node.args[1]]  # type: ignore[union-attr]


def is_view(node: Node) -> bool:
    """Whether a call's value is a view of its first argument, or may be one at run time."""
    op: Any = node.target
    return "view" in op.traits and not makes_new_memory(node)


def makes_new_memory(node: Node) -> bool:
    """Whether a call's value is a new array, or several new arrays."""
    op: Any = node.target
    return op.traits.isdisjoint(("view", "may_share")) or (op.view.renews is not None and op.view.renews(node.args[0].meta["val"]))


def is_plain_scalar(node: Node) -> bool:
    """Whether a value is not an array and shares no memory with one; scalars of structured dtypes
    are views of their elements.
    """
    value = node.meta["val"]
    if isinstance(value, TensorMeta):
        return value.scalar and value.dtype.names is None
    return not isinstance(value, (tuple, list))


def is_choice(node: Node) -> bool:
    """Whether a call's value is one of two of its arguments, as data say."""
    return node.op == CALL and "choice" in node.target.traits  # type: ignore[union-attr]


def bases_of(node: Node) -> tuple[Any, ...]:
    """The value in whose memory a view lies, both that a choice may be; none of other values."""
    if node.op != CALL:
        return ()
    return tuple(node.args[1:]) if is_choice(node) else (node.args[0],) if is_view(node) else ()


def leads_to(value: Any, written: Collection[Any]) -> list[Node]:
    """The values of ``written`` that an output is, or is a view of, or may be as the data say."""
    return [node for node in _made_of([value], written) if node in written]


def ends_of(value: Node, written: Collection[Any]) -> list[Node]:
    """What else than values of ``written`` an output may be."""
    leads, found = _made_of([value], written), dict[Node, None]()
    waiting, seen = [value], set[Node]()
    while waiting:
        node = waiting.pop()
        if node in seen or node in written:
            continue
        seen.add(node)
        if leads.get(node):
            waiting += reversed(bases_of(node))
        else:
            found[node] = None
    return list(found)


def way_to(value: Node, written: Collection[Any]) -> list[Node]:
    """The views and choices that lead from values of ``written`` to an output, each behind what it
    is made of.
    """
    return [node for node, leads in _made_of([value], written).items() if leads and node not in written]


def leading_to(values: Collection[Any], written: Collection[Any]) -> set[Node]:
    """Those of some values that lead to values of ``written``."""
    found = _made_of(values, written)
    return {value for value in values if found.get(value)}


def _made_of(values: Collection[Any], written: Collection[Any]) -> dict[Node, bool]:
    """These values and those in whose memory they may lie, up to those of ``written``: whether each
    is one of these or leads to one. Each stands behind what it is made of.
    """
    found: dict[Node, bool] = {}
    waiting, seen = [value for value in values if isinstance(value, Node)], set[Node]()
    while waiting:
        node = waiting[-1]
        bases = [] if node in written else [base for base in bases_of(node) if isinstance(base, Node)]
        if node not in seen:
            seen.add(node)
            waiting += [base for base in reversed(bases) if base not in seen]
        elif waiting.pop() not in found:
            found[node] = node in written or any(found.get(base) for base in bases)
    return found


def new_values(graph: Graph, signature: ExportGraphSignature) -> set[Any]:
    """The values that arrays of the caller's and of the state have in the end."""
    pairs = zip(graph.output_node.args[0], signature.output_specs, strict=True)
    return {value for value, spec in pairs if spec.kind in MUTATIONS and not spec.rebinds}


def taken_again(graph: Graph, signature: ExportGraphSignature) -> Iterator[Node]:
    """The views and choices that are taken once more, of the written inputs whose memory outputs
    share.
    """
    written = new_values(graph, signature)
    for value, spec in zip(graph.output_node.args[0], signature.output_specs, strict=True):
        if spec.alias is not None and isinstance(value, Node):
            yield from way_to(value, written)


def lasting(graph: Graph, signature: ExportGraphSignature) -> set[Node]:
    """The values that are, or become, the objects that callers are given: they stay what they
    are."""
    leaving = escaping(graph, signature, may_alias(graph))
    return leaving.union(graph.output_node.all_input_nodes, taken_again(graph, signature))


def escaping_roots(graph: Graph, signature: ExportGraphSignature) -> list[Node]:
    """The values that leave the program as arrays: user outputs except those that alias written
    inputs, and new arrays of the state.
    """
    written, found = new_values(graph, signature), list[Node]()
    for value, spec in zip(graph.output_node.args[0], signature.output_specs, strict=True):
        if isinstance(value, Node) and (spec.kind not in MUTATIONS or spec.rebinds):
            found += [value] if spec.alias is None else ends_of(value, written)
    return [*found, *rebound(graph, signature)]


def escaping(graph: Graph, signature: ExportGraphSignature, storages: dict[Node, set[Node]]) -> set[Node]:
    """The nodes whose memory leaves the program."""
    return set().union(*(storages[value] for value in escaping_roots(graph, signature)))


def rounds_alone(op: Op, dtype: Any) -> bool:
    """Whether an operator gives other bits where its result goes to the memory of an operand than
    in a new array, if the arrays have one element: NumPy's product of two complex numbers does, and
    some functions of halves, or beside an operand that runs backwards.
    """
    return "rounds_alone" in op.traits and bool(dtype.kind == "c" or "exact" not in op.traits)


def rounds_in_place(op: Op, meta: Any) -> bool:
    """Whether a result of this shape may have other bits in the memory of an operand."""
    return isinstance(meta, TensorMeta) and rounds_alone(op, meta.dtype) and not any(known(size != 1) for size in meta.shape)
