"""Assumptions about sizes that only data decide, which have to be checked when they become known.

For all other sizes the contract is ``range_constraints`` and ``guards``, which every call checks.
Nothing else is assumed: archives contain bounds of symbols nowhere else, and the verifier of a
loaded program knows only what these three state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir.declared import promised
from npexport.ir.graph import CALL, PLACEHOLDER, Graph, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.node import sub_graphs
from npexport.ir.ops.bounds import extent
from npexport.ir.ops.fresh import fresh_numbers, makers_of
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import SymInt


def promises(graph: Graph, original: Graph | None = None) -> list[Any]:
    """Guards that say what is assumed of sizes that only data decide; each is about sizes that the
    program gets to see. What the rule of the operator that makes a size says is so, as a shape is;
    ``original``: the graph before it was simplified, whose operators count.
    """
    from npexport.symshapes.guards import Guard

    found = []
    for env in graph.environments():
        truths = [*_bounds(graph, env), *relations(graph, env)]
        ruled = set(_of_rules(graph if original is None else original, env, set())) if truths else set()
        found += [Guard(truth, env.names) for truth in truths if truth not in ruled]
    return found


def relations(graph: Graph, env: Any) -> list[Any]:
    """What is declared of several sizes at once, such as that a mask has no more true elements than
    it has elements.
    """
    seen = {*_of_inputs(graph), *graph.unbacked_bindings(_free(env))}
    return [truth for truth in env.declared.truths() if len(truth.symbols) > 1 and truth.symbols <= seen]


def assume(env: Any, graph: Graph, guards: Iterable[Any]) -> None:
    """Assume of the sizes of a whole program what its calls check: guards, lengths that are none
    below 0, and what it gets to see of other sizes.
    """
    for node in graph.placeholders:
        for size in node.meta["val"].shape if isinstance(node.meta.get("val"), TensorMeta) else ():
            if hasattr(size, "expression"):
                env.facts.assume(size.expression >= 0)
    for truth in of_results(graph):
        env.facts.assume(truth)
    for truth in relations(graph, env):
        env.facts.assume(truth)
    for guard in guards:
        env.facts.assume(guard.truth)
    for truth in of_calls(graph, env):
        env.facts.assume(truth)


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


def of_calls(graph: Graph, env: Any) -> Iterator[Any]:
    """What the rules say of the new sizes of sub-graphs, call after call as the program runs: that
    of a branch lies between those of its sides. Each truth is to be assumed before the next is
    asked for.
    """
    return _of_rules(graph, env, set(graph.unbacked_bindings(_free(env))))


def _of_rules(graph: Graph, env: Any, seen: set[str]) -> Iterator[Any]:
    """The same of all sizes but those ``seen``."""
    scratch = type(env)()
    bounds: dict[str, tuple[Any, Any]] = {}

    def noting(low: Any, high: Any, slot: int) -> Any:
        size = scratch.create_unbacked(0, None)
        bounds[str(size.expression)] = low, high
        return size

    for node in _as_run(graph):
        new = lengths(node) - seen
        seen = seen | new
        if not new or node.op != CALL or node.target.holds is not None:  # type: ignore[union-attr]
            continue
        with env.speculative(), fresh_numbers(noting, *makers_of(scratch)[1:]):
            derived = _derived(node)
        for name, size in _named(node.meta["val"], derived):
            if name in new and getattr(size, "env", None) is scratch:
                yield from _between(name, *bounds.get(str(size.expression), (None, None)))


def _as_run(graph: Graph) -> Iterator[Node]:
    """All nodes, those of sub-graphs before the calls that they stand in."""
    for node in graph.nodes:
        for module in sub_graphs([node]):
            yield from _as_run(module.graph)
        yield node


def _derived(node: Node) -> Any:
    """What the rule gives; ``None`` where it refuses the call, which the verifier reports."""
    args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: operand.meta["val"])
    try:
        return node.target.rule(*args, **kwargs)  # type: ignore[union-attr]
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        require_own(error)
        return None


def _named(declared: Any, derived: Any) -> Iterator[tuple[str, Any]]:
    """The symbols among a declared value's sizes and numbers, each with what a rule gives there."""
    if isinstance(declared, (tuple, list)) and isinstance(derived, (tuple, list)) and len(declared) == len(derived):
        for pair in zip(declared, derived, strict=True):
            yield from _named(*pair)
    elif isinstance(declared, TensorMeta) and isinstance(derived, TensorMeta) and declared.ndim == derived.ndim:
        for size, other in zip(declared.shape, derived.shape, strict=True):
            if hasattr(size, "expression") and size.expression.is_symbol:
                yield str(size.expression), other
    elif type(declared) is SymInt and declared.expression.is_symbol:
        yield str(declared.expression), derived


def _between(name: str, low: Any, high: Any) -> Iterator[Any]:
    from npexport.symshapes import expr as E

    if type(low) in (int, SymInt):
        yield E.symbol(name) >= getattr(low, "expression", low)
    if type(high) in (int, SymInt):
        yield E.symbol(name) <= getattr(high, "expression", high)


def bounds_of(graph: Graph, env: Any) -> dict[str, Any]:
    """The range of every symbol that only data decide and that the program gets to see."""
    return {name: env.declared.ranges.get(name, env.symbols[name].declared) for name in graph.unbacked_bindings(_free(env))}


def _bounds(graph: Graph, env: Any) -> Iterator[Any]:
    from npexport.symshapes import expr as E

    shown = graph.unbacked_bindings(_free(env))
    for name, bounds in bounds_of(graph, env).items():
        node, text = shown[name]
        if _is_any_number(node, bounds):
            continue
        is_length = ".shape[" in text
        if isinstance(bounds.lower, int) and not (is_length and bounds.lower <= 0):
            yield E.symbol(name) >= bounds.lower
        if isinstance(bounds.upper, int):
            yield E.symbol(name) <= bounds.upper


def _is_any_number(node: Node, bounds: Any) -> bool:
    """Whether bounds say no more of an element than its dtype and the operator that gives it do."""
    if node.op != CALL:
        return False
    op: Any = node.target
    meta = node.args[0].meta["val"] if op.emit.numbers else None
    if not isinstance(meta, TensorMeta) or meta.dtype.kind not in "biu" or meta.dtype.itemsize > 8:
        return False
    info = np.iinfo(meta.dtype if meta.dtype.kind in "iu" else np.int64)
    ends = extent(node.args[0])
    known_ends = ends if ends is not None and all(type(end) is int for end in ends) else None
    return (bounds.lower, bounds.upper) in ((info.min, info.max), known_ends)


def _free(env: Any) -> set[str]:
    return {name for name, symbol in env.symbols.items() if symbol.hint is None}


def _of_inputs(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.op == PLACEHOLDER:
            yield from lengths(node)


def lengths(node: Node) -> set[str]:
    """The symbols in the shape of a value, or in the number that it is."""
    value = node.meta.get("val")
    parts = value if isinstance(value, (tuple, list)) else (value,)
    sizes = [size for part in parts for size in (part.shape if isinstance(part, TensorMeta) else (part,))]
    return {name for size in sizes if hasattr(size, "expression") for name in size.expression.symbols}
