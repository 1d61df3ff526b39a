"""Common subexpressions: equal calls become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.aliasing import escaping, storages_of
from npexport.ir.graph import CALL, Node, map_nodes, replace_nodes
from npexport.ir.program import ExportedProgram


def common_subexpressions(program: ExportedProgram) -> None:
    """Replace every call by an earlier equal one, unless that would make one array of two that leave the program."""
    graph = program.graph
    leaving = escaping(graph, program.graph_signature, storages_of(graph))
    leaving.update(value for value in graph.output_node.args[0] if isinstance(value, Node))
    replaced: dict[Node, Node] = {}
    first: dict[Any, Node] = {}
    for node in graph.nodes:
        if node.op != CALL:
            continue
        args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: replaced.get(operand, operand))
        original = node if node in leaving else first.setdefault(call_key(node.target, args, kwargs), node)
        if original is not node:
            replaced[node] = original
    if replaced:
        replace_nodes(graph, replaced)
    for old, new in replaced.items():
        program.graph_signature.replace_all_uses(old.name, new.name)


def call_key(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Equal keys are equal calls: operator and canonical arguments, with the types that ``==`` does not tell apart."""
    args, kwargs = op.bind(args, kwargs)
    return (op, _key(args), _key(kwargs))


def _key(arg: Any) -> Any:
    if isinstance(arg, (tuple, list)):
        return (type(arg), tuple([_key(item) for item in arg]))
    if isinstance(arg, dict):
        return (dict, tuple([(key, _key(item)) for key, item in arg.items()]))
    if isinstance(arg, slice):
        return (slice, _key((arg.start, arg.stop, arg.step)))
    if isinstance(arg, np.generic):
        return (arg.dtype, arg.tobytes())
    if isinstance(arg, (float, complex)):
        return (type(arg), repr(arg))  # -0.0 and 0.0 are not one value, NaN and NaN are
    return (type(arg), arg)
