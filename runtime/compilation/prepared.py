"""Computes once what depends on state only, and again after the state has changed.

Laws: what is kept is never written to and never leaves the program. It is kept for the very arrays
that it was made of, as long as nobody can write to them; for those that may be written to, it is
either compared with a copy in every call, or not kept. A computation that warns has to warn in
every call: then nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.aliasing import lasting, makes_new_memory, may_alias
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.editing import copied
from npexport.ir.error_states import actions_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.owned import is_frozen
from npexport.ir.program import ExportedProgram
from npexport.ir.raising import NOTHING
from npexport.ir.signature import MUTATIONS, InputKind
from npexport.runtime.compilation.statements import Statements
from npexport.runtime.planning.plan import mutations

FAST = "fast"
"""The namespace of the operators of ``fast_math``, which stand in no program that users see."""
_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


class Prepared:
    """A function of arrays that keeps its last result.

    ``compares``: whether arrays that somebody can write to are compared with copies.
    """

    def __init__(self, function: Callable[..., Any], compares: bool) -> None:
        self._function = function
        self._compares = compares
        self._kept: tuple[tuple[Any, ...], tuple[Any, ...], Any] | None = None  # arrays, their copies, the result

    def __call__(self, *arrays: Any) -> Any:
        kept = self._kept
        if kept is not None and all(map(_same, arrays, kept[0], kept[1])):
            return kept[2]
        frozen = [is_frozen(array) for array in arrays]
        if not (all(frozen) or self._compares):
            return self._function(*arrays)
        copies = tuple([None if fixed else np.copy(_bits(array), order="K") for array, fixed in zip(arrays, frozen, strict=True)])
        try:
            with np.errstate(all="raise"):
                result = self._function(*arrays)
        except FloatingPointError:
            return self._function(*arrays)
        self._kept = arrays, copies, result
        return result


def _same(array: Any, kept: Any, copy: Any) -> bool:
    if array is not kept:
        return False
    return not array.flags.writeable if copy is None else np.array_equal(_bits(array), copy)


def _bits(array: Any) -> Any:
    """The elements as integers, so that NaN equals NaN and zeros of different sign differ."""
    return array.view(f"u{array.itemsize}")


def steady(program: ExportedProgram) -> set[Node]:
    """The lifted arrays that no call writes to."""
    graph, signature = program.graph, program.graph_signature
    storages = may_alias(graph, signature)
    written = {target for _, target in mutations(graph, signature) if target is not None}
    targets = {spec.target for spec in signature.output_specs if spec.kind in MUTATIONS}
    pairs = zip(graph.placeholders, signature.input_specs, strict=True)
    return {
        node for node, spec in pairs
        if spec.kind in _KINDS and spec.target not in targets and isinstance(node.meta["val"], TensorMeta)
        and not any(storages[node] & storages[target] for target in written)
    }  # fmt: skip


def prepare(program: ExportedProgram) -> ExportedProgram:
    """A program in which calls that state alone decides are calls of `Prepared` functions; the
    program itself where there are none.
    """
    if not _chosen(program):
        return program
    program = copied(program)
    chosen = _chosen(program)
    graph = program.graph
    order = {node: index for index, node in enumerate(graph.nodes)}
    last = {node for node in chosen if any(user not in chosen for user in node.users)}
    for node in last:
        _replace(node, chosen, order)
    graph.keep([node for node in graph.nodes if node in last or node not in chosen])
    return program


def _chosen(program: ExportedProgram) -> dict[Node, None]:
    """The calls that state alone decides, of which the last ones make memory of their own."""
    graph, lifted = program.graph, _lifted(program)
    if not any(node.op == CALL and all(each in lifted for each in _operands(node)) for node in graph.nodes):
        return {}
    sources = steady(program)
    frozen = {node for node in sources if lifted[node] is not InputKind.BUFFER}
    leaving = lasting(graph, program.graph_signature)
    chosen: dict[Node, None] = {}
    for node in graph.nodes:
        known = sources if _is_fast(node) else frozen
        if node.op != CALL or node in leaving or not _may_be_kept(node):
            continue
        if all(each in chosen or each in known for each in _operands(node)):
            chosen[node] = None
    for node in reversed(list(chosen)):
        outside = [user for user in node.users if user not in chosen]
        if (outside and not makes_new_memory(node)) or any(user.op == CALL and user.target.home for user in outside):  # type: ignore[union-attr]
            del chosen[node]  # a view costs nothing; what users' functions do to arrays nobody knows
    return chosen


def _lifted(program: ExportedProgram) -> dict[Node, InputKind]:
    pairs = zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)
    return {node: spec.kind for node, spec in pairs if spec.kind in _KINDS}


def _operands(node: Node) -> list[Node]:
    return node.all_input_nodes or [node]


def _is_fast(node: Node) -> bool:
    return node.op == CALL and node.target.namespace == FAST  # type: ignore[union-attr]


def _may_be_kept(node: Node) -> bool:
    """Whether a call never raises, and at most warns of floating-point errors."""
    op: Any = node.target
    if not actions_of([node.meta.get("errors")]) <= {"ignore"}:
        return False
    if "raises" in node.meta or is_checkpoint(node) or op.home or not isinstance(node.meta["val"], TensorMeta):
        return False
    reduces = op.method is not None and op.method.__name__ == "reduce"
    return op.namespace == FAST or reduces or not op.traits.isdisjoint(("ufunc", "view", "quiet"))


def _replace(node: Node, chosen: dict[Node, None], order: dict[Node, int]) -> None:
    """Replace a call by a `Prepared` function of state."""
    needed: dict[Node, None] = {node: None}
    pending = [node]
    while pending:
        for operand in pending.pop().all_input_nodes:
            if operand not in needed:
                needed[operand] = None
                pending += [operand] if operand in chosen else []
    graph = Graph()
    copies: dict[Node, Node] = {}
    sources = [each for each in sorted(needed, key=order.__getitem__) if each not in chosen]
    for each in sources:
        copies[each] = graph.placeholder(each.name, each.meta)
    for each in sorted((each for each in needed if each in chosen), key=order.__getitem__):
        args, kwargs = map_nodes((each.args, each.kwargs), copies.__getitem__)
        copies[each] = graph.append(Node(each.name, CALL, each.target, args, kwargs, each.meta))
    graph.output((copies[node],))
    function = Statements.function_of(GraphModule(graph))
    compares = any(_is_fast(each) for each in needed)
    kernel = Prepared(lambda *arrays: function(*arrays)[0], compares)
    meta = node.meta["val"]
    node.target = Op(FAST, "prepared", lambda *arrays: meta, kernel, traits=frozenset({"may_share"}), raises=NOTHING)
    node.args, node.kwargs = tuple(sources), {}
