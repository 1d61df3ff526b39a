"""Integers that branches and loops of an iteration give back as they came: what follows takes what
went in.

A loop within another one carries the counter of that one, too. Laws: only the value before the
branch or the loop takes the place of its result, and what is known of the result's symbol is known
of that value from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from npexport.ir.graph import Graph, GraphModule, Node
from npexport.ir.meta import map_numbers
from npexport.ir.ops.control_flow import symbols_of
from npexport.runtime.memory.inherited_memory import Block, block_of, is_item
from npexport.runtime.planning.loop_invariants import redirect
from npexport.symshapes.polynomials import Expr
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.symbolic import Symbolic
from npexport.symshapes.symint import SymInt
from npexport.symshapes.wrapping import symbolic


def hand_on(graph: Graph, repeated: bool = False) -> bool:
    """Whether anything changed in the iterations of a graph's loops; ``repeated``: whether the
    graph is part of one.
    """
    changed = False
    for node in list(graph.nodes):
        block = block_of(node)
        if block is None:
            continue
        for inner in block.graphs:
            changed |= hand_on(inner, repeated or block.loops)
        for item in [user for user in node.users if is_item(user)] if repeated else ():
            value = _given(block, item.args[1])
            if value is not None and _is_symbol(item) and _take_place(graph, item, value):
                changed = True
    return changed


def _given(block: Block, number: int) -> Node | None:
    """The integer that a result of a branch or a loop is, whatever happens in it."""
    found = []
    for each in block.graphs:
        value, parameters = each.output_node.args[0][number], each.placeholders
        if value not in parameters or (block.loops and value is not parameters[number]):
            return None
        found.append(block.values[parameters.index(value)])
    same = type(found[0]) is Node and all(value is found[0] for value in found) and type(found[0].meta["val"]) is SymInt
    return found[0] if same else None


def _is_symbol(item: Node) -> bool:
    meta = item.meta["val"]
    return type(meta) is SymInt and meta.expression.is_symbol


def _take_place(graph: Graph, item: Node, value: Node) -> bool:
    """Put a value in the place of a result; ``False`` where sizes of arrays depend on it."""
    symbol = str(item.meta["val"].expression)
    later = graph.nodes[graph.nodes.index(item) + 1 :]
    inner = [each for node in later for module in node.args if type(module) is GraphModule for each in module.graph.all_graphs()]
    nodes = [node for node in (*later, *[node for each in inner for node in each.nodes]) if "val" in node.meta]
    if any(symbol in symbols_of((leaf,)) and not isinstance(leaf, Symbolic) for node in nodes for leaf in _leaves(node.meta["val"])):
        return False
    mapping = {symbol: value.meta["val"].expression}
    for node in nodes:
        node.meta["val"] = map_numbers(node.meta["val"], partial(_undecided, mapping))
    redirect(item, value)
    graph.erase_node(item)
    return True


def _leaves(value: Any) -> tuple[Any, ...]:
    return value if type(value) is tuple else (value,)


def _undecided(mapping: Mapping[str, Expr], number: Any) -> Any:
    """The number with symbols replaced, also where facts decide it."""
    return symbolic(number.python, substitute(number.expression, mapping), number.env)
