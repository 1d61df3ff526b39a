"""What the checks in a graph state: they raise, at their place, if it does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, OUTPUT, Graph, Node, map_nodes
from npexport.ir.meta import map_numbers
from npexport.symshapes import expr as E
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.symint import SymBool
from npexport.symshapes.wrapping import symbolic, wrapped


def conditions(graph: Graph) -> set[Node]:
    """The nodes whose truths the graph checks."""
    return {condition for node in graph.nodes if (condition := _condition(node)) is not None}


def _condition(node: Node) -> Node | None:
    """The node whose truth a node checks, if it checks one."""
    held = node.args[0] if node.op == CALL and node.target is ops.control.check else None
    return held if type(held) is Node else None


def truths(graph: Graph) -> set[Any]:
    """Those of their truths that are about sizes and numbers."""
    values = [node.meta["val"] for node in conditions(graph)]
    return {value.expression for value in values if type(value) is SymBool}


def restate(graph: Graph, env: ShapeEnv, mapping: Mapping[str, E.Expr], data: Set[str] = frozenset()) -> None:
    """Put the numbers and truths of a graph in other terms: ``mapping`` says what sizes are, and
    what those of ``data`` are that only the data know.

    A number of sizes alone becomes a plain one where that decides it. What data decide, and what a
    check states, stays undecided: it is checked at its place. There, before it, and where a size of
    ``data`` is made, that size keeps its name.
    """
    kept = conditions(graph) | {node for node, _ in graph.unbacked_bindings(data).values()}
    sizes = {name: size for name, size in mapping.items() if name not in data}
    found: dict[Any, Any] = {}

    def of_sizes(number: Any) -> Any:
        old = number.expression
        if not unchecked.keys().isdisjoint(old.symbols):
            return undecided(number)
        if old not in found:
            try:
                new = substitute(old, mapping)
            except (ZeroDivisionError, ValueError, OverflowError):  # it stands where nothing runs with such sizes
                return number
            make = symbolic if getattr(new, "symbols", frozenset()) - env.hints.keys() else wrapped  # a float may be a plain one
            is_kept = number.env is env and new == old and type(number) is not SymBool
            found[old] = number if is_kept else make(number.python, new, env)
        return found[old]

    def undecided(number: Any) -> Any:
        return symbolic(number.python, substitute(number.expression, sizes), env)

    for each in graph.all_graphs():
        checks = {node: names for node in each if (names := data & _checked(node))}
        unchecked = Counter(name for names in checks.values() for name in names)
        for node in (node for node in each if "val" in node.meta):
            if node.op == OUTPUT:
                node.meta["val"] = map_nodes(node.args[0], lambda operand: operand.meta["val"])
            else:
                node.meta["val"] = map_numbers(node.meta["val"], undecided if node in kept else of_sizes)
            if node in checks:
                unchecked -= Counter(checks[node])


def _checked(node: Node) -> Set[str]:
    """The names of the sizes and numbers that a node checks."""
    condition = _condition(node)
    truth = None if condition is None else condition.meta["val"]
    return truth.expression.symbols if type(truth) is SymBool else frozenset()
