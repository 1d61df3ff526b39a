"""What the symbols of a decomposition are in the program that it becomes part of, and copies of its
sub-graphs with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir.graph import CALL, PLACEHOLDER, Graph, GraphModule, Node, map_nodes
from npexport.ir.meta import map_numbers
from npexport.symshapes.constructors import is_float_name
from npexport.symshapes.expr import symbol
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.wrapping import as_expr, wrapped


class Symbols:
    """``known``: what the symbols of the operands are in the program, whose environment is
    ``env``.
    """

    def __init__(self, env: Any, known: dict[str, Any]) -> None:
        self.env = env
        self._known = known

    def learn(self, mine: Any, theirs: Any) -> None:
        """A number of the decomposition is this one of the program."""
        expression = getattr(mine, "expression", None)
        name = next(iter(getattr(expression, "symbols", ())), "")
        if name and str(expression) in (name, f"{name} != 0"):
            self._known.setdefault(name, getattr(theirs, "expression", theirs) if is_float_name(name) else as_expr(theirs))

    def here(self, value: Any) -> Any:
        """The value with the program's symbols. One of data that it has none for is made anew."""
        return map_numbers(value, self._number)

    def _number(self, number: Any) -> Any:
        for name in sorted(number.expression.symbols - self._known.keys()):
            self._known[name] = self._new(name, number.env)
        return wrapped(number.python, substitute(number.expression, self._known), self.env)

    def _new(self, name: str, env: Any) -> Any:
        if is_float_name(name):
            return self.env.create_unbacked_float().expression
        bounds = env.facts.bounds(symbol(name))
        return self.env.create_unbacked(bounds.lower, bounds.upper).expression


def inlined(module: GraphModule, name: str, symbols: Symbols, call: Callable[..., Node]) -> GraphModule:
    """A copy of a sub-graph of a decomposition, called ``name``.

    ``call(graph, node, args, kwargs)`` makes the copy of a call.
    """
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in module.graph.nodes:
        args, kwargs = map_nodes((node.args, node.kwargs), copies.__getitem__)
        if node.op == CALL:
            copy = call(graph, node, args, kwargs)
        else:
            info = {**node.meta, "val": symbols.here(node.meta["val"])} if node.op == PLACEHOLDER else dict(node.meta)
            copy = Node(node.name, node.op, node.target, args, kwargs, info)
        copies[node] = graph.append(copy)
    return GraphModule(graph, name)


def free_name(name: str, graphs: Iterable[Graph]) -> str:
    """``true_graph_2`` for ``true_graph_0`` where the graphs have two of that kind."""
    kind = re.sub(r"\d+$", "", name)
    taken = {module.name for graph in graphs for module in graph.sub_graphs()}
    return next(each for each in (f"{kind}{index}" for index in range(len(taken) + 1)) if each not in taken)
