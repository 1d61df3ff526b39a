"""Exact answers about few symbols: case splits by residue, enumeration, and the shape of the set
that truths about one symbol leave.

``decide`` is quick and general; the solver asks here what ``decide`` leaves open. A truth about one
symbol that is built from ``+``, ``*`` by constants, ``//``, ``%``, ``min`` and ``max`` becomes
linear when the symbol is written ``L*k + r`` for every residue ``r`` of the common multiple ``L``
of its divisors. This is the elimination of divisibility in Cooper's procedure (Theorem proving in
arithmetic without multiplication, 1972); the sets are the periodic ones of Presburger arithmetic in
one variable, and intervals with a congruence are Granger's (Static analysis of arithmetical
congruences, 1989).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.arithmetic import holds
from npexport.symshapes.decide import Facts
from npexport.symshapes.ranges import EVERYTHING, SIZES, ValueRanges, int_oo
from npexport.symshapes.rewrite import replace_atom, subexpressions, substitute

_DIVISIONS = ("floordiv", "mod", "round_div")


def implied(truth: E.Bool, facts: Facts) -> bool:
    """Whether the truth is proved to hold for all sizes that satisfy the facts."""
    if facts.contradictory:
        return True
    truth = substitute(truth, facts.replacements)
    if False in facts.witnesses.sides(truth):
        return False
    if facts.decide(truth) is True:
        return True
    if False in facts.witnesses.sides(truth):  # of a witness that was found meanwhile
        return False
    names = sorted(truth.symbols)
    if not facts.ranges.keys() >= truth.symbols:
        return False  # floats have neither ranges nor residues
    if all(known.symbols <= truth.symbols for name in names for known in facts.relations_by_symbol.get(name, ())):
        if len(names) == 1 and facts.ranges.get(names[0], EVERYTHING).upper is int_oo:
            return _counted_and_beyond(truth, names[0], facts)
        if len(names) <= 2 and _enumerated(truth, names, facts):
            return True
    return _split(truth, names, facts)


def _counted_and_beyond(truth: E.Bool, name: str, facts: Facts) -> bool:
    """Counted up to where every ``min`` and ``max`` has settled, decided from there on."""
    low = facts.ranges[name].lower
    window = _window([truth], name)
    if not isinstance(low, int) or window > limits.REGION_WINDOW:
        return _split(truth, [name], facts)
    last = low + window
    known = [fact for fact in facts.truths([name]) if fact.symbols == {name}]
    for n in range(low, last + 1):
        if not holds((truth,), {name: n}) and holds(known, {name: n}):
            return False
    beyond = facts.copy()
    beyond.assume(E.symbol(name) > last)
    settled = simplify_minmax(truth, beyond)
    return beyond.decide(settled) is True or _split(settled, [name], beyond)


def simplify_minmax(value: Any, facts: Facts) -> Any:
    """``value`` with every ``min`` and ``max`` that the facts decide replaced by the argument that
    it is, truths that they decide by 0 or 1, and without the parts of an ``and`` or ``or`` that do
    not matter.
    """
    if isinstance(value, E.Bool) and value.op in ("and", "or"):
        rest = [simplify_minmax(arg, facts) for arg in value.args if facts.decide(arg) is not (value.op == "and")]
        if rest != list(value.args):
            return simplify_minmax(E.conjunction(rest) if value.op == "and" else E.disjunction(rest), facts)
    for part in subexpressions(value):
        if isinstance(part, E.Atom) and part.op in ("min", "max"):
            for arg in part.args:
                others = [arg <= other if part.op == "min" else arg >= other for other in part.args]
                if all(facts.decide(truth) is True for truth in others):
                    return simplify_minmax(replace_atom(value, part, arg), facts)
        elif isinstance(part, E.Atom) and part.op == "truth" and (answer := facts.decide(part.args[0])) is not None:
            return simplify_minmax(replace_atom(value, part, E.integer(int(answer))), facts)
    return value


def _window(truths: Iterable[E.Bool], name: str) -> int:
    """How far to count: well past every constant and several periods."""
    truths = list(truths)
    constants = [abs(part.const) for truth in truths for part in subexpressions(truth) if isinstance(part, E.Expr)]
    return 4 * (max(constants, default=0) + period(truths, name)) + 64


def _enumerated(truth: E.Bool, names: Sequence[str], facts: Facts) -> bool:
    spans = []
    total = 1
    for name in names:
        interval = facts.ranges.get(name, EVERYTHING)
        if not isinstance(interval.lower, int) or not isinstance(interval.upper, int):
            return False
        m, r = facts.residues.get(name, (1, 0))
        if interval.upper - interval.lower > limits.REGION_ENUMERATION * m:  # which may be too many for `len`
            return False
        spans.append(range(interval.lower + (r - interval.lower) % m, interval.upper + 1, m))
        total *= max(len(spans[-1]), 1)
        if total > limits.REGION_ENUMERATION:
            return False
    known = dict.fromkeys(relation for name in names for relation in facts.relations_by_symbol.get(name, ()))
    for values in itertools.product(*spans):
        numbers = dict(zip(names, values, strict=True))
        if holds(known, numbers) and not holds((truth,), numbers):
            return False
    return True


def _split(truth: E.Bool, names: Sequence[str], facts: Facts) -> bool:
    periods = {name: math.lcm(period([truth], name), facts.residues.get(name, (1, 0))[0]) for name in names}
    split = [name for name in names if periods[name] > 1]
    if not split or math.prod(periods[name] for name in split) > limits.REGION_SPLITS:
        return False
    known = facts.truths(names)
    for rests in itertools.product(*(range(periods[name]) for name in split)):
        mapping = {name: E.symbol(f"_{name}") * periods[name] + rest for name, rest in zip(split, rests, strict=True)}
        case = Facts()
        for fact in known:
            case.assume(substitute(fact, mapping))
        if not case.contradictory and case.decide(substitute(truth, mapping)) is not True:
            return False
    return True


def period(truths: Iterable[E.Bool], name: str) -> int:
    """The least common multiple of the constant divisors under which the symbol stands (1 without;
    0 where one is not constant).
    """
    result = 1
    for truth in truths:
        for part in subexpressions(truth):
            if isinstance(part, E.Atom) and part.op in _DIVISIONS and name in part.symbols:
                if part.args[1].terms:
                    continue
                result = math.lcm(result, part.args[1].const)
                if part.args[0].symbols and any(
                    isinstance(inner, E.Atom) and inner.op in _DIVISIONS and not inner.args[1].terms
                    for inner in subexpressions(part.args[0])
                ):
                    result *= part.args[1].const
                if part.op == "round_div":
                    result *= 2
    return min(result, 1 << 40)


@dataclass(frozen=True, slots=True)
class PeriodicSet:
    """A set of integers: those of an interval that are ``residue`` modulo ``modulus``, or the
    listed ``members``.
    """

    interval: ValueRanges
    modulus: int = 1
    residue: int = 0
    members: tuple[int, ...] | None = None

    def truths(self, value: E.Expr) -> list[E.Bool]:
        """Membership of ``value``."""
        found: list[E.Bool] = []
        if isinstance(self.interval.lower, int):
            found.append(value >= self.interval.lower)
        if isinstance(self.interval.upper, int):
            found.append(value <= self.interval.upper)
        if self.modulus > 1:
            found.append(E.eq(E.mod(value, self.modulus), self.residue))
        if self.members is not None:
            found.append(E.disjunction([E.eq(value, member) for member in self.members]))
        return found

    def __contains__(self, value: int) -> bool:
        if self.members is not None:
            return value in self.members
        return value in self.interval and value % self.modulus == self.residue


def region(truths: Sequence[E.Bool], name: str) -> PeriodicSet | None:
    """The exact set of values of the one symbol that the truths speak of, or None where it is no
    ``PeriodicSet`` or that is not proved.

    >>> n = E.symbol("n")
    >>> region([n >= 3, E.eq(n % 4, 0), n < 20], "n")
    PeriodicSet(interval=VR[4, 16], modulus=4, residue=0, members=None)
    """
    facts = Facts({name: EVERYTHING})
    for truth in truths:
        facts.assume(truth)
    if facts.contradictory:
        return None
    interval = facts.ranges[name]
    if not facts.relations:
        m, r = facts.residues.get(name, (1, 0))
        return _single(interval) or PeriodicSet(interval, m, r)
    if not isinstance(interval.lower, int):
        return None
    return _sampled(truths, name, interval)


def trimmed(truths: Sequence[E.Bool], name: str, interval: ValueRanges) -> ValueRanges:
    """The interval without the values at its ends for which a truth fails, as far as counting goes.

    >>> print(trimmed([E.ne(E.symbol("n") % 8, 0)], "n", ValueRanges(0, 16)))
    VR[1, 15]
    """
    ends = []
    for end, step in ((interval.lower, 1), (interval.upper, -1)):
        if isinstance(end, int):
            stop = end + step * limits.REGION_WINDOW
            end = next((n for n in range(end, stop, step) if n not in interval or holds(truths, {name: n})), stop)
        ends.append(end)
    return ValueRanges(*ends) if ends[0] in interval or ends[1] in interval else interval


def _single(interval: ValueRanges) -> PeriodicSet | None:
    return PeriodicSet(interval) if interval.is_singleton else None


def _sampled(truths: Sequence[E.Bool], name: str, interval: ValueRanges) -> PeriodicSet | None:
    window = _window(truths, name)
    if window > limits.REGION_WINDOW:
        return None
    low = interval.lower
    last = min(interval.upper, low + window)
    found = [n for n in range(low, last + 1) if holds(truths, {name: n})]
    if not found:
        return None
    unbounded = last < interval.upper and any(n > low + window // 2 for n in found)
    m = math.gcd(*(b - a for a, b in itertools.pairwise(found))) or 1
    upper: Any = int_oo if unbounded else found[-1]
    regular = all((b - a) == m for a, b in itertools.pairwise(found))
    if regular and len(found) > 1 and (m == 1 or len(found) > 2):
        candidate = PeriodicSet(ValueRanges(found[0], upper), m, found[0] % m)
    elif not unbounded and len(found) <= limits.REGION_MEMBERS:
        candidate = PeriodicSet(ValueRanges(found[0], found[-1]), members=tuple(found) if len(found) > 1 else None)
    else:
        return None
    return candidate if last >= interval.upper or _proved(candidate, truths, name, last + 1) else None


def _proved(candidate: PeriodicSet, truths: Sequence[E.Bool], name: str, start: int) -> bool:
    """Whether, from ``start`` on, the truths hold exactly on the candidate; below, it was
    counted.
    """
    value = E.symbol(name)
    if candidate.interval.upper is not int_oo:
        return _refuted(truths, [value >= start])
    m = candidate.modulus
    facts = Facts({name: SIZES})
    for truth in (value >= start, E.eq(E.mod(value, m), candidate.residue)):
        facts.assume(truth)
    if not all(implied(truth, facts) for truth in truths):
        return False
    outside = [value >= start, E.ne(E.mod(value, m), candidate.residue)]
    return m == 1 or (m <= limits.REGION_SPLITS and _refuted(truths, outside))


def _refuted(truths: Sequence[E.Bool], where: Sequence[E.Bool]) -> bool:
    facts = Facts()
    for truth in where:
        facts.assume(truth)
    return any(implied(E.negation(truth), facts) for truth in truths) or implied(E.negation(E.conjunction(truths)), facts)
