"""Refutation by elimination: are facts and a hypothesis contradictory over the integers?

Every atom of the constraints is a variable. What is known about an atom by its meaning is added as
linear constraints. Then variables are eliminated: equalities by substitution, inequalities pairwise
(Fourier and Motzkin), every new inequality divided by the gcd of its coefficients and rounded. This
is the real shadow of the Omega test (Pugh, The Omega test, 1991) with its tightening of
constraints; dark shadows and splinters, which complete that test and Cooper's procedure (Theorem
proving in arithmetic without multiplication, 1972), are left out. A constant negative inequality is
a contradiction. So the answer True is a proof; False means only that none was found within
:mod:`npexport.symshapes.limits`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.ranges import ValueRanges, bounds

_Row = tuple[int, dict[E.Atom, int]]


class Knowledge(Protocol):
    """The interface of the facts for elimination; :class:`npexport.symshapes.decide.Facts`
    documents it.
    """

    @property
    def ranges(self) -> Mapping[str, ValueRanges]: ...

    @property
    def relations_by_symbol(self) -> Mapping[str, Mapping[E.Bool, None]]: ...

    @property
    def relations(self) -> Mapping[E.Bool, None]: ...

    def quick(self, truth: E.Bool) -> bool | None: ...

    def residue(self, value: E.Expr) -> tuple[int, int]: ...


def inconsistent(facts: Knowledge, hypotheses: tuple[E.Bool, ...], splits: int = limits.ELIMINATION_SPLITS) -> bool:
    """Whether elimination proves that no integers satisfy both the facts and the hypotheses."""
    system = _System(facts)
    for truth in hypotheses:
        system.assume(truth)
    if system.contradiction:
        return True
    system.close()
    if _refute(system.rows()):
        return True
    if splits == 0:
        return False
    for choices in system.choices():
        return all(inconsistent(facts, (*hypotheses, *choice), splits - 1) for choice in choices)
    return False


class _System:
    """The constraints of one question: expressions that are not negative (``linear``) or zero
    (``zero``).
    """

    def __init__(self, facts: Knowledge) -> None:
        self.facts = facts
        self.linear: dict[E.Expr, None] = {}
        self.zero: dict[E.Expr, None] = {}
        self.cases: list[E.Bool] = []
        self.taken: set[E.Bool] = set()
        self.contradiction = False
        self.atoms: dict[E.Atom, None] = {}

    def assume(self, truth: E.Bool) -> None:
        self.taken.add(truth)
        op = truth.op
        quick = self.facts.quick(truth)
        if quick is False:
            self.contradiction = True
        if quick is not None:
            return
        if op == "and":
            for part in truth.args:
                self.assume(part)
        elif op == "ge":
            self.linear[truth.args[0]] = None
        elif op == "eq":
            self.zero[truth.args[0]] = None
        elif op in ("ne", "or"):
            self.cases.append(truth)

    def close(self) -> None:
        """Add the facts that are relevant to the question, and the meanings of its atoms."""
        pending = [
            atom
            for store in (self.linear, self.zero, [case.args[0] for case in self.cases if case.op == "ne"])
            for e in store
            for atom in e.terms
        ]
        while pending and len(self.atoms) < limits.ELIMINATION_ATOMS:
            atom = pending.pop(0)
            if atom in self.atoms:
                continue
            self.atoms[atom] = None
            about = self.facts.relations_by_symbol.get(next(iter(atom.symbols)), ())
            known = [truth for truth in about if truth.op in ("ge", "eq") and (atom.op == "symbol" or atom in truth.args[0].terms)]
            for truth in (*known, *meaning(atom, self.facts)):
                if truth.op != "const":
                    store = self.zero if truth.op == "eq" else self.linear
                    store[truth.args[0]] = None
                    pending.extend(truth.args[0].terms)

    def rows(self) -> tuple[list[_Row], list[_Row]]:
        """The equalities and inequalities, including the ranges of all atoms."""
        linear = [(e.const, e.terms) for e in self.linear]
        mentioned = dict.fromkeys(atom for store in (self.linear, self.zero) for e in store for atom in e.terms)
        for atom in mentioned:
            interval = bounds(E.from_atom(atom), self.facts.ranges)
            if isinstance(interval.lower, int):
                linear.append((-interval.lower, {atom: 1}))
            if isinstance(interval.upper, int):
                linear.append((interval.upper, {atom: -1}))
        return [(e.const, e.terms) for e in self.zero], linear

    def choices(self) -> list[tuple[tuple[E.Bool, ...], ...]]:
        """Ways to split into exhaustive cases, the most promising first."""
        found: list[tuple[tuple[E.Bool, ...], ...]] = []
        symbols = dict.fromkeys(name for atom in self.atoms for name in sorted(atom.symbols))
        for case in dict.fromkeys((*self.cases, *(case for name in symbols for case in self.facts.relations_by_symbol.get(name, ())))):
            if case in self.taken and case in self.facts.relations:
                continue
            if case.op == "or":
                options = tuple((part,) for part in case.args)
            elif case.op == "ne":
                options = ((E.ge0(case.args[0] - 1),), (E.ge0(-case.args[0] - 1),))
            else:
                continue
            if not any(option[0] in self.taken for option in options):
                found.append(options)
        for atom in self.atoms:
            if atom.op in ("min", "max"):
                one = E.from_atom(atom)  # said of the atom itself: that max(a, 0) is 0 would be put as a <= 0
                options = tuple((E.make_node(E.Bool, "eq", (one - arg,)),) for arg in atom.args)
                if not any(option[0] in self.taken for option in options):
                    found.append(options)
        return found


def meaning(atom: E.Atom, facts: Knowledge) -> list[E.Bool]:
    """The linear truths over atoms that the definition of an atom implies."""
    one = E.from_atom(atom)
    op, args = atom.op, atom.args
    if op in ("floordiv", "mod"):
        a, b = args
        if bounds(b, facts.ranges).lower < 1:
            return []
        if op == "floordiv":
            m, r = facts.residue(a)
            if not b.terms and m % b.const == 0:
                return [E.eq0(a - r % b.const - b * one)]
            return [E.ge0(a - one * b), E.ge0(one * b + b - 1 - a)]
        return [E.eq0(a - b * E.floordiv(a, b) - one), E.ge0(one), E.ge0(b - 1 - one)]
    if op == "min":
        return [E.ge0(arg - one) for arg in args]
    if op == "max":
        return [E.ge0(one - arg) for arg in args]
    if op == "round_div":
        a, b = args
        if bounds(b, facts.ranges).lower < 1:
            return []
        return [E.ge0(2 * a - 2 * one * b + b), E.ge0(2 * one * b + b - 2 * a)]
    if op == "isqrt":
        return [E.ge0(args[0] - one * one), E.ge0(one * one + 2 * one - args[0])]
    if op == "mul":
        return _product_meaning(atom, facts)
    return []


def _product_meaning(atom: E.Atom, facts: Knowledge) -> list[E.Bool]:
    """``(x - lower(x)) * (y - lower(y)) >= 0`` and the three analogous truths, for the product of
    ``x`` and the rest; the square of an integer is at least its absolute value.
    """
    x, y = E.from_atom(atom.args[0]), E.monomial(atom.args[1:])
    found = [E.ge0(x * y - x), E.ge0(x * y + x)] if y is x else []
    x_range, y_range = bounds(x, facts.ranges), bounds(y, facts.ranges)
    x_sides = [
        (x - x_range.lower) if isinstance(x_range.lower, int) else None,
        (-x + x_range.upper) if isinstance(x_range.upper, int) else None,
    ]
    y_sides = [
        (y - y_range.lower) if isinstance(y_range.lower, int) else None,
        (-y + y_range.upper) if isinstance(y_range.upper, int) else None,
    ]
    for u in x_sides:
        for v in y_sides:
            if u is not None and v is not None:
                found.append(E.ge0(u * v))
    return [truth for truth in found if truth.op == "ge"]


def _tight(const: int, terms: dict[E.Atom, int]) -> _Row:
    g = math.gcd(*terms.values())
    return (const, terms) if g <= 1 else (const // g, {atom: c // g for atom, c in terms.items()})


def _combine(a: _Row, p: int, b: _Row, q: int) -> _Row:
    """``p * a + q * b``."""
    terms = {atom: c * p for atom, c in a[1].items()}
    for atom, c in b[1].items():
        total = terms.get(atom, 0) + q * c
        if total:
            terms[atom] = total
        else:
            del terms[atom]
    return a[0] * p + b[0] * q, terms


def _refute(rows: tuple[list[_Row], list[_Row]]) -> bool:
    equalities, inequalities = rows
    while equalities:
        const, terms = equalities.pop()
        if not terms:
            if const:
                return True
            continue
        g = math.gcd(*terms.values())
        if const % g:
            return True
        const, terms = const // g, {atom: c // g for atom, c in terms.items()}
        pivot = min(terms, key=lambda atom: (abs(terms[atom]), atom.order))
        k = terms[pivot]
        sign = 1 if k > 0 else -1

        def without(row: _Row, exact: bool, pivot: E.Atom = pivot, k: int = k, sign: int = sign, by: _Row = (const, terms)) -> _Row:
            c = row[1].get(pivot, 0)
            if c == 0:
                return row
            new = _combine(row, abs(k), by, -c * sign)
            return new if exact or not new[1] else _tight(*new)

        equalities = [without(row, True) for row in equalities]
        inequalities = [without(row, False) for row in inequalities]
    return _refute_inequalities(inequalities)


def _refute_inequalities(rows: list[_Row]) -> bool:
    while True:
        if any(const < 0 and not terms for const, terms in rows):
            return True
        rows = _tightest(_two_sided(rows))
        if not rows:
            return False
        counts: dict[E.Atom, list[int]] = {}
        for _, terms in rows:
            for atom, c in terms.items():
                counts.setdefault(atom, [0, 0])[c > 0] += 1
        pivot = min(counts, key=lambda atom: counts[atom][0] * counts[atom][1] - counts[atom][0] - counts[atom][1])
        negative, positive = counts[pivot]
        if len(rows) - negative - positive + negative * positive > limits.ELIMINATION_ROWS:
            return False
        lower = [row for row in rows if row[1].get(pivot, 0) > 0]
        upper = [row for row in rows if row[1].get(pivot, 0) < 0]
        rows = [row for row in rows if pivot not in row[1]]
        for low in lower:
            for high in upper:
                p, q = -high[1][pivot], low[1][pivot]
                g = math.gcd(p, q)
                new = _combine(low, p // g, high, q // g)
                rows.append(_tight(*new) if new[1] else new)


def _two_sided(rows: list[_Row]) -> list[_Row]:
    """The rows without those that mention an atom without a lower or without an upper bound: such
    an atom can be chosen so that they hold.
    """
    while True:
        positive: set[E.Atom] = set()
        negative: set[E.Atom] = set()
        for _, terms in rows:
            for atom, c in terms.items():
                (positive if c > 0 else negative).add(atom)
        free = positive ^ negative
        if not free:
            return rows
        rows = [row for row in rows if free.isdisjoint(row[1])]


def _tightest(rows: list[_Row]) -> list[_Row]:
    """Of rows with the same terms the one with the least constant; without rows of no terms."""
    best: dict[frozenset[tuple[E.Atom, int]], _Row] = {}
    for row in rows:
        if row[1]:
            key = frozenset(row[1].items())
            if key not in best or row[0] < best[key][0]:
                best[key] = row
    return list(best.values())
