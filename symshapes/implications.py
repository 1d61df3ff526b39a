"""What facts imply about given symbols alone, and which ranges they imply."""

from __future__ import annotations

from collections.abc import Sequence

from npexport.symshapes import expr as E
from npexport.symshapes.binding import Bindings
from npexport.symshapes.decide import Facts
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.ranges import EVERYTHING, ends, int_oo
from npexport.symshapes.regions import implied, region, simplify_minmax, trimmed
from npexport.symshapes.rewrite import conjuncts, substitute


def free_symbols(env: ShapeEnv, bindings: Bindings) -> frozenset[str]:
    """The symbols that are not promises: hinted or unbacked ones."""
    return frozenset(name for name in env.symbols if not bindings.named(name))


def consequences(declared: Facts, truths: Sequence[E.Bool], free: frozenset[str]) -> list[E.Bool]:
    """What the truths imply, beyond the declarations, for the symbols that are not free: every
    implied truth that mentions only those.
    """
    if not truths or declared.ranges.keys() <= free:
        return []
    facts = declared.copy()
    facts.eliminate_first = free
    for truth in truths:
        facts.assume(truth)
    tighten(facts)
    found = [truth for truth in facts.truths() if truth.symbols.isdisjoint(free)]
    hidden = {name for name, value in facts.replacements.items() if name not in free and not value.symbols.isdisjoint(free)}
    found += [truth for truth in truths if truth.symbols.isdisjoint(free) and not truth.symbols.isdisjoint(hidden)]
    for name, value in facts.replacements.items():
        m, r = facts.residue(value)
        if name in free:
            continue
        if m > 1:
            found.append(E.eq(E.mod(E.symbol(name), m), r))
        if len(value.terms) == 1 and value.symbols <= free:  # A*z + B: what is known of z alone says something of this size
            ((atom, a),) = value.terms.items()
            back = {z: E.floordiv(E.symbol(name) - value.const, a) for z in atom.args if atom.op == "symbol"}
            found += [substitute(truth, back) for z in back for truth in univariate(facts, z)]
    narrow = Facts(facts.ranges)
    parts = [part for truth in found for part in conjuncts(simplify_minmax(truth, narrow))]
    return [part for part in parts if not implied(part, declared)]


def tighten(facts: Facts) -> None:
    """Narrow the ranges by linear facts about them, and exactly by facts about one symbol alone."""
    for _ in range(8):
        version = facts.version
        for truth in [truth for truth in facts.relations if truth.op == "ge"]:
            e = truth.args[0]
            for atom, c in e.terms.items():
                rest = ends(e, facts.ranges, atom)[1] if atom.op == "symbol" else int_oo
                if isinstance(rest, int):
                    limit = -(rest // abs(c)) if c > 0 else rest // -c
                    facts.assume(E.from_atom(atom) >= limit if c > 0 else E.from_atom(atom) <= limit)
        if facts.version == version:
            break
    for name in [name for name, truths in facts.relations_by_symbol.items() if any(len(truth.symbols) == 1 for truth in truths)]:
        if name not in facts.replacements:
            alone = univariate(facts, name)
            exact = region(alone, name)
            interval = trimmed(alone, name, facts.ranges.get(name, EVERYTHING)) if exact is None else exact.interval
            if isinstance(interval.lower, int):
                facts.assume(E.symbol(name) >= interval.lower)
            if isinstance(interval.upper, int):
                facts.assume(E.symbol(name) <= interval.upper)


def univariate(facts: Facts, name: str) -> list[E.Bool]:
    """The facts that mention this symbol alone."""
    return [truth for truth in facts.truths([name]) if truth.symbols == {name}]
