"""Loop-invariant code motion: what every iteration of a captured loop computes from the same values
is computed once, before the loop.

Laws: a call is moved only if no data make it raise or warn, since the loop may have no iteration;
if it does not depend on what is known of sizes in iterations only; and if its value is not passed
on by an iteration.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.editing import derived_value, environment_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.laws import same_value
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import symbols_of
from npexport.ir.ops.rules import open_conditions
from npexport.symshapes.errors import UserError


def is_loop(node: Node) -> bool:
    """Whether a node repeats a sub-graph."""
    return node.op == CALL and "repeats" in node.target.traits  # type: ignore[union-attr]


def hoist(graph: Graph, loop: Node) -> bool:
    """Move what does not vary out of the sub-graphs of a loop. Returns whether anything was
    moved.
    """
    place = list(loop.target.signature.parameters).index("operands")  # type: ignore[union-attr]
    modules = [arg for arg in loop.args if type(arg) is GraphModule]
    moved = False
    for module in modules:
        for inner in [node for node in module.graph.nodes if is_loop(node)]:
            moved |= hoist(module.graph, inner)
        operands = loop.args[place]
        parameters = module.graph.placeholders
        outer = dict(zip(parameters[len(parameters) - len(operands) :], operands, strict=True))
        found = _invariant(module.graph, outer)
        handed = set(module.graph.output_node.all_input_nodes)
        for node in [node for node in found if node not in handed and any(user not in found for user in node.users)]:
            moved = True
            _move(graph, loop, place, modules, module, node, outer)
        for node in reversed(found):
            if not node.users:
                module.graph.erase_node(node)
    return moved


def _invariant(graph: Graph, outer: dict[Node, Any]) -> list[Node]:
    """The calls whose operands do not vary."""
    found: dict[Node, None] = {}
    for node in graph.nodes:
        operands = node.all_input_nodes if node.op == CALL and _never_tells(node) else []
        of_these = operands and all(operand in found or operand in outer for operand in operands)
        if of_these and _holds_anywhere(graph, node):
            found[node] = None
    return list(found)


def _holds_anywhere(graph: Graph, node: Node) -> bool:
    """Whether the metadata of a call is right wherever in the program it runs."""
    if not symbols_of(tuple([each.meta["val"] for each in (node, *node.all_input_nodes)])):
        return True
    try:
        with open_conditions() as conditions:
            value = derived_value(environment_of(graph), node.target, node.args, node.kwargs)  # type: ignore[arg-type]
    except UserError:  # sizes that are open there
        return False
    return not conditions and same_value(node.meta["val"], value)


def _never_tells(node: Node) -> bool:
    op: Any = node.target
    if "raises" in node.meta or op.namespace != "np" or not isinstance(node.meta["val"], TensorMeta):
        return False
    return ("view" in op.traits or op.is_quiet(*node.args, **node.kwargs)) and not op.errors(node.args, node.kwargs)


def _move(
    graph: Graph, loop: Node, place: int, modules: list[GraphModule], module: GraphModule, node: Node, outer: dict[Node, Any]
) -> None:
    """Compute a value before the loop, and pass it to the sub-graphs."""
    value = _copied(graph, loop, node, outer)
    loop.args = (*loop.args[:place], (*loop.args[place], value), *loop.args[place + 1 :])
    for each in modules:
        inside = each.graph
        name = inside.fresh_name(node.name)
        given = Node(name, "placeholder", name, (), {}, {"val": node.meta["val"]})
        inside.insert(len(inside.placeholders), given)
        if each is module:
            outer[given] = value
            redirect(node, given)


def _copied(graph: Graph, loop: Node, node: Node, outer: dict[Node, Any]) -> Node:
    """Copies of the call, and of the calls that it needs, before the loop."""
    if node in outer:
        return outer[node]  # type: ignore[no-any-return]
    for operand in node.all_input_nodes:
        outer[operand] = _copied(graph, loop, operand, outer) if operand.op == CALL else outer[operand]
    args, kwargs = map_nodes((node.args, node.kwargs), outer.__getitem__)
    return graph.insert(graph.nodes.index(loop), Node(graph.fresh_name(node.name), CALL, node.target, args, kwargs, dict(node.meta)))


def redirect(node: Node, other: Node) -> None:
    """Replace all uses of a value by another one."""
    for user in list(node.users):
        user.args, user.kwargs = map_nodes((user.args, user.kwargs), lambda each: other if each is node else each)
