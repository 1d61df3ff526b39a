"""Floats computed from sizes: which questions about them are questions about integers.

A *dyadic* is ``p / q`` with ``q`` a small power of two; sums and products of dyadics are exact in
floats (law 6 of ``expr``), so ``n * 0.5 + 1`` is ``(n + 2) / 2``. A quotient ``p / q`` of integers
is rounded once; its ``floor``, ``ceil`` and ``round``, and its order relative to a dyadic, are
those of the exact quotient.
"""

from __future__ import annotations

from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.constructors import compare_floats, int_function
from npexport.symshapes.semantics import INT_FUNCTIONS


def dyadic(value: Any) -> tuple[E.Expr, int] | None:
    """``(p, q)``: the value is exactly ``p / q`` with ``q`` a power of two of at most 1024; None
    where that is not so.

    >>> from npexport.symshapes.constructors import float_node
    >>> dyadic(float_node("fmul", E.symbol("n"), 0.5))
    (n, 2)
    """
    if isinstance(value, E.Expr):
        return value, 1
    if isinstance(value, float):
        return _constant(value)
    op, args = value.op, value.args
    if op == "const":
        return _constant(float(args[0]))
    if op == "float":
        return dyadic(args[0])
    if op == "fdiv":
        a, b = dyadic(args[0]), dyadic(args[1])
        if a is None or b is None or b[0].terms or b[1] != 1 or b[0].const <= 0:
            return None
        return _reduced(a[0], a[1] * b[0].const)
    if op in ("fadd", "fsub", "fmul", "fneg"):
        parts = [dyadic(arg) for arg in args]
        return None if None in parts else _combined(op, parts)
    return None


def _constant(value: float) -> tuple[E.Expr, int] | None:
    if value != value or value in (float("inf"), float("-inf")):
        return None
    p, q = value.as_integer_ratio()
    return (E.integer(p), q) if q <= limits.FLOAT_DENOMINATOR and abs(p) < 1 << 40 else None


def _reduced(p: E.Expr, q: int) -> tuple[E.Expr, int] | None:
    return (p, q) if q & (q - 1) == 0 and q <= limits.FLOAT_DENOMINATOR else None


def _combined(op: str, parts: list[Any]) -> tuple[E.Expr, int] | None:
    (p, q) = parts[0]
    if op == "fneg":
        return -p, q
    r, s = parts[1]
    if op == "fmul":
        return _reduced(p * r, q * s)
    sign = 1 if op == "fadd" else -1
    return _reduced(p * s + sign * r * q, q * s)


def quotient(value: Any) -> tuple[E.Expr, E.Expr] | None:
    """``(p, q)`` where the value is ``p / q`` rounded at most once."""
    exact = dyadic(value)
    if exact is not None:
        return exact[0], E.integer(exact[1])
    if isinstance(value, E.Float) and value.op == "fdiv":
        a, b = dyadic(value.args[0]), dyadic(value.args[1])
        if a is not None and b is not None:
            return a[0] * b[1], b[0] * a[1]
    return None


def _is_root(value: Any) -> E.Expr | None:
    """The integer of which the value is the square root."""
    if isinstance(value, E.Float) and isinstance(value.args[0], E.Expr):
        if value.op == "sqrt":
            return value.args[0]
        if value.op in ("fpow", "math_pow") and isinstance(value.args[1], E.Float) and value.args[1].args == ("0.5",):
            return value.args[0]
    return None


def rounded(how: str, value: Any, positive: bool) -> E.Expr:
    """``floor``, ``ceil``, ``trunc`` or ``round`` of a float as an integer expression;
    ``positive``: the value is known not to be negative.

    >>> from npexport.symshapes.constructors import float_node
    >>> half = float_node("fdiv", E.symbol("n"), 2)
    >>> print(rounded("floor", half, True), rounded("ceil", half, True), rounded("round", half, True))
    n//2 (n + 1)//2 round_div(n, 2)
    """
    if isinstance(value, float):
        return E.integer(INT_FUNCTIONS[how](value))
    pair = quotient(value)
    if pair is not None and (positive or how != "trunc"):
        p, q = pair
        if how in ("floor", "trunc"):
            return E.floordiv(p, q)
        return E.ceildiv(p, q) if how == "ceil" else int_function("round_div", p, q)
    root = _is_root(value)
    if root is not None and how in ("floor", "trunc"):
        return int_function("isqrt", root)
    return int_function(how, value)


def compare(op: str, a: Any, b: Any) -> E.Bool:
    """``a < b`` (``flt``), ``<=`` (``fle``), ``==`` or ``!=`` of floats, as a relation of integers
    where that is exact.
    """
    left, right = dyadic(a), dyadic(b)
    if left is None and right is not None and isinstance(a, E.Float):
        left = _constant_divisor(a)
    elif right is None and left is not None and isinstance(b, E.Float):
        right = _constant_divisor(b)
    if left is None or right is None:
        return compare_floats(op, a, b)
    difference = left[0] * right[1] - right[0] * left[1]
    if op == "flt":
        return E.ge0(-difference - 1)
    if op == "fle":
        return E.ge0(-difference)
    return E.eq0(difference) if op == "feq" else E.ne0(difference)


def _constant_divisor(value: E.Float) -> tuple[E.Expr, int] | None:
    pair = quotient(value)
    if pair is None or pair[1].terms or not 0 < pair[1].const < 1 << 20:
        return None
    return pair[0], pair[1].const
