"""Floats computed from sizes: which questions about them are questions about integers.

A *dyadic* is ``p / q`` with ``q`` a small power of two; sums and products of dyadics are exact in
floats (law 6 of ``expr``), so ``n * 0.5 + 1`` is ``(n + 2) / 2``. A quotient ``p / q`` of integers
is rounded once; its ``floor``, ``ceil`` and ``round``, and its order relative to a dyadic, are
those of the exact quotient. All that holds of numerators which are small enough, which ``small``
answers for (:meth:`npexport.symshapes.env.ShapeEnv.is_exact_float`); of others floats stay floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.constructors import compare_floats, int_function, number_of
from npexport.symshapes.semantics import INT_FUNCTIONS

Small = Callable[[E.Expr], bool]
"""Whether an integer is at most ``limits.EXACT_NUMERATOR`` in size."""


def dyadic(value: Any, small: Small) -> tuple[E.Expr, int] | None:
    """``(p, q)``: the value is exactly ``p / q`` with ``q`` a power of two of at most 1024; None
    where that is not so.

    >>> from npexport.symshapes.constructors import float_node
    >>> dyadic(float_node("fmul", E.symbol("n"), 0.5), lambda size: True)
    (n, 2)
    """
    if isinstance(value, E.Expr):
        return value, 1
    if isinstance(value, float):
        return _constant(value)
    if value.op == "const":
        return _constant(float(value.args[0]))
    if value.op not in _COMBINED:
        return None
    parts = [dyadic(arg, small) for arg in value.args]
    if None in parts or not all(part[0].is_const or small(part[0]) for part in parts if part is not None):
        return None
    found = _COMBINED[value.op](*parts)
    return found if found is None or found[0].is_const or small(found[0]) else None


def _constant(value: float) -> tuple[E.Expr, int] | None:
    if value != value or value in (float("inf"), float("-inf")):
        return None
    p, q = value.as_integer_ratio()
    return (E.integer(p), q) if q <= limits.FLOAT_DENOMINATOR and abs(p) < 1 << 40 else None


def _reduced(p: E.Expr, q: int) -> tuple[E.Expr, int] | None:
    return (p, q) if q & (q - 1) == 0 and q <= limits.FLOAT_DENOMINATOR else None


def _quotient(a: tuple[E.Expr, int], b: tuple[E.Expr, int]) -> tuple[E.Expr, int] | None:
    return _reduced(a[0], a[1] * b[0].const) if b[1] == 1 and b[0].is_const and b[0].const > 0 else None


def _sum(a: tuple[E.Expr, int], b: tuple[E.Expr, int], sign: int = 1) -> tuple[E.Expr, int] | None:
    return _reduced(a[0] * b[1] + sign * b[0] * a[1], a[1] * b[1])


_COMBINED: dict[str, Callable[..., tuple[E.Expr, int] | None]] = {
    "float": lambda a: a,
    "fneg": lambda a: (-a[0], a[1]),
    "fadd": _sum,
    "fsub": lambda a, b: _sum(a, b, -1),
    "fmul": lambda a, b: _reduced(a[0] * b[0], a[1] * b[1]),
    "fdiv": _quotient,
}
"""Operations on floats that are exact on dyadics with small numerators."""


def quotient(value: Any, small: Small) -> tuple[E.Expr, E.Expr] | None:
    """``(p, q)`` where the value is ``p / q`` rounded at most once, and ``2 * p`` is small."""
    exact = dyadic(value, small)
    if exact is not None:
        found = exact[0], E.integer(exact[1])
    elif isinstance(value, E.Float) and value.op == "fdiv":
        a, b = dyadic(value.args[0], small), dyadic(value.args[1], small)
        if a is None or b is None:
            return None
        found = a[0] * b[1], b[0] * a[1]
    else:
        return None
    return found if found[0].is_const or small(found[0] * 2) else None


def _is_root(value: Any) -> E.Expr | None:
    """The integer of which the value is the square root."""
    if isinstance(value, E.Float) and isinstance(value.args[0], E.Expr):
        if value.op == "sqrt":
            return value.args[0]
        if value.op in ("fpow", "math_pow") and isinstance(value.args[1], E.Float) and value.args[1].args == ("0.5",):
            return value.args[0]
    return None


def rounded(how: str, value: Any, positive: bool, small: Small) -> E.Expr:
    """``floor``, ``ceil``, ``trunc`` or ``round`` of a float as an integer expression;
    ``positive``: the value is known not to be negative.

    >>> from npexport.symshapes.constructors import float_node
    >>> half = float_node("fdiv", E.symbol("n"), 2)
    >>> print(*(rounded(how, half, True, lambda size: True) for how in ("floor", "ceil", "round")))
    n//2 (n + 1)//2 round_div(n, 2)
    """
    if isinstance(value, float):
        return E.integer(INT_FUNCTIONS[how](value))
    pair = quotient(value, small)
    if pair is not None and (positive or how != "trunc"):
        p, q = pair
        if how in ("floor", "trunc"):
            return E.floordiv(p, q)
        return E.ceildiv(p, q) if how == "ceil" else int_function("round_div", p, q)
    root = _is_root(value)
    if root is not None and how in ("floor", "trunc") and small(root):
        return int_function("isqrt", root)
    return int_function(how, value)


def compare(op: str, a: Any, b: Any, small: Small) -> E.Bool:
    """``a < b`` (``flt``), ``<=`` (``fle``), ``==`` or ``!=`` of floats, as a relation of integers
    where that is exact.
    """
    left = _sign(a, small) if number_of(b) == 0 else dyadic(a, small)
    right = _sign(b, small) if number_of(a) == 0 else dyadic(b, small)
    if left is None and right is not None and isinstance(a, E.Float):
        left = _constant_divisor(a, right[1], small)
    elif right is None and left is not None and isinstance(b, E.Float):
        right = _constant_divisor(b, left[1], small)
    if left is None or right is None:
        return compare_floats(op, a, b)
    difference = left[0] * right[1] - right[0] * left[1]
    if op == "flt":
        return E.ge0(-difference - 1)
    if op == "fle":
        return E.ge0(-difference)
    return E.eq0(difference) if op == "feq" else E.ne0(difference)


def _sign(value: Any, small: Small) -> tuple[E.Expr, int] | None:
    """An integer with the sign of the value, and 1: no size of the integers changes the sign of a
    product or of a quotient by a constant.
    """
    if isinstance(value, E.Float) and value.op in ("float", "fneg", "fmul", "fdiv"):
        parts = [_sign(arg, small) for arg in value.args]
        if None in parts or (value.op == "fdiv" and not parts[1][0].is_const):  # type: ignore[index]
            return None
        sign = -1 if value.op == "fneg" else 1
        return math.prod([part[0] for part in parts if part is not None], start=E.integer(sign)), 1
    found = dyadic(value, small)
    return None if found is None else (found[0], 1)


def _constant_divisor(value: E.Float, denominator: int, small: Small) -> tuple[E.Expr, int] | None:
    """A quotient whose order relative to numbers of this denominator is that of the exact one."""
    pair = quotient(value, small)
    if pair is None or not pair[1].is_const or not 0 < pair[1].const < 1 << 20:
        return None
    return (pair[0], pair[1].const) if pair[0].is_const or small(pair[0] * denominator) else None
