"""Walks over expressions: evaluate at numbers, substitute symbols, and the general fold that both
are instances of.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import compare_floats, float_node, int_function, maximum, minimum
from npexport.symshapes.semantics import EVALUATE, FLOAT_FUNCTIONS, FLOAT_OPERATORS, INT_FUNCTIONS

BUILD: dict[str, Callable[..., Any]] = {
    "floordiv": E.floordiv, "mod": E.mod, "min": minimum, "max": maximum, "pow": E.power,
    "ge": lambda a: E.ge0(E.expr(a)), "eq": lambda a: E.eq0(E.expr(a)), "ne": lambda a: E.ne0(E.expr(a)),
    "and": lambda *args: E.conjunction(args), "or": lambda *args: E.disjunction(args), "not": E.negation,
}  # fmt: skip
"""The simplifying constructor of each operator."""
for _name in INT_FUNCTIONS:
    BUILD[_name] = lambda *args, _name=_name: int_function(_name, *args)
for _name in (*FLOAT_FUNCTIONS, *FLOAT_OPERATORS):
    BUILD[_name] = lambda *args, _name=_name: float_node(_name, *args)
for _name in ("flt", "fle", "feq", "fne"):
    BUILD[_name] = lambda a, b, _name=_name: compare_floats(_name, a, b)


def fold(value: Any, leaf: Callable[[str], Any], apply: Callable[..., Any], memo: dict[Any, Any] | None = None) -> Any:
    """``value`` taken apart: ``leaf(name)`` for a symbol, ``apply(op, *args)`` for an operator,
    plain numbers for constants.

    Sums are given as binary ``add``, ``sub``, ``neg`` and ``mul`` in their printed order; every
    other operator by its name in ``expr.EVALUATE``. Each subexpression is visited once for one
    ``memo``.

    >>> n = E.symbol("s0")
    >>> fold(2 * n - 1, str, lambda op, *args: f"{op}({', '.join(map(str, args))})")
    'sub(mul(2, s0), 1)'
    """
    memo = {} if memo is None else memo

    def go(value: Any) -> Any:
        if not isinstance(value, (E.Expr, E.Node)):
            return value
        if value not in memo:
            memo[value] = total(value) if isinstance(value, E.Expr) else node(value)
        return memo[value]

    def node(value: E.Node) -> Any:
        if value.op == "symbol":
            return leaf(value.args[0])
        if value.op == "const":
            return float(value.args[0]) if isinstance(value, E.Float) else value.args[0]
        args = [go(arg) for arg in value.args]
        if value.op == "mul":
            product = args[0]
            for arg in args[1:]:
                product = apply("mul", product, arg)
            return product
        return apply(value.op, *args)

    def total(value: E.Expr) -> Any:
        if not value.terms:
            return value.const
        parts: list[tuple[Any, int]] = [(go(atom), c) for atom, c in value.ordered]
        if value.const:
            parts.append((1, value.const))
        first = next((i for i, (_, c) in enumerate(parts) if c > 0), 0)
        parts.insert(0, parts.pop(first))
        result: Any = None
        for i, (part, c) in enumerate(parts):
            term = abs(c) if part.__class__ is int and part == 1 else part if abs(c) == 1 else apply("mul", abs(c), part)
            if i == 0:
                result = term if c > 0 else apply("neg", term)
            else:
                result = apply("add" if c > 0 else "sub", result, term)
        return result

    return go(value)


def evaluate(value: Any, numbers: Mapping[str, int]) -> Any:
    """The number or truth that ``value`` is at ``numbers``.

    Raises ``KeyError`` for a symbol without number, and ``ZeroDivisionError``, ``ValueError`` or
    ``OverflowError`` as Python would.

    >>> evaluate((E.symbol("s0") + 1) // 2, {"s0": 4})
    2
    """
    if value.__class__ is E.Expr:
        total = value.const
        for atom, c in value.terms.items():
            total += c * (numbers[atom.args[0]] if atom.op == "symbol" else _applied(atom, numbers))
        return total
    return _applied(value, numbers) if isinstance(value, E.Node) else value


def _applied(node: E.Node, numbers: Mapping[str, int]) -> Any:
    op, args = node.op, node.args
    if op == "symbol":
        return numbers[args[0]]
    if op == "const":
        return float(args[0]) if isinstance(node, E.Float) else args[0]
    if op == "and":
        return all(evaluate(arg, numbers) for arg in args)
    if op == "or":
        return any(evaluate(arg, numbers) for arg in args)
    if len(args) == 1:
        return EVALUATE[op](evaluate(args[0], numbers))
    return EVALUATE[op](*[arg.const if arg.__class__ is E.Expr and not arg.terms else evaluate(arg, numbers) for arg in args])


def substitute(value: Any, mapping: Mapping[str, E.Expr]) -> Any:
    """``value`` with symbols replaced, all at once, and brought to normal form again.

    >>> print(substitute(E.symbol("s0") % 4, {"s0": 2 * E.symbol("k")}))
    2*(k % 2)
    """
    if not isinstance(value, (E.Expr, E.Node)) or mapping.keys().isdisjoint(value.symbols):
        return value
    if isinstance(value, E.Expr):
        untouched: dict[E.Atom, int] = {}
        changed: list[tuple[E.Expr, int]] = []
        for atom, c in value.terms.items():
            if mapping.keys().isdisjoint(atom.symbols):
                untouched[atom] = c
            else:
                changed.append((substitute(atom, mapping), c))
        return E.combination(value.const, untouched, changed)
    if value.op == "symbol":
        return mapping[value.args[0]]
    args = [E.from_atom(arg) if isinstance(arg, E.Atom) else arg for arg in value.args]
    args = [substitute(arg, mapping) for arg in args]
    if value.op == "mul":
        return functools.reduce(operator.mul, args)
    return BUILD[value.op](*args)


def replace_atom(value: Any, atom: E.Atom, by: E.Expr) -> Any:
    """``value`` with one atom replaced wherever it stands, in normal form."""
    if isinstance(value, E.Expr):
        return E.combination(
            value.const, {}, [(by if part is atom else replace_atom(part, atom, by), c) for part, c in value.terms.items()]
        )
    if value is atom:
        return by
    if not isinstance(value, E.Node) or value.op in ("symbol", "const"):
        return E.from_atom(value) if isinstance(value, E.Atom) else value
    args = [replace_atom(arg, atom, by) for arg in value.args]
    if value.op == "mul":
        return functools.reduce(operator.mul, args)
    return BUILD[value.op](*args)


def children(value: Any) -> list[Any]:
    """The parts of an expression, one level down (atoms of a sum, arguments of a node)."""
    return list(value.terms) if isinstance(value, E.Expr) else [arg for arg in value.args if isinstance(arg, (E.Expr, E.Node))]


def subexpressions(value: Any) -> list[Any]:
    """Every node and expression inside ``value``, itself included, each once."""
    found: dict[Any, None] = {}
    stack = [value]
    while stack:
        part = stack.pop()
        if part not in found:
            found[part] = None
            stack.extend(children(part))
    return list(found)


def as_congruence(truth: E.Bool) -> E.Bool:
    """``n == d*(n//d) + r`` as ``n % d == r``, ``-n % d == 0`` as ``n % d == 0``; any other truth
    itself.

    >>> n = E.symbol("s0")
    >>> print(as_congruence(E.eq(n, n // 4 * 4)))
    s0 % 4 == 0
    """
    if truth.op not in ("eq", "ne"):
        return truth
    e, build = truth.args[0], E.eq0 if truth.op == "eq" else E.ne0
    for atom, q in e.terms.items():
        if atom.op == "mod" and e.const == 0 and len(e.terms) == 1 and atom.args[1].is_const and atom.args[0].ordered[0][1] < 0:
            return build(E.mod(-atom.args[0], atom.args[1]))
        if atom.op == "floordiv" and atom.args[1].is_const and q % atom.args[1].const == 0:
            c = -q // atom.args[1].const
            rest = e - q * E.from_atom(atom) - c * atom.args[0]
            if rest.is_const:
                return build(c * E.mod(*atom.args) + rest)
    return truth


def by_factors(truth: E.Bool, is_size: Callable[[E.Expr], bool]) -> E.Bool:
    """An equality of a product of sizes and one of their quotients as what it says of each: all are
    multiples, or one is 0. Any other truth itself. ``is_size`` says what is known not to be
    negative.

    >>> a, b = E.symbol("s0"), E.symbol("s1")
    >>> print(by_factors(E.eq(a * b, 6 * (a // 2) * (b // 3)), lambda size: True))
    s0 == 0 or s1 == 0 or s0 % 2 == 0 and s1 % 3 == 0
    """
    e = truth.args[0]
    if truth.op not in ("eq", "ne") or e.const or len(e.terms) != 2:
        return truth
    (left, p), (right, q) = e.terms.items()
    sides = [(list(atom.args if atom.op == "mul" else (atom,)), abs(c)) for atom, c in ((left, p), (right, q))]
    shared = [atom for atom in sides[0][0] if atom in sides[1][0]]
    if p * q > 0 or len(set(shared)) != len(shared):
        return truth
    for (quotients, c), (wholes, k) in (sides, sides[::-1]):
        sizes = {E.from_atom(atom): atom for atom in wholes if atom not in shared}
        divisors = {atom.args[0]: atom.args[1] for atom in quotients if atom not in shared and atom.op == "floordiv"}
        if sizes.keys() != divisors.keys() or len(quotients) != len(wholes) or len(wholes) != len(shared) + len(sizes):
            continue
        if not sizes or any(d.terms for d in divisors.values()) or c != k * math.prod(d.const for d in divisors.values()):
            continue
        zeros = [E.from_atom(atom) for atom in shared] + (list(sizes) if len(sizes) > 1 else [])
        if all(is_size(size) for size in (*zeros, *sizes)):
            multiples = E.conjunction(E.eq(E.mod(size, d), 0) for size, d in divisors.items())
            said = E.disjunction([*(E.eq(size, 0) for size in zeros), multiples])
            return said if truth.op == "eq" else E.negation(said)
    return truth


_MOST_CONJUNCTS = 64
"""How many truths one that bounds a sum of extremes may become."""


def conjuncts(truth: E.Bool) -> tuple[E.Bool, ...]:
    """Truths that hold together where ``truth`` does: the parts of an ``and``; ``min(a, b) >= c``
    says it of both, if that makes few truths; a product that is not 0 has factors that are not.

    >>> n, m = E.symbol("s0"), E.symbol("s1")
    >>> print(*conjuncts(minimum(n, m) >= 2))
    s0 >= 2 s1 >= 2
    """
    if truth.op == "and":
        return tuple([part for each in truth.args for part in conjuncts(each)])
    if truth.op == "ge":
        e = truth.args[0]
        found = [(atom, c) for atom, c in e.terms.items() if atom.op == ("min" if c > 0 else "max")]
        if found and math.prod([len(atom.args) for atom, _ in found]) <= _MOST_CONJUNCTS:
            atom, c = found[0]
            rest = e - c * E.from_atom(atom)
            return tuple([part for arg in atom.args for part in conjuncts(E.ge0(rest + c * arg)) if part is not E.TRUE])
    if truth.op == "ne" and truth.args[0].const == 0 and len(truth.args[0].terms) == 1:
        (atom,) = truth.args[0].terms
        if atom.op == "mul":
            return tuple([E.ne0(E.from_atom(factor)) for factor in dict.fromkeys(atom.args)])
    return (truth,)
