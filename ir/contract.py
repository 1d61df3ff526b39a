"""What is assumed of sizes that only data decide, and so has to be checked when they become known.

Of all other sizes the contract is ``range_constraints`` and ``guards``, which every call checks.
Nothing else is assumed: archives hold bounds of symbols nowhere else, and the verifier of a program
that was loaded knows what these three say and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from npexport.ir.declared import promised
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, Node
from npexport.ir.meta import TensorMeta


def promises(graph: Graph) -> list[Any]:
    """Guards that say what is assumed of sizes that only data decide; each is about sizes that the
    program gets to see.
    """
    from npexport.symshapes.guards import Guard

    return [Guard(truth, env.names) for env in graph.environments() for truth in (*_bounds(graph, env), *relations(graph, env))]


def relations(graph: Graph, env: Any) -> list[Any]:
    """What is declared of several sizes at once, such as that a mask has no more true elements than
    it has elements.
    """
    seen = {*_of_inputs(graph), *graph.unbacked_bindings(_free(env))}
    return [truth for truth in env.declared.truths() if len(truth.symbols) > 1 and truth.symbols <= seen]


def of_results(graph: Graph) -> Iterator[Any]:
    """What is true of the sizes of all results, in sub-graphs too: none is below 0, and what
    kernels check.
    """
    for node in (node for each in graph.all_graphs() for node in each if node.op == CALL):
        value = node.meta.get("val")
        for part in value if isinstance(value, (tuple, list)) else (value,):
            sizes = part.shape if isinstance(part, TensorMeta) else ()
            yield from (size.expression >= 0 for size in sizes if hasattr(size, "expression"))
        if node.target.home:  # type: ignore[union-attr]
            yield from (truth.expression for truth in promised(node) if hasattr(truth, "expression"))


def bounds_of(graph: Graph, env: Any) -> dict[str, Any]:
    """The range of every symbol that only data decide and that the program gets to see."""
    return {name: env.declared.ranges.get(name, env.symbols[name].declared) for name in graph.unbacked_bindings(_free(env))}


def _bounds(graph: Graph, env: Any) -> Iterator[Any]:
    from npexport.symshapes import expr as E

    shown = graph.unbacked_bindings(_free(env))
    for name, bounds in bounds_of(graph, env).items():
        is_length = ".shape[" in shown[name][1]
        if isinstance(bounds.lower, int) and not (is_length and bounds.lower <= 0):
            yield E.symbol(name) >= bounds.lower
        if isinstance(bounds.upper, int):
            yield E.symbol(name) <= bounds.upper


def _free(env: Any) -> set[str]:
    return {name for name, symbol in env.symbols.items() if symbol.hint is None}


def _of_inputs(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.op == PLACEHOLDER:
            yield from lengths(node)


def lengths(node: Node) -> set[str]:
    """The symbols in the shape of a value, or in the number that it is."""
    value = node.meta.get("val")
    sizes = value.shape if isinstance(value, TensorMeta) else (value,)
    return {name for size in sizes if hasattr(size, "expression") for name in size.expression.symbols}
