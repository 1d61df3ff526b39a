"""What the checks in a graph state: they raise, at their place, if it does not hold."""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.symshapes.symint import SymBool


def conditions(graph: Graph) -> set[Node]:
    """The nodes whose truths the graph checks."""
    checked = [node.args[0] for node in graph.nodes if node.op == CALL and node.target is ops.control.check]
    return {node for node in checked if type(node) is Node}


def truths(graph: Graph) -> set[Any]:
    """Those of their truths that are about sizes and numbers."""
    values = [node.meta["val"] for node in conditions(graph)]
    return {value.expression for value in values if type(value) is SymBool}
