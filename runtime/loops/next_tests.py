"""The test whether another iteration follows, of the numbers that this one has counted already: a
graph has it of those before, ``(i + 1) ** 2 <= n`` in place of ``i * i <= n``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from npexport.ir import ops
from npexport.ir.node import Node, value_of
from npexport.symshapes.polynomials import Expr, factors
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.symint import SymInt

MOST = 2
"""Of so many factors a product may be."""


def test_of_next(going: Any, values: Sequence[Any], taken: Sequence[Node], names: Mapping[Node, str]) -> str | None:
    """The text of the test in what it counts next; ``None`` unless it is shorter so.

    ``values``: what the iteration gives for what it has ``taken``; ``names``: the texts of all that
    it was given.
    """
    if type(going) is not Node or going.target is not ops.sym.ge or going.args[1] != 0:
        return None
    margin = _expression(going.args[0])
    counted = {} if margin is None else {_symbol(node): value for node, value in zip(taken, values, strict=True)}
    steps: dict[str, Expr] = {}
    for symbol in margin.symbols if margin is not None else ():
        if symbol in counted:
            following = _expression(counted[symbol])
            node = next(node for node in taken if _symbol(node) == symbol)
            step = None if following is None else following - _expression(node)
            if step is None or step.terms:
                return None
            steps[symbol] = _expression(node) - step
    if margin is None or not steps:
        return None
    found, texts = substitute(margin, steps), {_symbol(node): text for node, text in names.items()}
    if _length(found) >= _length(margin) or not found.symbols <= texts.keys() or not all(_is_product(atom) for atom in found.terms):
        return None
    return f"({_sum(found, 1, texts)} >= {_sum(found, -1, texts)})"


def _expression(value: Any) -> Any:
    meta = value_of(value)
    return meta.expression if type(meta) is SymInt else None


def _symbol(node: Node) -> str:
    """The symbol that a number is; the empty text if it is none."""
    expression = _expression(node)
    return next(iter(expression.symbols)) if expression is not None and expression.is_symbol else ""


def _length(margin: Expr) -> int:
    return len(margin.terms) + bool(margin.const)


def _is_product(atom: Any) -> bool:
    parts = factors(atom)
    return len(parts) <= MOST and all(part.op == "symbol" for part in parts)


def _sum(margin: Expr, sign: int, texts: Mapping[str, str]) -> str:
    """The terms of this sign on one side of the test."""
    terms = []
    for atom, number in margin.terms.items():
        if number * sign > 0:
            text = " * ".join(texts[part.args[0]] for part in factors(atom))
            terms.append(text if number * sign == 1 else f"{number * sign} * {text}")
    if margin.const * sign > 0 or not terms:
        terms.append(str(max(margin.const * sign, 0)))
    return " + ".join(terms)
