"""Constant folding: what depends on constants only is computed once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from npexport.ir.aliasing import escaping, lasting, makes_new_memory, may_alias
from npexport.ir.argument_specs import TensorArgument
from npexport.ir.graph import CALL, PLACEHOLDER, Node, map_nodes, replace_nodes
from npexport.ir.program import ExportedProgram
from npexport.ir.schemas import misfits
from npexport.ir.signature import InputKind, InputSpec
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import is_symbolic

SMALL = 1 << 16  # bytes that a folded constant may have even where its operands have fewer


def foldable(program: ExportedProgram, state: frozenset[str]) -> dict[Node, Any]:
    """The constants that folding may start from: placeholder -> array. Callers write to what leaves
    the program: it is not a constant.
    """
    graph, signature = program.graph, program.graph_signature
    leaving = escaping(graph, signature, may_alias(graph))
    constants = [spec.kind is InputKind.CONSTANT_TENSOR and spec.target not in state for spec in signature.input_specs]
    pairs = zip(graph.placeholders, signature.input_specs, constants, strict=True)
    return {node: program.lifted(spec) for node, spec, constant in pairs if constant and node not in leaving}


def fold_constants(program: ExportedProgram, state: frozenset[str] = frozenset()) -> None:
    """Compute the calls whose array operands are all constants, and lift the results as constants.

    Not folded: constants whose dotted paths are in ``state`` (arrays of the exported object, which
    users replace), what leaves the program (callers get a new array each time), views and creations
    (which cost nothing), results larger than their operands and than ``SMALL`` bytes, and calls
    that raise or warn.
    """
    graph = program.graph
    known = foldable(program, state)
    leaving = lasting(graph, program.graph_signature)
    folded: dict[Node, Any] = {}
    for node in graph.nodes:
        if node.op == CALL and node not in leaving and _may_fold(node) and all(operand in known for operand in node.all_input_nodes):
            value = _compute(node, known)
            if value is not None:
                known[node] = value
                if makes_new_memory(node) and (isinstance(value, np.ndarray) or _is_taken(node, value)):
                    folded[node] = value
    used: set[Node] = set()
    for node in reversed(graph.nodes):
        if node not in known or (node in used and node not in folded):
            used.update(node.all_input_nodes)
    replacements = {node: lift(program, f"c_folded_{node.name}", node.meta, value) for node, value in folded.items() if node in used}
    replace_nodes(graph, replacements)


def _is_taken(node: Node, scalar: Any) -> bool:
    """Whether all calls that use the node take a scalar where it stands: some take arrays only."""
    for user in node.users:
        if user.op == CALL:
            args, kwargs = map_nodes((user.args, user.kwargs), lambda operand: scalar if operand is node else operand)
            if any(misfits(user, user.target.signature.bind(*args, **kwargs))):  # type: ignore[union-attr]
                return False
    return True


def _may_fold(node: Node) -> bool:
    """Whether a call has operands, is of an operator that npexport knows (those of users are run by
    programs only), and gives sizes that the graph knows: others stand in what follows.
    """
    value = node.meta.get("val")
    known = isinstance(value, tuple) or not any(map(is_symbolic, getattr(value, "shape", ())))
    return bool(node.all_input_nodes) and not node.target.home and known  # type: ignore[union-attr]


def _compute(node: Node, known: dict[Node, Any]) -> Any:
    args, kwargs = map_nodes((node.args, node.kwargs), known.__getitem__)
    try:
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            value = node.target(*args, **kwargs)  # type: ignore[operator]
    except Exception as error:  # whatever it is, it is raised when the program runs
        require_own(error)
        return None
    limit = max(SMALL, sum(known[operand].nbytes for operand in node.all_input_nodes))
    return value if isinstance(value, (np.ndarray, np.generic)) and value.nbytes <= limit else None


def lift(program: ExportedProgram, name: str, meta: dict[str, Any], value: Any) -> Any:
    """What stands for a constant of the program: a scalar itself, or the placeholder of a new
    lifted array, which has ``meta``.
    """
    if isinstance(value, np.generic):
        return value
    graph, specs = program.graph, program.graph_signature.input_specs
    name = graph.fresh_name(name)
    position = next(
        (i for i, spec in enumerate(specs) if spec.kind in (InputKind.USER_INPUT, InputKind.CUSTOM_OBJ, InputKind.TOKEN)), len(specs)
    )
    placeholder = Node(name, PLACEHOLDER, name, (), {}, {key: value for key, value in meta.items() if key not in ("errors", "raises")})
    graph.insert(position, placeholder)
    specs.insert(position, InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(name), name, literal=True))
    value.flags.writeable = False
    program.constants[name] = value
    return placeholder
