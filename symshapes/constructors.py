"""Operators that are not polynomials, applied: functions of integers, extrema, operations and
comparisons of floats; numbers where all arguments are numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from npexport.symshapes.expr import (
    Atom,
    Bool,
    Expr,
    Float,
    boolean,
    exact_quotient,
    expr,
    floordiv,
    from_atom,
    integer,
    make_node,
    mod,
    operator_atom,
)
from npexport.symshapes.semantics import EVALUATE, INT_FUNCTIONS


def float_symbol(name: str) -> Float:
    """The float of this name: ``f`` and a number, by which parsing tells it from an integer."""
    node: Float = make_node(Float, "symbol", (name,))
    return node


def is_float_name(name: str) -> bool:
    """Whether a symbol of this name is a float."""
    return name[0] == "f" and name[1:].isdecimal()


def int_function(name: str, *args: Any) -> Expr:
    """``name(*args)`` for a name of ``INT_FUNCTIONS``; a constant where the arguments are
    constants.
    """
    values = [number_of(arg) for arg in args]
    if all(value is not None for value in values):
        return integer(INT_FUNCTIONS[name](*values))
    args = tuple(map(operand, args))
    if name in ("bit_and", "left_shift", "right_shift"):
        arithmetic = _bits_as_arithmetic(name, *args)
        if arithmetic is not None:
            return arithmetic
    if name == "round_div" and not args[1].terms and args[1].const > 0:
        whole = exact_quotient(args[0], args[1])
        if whole is not None:
            return whole
    return operator_atom(name, *args)


def _bits_as_arithmetic(name: str, a: Expr, b: Expr) -> Expr | None:
    """A mask of low bits is a remainder and a shift by a constant a product or quotient, also of
    negative numbers.
    """
    if name == "bit_and":
        x, mask = (a, b) if not b.terms else (b, a)
        return mod(x, mask.const + 1) if not mask.terms and mask.const >= 0 and mask.const & (mask.const + 1) == 0 else None
    if b.terms or not 0 <= b.const <= 64:
        return None
    return a * (1 << b.const) if name == "left_shift" else floordiv(a, 1 << b.const)


def number_of(value: Any) -> Any:
    """The number that ``value`` denotes; ``None`` if it is not constant."""
    if isinstance(value, Expr):
        return None if value.terms else value.const
    if isinstance(value, Bool):
        return value.args[0] if value.op == "const" else None
    if isinstance(value, Float):
        return float(value.args[0]) if value.op == "const" else None
    return value


def float_node(op: str, *args: Any) -> Float | float:
    """A float operation; a plain ``float`` if all arguments are numbers."""
    values = [number_of(arg) for arg in args]
    if all(value is not None for value in values):
        return float(EVALUATE[op](*values))
    node: Float = make_node(Float, op, tuple(map(operand, args)))
    return node


def operand(value: Any) -> Any:
    """An argument of a node: floats are wrapped by their text, because ``0.0 == -0.0`` and ``nan !=
    nan`` would mix nodes up.
    """
    if isinstance(value, float):
        return make_node(Float, "const", (repr(value),))
    return expr(value) if isinstance(value, int) else value


def compare_floats(op: str, a: Any, b: Any) -> Bool:
    """``flt``, ``fle``, ``feq`` or ``fne`` of two floats (or a float and an expression)."""
    values = number_of(a), number_of(b)
    if None not in values:
        return boolean(EVALUATE[op](*values))
    truth: Bool = make_node(Bool, op, (operand(a), operand(b)))
    return truth


def _extremum(op: str, values: Iterable[Expr | int]) -> Expr:
    """The extremum of the arguments: extrema of the same kind, plus a constant, are merged, and of
    arguments that differ by a constant only one is kept.
    """
    keep_smaller = op == "min"
    best: dict[frozenset[tuple[Atom, int]], Expr] = {}
    pending = [expr(value) for value in values]
    while pending:
        value = pending.pop()
        inner = _of_kind(op, value)
        if inner is not None:
            pending.extend([arg + value.const for arg in inner.args])
            continue
        other = best.get(value.items)
        if other is None or (value.const < other.const) == keep_smaller:
            best[value.items] = value
    chosen = list(best.values())
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise ValueError(f"{op}() of nothing")
    chosen.sort(key=lambda value: (value.is_const, value.order))
    cut = _cut_again(op, chosen[0], chosen[1].const) if len(chosen) == 2 and chosen[1].is_const else None
    return cut if cut is not None else operator_atom(op, *chosen)


def _of_kind(op: str, value: Expr) -> Atom | None:
    """The atom ``op(…)`` if a value is that atom plus a constant."""
    if len(value.terms) == 1:
        ((atom, c),) = value.items
        if c == 1 and atom.op == op:
            return atom
    return None


def _cut_again(op: str, value: Expr, limit: int) -> Expr | None:
    """Nested ``min`` and ``max`` with constants, as of slices of slices, as one of each,
    ``min(max(e, l), k)``, or as the constant that they always are.
    """
    inner = _of_kind("max" if op == "min" else "min", value)
    if inner is None or not inner.args[-1].is_const:
        return None
    edge = inner.args[-1].const + value.const
    if (limit <= edge) if op == "min" else (limit >= edge):
        return integer(limit)
    return minimum(maximum(_extremum("min", inner.args[:-1]) + value.const, limit), edge) if op == "max" else None


def minimum(*values: Expr | int) -> Expr:
    """``min`` of expressions. Nested ones are merged, and of two that differ by a constant only one
    is kept.
    """
    return _extremum("min", values)


def maximum(*values: Expr | int) -> Expr:
    """``max`` of expressions; see :func:`minimum`."""
    return _extremum("max", values)


def absolute(a: Expr | int) -> Expr:
    """``abs(a)``, which is ``max(a, -a)``."""
    a = expr(a)
    return maximum(a, -a)


def joined_halves(total: Expr) -> Expr:
    """A sum in which ``max(a, b) + min(a + d, b + d)`` is ``a + b + d``: so the parts of an array
    that is cut are as long as the array, ``max(n - 1, 0) + min(n, 1)`` is ``n``.
    """
    cuts = [atom for atom in total.terms if atom.op in ("min", "max") and len(atom.args) == 2]
    for high, low in itertools.permutations(cuts, 2):
        factor = total.terms[high]
        if (high.op, low.op) != ("max", "min") or total.terms[low] != factor:
            continue
        a, b = high.args
        for one, other in (low.args, low.args[::-1]):
            if one - a == other - b:
                return joined_halves(total + factor * (a + other - from_atom(high) - from_atom(low)))
    return _joined_strides(total)


def _joined_strides(total: Expr) -> Expr:
    """A sum in which ``a//d + (a + 1)//d + … + (a + d - 1)//d`` is ``a``: so the parts of an array
    that is taken in steps are as long as the array, ``n//2 + (n + 1)//2`` is ``n``.
    """
    divided = [atom for atom in total.terms if atom.op == "floordiv" and not atom.args[1].terms]
    for first in divided:
        (a, divisor), factor = first.args, total.terms[first]
        steps = range(divisor.const if 2 <= divisor.const <= len(divided) else 0)
        parts = [floordiv(a + step, divisor) for step in steps]
        if parts and all(part.atom is not None and total.terms.get(part.atom) == factor for part in parts):
            return _joined_strides(total - factor * sum(parts, -a))
    return total
