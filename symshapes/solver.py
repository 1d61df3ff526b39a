"""From guards and a specification to a contract, or to violations.

The policy

* A named ``Dim`` is a promise. A guard about it that the promise does not prove is a violation; a
  guard that is true on the whole promised range never counts. What a ``Dim`` can say (ranges,
  multiples, a size that is ``A*d + B``, one of a few values, a constant) is offered as a fix; for
  what none can say (``n != 7``, ``a == b**2``, ``a < b``, a disjunction) ``Dim.AUTO`` is.
* A promise is kept for every size: what guards about other sizes imply for a named dim counts as
  well (``a == b + 3`` needs ``a >= 3``).
* A guard that mentions a ``Dim.AUTO`` or ``Dim.DYNAMIC`` size, or one that only the data know, is
  kept: it is part of the contract and checked at the call. ``Dim.DYNAMIC`` refuses to become a
  constant.
* Limits of the machine (integers that are exact as floats, or int64) are no promises: the call
  alone checks them.
* With ``defer=True`` (``prefer_deferred_runtime_asserts_over_guards``) guards about named dims are
  kept too, unless one makes the dim a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from npexport.symshapes import expr as E
from npexport.symshapes.arithmetic import is_linear
from npexport.symshapes.binding import Bindings
from npexport.symshapes.decide import Facts
from npexport.symshapes.derived_sources import example
from npexport.symshapes.dims import Dim, DimHint
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.fixes import violation
from npexport.symshapes.guards import Guard
from npexport.symshapes.implications import consequences, free_symbols, tighten, univariate
from npexport.symshapes.ranges import EVERYTHING, ValueRanges, bounds
from npexport.symshapes.regions import implied
from npexport.symshapes.rewrite import conjuncts


@dataclass(frozen=True, slots=True)
class Solution:
    """The contract of an exported program.

    ``range_constraints``: the range of each symbol and of each derived input size (by expression),
    none looser than what is enforced; ``guards``: what is checked at the call besides the ranges;
    ``replacements``: symbols that turned out to equal an expression or a constant; ``constants``:
    why sizes that were to vary (``Dim.AUTO``) are constants.
    """

    range_constraints: dict[E.Expr, ValueRanges]
    guards: tuple[Guard, ...]
    replacements: Mapping[str, E.Expr]
    names: Mapping[str, str] = field(default_factory=dict)
    constants: tuple[Guard, ...] = ()

    def __str__(self) -> str:
        ranges = [f"{expression}: {interval}" for expression, interval in self.range_constraints.items()]
        return "\n".join([*ranges, *map(str, self.guards)])


def solve(env: ShapeEnv, bindings: Bindings, *, defer: bool = False) -> Solution:
    """The contract of the program that was traced under ``env``; raises ``ConstraintViolation``
    (E301) with fixes where a promise does not hold.

    >>> from npexport.symshapes.binding import bind
    >>> from npexport.symshapes.spec import LeafSpec
    >>> class X:
    ...     shape = (8,)
    >>> env = ShapeEnv()
    >>> bindings = bind(env, [LeafSpec("x", X(), (Dim.AUTO,))])
    >>> bool(bindings.shapes[0][0] % 4 == 0)
    True
    >>> print(solve(env, bindings))
    s0: VR[0, int_oo]
    x.shape[0] % 4 == 0  # x.shape[0] = 8
    """
    kept = needed_guards([*env.limits.values(), *env.guards, *_settled(env)], env)
    needed = [guard for guard in kept if not guard.is_limit]
    truths = [guard.truth for guard in needed]
    broken = [guard for guard in needed if breaks_promise(guard.truth, bindings) and not (defer and not _is_constant(guard.truth))]
    implied_limits = [] if defer else consequences(env.declared, truths, free_symbols(env, bindings))
    dynamic = frozen(env, bindings, "DYNAMIC")
    if broken or dynamic or implied_limits:
        raise violation(env, bindings, needed, broken, dynamic)
    facts = env.facts.copy()  # what is declared, and every guard
    for truth in env.limits:
        facts.assume(truth)
    tighten(facts)
    guards = (*declared_guards(env, bindings), *kept)
    constants = tuple([_constant(env, name, value) for name, value in frozen(env, bindings, "AUTO")])
    return Solution(_range_constraints(env, bindings, facts), guards, dict(facts.replacements), dict(env.names), constants)


def _settled(env: ShapeEnv) -> list[Guard]:
    """What guards say only together: which sizes of inputs are constants. The graph, which is put
    in these terms, and who reads its file know it from then on.
    """
    facts = env.facts.copy()
    tighten(facts)
    new = [(name, value) for name, value in facts.replacements.items() if name in env.hints and name not in env.facts.replacements]
    found = [(name, value.const) for name, value in new if value.is_const]
    for name, value in found:
        env.facts.assume(E.eq(E.symbol(name), value))
    return [_constant(env, name, value) for name, value in found]


def _constant(env: ShapeEnv, name: str, value: int) -> Guard:
    """Why a size that was to vary is a constant."""
    return replace(env.first_guard(name) or Guard(E.TRUE, env.names), truth=E.eq(E.symbol(name), value), example={})


def breaks_promise(truth: E.Bool, bindings: Bindings) -> bool:
    """Whether a guard that is not proved speaks of named dims only."""
    return bool(truth.symbols) and all(bindings.named(name) for name in truth.symbols)


def _is_constant(truth: E.Bool) -> bool:
    return truth.op == "eq" and len(truth.args[0].terms) == 1 and len(truth.symbols) == 1


def frozen(env: ShapeEnv, bindings: Bindings, kind: str) -> list[tuple[str, int]]:
    """The ``Dim.DYNAMIC`` or ``Dim.AUTO`` sizes that became constants."""
    found: list[tuple[str, int]] = []
    for name, root in bindings.roots.items():
        if isinstance(root, DimHint) and root.kind == kind and name in env.facts.replacements:
            value = env.facts.replacements[name]
            if value.is_const and not env.declared.ranges[name].is_singleton:
                found.append((name, value.const))
    return found


def needed_guards(guards: Iterable[Guard], env: ShapeEnv) -> list[Guard]:
    """The guards that neither the specification nor the other guards prove, in the order of the
    program.
    """
    unique: dict[E.Bool, Guard] = {}
    for guard in _split(guards, env.declared):
        unique.setdefault(guard.truth, guard)
    kept = [guard for guard in unique.values() if is_linear(guard.truth) or not implied(guard.truth, env.declared)]
    alone: dict[str, list[Guard]] = {}
    for guard in kept:
        if len(guard.truth.symbols) == 1:
            alone.setdefault(next(iter(guard.truth.symbols)), []).append(guard)
    redundant = {id(guard) for name, guards in alone.items() if len(guards) > 1 for guard in _redundant(guards, env, name)}
    return [guard for guard in kept if id(guard) not in redundant]


def _redundant(guards: list[Guard], env: ShapeEnv, name: str) -> list[Guard]:
    """Those of several guards about one size that the others prove; the later ones go first,
    constants stay.
    """
    needed = list(guards)
    declared = univariate(env.declared, name)
    for guard in reversed(guards):
        facts = Facts({name: EVERYTHING})
        for truth in declared:
            facts.assume(truth)
        for other in needed:
            if other is not guard:
                facts.assume(other.truth)
        if not _is_constant(guard.truth) and facts.decide(guard.truth) is True:
            needed.remove(guard)
    return [guard for guard in guards if guard not in needed]


def _split(guards: Iterable[Guard], declared: Facts) -> Iterable[Guard]:
    """Conjunctions as those of their parts that are not declared."""
    for guard in guards:
        parts = conjuncts(guard.truth)
        if len(parts) > 1:
            for part in [part for part in parts if declared.decide(part) is not True]:
                yield Guard(part, guard.names, guard.example, guard.stack, guard.reason, guard.deferred)
        else:
            yield guard


def declared_guards(env: ShapeEnv, bindings: Bindings) -> list[Guard]:
    """What the specification promises beyond ranges: multiples and lists of sizes."""
    found: list[Guard] = []
    for name, root in bindings.roots.items():
        if isinstance(root, Dim):
            for truth in root.truths(E.symbol(name)):
                if truth.op not in ("ge", "const"):
                    found.append(Guard(truth, env.names, example(env.names, {name: env.hints[name]}), (), f"declared by {root!r}"))
    return found


def _range_constraints(env: ShapeEnv, bindings: Bindings, facts: Facts) -> dict[E.Expr, ValueRanges]:
    found: dict[E.Expr, ValueRanges] = {}
    for name in env.symbols:
        if name not in facts.replacements:
            found[E.symbol(name)] = facts.ranges.get(name, EVERYTHING)
    for size in bindings.sizes:
        expression = facts.replace(size.expression)
        if expression.terms and expression not in found:
            own = next(iter(size.expression.symbols)) if size.expression.is_symbol else ""
            found[expression] = bounds(expression, facts.ranges) & facts.ranges.get(own, EVERYTHING)
    return found
