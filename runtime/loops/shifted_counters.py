"""Counters of loops that iterations use in sums and products: if these are shorter in the number of
the iteration before, that takes the counter's place.

``for i in range(1, n): total += i * i`` is recorded with ``i + 1`` for the counter, which makes
``i * i`` a sum of three products.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.planning.loop_invariants import redirect
from npexport.symshapes.polynomials import Expr, factors
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.symint import SymInt

_POLYNOMIAL = frozenset({"+", "-", "*"})


def take_shorter(body: Graph, counter: Node, step: int) -> bool:
    """Compute what uses the counter from another number, which is less by ``step``, and stands for
    the counter from then on. Returns ``False``, and changes nothing, where nothing gets shorter.
    """
    symbol = str(counter.meta["val"].expression)
    before = {symbol: counter.meta["val"].expression + step}
    found = _depending(body, counter)
    roots = [node for node in found if any(user not in found for user in node.users)]
    values = {node: node.meta["val"].expression for node in roots}
    shorter = {node: substitute(value, before) for node, value in values.items()}
    symbols = _symbols(body, found)
    if counter in roots or not all(_is_polynomial(value, symbols) for value in shorter.values()):
        return False
    if sum(map(_operations, shorter.values())) >= sum(map(_operations, values.values())):
        return False
    for node, value in shorter.items():
        redirect(node, _computed(body, node, value, symbols))
    needed = body.needed(())
    body.keep([node for node in body.nodes if node.op != CALL or node in needed])
    return True


def _depending(body: Graph, counter: Node) -> dict[Node, None]:
    """The counter, and the sums and products that depend on it."""
    found = {counter: None}
    for node in body.nodes:
        op: Any = node.target
        if node.op == CALL and op.namespace == "sym" and op.emit.sign in _POLYNOMIAL and type(node.meta["val"]) is SymInt:
            found |= {node: None} if any(operand in found for operand in node.all_input_nodes) else {}
    return found


def _symbols(body: Graph, found: Mapping[Node, None]) -> dict[str, Node]:
    """The numbers that are one symbol, the counter among them."""
    numbers = [node for node in body.nodes if type(node.meta.get("val")) is SymInt and node.meta["val"].expression.is_symbol]
    return {str(node.meta["val"].expression): node for node in reversed(numbers) if node not in found or node.op != CALL}


def _is_polynomial(value: Expr, symbols: Mapping[str, Node]) -> bool:
    """Whether a number is computed of these symbols by sums and products alone."""
    parts = [part for atom in value.terms for part in factors(atom)]
    return bool(parts) and all(part.op == "symbol" and part.args[0] in symbols for part in parts)


def _operations(value: Expr) -> int:
    """How many operations compute a polynomial."""
    products = sum(len(factors(atom)) - (abs(count) == 1) for atom, count in value.terms.items())
    return products + len(value.terms) - 1 + bool(value.const)


def _computed(body: Graph, node: Node, value: Expr, symbols: Mapping[str, Node]) -> Node:
    """The number that has this value, computed in front of ``node``."""
    info = {name: each for name, each in node.meta.items() if name != "raises"}

    def call(op: Any, *args: Any) -> Node:
        return body.insert(body.nodes.index(node), Node(body.fresh_name(node.name), CALL, op, args, {}, dict(info)))

    total: Any = None
    for atom, count in sorted(value.terms.items(), key=lambda term: term[1] < 0):
        product: Any = None
        for part in factors(atom):
            product = symbols[part.args[0]] if product is None else call(ops.sym.mul, product, symbols[part.args[0]])
        product = product if abs(count) == 1 else call(ops.sym.mul, product, abs(count))
        if total is None:
            total = product if count > 0 else call(ops.sym.neg, product)
        else:
            total = call(ops.sym.add if count > 0 else ops.sym.sub, total, product)
    return call(ops.sym.add, total, value.const) if value.const else total
