"""The decision procedure: what is known about sizes, and whether a truth follows from it.

``Facts.decide(truth)`` answers True or False only where that holds for *all* integers that satisfy
the facts, else None. It tries, cheapest first:

1. intervals;
2. congruences: ``e`` is known modulo some ``m`` (Granger, Static analysis of arithmetical
   congruences, 1989);
3. elimination over the facts that share atoms with the question
   (:mod:`npexport.symshapes.elimination`); non-linear atoms become variables constrained by their
   defining inequalities (``d*(a // d) <= a < d*(a // d) + d``, ``min(a, b) <= a``, …);
4. the same in each case of a ``min``, ``max``, ``!=`` or ``or`` that occurs, a few levels deep.

Facts only grow, so the answers True and False are kept for ever.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TypeVar

from npexport.symshapes import elimination, limits
from npexport.symshapes import expr as E
from npexport.symshapes.arithmetic import combine_residues, is_linear, round_to_residue, solvable_symbol
from npexport.symshapes.components import Components
from npexport.symshapes.intervals import by_extrema, by_quotients, compare_floats
from npexport.symshapes.ranges import EVERYTHING, ValueRanges, bounds, ends, int_oo
from npexport.symshapes.rewrite import conjuncts, substitute
from npexport.symshapes.witnesses import Witnesses

Value = TypeVar("Value", E.Expr, E.Bool)


class Facts:
    """A conjunction of truths about symbols, and what follows from it.

    ``ranges``: the interval of each symbol; ``residues``: symbol -> ``(m, r)``, the symbol is ``r``
    modulo ``m``; ``replacements``: symbol -> an expression that it equals (the symbols of
    ``eliminate_first`` are replaced before others, then the youngest); ``relations``: all other
    truths; ``relations_by_symbol``: those of them that mention a symbol; ``components``: which
    symbols depend on each other.

    >>> n = E.symbol("n")
    >>> facts = Facts({"n": ValueRanges(2, int_oo)})
    >>> facts.decide(n + n >= 4), facts.decide(E.eq(n, 1)), facts.decide(n >= 3)
    (True, False, None)
    """

    def __init__(self, ranges: dict[str, ValueRanges] | None = None) -> None:
        self.ranges: dict[str, ValueRanges] = dict(ranges or {})
        self.residues: dict[str, tuple[int, int]] = {}
        self.replacements: dict[str, E.Expr] = {}
        self.relations: dict[E.Bool, None] = {}
        self.relations_by_symbol: dict[str, dict[E.Bool, None]] = {}
        self.eliminate_first: frozenset[str] = frozenset()
        self.witnesses = Witnesses()
        self.contradictory = False
        self.version = 0
        self._decided: dict[E.Bool, bool] = {}
        self._undecided: dict[E.Bool, int] = {}
        self._known_mods: dict[E.Atom, int] = {}
        self._users: dict[str, dict[str, None]] = {}  # symbol -> those whose replacement mentions it
        self.components = Components()

    def copy(self) -> Facts:
        """An independent copy of the facts."""
        new = Facts(self.ranges)
        new.residues = dict(self.residues)
        new.replacements = dict(self.replacements)
        new.relations = dict(self.relations)
        new.relations_by_symbol = {name: dict(truths) for name, truths in self.relations_by_symbol.items()}
        new.eliminate_first, new.contradictory, new.version = self.eliminate_first, self.contradictory, self.version
        new.witnesses = self.witnesses.copy()
        new._decided, new._undecided = dict(self._decided), dict(self._undecided)
        new._known_mods = dict(self._known_mods)
        new._users = {name: dict(users) for name, users in self._users.items()}
        new.components = self.components.copy()
        return new

    def part(self, names: Iterable[str]) -> Facts:
        """The facts about some symbols only, and about all that they are connected with (see
        ``components``).
        """
        kept = dict.fromkeys(names)
        new = Facts({name: self.ranges[name] for name in kept if name in self.ranges})
        new.residues = {name: residue for name, residue in self.residues.items() if name in kept}
        new.replacements = {name: value for name, value in self.replacements.items() if name in kept}
        new._users = {name: dict(users) for name, users in self._users.items() if name in kept}
        new.relations_by_symbol = {name: dict(truths) for name, truths in self.relations_by_symbol.items() if name in kept}
        new.relations = {truth: None for truth in self.relations if not truth.symbols.isdisjoint(kept)}
        new.eliminate_first, new.contradictory = self.eliminate_first, self.contradictory
        new.witnesses = self.witnesses.part(kept)
        return new

    def replace(self, value: Value) -> Value:
        """``value`` with every symbol replaced that equals something simpler."""
        if self.replacements and not self.replacements.keys().isdisjoint(value.symbols):
            replaced: Value = substitute(value, self.replacements)
            return replaced
        return value

    def bounds(self, value: E.Expr) -> ValueRanges:
        """The interval of an expression."""
        return bounds(value, self.ranges)

    # Congruences

    def residue(self, value: E.Expr) -> tuple[int, int]:
        """``(m, r)``: the value is ``r`` modulo ``m``; ``m == 0`` says that it is ``r``, ``m == 1``
        nothing.
        """
        modulus, rest = 0, value.const
        for atom, c in value.terms.items():
            m, r = self._atom_residue(atom)
            modulus = math.gcd(modulus, c * m)
            if modulus == 1:
                return 1, 0
            rest += c * r
        return modulus, rest % modulus if modulus else rest

    def _atom_residue(self, atom: E.Atom) -> tuple[int, int]:
        if atom.op == "symbol":
            return self.residues.get(atom.args[0], (1, 0))
        if atom.op == "mul":
            m, r = 0, 1
            for factor in atom.args:
                n, s = self._atom_residue(factor)
                m, r = math.gcd(m * n, m * s, n * r), r * s
            return m, r % m if m else r
        if atom in self._known_mods:
            return 0, self._known_mods[atom]
        if atom.op in ("mod", "floordiv") and not atom.args[1].terms:
            d = atom.args[1].const
            m, r = self.residue(atom.args[0])
            if atom.op == "mod":
                return (0, r % d) if m % d == 0 else (math.gcd(m, d), r % math.gcd(m, d))
            if m % d == 0:
                return (m // d, r // d % (m // d)) if m else (0, r // d)
        return 1, 0

    # Questions

    def decide(self, truth: E.Bool) -> bool | None:
        """True if the truth holds for all sizes that satisfy the facts, False if it holds for none
        of them, None if neither is found.
        """
        if truth.op == "const":
            return bool(truth.args[0])
        answer = self._decided.get(truth)
        if answer is not None:
            return answer
        asked = self._undecided.get(truth)
        if asked is not None and self.components.unchanged(truth.symbols, asked):
            return None
        answer = self._decide(truth)
        if answer is None:
            self._undecided[truth] = self.version
        else:
            self._decided[truth] = answer
        return answer

    def _decide(self, truth: E.Bool) -> bool | None:
        quick = self.quick(truth)
        if quick is not None:
            return quick
        if self.replacements and not self.replacements.keys().isdisjoint(truth.symbols):
            return self.decide(substitute(truth, self.replacements))
        if truth.op in ("ge", "eq", "ne"):
            if is_linear(truth) and self.relations_by_symbol.keys().isdisjoint(truth.symbols):
                return None  # intervals and residues say all about a sum of independent symbols
        elif truth.op not in ("and", "or"):
            return None
        seen = self.witnesses.sides(truth)
        if len(seen) == 2:
            return None
        if truth.op in ("and", "or"):
            absorbing = truth.op == "or"
            answers = [self.decide(part) for part in truth.args]
            if absorbing in answers:
                return absorbing
            if None not in answers:
                return not absorbing
            return absorbing if absorbing not in seen and self._is_settled_together(truth) else None
        for answer, otherwise in ((True, E.negation(truth)), (False, truth)):
            if (not answer) not in seen and self._refuted(otherwise):
                return answer
        return None

    def _is_settled_together(self, truth: E.Bool) -> bool:
        """Whether parts of a conjunction contradict each other, or some part of a disjunction
        always holds. Parts whose symbols no fact and no part connects are independent, and none is
        decided alone.
        """
        parts = truth.args if truth.op == "and" else tuple(map(E.negation, truth.args))
        components = self.components.copy()
        for part in parts:
            components.join(sorted(part.symbols), 0)
        groups: dict[frozenset[str], list[E.Bool]] = {}
        for part in parts:
            groups.setdefault(frozenset(components.roots(part.symbols)), []).append(part)
        return any(len(group) > 1 and self._refuted(E.conjunction(group)) for group in groups.values())

    def _refuted(self, truth: E.Bool) -> bool:
        """Whether elimination proves that the truth does not hold. It is not asked where a witness
        of it is found, and cases are tried only where none is near.
        """
        near = functools.partial(self.witnesses.found_near, truth, self._admits, self.relations_by_symbol)
        if near(search=False):
            return False
        return elimination.inconsistent(self, (truth,), splits=0) or (not near() and elimination.inconsistent(self, (truth,)))

    def quick(self, truth: E.Bool) -> bool | None:
        """The answer of intervals and congruences alone."""
        op = truth.op
        if op == "const":
            return bool(truth.args[0])
        if op == "ge":
            lower, upper = ends(truth.args[0], self.ranges)
            if lower >= 0 or upper < 0:
                return bool(lower >= 0)
            answer = by_extrema(truth.args[0], self.ranges)
            return by_quotients(truth.args[0], self.ranges) if answer is None else answer
        if op in ("eq", "ne"):
            lower, upper = ends(truth.args[0], self.ranges)
            if not lower <= 0 <= upper:
                return op == "ne"
            if lower == upper:
                return op == "eq"
            modulus, rest = self.residue(truth.args[0])
            if rest:
                return op == "ne"
            return op == "eq" if modulus == 0 else None
        if op in ("flt", "fle", "feq", "fne"):
            return compare_floats(op, truth.args[0], truth.args[1], self.ranges)
        if op == "not":
            inner = self.quick(truth.args[0])
            return None if inner is None else not inner
        answers = [self.quick(part) for part in truth.args]
        absorbing = op == "or"
        return absorbing if absorbing in answers else None if None in answers else not absorbing

    # Learning

    def assume(self, truth: E.Bool) -> None:
        """Add a truth. A contradiction sets ``contradictory``; every truth follows from it."""
        if truth.op == "const" and not truth.args[0]:
            self.contradictory = True
        truth = substitute(truth, self.replacements) if self.replacements else truth
        known = self.quick(truth)
        if known is not None:
            if not known:
                self.contradictory = True
                self._changed(truth.symbols)
            return
        self._changed(truth.symbols)
        self._decided[truth] = True
        self._decided[E.negation(truth)] = False
        parts = conjuncts(truth)
        if len(parts) != 1:
            for part in parts:
                self.assume(part)
        elif truth.op == "ge":
            self._assume_ge(truth)
        elif truth.op == "eq":
            self._assume_eq(truth)
        else:
            self._assume_case(truth)

    def add_symbol(self, name: str, interval: ValueRanges, hint: int | None) -> None:
        """Add a symbol that is declared to be in ``interval``; ``hint`` is its example."""
        self.ranges[name] = interval
        self._changed((name,))
        if hint is not None:
            self.witnesses.add(name, interval, hint, len(self.ranges))
        if interval.is_singleton:
            self._set_replacement(name, E.integer(interval.lower))

    def _changed(self, names: Iterable[str]) -> None:
        """Something new is known about these symbols together: what was open may be decided now."""
        self.version += 1
        self.components.join(names, self.version)

    def _assume_case(self, truth: E.Bool) -> None:
        if truth.op == "ne" and len(truth.args[0].terms) == 1:
            e = truth.args[0]
            ((atom, c),) = e.terms.items()
            if atom.op == "symbol":  # an end of the interval that is excluded moves the end
                interval = self.ranges.get(atom.args[0], EVERYTHING)
                value = -e.const // c
                if value == interval.lower:
                    return self._narrow(atom.args[0], ValueRanges(value + 1, int_oo))
                if value == interval.upper:
                    return self._narrow(atom.args[0], ValueRanges(-int_oo, value - 1))
        self._relate(truth)
        return None

    def _relate(self, truth: E.Bool) -> None:
        self.relations[truth] = None
        for name in truth.symbols:
            self.relations_by_symbol.setdefault(name, {})[truth] = None
        self.witnesses.learn(truth, self._admits, self.relations_by_symbol)

    def _unrelate(self, truth: E.Bool) -> None:
        del self.relations[truth]
        for name in truth.symbols:
            del self.relations_by_symbol[name][truth]
            if not self.relations_by_symbol[name]:
                del self.relations_by_symbol[name]

    def _admits(self, name: str, value: int) -> bool:
        m, r = self.residues.get(name, (1, 0))
        return value in self.ranges.get(name, EVERYTHING) and value % m == r

    def _narrow(self, name: str, interval: ValueRanges) -> None:
        old = self.ranges.get(name, EVERYTHING)
        new = old & interval
        m, r = self.residues.get(name, (1, 0))
        if m > 1:
            new = round_to_residue(new, m, r)
        if new == old:
            return
        self._changed((name,))
        self.ranges[name] = new
        self._move_witnesses(name)
        if new.is_empty:
            self.contradictory = True
        elif new.is_singleton:
            self._set_replacement(name, E.integer(new.lower))
        for case in [truth for truth in self.relations_by_symbol.get(name, ()) if truth.op == "ne"]:
            if case in self.relations:
                self._unrelate(case)
                self._assume_case(case)

    def _assume_ge(self, truth: E.Bool) -> None:
        e = truth.args[0]
        if len(e.terms) == 1:
            ((atom, c),) = e.terms.items()
            if atom.op == "symbol":
                limit = -(e.const // c) if c > 0 else e.const // -c
                return self._narrow(atom.args[0], ValueRanges(limit, int_oo) if c > 0 else ValueRanges(-int_oo, limit))
        self._relate(truth)
        return None

    def _assume_eq(self, truth: E.Bool) -> None:
        if self._assume_congruence(truth):
            return
        e = self._without_quotients(truth.args[0])
        choice = solvable_symbol(e, self.eliminate_first)
        if choice is not None:
            atom, c = choice
            value = E.from_atom(atom) - e if c == 1 else E.from_atom(atom) + e
            if self._is_small(atom.args[0], value):
                self._set_replacement(atom.args[0], value)
                return
        self._relate(truth)
        self._narrow_by(e)

    def _is_small(self, name: str, value: E.Expr) -> bool:
        """Whether replacing the symbol leaves all replacements of a reasonable size: a chain of
        equalities could double them each time.
        """
        if not value.weight:
            return True
        uses = [self.replacements[user].weight for user in self._users.get(name, ())]
        return value.weight * (1 + max(uses, default=0)) <= limits.DECIDED_WEIGHT

    def _without_quotients(self, e: E.Expr) -> E.Expr:
        """A multiple of ``e`` in which no quotient is left that is known to be exact, where a
        symbol of it can be solved for.
        """
        found = e
        for atom in e.terms:
            if atom.op == "floordiv" and atom.args[1].is_const:
                d, (m, r) = atom.args[1].const, self.residue(atom.args[0])
                if m % d == 0 and r % d == 0:
                    found = d * found + found.terms.get(atom, 0) * (atom.args[0] - d * E.from_atom(atom))
        return e if found is e or solvable_symbol(found, self.eliminate_first) is None else found

    def _narrow_by(self, e: E.Expr) -> None:
        """From ``c*n + rest == 0``: ``n`` lies in the interval of ``-rest / c``, and in the residue
        class that this implies.
        """
        for atom, c in e.terms.items():
            if atom.op != "symbol":
                continue
            rest = bounds(E.from_atom(atom) * c - e if c > 0 else e - E.from_atom(atom) * c, self.ranges)
            d = abs(c)
            self._narrow(atom.args[0], ValueRanges(-(-rest.lower // d), rest.upper // d))
        for atom, c in e.terms.items():
            others = [k for a, k in e.terms.items() if a is not atom]
            g = math.gcd(*others)
            if atom.op == "symbol" and g > 1 and math.gcd(c, g) == 1:
                self._set_residue(atom.args[0], g, -e.const * pow(c, -1, g) % g)

    def _assume_congruence(self, truth: E.Bool) -> bool:
        """``a % d == r`` for one symbol in ``a`` gives a residue class."""
        e = truth.args[0]
        if len(e.terms) != 1:
            return False
        ((atom, c),) = e.terms.items()
        if atom.op != "mod" or atom.args[1].terms or c != 1:
            return False
        numerator, d, r = atom.args[0], atom.args[1].const, -e.const
        self._known_mods[atom] = r
        if len(numerator.terms) == 1:
            ((inner, k),) = numerator.terms.items()
            g = math.gcd(k, d)
            rest = r - numerator.const
            if inner.op == "symbol" and rest % g == 0:
                m = d // g
                self._set_residue(inner.args[0], m, rest // g * pow(k // g, -1, m) % m)
                return True
        self._relate(truth)
        return True

    def _set_residue(self, name: str, m: int, r: int) -> None:
        combined = combine_residues(self.residues.get(name, (1, 0)), (m, r))
        if combined is None:
            self.contradictory = True
            return
        if combined != self.residues.get(name, (1, 0)):
            self._changed((name,))
            self.residues[name] = combined
            self._move_witnesses(name)
            self._narrow(name, EVERYTHING)

    def _move_witnesses(self, name: str) -> None:
        interval = self.ranges.get(name, EVERYTHING)
        m, r = self.residues.get(name, (1, 0))

        def move(value: int) -> int:
            value = max(interval.lower, min(value, interval.upper))
            up = value + (r - value) % m
            return up if up <= interval.upper else up - m

        self.witnesses.moved(name, move, self.relations_by_symbol.get(name, ()))

    def _set_replacement(self, name: str, value: E.Expr) -> None:
        interval, residue = self.ranges.get(name, EVERYTHING), self.residues.get(name)
        self._changed((name, *value.symbols))
        users = self._users.pop(name, {})
        step = {name: value}
        for user in users:
            self.replacements[user] = substitute(self.replacements[user], step)
        self.replacements[name] = value
        for free in value.symbols:
            self._users.setdefault(free, {}).update({**users, name: None})
        self.witnesses.forget(name)
        lower, upper = ends(value, self.ranges)
        learned: list[E.Bool] = []
        if interval.lower > lower:
            learned.append(value >= interval.lower)
        if interval.upper < upper:
            learned.append(value <= interval.upper)
        if residue is not None:
            learned.append(E.eq(E.mod(value, residue[0]), residue[1]))
        for old in list(self.relations_by_symbol.get(name, ())):
            self._unrelate(old)
            learned.append(substitute(old, step))
        for truth in learned:
            self.assume(truth)
        if learned:
            lower, upper = ends(value, self.ranges)
        if lower > interval.lower or upper < interval.upper:
            self.ranges[name] = self.ranges.get(name, EVERYTHING) & ValueRanges(lower, upper)

    def truths(self, about: Iterable[str] | None = None) -> list[E.Bool]:
        """Everything that is known, as truths. ``about``: only truths that mention one of these
        symbols.
        """
        found: list[E.Bool] = []
        names = list(dict.fromkeys((*self.ranges, *self.residues)) if about is None else about)
        for name in names:
            n, interval = E.symbol(name), self.ranges.get(name, EVERYTHING)
            found += [n >= interval.lower] if isinstance(interval.lower, int) else []
            found += [n <= interval.upper] if isinstance(interval.upper, int) else []
            if name in self.residues:
                found.append(E.eq(E.mod(n, self.residues[name][0]), self.residues[name][1]))
        if about is None:
            return found + [E.eq(E.symbol(name), value) for name, value in self.replacements.items()] + list(self.relations)
        concerned = dict.fromkeys(user for name in names for user in (name, *self._users.get(name, ())))
        found += [E.eq(E.symbol(n), self.replacements[n]) for n in concerned if n in self.replacements]
        return found + list(dict.fromkeys(truth for name in names for truth in self.relations_by_symbol.get(name, ())))
