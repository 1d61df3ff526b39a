"""Edits of graphs by hand: the methods of `Graph` and `Node` for passes that users write.

An edit keeps the graph valid: operands come before their uses, a call has the value that its
operator's rule gives it, and the signature of the program names the nodes that replace others. An
edit that would violate this is refused (E243) and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from types import NoneType
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, GraphModule, Node, environments_in, map_nodes
from npexport.ir.laws import REFUSES, lint
from npexport.ir.op import Op
from npexport.ir.ops.fresh import fresh_numbers, makers_of
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import ExportGraphSignature
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import ExportError, UserError
from npexport.symshapes.parameters import ARGUMENTS, MAPPING, instance, require
from npexport.symshapes.plain import with_article

__all__ = ["call", "copied", "erase", "lint", "replace_uses"]


def _refused(problem: str, hint: str | None = None) -> UserError:
    return UserError("E243", problem, hint=hint)


_OF_THIS_GRAPH = "Take a node of the graph that you edit: each program, and each sub-graph, has its own."
_PLACES = "Insert calls behind an input, beside another call, or before the output."


def call(graph: Graph, target: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: dict[str, Any] | None) -> Node:
    """A call of an operator at the place where nodes are inserted, its value derived unless
    ``meta`` has it.
    """
    if not isinstance(target, Op):
        raise _refused(f"{target!r} is not an operator", "Call one of npexport.ops, such as ops.np.sin, or of npexport.custom_op.")
    require("args", args, ARGUMENTS)
    require("kwargs", kwargs, MAPPING.optional)
    try:
        args, kwargs = target.bind(*map_leaves((args, kwargs), _of_dtype))
    except TypeError as error:
        raise _refused(
            f"the arguments do not fit {target.schema}: {error}", "Give each argument once, by position or by its name."
        ) from None
    if not isinstance(meta, (dict, NoneType)):
        raise _refused(f"meta is {with_article(type(meta).__name__)}, not a dict", "Leave it out: the values of calls are derived.")
    index = _position(graph)
    for operand in (leaf for leaf in leaves_of((args, kwargs)) if isinstance(leaf, (Node, np.ndarray))):
        if isinstance(operand, np.ndarray):
            raise _refused("an array cannot stand among arguments", "Make it an input of the graph, or a scalar of it.")
        if operand.graph is not graph:
            raise _refused(f"{operand.name} is a node of another graph", _OF_THIS_GRAPH)
        position = graph.position(operand)
        if position is None or position >= index:
            raise _refused(f"{operand.name} does not stand before the place where {target} is inserted", "Insert the call after it.")
    info = _around(graph, args, kwargs) | (meta or {})
    if "val" not in info and target.home:
        hint = "Say what it gives: meta={'val': npexport.TensorMeta(shape, dtype)}."
        raise _refused(f"what {target} gives is told by its fake, where a program is exported", hint)
    if "val" not in info:
        info["val"] = _derived(graph, target, args, kwargs)
    if target.errors(args, kwargs):
        info["raises"] = True
    node = Node(graph.fresh_name(target.name), CALL, target, args, kwargs, info)
    return graph.insert(index, node)


def _of_dtype(leaf: Any) -> Any:
    """A class of NumPy's scalars stands for its dtype."""
    return np.dtype(leaf) if isinstance(leaf, type) and issubclass(leaf, np.generic) else leaf


def _position(graph: Graph) -> int:
    """Where nodes are inserted: at the chosen place, which after an input is that after all of
    them, else at the end of the calls.
    """
    if graph.place is None:
        return len(graph.nodes) - (bool(graph.nodes) and graph.nodes[-1].op == OUTPUT)
    node, offset = graph.place
    position = graph.position(node)
    if position is None:
        raise _refused(f"{node.name}, beside which nodes are inserted, is not in the graph")
    if offset and node.op == PLACEHOLDER:
        return next((index for index, each in enumerate(graph.nodes) if each.op != PLACEHOLDER), len(graph.nodes))
    if node.op == PLACEHOLDER or (offset and node.op == OUTPUT):
        raise _refused(f"no call can stand {'after' if offset else 'before'} {node.name}, which is of the kind {node.op}", _PLACES)
    return position + offset


