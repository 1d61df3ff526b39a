"""Common subexpressions: equal calls become one."""

from __future__ import annotations

from typing import Any

from npexport.ir.aliasing import lasting
from npexport.ir.arguments import key_of
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.error_states import tells
from npexport.ir.graph import CALL, Node, map_nodes, replace_nodes
from npexport.ir.module_calls import ends_call
from npexport.ir.program import ExportedProgram


def common_subexpressions(program: ExportedProgram) -> None:
    """Replace every call by an earlier equal one, unless that would make one array of two that
    leave the program, or the program wants to be told of its floating-point errors. What is within
    a call of a sub-module whose signature is preserved stays there.
    """
    graph = program.graph
    leaving = lasting(graph, program.graph_signature)
    replaced: dict[Node, Node] = {}
    first: dict[Any, Node] = {}
    preserved = {node.args[0] for node in graph.nodes if ends_call(node)}
    for node in graph.nodes:
        if node.op != CALL:
            continue
        args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: replaced.get(operand, operand))
        state = node.meta.get("errors") or ()
        kept = node in leaving or is_checkpoint(node) or bool(node.target.home) or tells(state)  # type: ignore[union-attr]
        fence = next((name for name in reversed(node.meta.get("nn_module_stack", {})) if name in preserved), None)
        original = node if kept else first.setdefault((call_key(node.target, args, kwargs), state, fence), node)
        if original is not node:
            replaced[node] = original
    if replaced:
        replace_nodes(graph, replaced)
    for old, new in replaced.items():
        program.graph_signature.replace_all_uses(old.name, new.name)


def call_key(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Equal keys are equal calls: operator and canonical arguments."""
    args, kwargs = op.bind(args, kwargs)
    return (op, key_of(args), key_of(kwargs))
