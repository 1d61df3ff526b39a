"""Expressions over sizes: integers, truths and floats, each in a normal form and each existing
once.

Laws of the normal form

1. An integer expression :class:`Expr` is ``const + sum(coefficient * atom)``: a polynomial with
   integer coefficients, multiplied out. No coefficient is zero.
2. An :class:`Atom` is a symbol, a product of at least two atoms, or an operator that no polynomial
   says: ``//``, ``%``, ``min``, ``max``, powers with a symbolic exponent, ``isqrt``, … of
   expressions in normal form.
3. Expressions are hash-consed: two expressions are equal by the laws above exactly when they are
   the same object, so ``is``, ``==`` and hashing are one pointer comparison. Equal *values* are the
   business of :mod:`npexport.symshapes.decide`.
4. A truth :class:`Bool` is ``e >= 0``, ``e == 0`` or ``e != 0`` with the coefficients of ``e``
   divided by their greatest common divisor, a comparison of floats, or ``and``/``or`` of those;
   ``not`` is pushed to the leaves.
5. Every rewrite here holds for all integers for which both sides are defined. A division by zero is
   refused when a ``SymInt`` is divided, so that expressions are total on the sizes that a program
   accepts.
6. Floats are exactly Python's: an expression says which operations on which floats are done.
   Roundings of exact quotients (``floor(n / 2)``) become integer operators; this is exact for
   numerators up to 2**52: sizes of axes are, by what memory holds, and of other integers it is
   checked at the call (:meth:`npexport.symshapes.env.ShapeEnv.is_exact_float`).

>>> n = symbol("s0")
>>> (2 * n + 1) // 2 is n
True
>>> str(n * (n + 1) - n)
's0**2'
"""

from __future__ import annotations

import math

from npexport.symshapes.nodes import Atom, Float, Node, make_node, remember
from npexport.symshapes.polynomials import (
    ONE,
    ZERO,
    Expr,
    combination,
    expr,
    factors,
    from_atom,
    integer,
    make,
    monomial,
    operator_atom,
    order_of,
    power,
    symbol,
)
from npexport.symshapes.truths import FALSE, TRUE, Bool, boolean, conjunction, disjunction, negation

__all__ = [
    "FALSE", "ONE", "TRUE", "ZERO", "Atom", "Bool", "Expr", "Float", "Node", "boolean", "ceildiv", "combination",
    "conjunction", "disjunction", "eq", "eq0", "exact_quotient", "expr", "floordiv", "from_atom", "ge0", "integer", "make_node",
    "mod", "monomial", "ne", "ne0", "negation", "operator_atom", "power", "symbol",
]  # fmt: skip