def _around(graph: Graph, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The source location of a new call: that of the call beside which it is inserted, or of its
    last operand that has one.
    """
    beside = [graph.place[0]] if graph.place is not None else []
    operands = [leaf for leaf in leaves_of((args, kwargs)) if type(leaf) is Node]
    for node in [*beside, *reversed(operands)]:
        if node.meta.get("stack_trace"):
            return {"stack_trace": node.meta["stack_trace"], "nn_module_stack": node.meta.get("nn_module_stack", {})}
    return {"stack_trace": (), "nn_module_stack": {}}


def environment_of(graph: Graph) -> ShapeEnv:
    """The shape environment of a program's graph; a new one if nothing in it is dynamic."""
    environments = graph.environments()
    return environments[0] if environments else ShapeEnv()


class _NumberOfData(Exception):
    """The rule of an operator asks for a number that only data decide."""


def _no_number(*asked: Any) -> Any:
    raise _NumberOfData


def _derived(graph: Graph, target: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of a new call. The graph is searched for its environment only where the operands
    have none and the call gives a number that needs one: passes take no longer in large graphs.
    """
    found = environments_in([leaf.meta["val"] for leaf in leaves_of((args, kwargs)) if type(leaf) is Node])
    try:
        return derived_value(found[0] if found else None, target, args, kwargs)
    except _NumberOfData:
        env = environment_of(graph)
        if not env.symbols:  # a new one, of a program that is finished
            env.close()
        return derived_value(env, target, args, kwargs)


def derived_value(env: ShapeEnv | None, target: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value that the operator's rule derives. Sizes that the facts of the program leave open
    are refused, not decided by an example. Without an environment, numbers that only data decide
    are not made.
    """
    makers = (_no_number, _no_number, _no_number) if env is None else makers_of(env)
    env = ShapeEnv() if env is None else env
    operands, named = map_nodes((args, kwargs), lambda node: node.meta["val"])
    try:
        with env.speculative(), fresh_numbers(*makers):
            return target.rule(*operands, **named)
    except ExportError as error:
        if error.code in REFUSES:
            raise _refused(f"{target} cannot be called so: {error.message}", f"Its schema is {target.schema}.") from None
        problem = f"{target} of these operands depends on sizes that the program leaves open: {error.message}"
        raise _refused(problem, "Call it with operands that fit whatever the sizes are, or export with Dims that say so.") from None
    except (TypeError, ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise _refused(f"{target} cannot be called so: {type(error).__name__}: {error}", f"Its schema is {target.schema}.") from None


def replace_uses(node: Node, replacement: Node, chosen: Callable[[Node], bool]) -> list[Node]:
    """Replace a node by another one in its users, and in the signature if it is an output. Returns
    the users that were changed.
    """
    graph = node.graph
    if not isinstance(replacement, Node) or replacement.graph is not graph or graph is None:
        raise _refused(f"{replacement!r} is not a node of the graph of {node.name}", _OF_THIS_GRAPH)
    graph.refresh_users()
    users = [user for user in node.users if user is not replacement and chosen(user)]
    first = graph.position(replacement)
    if first is None:
        raise _refused(f"{replacement.name} is not in the graph")
    places = [(graph.position(user), user) for user in users]
    early = next((user for place, user in places if place is not None and place <= first), None)
    if early is not None:
        raise _refused(f"{early.name} uses {node.name} and stands before {replacement.name}", f"Insert {replacement.name} before it.")
    for user in users:
        user.args, user.kwargs = map_nodes((user.args, user.kwargs), lambda operand: replacement if operand is node else operand)
        if graph.signature is not None:
            graph.signature.get_replace_hook()(node, replacement.name, user)
    return users


def erase(graph: Graph, node: Node) -> None:
    """Remove a node that nothing uses from its graph."""
    require("node", node, instance(Node))
    index = graph.position(node)
    if index is None:
        raise _refused(f"{node.name} is not in the graph")
    if node.op == OUTPUT:
        raise _refused("the output of a graph cannot be erased")
    graph.refresh_users()
    if node.users:
        users = ", ".join(user.name for user in node.users)
        raise _refused(f"{node.name} is used by {users}", "Replace its uses first: node.replace_all_uses_with(other).")
    graph.drop(index)


def copied(program: ExportedProgram) -> ExportedProgram:
    """A program with nodes, signature and dicts of its own; arrays, which nobody writes to, and
    symbols are shared.
    """
    new = ExportedProgram(
        graph=copied_graph(program.graph),
        signature=ExportGraphSignature(*[[*map(copy, specs)] for specs in vars(program.graph_signature).values()]),
        state_dict=program.state_dict,
        constants=program.constants,
        call_spec=program.call_spec,
        range_constraints=program.ranges,
        guards=program.guards,
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        report=program.report,
        opset_version=program.opset_version,
        dialect=program.dialect,
    )
    new._namespace = program._namespace
    return new


def copied_graph(graph: Graph) -> Graph:
    """The graph with nodes of its own, in sub-graphs too."""
    new = Graph()
    nodes: dict[Node, Node] = {}
    for node in graph.nodes:
        args = tuple([nodes[arg] if type(arg) is Node else _copied(arg, nodes) for arg in node.args])
        kwargs = map_nodes(node.kwargs, nodes.__getitem__) if node.kwargs else {}
        nodes[node] = new.append(Node(node.name, node.op, node.target, args, kwargs, dict(node.meta)))
    return new


def _copied(arg: Any, nodes: Mapping[Node, Node]) -> Any:
    return GraphModule(copied_graph(arg.graph), arg.name) if type(arg) is GraphModule else map_nodes(arg, nodes.__getitem__)
