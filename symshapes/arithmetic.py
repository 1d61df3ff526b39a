"""Arithmetic of single truths: congruences, the symbol that an equation can be solved for, and what
holds at given numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.ranges import ValueRanges
from npexport.symshapes.rewrite import evaluate


def solvable_symbol(e: E.Expr, weak: frozenset[str] = frozenset()) -> tuple[E.Atom, int] | None:
    """The symbol of ``e == 0`` to solve for: coefficient 1 or -1, nowhere else in ``e``. A weak
    one; else one that is a sum of sizes (``s0 = s2 + 2``, not ``s2 = s0 - 2``); else the youngest
    (``s2`` before ``s1`` before ``s0``).
    """
    best: tuple[E.Atom, int] | None = None
    best_key: Any = None
    for atom, c in e.terms.items():
        if atom.op != "symbol" or c not in (1, -1):
            continue
        name = atom.args[0]
        others = [(other, k) for other, k in e.terms.items() if other is not atom]
        if e.weight and any(name in other.symbols for other, _ in others):
            continue
        is_sum = e.const * c <= 0 and all(k * c < 0 for _, k in others)
        key = (name in weak, is_sum, atom.order)
        if best is None or key > best_key:
            best, best_key = (atom, c), key
    return best


def without_quotient(e: E.Expr, atom: E.Atom, side: int) -> E.Expr:
    """``e`` times ``d`` with ``a // d`` bounded: from above if ``side`` is 1, below if it is -1,
    since ``a - d + 1 <= d * (a // d) <= a``.
    """
    k = e.terms.get(atom, 0)
    a: E.Expr = atom.args[0]
    d: int = atom.args[1].const
    return d * (e - k * E.from_atom(atom)) + k * (a if k * side < 0 else a - d + 1)


def is_linear(truth: E.Bool) -> bool:
    """Whether a truth is one comparison of a sum of symbols: elimination decides it completely."""
    return truth.op in ("ge", "eq", "ne") and not truth.args[0].weight


def combine_residues(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    """The congruence that is equivalent to both (Chinese remainder theorem); None if they
    contradict each other.
    """
    (m, r), (n, s) = a, b
    g = math.gcd(m, n)
    if (r - s) % g:
        return None
    step = (s - r) // g * pow(m // g, -1, n // g) % (n // g) if n // g > 1 else 0
    total = m // g * n
    return total, (r + m * step) % total


def round_to_residue(interval: ValueRanges, m: int, r: int) -> ValueRanges:
    """The interval with its ends moved inward to members of ``r`` modulo ``m``."""
    low, high = interval.lower, interval.upper
    return ValueRanges(low + (r - low) % m if isinstance(low, int) else low, high - (high - r) % m if isinstance(high, int) else high)


def holds(truths: Iterable[E.Bool], numbers: dict[str, int]) -> bool:
    """Whether all truths hold at ``numbers``; an operation that has no value there (division by
    zero) makes it false.
    """
    try:
        return all(evaluate(truth, numbers) for truth in truths)
    except (ZeroDivisionError, ValueError, OverflowError):
        return False
