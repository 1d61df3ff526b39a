"""Truths over sizes: the class, and its Boolean algebra.

The comparisons that stand in truths are made by :mod:`npexport.symshapes.expr`.
"""

from __future__ import annotations

from collections.abc import Iterable

from npexport.symshapes.nodes import Node, make_node, remember


class Bool(Node):
    """A truth over sizes.

    Its operator is ``const``, ``ge``/``eq``/``ne`` (an expression against 0),
    ``flt``/``fle``/``feq``/``fne`` (floats), ``and``, ``or`` or ``not``.
    """

    __slots__ = ()

    def __and__(self, other: Bool) -> Bool:
        return conjunction((self, other))

    def __or__(self, other: Bool) -> Bool:
        return disjunction((self, other))

    def __invert__(self) -> Bool:
        return negation(self)


TRUE: Bool = make_node(Bool, "const", (True,))
FALSE: Bool = make_node(Bool, "const", (False,))


def boolean(value: bool) -> Bool:
    """``True`` or ``False`` as a truth."""
    return TRUE if value else FALSE


@remember
def negation(truth: Bool) -> Bool:
    """``not truth``, pushed to the leaves. ``not a < b`` of floats stays as it is: NaN makes both
    false.
    """
    op, args = truth.op, truth.args
    if op == "const":
        return FALSE if args[0] else TRUE
    if op == "ge":
        below: Bool = -args[0] - 1 >= 0
        return below
    if op in _OPPOSITE:
        opposite: Bool = make_node(Bool, _OPPOSITE[op], args)
        return opposite
    if op == "and":
        return disjunction(negation(arg) for arg in args)
    if op == "or":
        return conjunction(negation(arg) for arg in args)
    if op == "not":
        inner: Bool = args[0]
        return inner
    negated: Bool = make_node(Bool, "not", (truth,))
    return negated


_OPPOSITE = {"eq": "ne", "ne": "eq", "feq": "fne", "fne": "feq"}


def _connective(op: str, unit: Bool, zero: Bool, truths: Iterable[Bool]) -> Bool:
    found: dict[Bool, None] = {}
    for truth in truths:
        for part in truth.args if truth.op == op else (truth,):
            if part is unit:
                continue
            if part is zero or negation(part) in found:
                return zero
            found[part] = None
    if len(found) <= 1:
        return next(iter(found), unit)
    result: Bool = make_node(Bool, op, tuple(sorted(found, key=lambda truth: truth.order)))
    return result


def conjunction(truths: Iterable[Bool]) -> Bool:
    """All of them: flat, without repetition, in one order."""
    return _connective("and", TRUE, FALSE, truths)


def disjunction(truths: Iterable[Bool]) -> Bool:
    """Any of them: flat, without repetition, in one order."""
    return _connective("or", FALSE, TRUE, truths)
