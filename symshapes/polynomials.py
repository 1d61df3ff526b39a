"""Polynomials over atoms with integer coefficients: sums, products and powers of expressions, each
existing once. The laws of the normal form stand in :mod:`npexport.symshapes.expr`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from npexport.symshapes.effort import spend
from npexport.symshapes.nodes import Atom, Term, interned, make_node, place_of_sum, remember
from npexport.symshapes.semantics import int_pow
from npexport.symshapes.truths import Bool


class Expr(Term):
    """An integer expression in normal form: ``const`` plus the sum of ``coefficient * atom`` over
    ``terms`` (a dict, never changed).

    ``symbols``: the names of the symbols that occur; ``weight``: the number of operators that are
    not sums, shared subterms counted each time (a loop can double it every round); ``depth``: how
    deep those operators are nested.
    """

    __slots__ = ("const", "depth", "items", "symbols", "terms", "weight")
    const: int
    terms: dict[Atom, int]
    items: frozenset[tuple[Atom, int]]
    symbols: frozenset[str]
    weight: int
    depth: int

    # what `npexport.symshapes.expr` builds on polynomials
    __floordiv__: ClassVar[Callable[[Expr, Expr | int], Expr]]
    __rfloordiv__: ClassVar[Callable[[Expr, int], Expr]]
    __mod__: ClassVar[Callable[[Expr, Expr | int], Expr]]
    __rmod__: ClassVar[Callable[[Expr, int], Expr]]
    __ge__: ClassVar[Callable[[Expr, Expr | int], Bool]]
    __gt__: ClassVar[Callable[[Expr, Expr | int], Bool]]
    __le__: ClassVar[Callable[[Expr, Expr | int], Bool]]
    __lt__: ClassVar[Callable[[Expr, Expr | int], Bool]]

    def __getattr__(self, name: str) -> Any:
        """The attributes that are computed when they are first read."""
        if name not in ("symbols", "weight", "depth"):
            raise AttributeError(name)
        found: list[Any] = [getattr(atom, name) for atom in self.terms]
        if name == "symbols":
            self.symbols = found[0] if len(found) == 1 else frozenset().union(*found)
        elif name == "weight":
            self.weight = sum(found)
        else:
            self.depth = max(found, default=0)
        return getattr(self, name)

    def __reduce__(self) -> Any:
        return _restore, (self.const, tuple(self.ordered))

    def _place(self) -> tuple[Any, ...]:
        return place_of_sum(self.ordered, self.const)

    @property
    def is_const(self) -> bool:
        return not self.terms

    @property
    def is_symbol(self) -> bool:
        """Whether this is one symbol and nothing else."""
        atom = self.atom
        return atom is not None and atom.op == "symbol"

    @property
    def atom(self) -> Atom | None:
        """The atom that this expression is, if it is one."""
        if self.const == 0 and len(self.terms) == 1:
            ((atom, coefficient),) = self.items
            if coefficient == 1:
                return atom
        return None

    @property
    def ordered(self) -> list[tuple[Atom, int]]:
        """The terms in canonical order, in which they are printed."""
        return sorted(self.items, key=lambda item: item[0].order)

    def __add__(self, other: Expr | int) -> Expr:
        if other.__class__ is int:
            return make(self.const + other, self.terms, self.items) if other else self
        other = expr(other)
        if not other.terms:
            return make(self.const + other.const, self.terms, self.items)
        terms = self.terms.copy()
        for atom, coefficient in other.terms.items():
            total = terms.get(atom, 0) + coefficient
            if total:
                terms[atom] = total
            else:
                del terms[atom]
        return make(self.const + other.const, terms)

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return self._scaled(-1)

    def __sub__(self, other: Expr | int) -> Expr:
        if other.__class__ is int:
            return self + -other
        return combination(self.const, self.terms.copy(), ((expr(other), -1),))

    def __rsub__(self, other: Expr | int) -> Expr:
        return -self + other

    def _scaled(self, factor: int) -> Expr:
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return make(self.const * factor, {atom: c * factor for atom, c in self.terms.items()})

    def __mul__(self, other: Expr | int) -> Expr:
        if other.__class__ is int:
            return self._scaled(other)
        other = expr(other)
        if not other.terms:
            return self._scaled(other.const)
        if not self.terms:
            return other._scaled(self.const)
        terms: dict[Atom, int] = {}
        left = [*self.terms.items(), (None, self.const)] if self.const else list(self.terms.items())
        right = [*other.terms.items(), (None, other.const)] if other.const else list(other.terms.items())
        spend(2 * len(left) * len(right))
        for a, m in left:
            for b, n in right:
                if a is None or b is None:
                    key = a if b is None else b
                    if key is None:
                        continue
                else:
                    key = _product(a, b)
                terms[key] = terms.get(key, 0) + m * n
        return make(self.const * other.const, {atom: c for atom, c in terms.items() if c})

    __rmul__ = __mul__

    def __pow__(self, exponent: Expr | int) -> Expr:
        return power(self, exponent)

    def __rpow__(self, base: int) -> Expr:
        return power(base, self)


_exprs = interned()
_integers: dict[int, Expr] = {}


def make(const: int, terms: dict[Atom, int], items: frozenset[tuple[Atom, int]] | None = None) -> Expr:
    """The one expression with this constant and these terms (no coefficient zero)."""
    if not terms and const in _integers:
        return _integers[const]
    if items is None:
        items = frozenset(terms.items())
    key = (const, items)
    found: Expr | None = _exprs.get(key)
    if found is not None:
        return found
    new = object.__new__(Expr)
    new.const = const
    new.terms = terms
    new.items = items
    kept: Expr = _exprs.keep(key, new)
    if not terms and -256 <= const <= 4096:
        _integers[const] = kept
    return kept


def _restore(const: int, terms: tuple[tuple[Atom, int], ...]) -> Expr:
    """The inverse of pickling."""
    return make(const, dict(terms))


def integer(value: int) -> Expr:
    """A constant."""
    return _integers.get(value) or make(value, {})


def expr(value: Expr | int) -> Expr:
    """``value`` as an expression.

    Raises ``TypeError`` for anything but integers and expressions.
    """
    if value.__class__ is Expr:
        return value
    if isinstance(value, int):
        return integer(int(value))
    raise TypeError(f"not an integer expression: {value!r}")


@remember
def symbol(name: str) -> Expr:
    """The symbol of this name."""
    if not name.isidentifier():
        raise ValueError(f"not a name: {name!r}")
    return from_atom(make_node(Atom, "symbol", (name,)))


def from_atom(atom: Atom) -> Expr:
    """The expression that is one atom."""
    return make(0, {atom: 1})


def combination(const: int, terms: dict[Atom, int], parts: Iterable[tuple[Expr, int]]) -> Expr:
    """``const``, the ``terms`` (a new dict, which becomes the result's) and each of the ``parts``
    times its factor, added up at once.
    """
    for part, factor in parts:
        const += part.const * factor
        for atom, c in part.terms.items():
            total = terms.get(atom, 0) + c * factor
            if total:
                terms[atom] = total
            else:
                terms.pop(atom, None)
    return make(const, terms)


def operator_atom(op: str, *args: Any) -> Expr:
    """The expression ``op(*args)`` as it stands; the constructors of this module call it after
    their own simplifications.
    """
    return from_atom(make_node(Atom, op, args))


ZERO = integer(0)
ONE = integer(1)


def order_of(atom: Atom) -> tuple[Any, ...]:
    """The place of an atom in the canonical order."""
    return atom.order


def factors(atom: Atom) -> tuple[Atom, ...]:
    """The atoms whose product an atom is."""
    return atom.args if atom.op == "mul" else (atom,)


@remember
def _product(a: Atom, b: Atom) -> Atom:
    product: Atom = make_node(Atom, "mul", tuple(sorted(factors(a) + factors(b), key=order_of)))
    return product


def monomial(factors: Iterable[Atom]) -> Expr:
    """The product of atoms."""
    factors = tuple(sorted(factors, key=order_of))
    if not factors:
        return ONE
    return from_atom(factors[0] if len(factors) == 1 else make_node(Atom, "mul", factors))


def power(base: Expr | int, exponent: Expr | int) -> Expr:
    """``base ** exponent`` for an exponent that is not negative."""
    base, exponent = expr(base), expr(exponent)
    if not exponent.terms:
        n = exponent.const
        if n < 0:
            raise ValueError("negative power of an integer")
        if not base.terms:
            return integer(int_pow(base.const, n))
        if len(base.terms) + (base.const != 0) == 1 or (n <= 6 and len(base.terms) <= 3):
            result = ONE
            for _ in range(min(n, 64)):
                result = result * base
            if n <= 64:
                return result
    return operator_atom("pow", base, exponent)