def exact_quotient(a: Expr, b: Expr) -> Expr | None:
    """The polynomial ``q`` with ``a == q * b``, if long division finds one."""
    if not b.terms:
        c = b.const
        if c and a.const % c == 0 and all(k % c == 0 for k in a.terms.values()):
            return make(a.const // c, {atom: k // c for atom, k in a.terms.items()})
        return None
    if not b.symbols <= a.symbols:
        return ZERO if a is ZERO else None
    lead, lead_c = b.ordered[0]
    quotient = ZERO
    for _ in range(2 * len(a.terms) + 2):
        if a is ZERO:
            return quotient
        if not a.terms:
            return None
        top, top_c = a.ordered[0]
        rest = list(factors(top))
        for factor in factors(lead):
            if factor not in rest:
                return None
            rest.remove(factor)
        if top_c % lead_c:
            return None
        step = monomial(rest) * (top_c // lead_c)
        quotient = quotient + step
        a = a - step * b
    return None


def _symmetric(c: int, d: int) -> int:
    """The residue of ``c`` modulo ``d`` in ``(-d/2, d/2]``."""
    r = c % d
    return r - d if 2 * r > d else r


def floordiv(a: Expr | int, b: Expr | int) -> Expr:
    """``a // b`` as Python's.

    For a constant ``b = d > 0``: multiples of ``d`` leave the numerator; common divisors cancel
    (``(2*a + 1) // 4 == a // 2``); nested divisions become one; the leading coefficient is positive
    (``-(-a // d)`` is ``(a + d - 1) // d``); a sum that is rounded up or down to a multiple of
    ``d`` is divided without a remainder (``(a + -a % d) // d`` is ``-(-a // d)``).

    >>> a = symbol("s0")
    >>> print(-(-a // 8), a // 2 // 3, (4 * a + 6) // 8)
    (s0 + 7)//8 s0//6 (s0 + 1)//2
    """
    a, b = expr(a), expr(b)
    if not b.terms:
        d = b.const
        if d == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        return _floordiv_const(a, d) if d > 0 else _floordiv_const(-a, -d)
    if a is ZERO:
        return ZERO
    quotient = exact_quotient(a, b)
    return quotient if quotient is not None else operator_atom("floordiv", a, b)


@remember
def _floordiv_const(a: Expr, d: int) -> Expr:
    if d == 1:
        return a
    if not a.terms:
        return integer(a.const // d)
    outside: dict[Atom, int] = {}
    inside: dict[Atom, int] = {}
    for atom, c in a.terms.items():
        r = c % d if c >= 0 else -(-c % d)
        if r:
            inside[atom] = r
        if c - r:
            outside[atom] = (c - r) // d
    whole = make(a.const // d, outside)
    if not inside:
        return whole
    const = a.const % d
    lead = min(inside, key=order_of)
    if inside[lead] < 0:
        return whole - _floordiv_const(make(d - 1 - const, {atom: -c for atom, c in inside.items()}), d)
    for atom, c in list(inside.items()):
        if atom is not lead and (r := _symmetric(c, d)) != c:
            inside[atom] = r
            whole = whole + from_atom(atom) * ((c - r) // d)
    g = math.gcd(d, *inside.values())
    if g > 1:
        return whole + _floordiv_const(make(const // g, {atom: c // g for atom, c in inside.items()}), d // g)
    for atom, c in inside.items():
        if atom.op == "mod" and _divides(d, c, atom.args[1]):
            numerator, divisor = atom.args
            rest = make(const, {other: k for other, k in inside.items() if other is not atom})
            joined = rest + numerator * c
            if len(joined.terms) < max(len(rest.terms), len(numerator.terms)):
                times: int = c * divisor.const // d
                return whole + floordiv(joined, d) - times * floordiv(numerator, divisor)
    if len(inside) == 1 and lead.op == "floordiv" and inside[lead] == 1 and not lead.args[1].terms:
        numerator, divisor = lead.args
        return whole + _floordiv_const(numerator + const * divisor.const, d * divisor.const)
    return whole + operator_atom("floordiv", make(const, inside), integer(d))


def mod(a: Expr | int, b: Expr | int) -> Expr:
    """``a % b`` as Python's: it has the sign of ``b``.

    For a constant ``b = d > 0``: coefficients are reduced modulo ``d``; common divisors leave
    (``(2*a) % 4 == 2*(a % 2)``); remainders inside, by multiples of ``d``, are what they are
    remainders of.

    >>> a = symbol("s0")
    >>> print((5 * a + 8) % 4, (6 * a + 1) % 4, (a + -a % 8) % 8)
    s0 % 4 2*(s0 % 2) + 1 0
    """
    return _mod(expr(a), expr(b))


@remember
def _mod(a: Expr, b: Expr) -> Expr:
    if b.terms:
        if a is ZERO or exact_quotient(a, b) is not None:
            return ZERO
        return operator_atom("mod", a, b)
    d = b.const
    if d == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if d < 0:
        return -mod(-a, -d)
    if not a.terms:
        return integer(a.const % d)
    terms = {atom: r for atom, c in a.terms.items() if (r := _symmetric(c, d))}
    const = a.const % d
    if not terms:
        return integer(const)
    g = math.gcd(d, *terms.values())
    if g > 1:
        return mod(make(const // g, {atom: c // g for atom, c in terms.items()}), d // g) * g + const % g
    for atom, c in terms.items():
        if atom.op == "mod" and _divides(d, c, atom.args[1]):
            return mod(combination(const, {other: k for other, k in terms.items() if other is not atom}, ((atom.args[0], c),)), d)
    return operator_atom("mod", make(const, terms), integer(d))


def _divides(d: int, c: int, m: Expr) -> bool:
    return not m.terms and c * m.const % d == 0


def ceildiv(a: Expr | int, b: Expr | int) -> Expr:
    """``-(-a // b)``: the quotient rounded up."""
    return -floordiv(-expr(a), b)


# Comparisons with zero


@remember
def ge0(e: Expr) -> Bool:
    """``e >= 0``: ``2*a - 3 >= 0`` is ``a - 2 >= 0``; ``max(a, 0) >= 1`` is ``a >= 1``."""
    terms = e.terms
    if not terms:
        return TRUE if e.const >= 0 else FALSE
    g = math.gcd(*terms.values())
    if g > 1:
        e = make(e.const // g, {atom: c // g for atom, c in terms.items()})
    cut = _cut(e)
    if cut is not None:
        op, value, limit, c = cut
        reached = c * limit + e.const >= 0
        if reached == ((op == "max") == (c > 0)):  # the limit alone makes it true, or false
            return TRUE if reached else FALSE
        return ge0(value * c + e.const)
    truth: Bool = make_node(Bool, "ge", (e,))
    return truth


def _cut(e: Expr) -> tuple[str, Expr, int, int] | None:
    """``(op, value, limit, c)`` where ``e`` is ``c * op(value, limit)`` and a constant, ``op``
    being ``min`` or ``max``.
    """
    if len(e.terms) != 1:
        return None
    ((atom, c),) = e.terms.items()
    if atom.op not in ("min", "max") or len(atom.args) != 2 or atom.args[1].terms:
        return None
    return atom.op, atom.args[0], atom.args[1].const, c


@remember
def eq0(e: Expr) -> Bool:
    """``e == 0``: false where the gcd of the coefficients does not divide the constant; the leading
    coefficient is positive; ``max(a, 0) == 1`` is ``a == 1``.
    """
    terms = e.terms
    if not terms:
        return TRUE if e.const == 0 else FALSE
    g = math.gcd(*terms.values())
    if e.const % g:
        return FALSE
    if terms[min(terms, key=order_of)] < 0:
        g = -g
    if g != 1:
        e = make(e.const // g, {atom: c // g for atom, c in terms.items()})
    cut = _cut(e)
    if cut is not None:
        op, value, limit, _ = cut  # the coefficient is 1 by now
        if limit + e.const == 0:
            return value <= limit if op == "max" else value >= limit
        return FALSE if (limit + e.const > 0) == (op == "max") else eq0(value + e.const)
    truth: Bool = make_node(Bool, "eq", (e,))
    return truth


def ne0(e: Expr) -> Bool:
    """``e != 0``, the negation of :func:`eq0`."""
    return negation(eq0(e))


def eq(a: Expr | int, b: Expr | int) -> Bool:
    """``a == b``."""
    return eq0(expr(a) - b)


def ne(a: Expr | int, b: Expr | int) -> Bool:
    """``a != b``."""
    return ne0(expr(a) - b)


# The operators of expressions

Expr.__floordiv__ = floordiv
Expr.__rfloordiv__ = lambda a, b: floordiv(b, a)
Expr.__mod__ = mod
Expr.__rmod__ = lambda a, b: mod(b, a)
Expr.__ge__ = lambda a, b: ge0(a - b)
Expr.__gt__ = lambda a, b: ge0(a - b - 1)
Expr.__le__ = lambda a, b: ge0(-a + b)
Expr.__lt__ = lambda a, b: ge0(-a + b - 1)
