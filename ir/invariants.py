"""What holds for the counters of a ``while_loop`` in every iteration."""

from __future__ import annotations

from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.node import Node, value_of
from npexport.ir.ops.control_flow import symbols_of
from npexport.symshapes import expr as E
from npexport.symshapes.rewrite import conjuncts, substitute
from npexport.symshapes.symint import SymBool, SymInt


class _Counter(NamedTuple):
    """An integer to which every iteration adds the same number: its value before the first
    iteration, before any, and the step.
    """

    first: Any
    now: SymInt
    step: int


def of_iterations(loop: Node, holds: tuple[SymBool, ...] = ()) -> tuple[SymBool, ...] | None:
    """The truths of sizes that hold of the counters of a loop in every iteration; none of other
    nodes, and ``None`` of a loop that is known to have no iteration.

    A counter only moves away from its first value. What decides whether there is a first iteration
    holds in all of them. An iteration asks of the counters whether
    another one follows; so what it asks holds of those before they were moved in the next one, and
    in the first one where what decides about that one says so. ``holds``: what is known around the
    loop.
    """
    if loop.target is not ops.control.while_loop:
        return ()
    test, body, carried, operands = loop.args
    entries, after = body.graph.placeholders, body.graph.output_node.args[0]
    firsts, now = tuple(map(value_of, carried)), tuple(map(value_of, entries))
    around = symbols_of((*firsts, *map(value_of, operands)))
    counters = _counters(zip(firsts, now, map(value_of, after), strict=False), around)
    begun = [counter.now >= counter.first if counter.step > 0 else counter.now <= counter.first for counter in counters.values()]
    found = [truth for truth in begun if type(truth) is SymBool]
    going = value_of(after[0])
    asks = bool(firsts) and test.graph.output_node.args[0] == tuple(test.graph.placeholders[:1])
    if asks and firsts[0] is False:
        return None
    if type(going) is not SymBool or not asks:
        return tuple(found)
    if type(firsts[0]) is SymBool:
        found.append(firsts[0])
    back = {name: counter.now.expression - counter.step for name, counter in counters.items()}
    start = {name: E.ZERO + getattr(counter.first, "expression", counter.first) for name, counter in counters.items()}
    asked = [part for part in conjuncts(going.expression) if part.symbols <= counters.keys() | around]
    known = _facts(going.env, (*holds, firsts[0]))
    for before in [substitute(part, back) for part in asked]:
        first = substitute(before, start)
        if known.decide(first) is True:
            found += [SymBool(first, going.env), SymBool(before, going.env)]
    return tuple(found)


def _counters(rows: Any, around: set[str]) -> dict[str, _Counter]:
    """By the symbols that stand for them in an iteration; ``rows``: the values of every carry
    before the first iteration, before any, and after that.
    """
    found = {}
    for first, now, after in rows:
        name = str(now.expression) if type(now) is SymInt else ""
        if type(after) is SymInt and name in after.expression.symbols and name not in around:
            step = after.expression - now.expression
            if step.is_const:
                found[name] = _Counter(first, now, step.const)
    return found


def _facts(env: Any, truths: tuple[Any, ...]) -> Any:
    """All that is known of sizes where these truths hold."""
    facts = env.facts.copy()
    for truth in truths:
        if type(truth) is SymBool and truth.env is env:
            facts.assume(truth.expression)
    return facts
