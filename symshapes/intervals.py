"""What the intervals of symbols say of a comparison, beyond the interval of its difference: a
``min``, ``max`` or quotient is replaced by its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from npexport.symshapes import expr as E
from npexport.symshapes.arithmetic import without_quotient
from npexport.symshapes.effort import spend
from npexport.symshapes.ranges import ValueRanges, ends, float_bounds


def by_extrema(e: E.Expr, ranges: Mapping[str, ValueRanges]) -> bool | None:
    """Whether intervals prove ``e >= 0`` once a ``min`` or ``max`` is replaced by one of its
    arguments.
    """
    for atom, c in e.terms.items():
        if atom.op in ("min", "max"):
            smaller = (c < 0) == (atom.op == "min")  # does the argument make ``e`` smaller, or larger?
            rest = {other: k for other, k in e.terms.items() if other is not atom}
            for arg in atom.args:
                spend(1 + sum(part.weight for part in rest) + arg.weight)
                lower, upper = ends(E.combination(e.const, rest.copy(), ((arg, c),)), ranges)
                if lower >= 0 if smaller else upper < 0:
                    return smaller
    return None


def by_quotients(e: E.Expr, ranges: Mapping[str, ValueRanges]) -> bool | None:
    """Whether intervals prove ``e >= 0`` once every ``a // d`` is replaced by a fraction that
    bounds it.
    """
    least = most = e
    for atom in e.terms:
        if atom.op == "floordiv" and not atom.args[1].terms:
            least, most = without_quotient(least, atom, 1), without_quotient(most, atom, -1)
    if least is e:
        return None
    return True if ends(least, ranges)[0] >= 0 else False if ends(most, ranges)[1] < 0 else None


def compare_floats(op: str, a: E.Float | E.Expr, b: E.Float | E.Expr, ranges: Mapping[str, ValueRanges]) -> bool | None:
    """The answer of the intervals of two floats to the comparison ``op``."""
    (a_low, a_high), (b_low, b_high) = float_bounds(a, ranges), float_bounds(b, ranges)
    if -a_low == math.inf == a_high or -b_low == math.inf == b_high:  # so is the interval of what may be NaN
        return None
    if op == "flt":
        return True if a_high < b_low else False if a_low >= b_high else None
    if op == "fle":
        return True if a_high <= b_low else False if a_low > b_high else None
    apart = a_high < b_low or b_high < a_low
    same = a_low == a_high == b_low == b_high
    return (op == "fne") if apart else (op == "feq") if same else None
