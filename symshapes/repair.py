"""What the named dims of a specification must become so that the program keeps its promise: the
search behind the suggested fixes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.arithmetic import solvable_symbol
from npexport.symshapes.binding import Bindings
from npexport.symshapes.decide import Facts
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.implications import consequences
from npexport.symshapes.ranges import EVERYTHING
from npexport.symshapes.regions import PeriodicSet, implied, region, simplify_minmax
from npexport.symshapes.rewrite import substitute


@dataclass
class Repair:
    """``auto``: symbols whose promise is given up; ``tied``: symbols that equal ``A*root + B`` or a
    constant; ``regions``: the exact set of sizes of a root; ``parameters``: new roots (``z_s0``) ->
    the symbol that they are named after.
    """

    auto: frozenset[str] = frozenset()
    tied: dict[str, E.Expr] = field(default_factory=dict)
    regions: dict[str, PeriodicSet] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)

    def tie(self, name: str, value: E.Expr) -> None:
        """Put ``value`` in for ``name`` everywhere."""
        self.tied = {old: substitute(expression, {name: value}) for old, expression in self.tied.items()}
        self.tied[name] = value

    def add(self, other: Repair) -> None:
        """Join the repair for symbols that have nothing to do with those of this one."""
        self.auto |= other.auto
        self.tied |= other.tied
        self.regions |= other.regions
        self.parameters |= other.parameters

    def multiples(self) -> dict[str, E.Expr]:
        """The roots whose sizes are multiples, as they will be written: in terms of another
        root.
        """
        return {
            name: E.symbol(f"z_{name}") * region.modulus + region.residue for name, region in self.regions.items() if region.modulus > 1
        }

    def original(self, truth: E.Bool) -> E.Bool:
        """What is said of new roots, in terms of the symbols that they are named after."""
        for new, name, value in [
            *[(f"z_{name}", name, value) for name, value in self.multiples().items()],
            *[(parameter, name, self.tied.get(name)) for parameter, name in self.parameters.items()],
        ]:
            if value is not None and value.symbols == {new}:
                ((_, step),) = value.terms.items()
                truth = substitute(truth, {new: E.floordiv(E.symbol(name) - value.const, step)})
        return truth

    def parameter(self, name: str) -> E.Expr:
        """A new root, younger than every symbol, that will be named after ``name``."""
        self.parameters[f"z_{name}"] = name
        return E.symbol(f"z_{name}")


def repair(env: ShapeEnv, bindings: Bindings, truths: list[E.Bool], *, present: bool = False) -> Repair:
    """The repair under which the truths hold, put together from those of independent groups of
    symbols.

    ``present``: leave out sizes of 0 where that keeps all promises of a group.
    """
    found = Repair()
    names = dict.fromkeys(name for truth in truths for name in sorted(truth.symbols))
    components = env.facts.components.copy()
    for truth in truths:  # what was learned of one symbol alone may be needed in terms of another one, which it was equal to
        components.join(sorted(truth.symbols), 0)
    for group in components.groups([*env.symbols, *(name for name in names if name not in env.symbols)]):
        concerned = [truth for truth in truths if not truth.symbols.isdisjoint(group)]
        if concerned:
            best = RepairSearch(env, bindings, group, concerned).run()
            found.add(_of_present(env, bindings, group, concerned, best) if present and best.auto else best)
    return found


def _of_present(env: ShapeEnv, bindings: Bindings, group: list[str], truths: list[E.Bool], best: Repair) -> Repair:
    """The shortest repair that gives up no promise once one size is not 0, or none of those that
    are related to what ``best`` gives up; ``best`` if there is no such repair.
    """
    names = sorted({name for truth in truths if not truth.symbols.isdisjoint(best.auto) for name in truth.symbols})
    if not all(bindings.named(name) and env.hints[name] >= 1 for name in names):
        return best
    choices = (*zip(names, strict=True), names)
    repairs = [RepairSearch(env, bindings, group, [*truths, *(E.symbol(name) >= 1 for name in some)]).run() for some in choices]
    found = [repair for repair in repairs if not repair.auto]
    return min(found, key=lambda repair: len(repair.regions) + len(repair.parameters), default=best)


class RepairSearch:
    """Finds the repair for a group of symbols that gives up the fewest promises, by trying them in
    order of their number; where many requirements fail, it gives up one promise of each at once.

    A repair is *verified*: every declared truth and every requirement follows from the new
    promises; and *maximal*: ties are what equalities say, regions are exact sets.
    """

    def __init__(self, env: ShapeEnv, bindings: Bindings, group: list[str], truths: list[E.Bool]) -> None:
        self.truths = truths
        self.order = list(bindings.roots)
        self.declared = [truth for truth in env.declared.part(group).truths() if truth.symbols <= bindings.roots.keys()]  # no facts of data
        self.promises = Facts()
        for truth in self.declared:
            self.promises.assume(truth)
        self.free = frozenset(name for name in group if not bindings.named(name))
        self.alone: dict[str, Facts] = {}
        self.failing: list[E.Bool] = []

    def run(self) -> Repair:
        """The repair."""
        tried: set[frozenset[str]] = set()
        pending: list[frozenset[str]] = [frozenset()]
        while pending:
            auto = pending.pop(0)
            if auto in tried:
                continue
            tried.add(auto)
            repair = Repair(auto)
            conflict = self.attempt(repair)
            if not conflict:
                return repair
            choices = [auto | {name} for name in conflict]
            if len(self.failing) > limits.REPAIR_FAILURES:
                pending = [auto | self.cover(repair)]
            elif len(tried) < limits.REPAIR_ATTEMPTS:
                pending = sorted(pending + choices, key=len)
            else:  # too many ways: go on from here without looking back
                pending = choices[:1]
        raise AssertionError("giving up every promise is always a repair")

    def attempt(self, repair: Repair) -> list[str]:
        """Fill in the repair. Returns no symbol if it works, else those of which one has to be
        given up.

        The new promises may imply more (a smaller range settles a ``min``); then the repair is
        filled in again with what was learned.
        """
        free = self.free | repair.auto
        learned: list[E.Bool] = []
        self.failing = []
        for _ in range(limits.REPAIR_ROUNDS):
            repair.tied, repair.regions, repair.parameters = {}, {}, {}
            promised = Facts()
            conflict = self.fill(repair, consequences(self.promises, [*self.truths, *learned], free), free, promised)
            if conflict:
                return conflict
            for truth in self.declared:
                if not truth.symbols.isdisjoint(free):
                    promised.assume(substitute(truth, repair.tied))
            written = repair.multiples()
            facts = Facts()
            for truth in promised.truths():
                facts.assume(substitute(truth, written))
            truths = [substitute(substitute(truth, repair.tied), written) for truth in self.truths]
            more = consequences(facts, [simplify_minmax(truth, facts) for truth in truths], free)
            if not more:
                return []
            learned += [repair.original(truth) for truth in more]
        return self.conflict(repair, [], learned[-1].symbols)

    def fill(self, repair: Repair, truths: list[E.Bool], free: frozenset[str], promised: Facts) -> list[str]:
        """The repair that makes ``truths`` (of symbols that are not free) hold; ``promised``
        becomes its new promises.
        """
        self.parametrize(repair, truths)
        for truth in truths:
            self.tie(repair, substitute(truth, repair.tied))
        for name, value in repair.tied.items():
            if not _sayable(value):
                return self.conflict(repair, [name], value.symbols)
        declared = [truth for truth in self.declared if truth.symbols.isdisjoint(free)]
        everything = [substitute(truth, repair.tied) for truth in (*declared, *truths)]
        roots = dict.fromkeys(name for truth in truths for name in sorted(substitute(truth, repair.tied).symbols))
        roots |= dict.fromkeys(name for value in repair.tied.values() for name in sorted(value.symbols))
        for name in roots:
            alone = [truth for truth in everything if truth.symbols == {name}]
            facts = self.facts_of(name)
            if any(not implied(truth, facts) for truth in alone):
                found = region(alone, name)
                if found is None:
                    return self.conflict(repair, [name], ())
                repair.regions[name] = found
        return self.verify(repair, everything, promised)

    def conflict(self, repair: Repair, first: list[str], others: Iterable[str]) -> list[str]:
        """The user's symbols for these: ``first``, then the others, the youngest first."""
        users = [repair.parameters.get(name, name) for name in others]
        behind = [repair.parameters.get(name, name) for name in first]
        return list(dict.fromkeys([*behind, *sorted(users, key=self.order.index, reverse=True)]))

    def facts_of(self, name: str) -> Facts:
        """What is declared of one symbol alone."""
        if name not in self.alone:
            self.alone[name] = Facts({name: EVERYTHING})
            for truth in self.declared:
                if truth.symbols == {name}:
                    self.alone[name].assume(truth)
        return self.alone[name]

    def parametrize(self, repair: Repair, truths: list[E.Bool]) -> None:
        """A symbol that is known modulo ``m`` and stands in a relation is written ``m*z + r``."""
        related = {name for truth in truths if len(truth.symbols) > 1 for name in truth.symbols}
        facts = Facts()
        for truth in truths:
            if len(truth.symbols) == 1:
                facts.assume(truth)
        for name, (m, r) in facts.residues.items():
            if name in related and m > 1:
                repair.tie(name, repair.parameter(name) * m + r)

    def tie(self, repair: Repair, truth: E.Bool) -> None:
        """An equality removes one symbol; ``a*x == b*y + c`` ties both to a new parameter."""
        if truth.op != "eq":
            return
        e = truth.args[0]
        choice = solvable_symbol(e)
        if choice is not None:
            atom, c = choice
            repair.tie(atom.args[0], E.from_atom(atom) - e if c == 1 else E.from_atom(atom) + e)
        elif len(e.terms) == 2 and all(atom.op == "symbol" for atom in e.terms):
            (x, a), (y, b) = e.ordered
            b, step = -b, abs(b)  # a*x + const == b*y; gcd(a, b) is 1, or divides everything and was taken out
            if math.gcd(a, b) != 1:
                return
            start = next(n for n in range(step) if (a * n + e.const) % b == 0)
            k = repair.parameter(repair.parameters.get(x.args[0], x.args[0]))
            repair.tie(x.args[0], step * k + start)
            repair.tie(y.args[0], (a * step // b) * k + (a * start + e.const) // b)

    def verify(self, repair: Repair, everything: list[E.Bool], facts: Facts) -> list[str]:
        """Apply the repair and solve again: every promise and requirement must follow from the new
        promises, which ``facts`` is to hold.
        """
        for name in dict.fromkeys(name for truth in everything for name in sorted(truth.symbols)):
            facts.ranges.setdefault(name, EVERYTHING)
            known = repair.regions[name].truths(E.symbol(name)) if name in repair.regions else self.facts_of(name).truths()
            for truth in known:
                facts.assume(truth)
        self.failing = [truth for truth in everything if not implied(truth, facts)]
        return self.conflict(repair, [], self.failing[0].symbols) if self.failing else []

    def cover(self, repair: Repair) -> set[str]:
        """A symbol of every truth that fails, chosen greedily: each time the one that occurs in
        most of those that are left; of several, the youngest.
        """
        found: set[str] = set()
        rest = [self.conflict(repair, [], truth.symbols) for truth in self.failing]
        while rest:
            names = [name for conflict in rest for name in conflict]
            name = max(names, key=lambda name: (names.count(name), self.order.index(name)))
            found.add(name)
            rest = [conflict for conflict in rest if name not in conflict]
        return found


def _sayable(value: E.Expr) -> bool:
    """Whether a ``Dim`` can say that a size is this: a constant or ``A*d + B``."""
    return value.is_const or (len(value.terms) == 1 and next(iter(value.terms)).op == "symbol")
