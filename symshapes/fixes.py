"""Constraint violations and the fixes that they suggest: worked out from the guards, applied to the promise and solved again before they are shown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.binding import Bindings
from npexport.symshapes.decide import Facts, holds, solvable_symbol
from npexport.symshapes.dims import DerivedDim, Dim, DimHint
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import UserError
from npexport.symshapes.guards import Guard
from npexport.symshapes.ranges import EVERYTHING, int_oo
from npexport.symshapes.refine import apply_fixes
from npexport.symshapes.regions import Region, implied, region
from npexport.symshapes.rewrite import substitute


@dataclass(frozen=True, slots=True)
class Fix:
    """One line of the suggestions: ``name`` (of a ``Dim``, or an input's size) becomes ``value``.

    ``helper``: a new ``Dim`` that ``value`` is derived from, printed before it.
    """

    name: str
    value: Dim | DerivedDim | DimHint | int
    argument: int | None = None
    helper: Dim | None = None

    @property
    def text(self) -> str:
        """The right-hand side."""
        return repr(self.value)

    def lines(self) -> list[tuple[str, str]]:
        """The assignments, the helper's first."""
        return ([(self.helper.name, repr(self.helper))] if self.helper is not None else []) + [(self.name, self.text)]

    def apply(self, spec: Any) -> Any:
        """A copy of a specification with this fix applied."""
        return apply_fixes(spec, {self.name: self.value}, {self.name: self.argument} if self.argument is not None else {})


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken promise: what was promised, what the program needs, the guard that needs it, a promised size for which it fails."""

    name: str
    promised: str
    needed: str
    guard: Guard | None
    counterexample: str = ""

    def __str__(self) -> str:
        lines = [f"{self.promised}, but the program needs {self.needed}"]
        if self.guard is not None:
            values = ", ".join(f"{name} = {value}" for name, value in self.guard.example.items())
            lines[0] += f" (true at the example, {values})" if values else ""
            if self.guard.reason:
                lines[0] += f": {self.guard.reason}"
            if self.guard.location is not None:
                lines += self.guard.location.render().splitlines()
        if self.counterexample:
            lines.append(f"  On the other side: {self.counterexample}, where the program does something that was not exported, or raises.")
        return "\n    ".join(lines)


class ConstraintViolation(UserError):
    """A promise of ``dynamic_shapes`` that the program does not keep (E301).

    ``msg``: the full text, which ends in the suggested fixes; ``violations``; ``fixes``; ``suggested_fixes``: name -> right-hand side, in an order in
    which every name is defined before it is used.
    """

    def __init__(self, violations: tuple[Violation, ...], fixes: tuple[Fix, ...], names: tuple[str, ...]) -> None:
        self.violations = violations
        self.fixes = fixes
        self.suggested_fixes: dict[str, str] = dict(line for fix in fixes for line in fix.lines())
        body = "\n".join(f"  - {violation}" for violation in violations)
        arguments = {fix.name: fix.argument for fix in fixes if fix.argument is not None}
        block = "\n".join(
            f"  {name} = {text}" + (f"  # argument {arguments[name]}" if name in arguments else "") for name, text in self.suggested_fixes.items()
        )
        note = "The fixes were applied to the specification and solved again: it holds then, and no size is excluded that the program handles."
        if any(isinstance(fix.value, DimHint) for fix in fixes):
            note += "\nWhat no Dim can say is left to Dim.AUTO: the requirement is kept and checked when the program is called."
        self.msg = f"Constraints violated ({', '.join(names)})!\n{body}\n{note}\n\nSuggested fixes:\n{block}"
        stacks = [violation.guard.stack for violation in violations if violation.guard is not None]
        super().__init__("E301", self.msg, user_stack=stacks[0] if stacks else ())

    def __str__(self) -> str:
        return f"{self.code} {self.slug}: {self.msg}"

    def apply(self, spec: Any) -> Any:
        """A copy of a specification with all fixes applied."""
        arguments = {fix.name: fix.argument for fix in self.fixes if fix.argument is not None}
        return apply_fixes(spec, {fix.name: fix.value for fix in self.fixes}, arguments)


def violation(env: ShapeEnv, bindings: Bindings, broken: list[Guard], frozen: list[tuple[str, int]]) -> ConstraintViolation:
    """The error for guards about named dims that the promise does not prove, and for ``Dim.DYNAMIC`` sizes that became constants."""
    found: list[Violation] = []
    for guard in broken:
        symbols = sorted(guard.truth.symbols, key=lambda name: list(bindings.roots).index(name))
        names = [bindings.name(name, env) for name in symbols]
        promised = " and ".join(_promise_text(env, bindings, name) for name in symbols)
        found.append(Violation(", ".join(names), promised, guard.text, guard, _counterexample(env, guard)))
    for name, value in frozen:
        cause = next((g for g in env.guards if name in g.truth.symbols), None)
        promised = f"{env.names[name]} is Dim.DYNAMIC"
        found.append(Violation(env.names[name], promised, f"{env.names[name]} == {value}, a constant", cause))
    planner = _Planner(env, bindings, [guard.truth for guard in broken])
    planner.run()
    arguments = {size.source: size.argument for size in bindings.sizes}
    hints = [Fix(env.names[name], value, arguments.get(env.names[name])) for name, value in frozen]
    fixes = (*planner.fixes(), *hints)
    return ConstraintViolation(tuple(found), fixes, tuple(sorted({name for entry in found for name in entry.name.split(", ")})))


def _promise_text(env: ShapeEnv, bindings: Bindings, symbol: str) -> str:
    return f"{env.names[symbol]} is promised to be any size of {bindings.roots[symbol]!r}"


def _counterexample(env: ShapeEnv, guard: Guard) -> str:
    """Promised sizes, near the example and small, for which the guard fails."""
    names = sorted(guard.truth.symbols)
    near = {name: [*dict.fromkeys([env.hints[name], *(env.hints[name] + d for d in (1, -1, 2, -2)), *range(9), 64, 1000, 100003])] for name in names}
    promised = [truth for truth in env.declared.truths() if truth.symbols <= set(names)]
    for values in itertools.islice(itertools.product(*near.values()), 5000):
        numbers = dict(zip(names, values, strict=True))
        if holds(promised, numbers) and not holds((guard.truth,), numbers):
            return ", ".join(f"{env.names[name]} = {value}" for name, value in numbers.items())
    return ""


@dataclass
class _Planner:
    """Finds for every named symbol what it must become. ``plan``: symbol -> expression over other symbols, ``Region`` of a root, or ``"AUTO"``."""

    env: ShapeEnv
    bindings: Bindings
    broken: list[E.Bool]
    tied: dict[str, E.Expr] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)
    auto: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Give up one promise after the other (the youngest dim first) until the rest can be kept."""
        for _ in range(len(self.bindings.roots) + 1):
            culprit = self.attempt()
            if culprit is None:
                return
            self.auto[culprit] = None

    def relevant(self) -> list[E.Bool]:
        return [truth for truth in self.broken if truth.symbols.isdisjoint(self.auto)]

    def promises(self, skip: Iterable[str] = ()) -> list[E.Bool]:
        """What is declared of all named symbols, the sizes of derived inputs included."""
        return [truth for truth in self.env.declared.truths() if truth.symbols.isdisjoint(skip)]

    def attempt(self) -> str | None:
        """One plan; the symbol that has to become ``Dim.AUTO`` where it does not hold."""
        truths = self.relevant()
        self.tied, self.regions, self.parameters = {}, {}, {}
        for truth in truths:
            self.tie(substitute(truth, self.tied))
        if not_linear := [name for name, value in self.tied.items() if not _sayable(value)]:
            return self.youngest(not_linear)
        everything = [substitute(truth, self.tied) for truth in (*self.promises(self.auto), *truths)]
        roots = dict.fromkeys(name for truth in truths for name in substitute(truth, self.tied).symbols)
        roots |= dict.fromkeys(name for value in self.tied.values() for name in value.symbols)
        for name in roots:
            alone = [truth for truth in everything if truth.symbols == {name}]
            if any(not implied(truth, self.facts_of(name)) for truth in alone):
                found = region(alone, name)
                if found is None:
                    return self.back(name)
                self.regions[name] = found
        return self.verify(everything)

    def facts_of(self, name: str) -> Facts:
        facts = Facts({name: EVERYTHING})
        for truth in self.env.declared.truths():
            if truth.symbols == {name}:
                facts.assume(truth)
        return facts

    def back(self, name: str) -> str:
        """The symbol of the user's that stands behind a parameter."""
        return self.parameters.get(name, name)

    def youngest(self, names: Iterable[str]) -> str:
        order = list(self.bindings.roots)
        return max((self.back(name) for name in names), key=order.index)

    def tie(self, truth: E.Bool) -> None:
        """An equality removes one symbol; ``a*x == b*y + c`` ties both to a new parameter."""
        if truth.op != "eq":
            return
        e = truth.args[0]
        choice = solvable_symbol(e)
        if choice is not None:
            atom, c = choice
            self.set(atom.args[0], E.from_atom(atom) - e if c == 1 else E.from_atom(atom) + e)
        elif len(e.terms) == 2 and all(atom.op == "symbol" for atom in e.terms):
            (x, a), (y, b) = e.ordered
            g = math.gcd(a, b)
            start = next(n for n in range(abs(b) // g) if (a * n + e.const) % b == 0)
            other = -(a * start + e.const) // b
            step, other_step = abs(b) // g, -a * (abs(b) // g) // b
            shift = -(-other // other_step) if other < 0 and other_step > 0 else 0
            k = E.symbol(f"k_{x.args[0]}")
            self.parameters[f"k_{x.args[0]}"] = y.args[0]
            self.set(x.args[0], step * (k + shift) + start)
            self.set(y.args[0], other_step * (k + shift) + other)

    def set(self, name: str, value: E.Expr) -> None:
        self.tied = {old: substitute(expression, {name: value}) for old, expression in self.tied.items()}
        self.tied[name] = value

    def verify(self, everything: list[E.Bool]) -> str | None:
        """Apply the plan and solve again: every promise and guard must follow from the new promises."""
        facts = Facts()
        names = dict.fromkeys(name for truth in everything for name in truth.symbols)
        for name in names:
            facts.ranges.setdefault(name, EVERYTHING)
            if name in self.regions:
                truths = self.regions[name].truths(E.symbol(name))
            else:
                truths = [truth for truth in self.env.declared.truths() if truth.symbols == {name}]
            for truth in truths:
                facts.assume(truth)
        for truth in everything:
            if not implied(truth, facts):
                return self.youngest(truth.symbols)
        return None

    # What to print

    def fixes(self) -> list[Fix]:
        """The plan as assignments: ranges first, in input order, then ties, then constants, then what is left to ``Dim.AUTO``."""
        ranges: list[Fix] = []
        ties: list[Fix] = []
        constants: list[Fix] = []
        hints: list[Fix] = []
        said: dict[str, tuple[Any, Dim | None]] = {}
        for name in [*self.parameters, *self.bindings.roots]:
            if name in self.regions or (name in self.parameters and name not in self.tied):
                said[name] = self.restated(name)
        for name, root in self.bindings.roots.items():
            if not isinstance(root, Dim):
                continue
            if name in self.auto:
                hints.append(Fix(root.name, _auto(root)))
            elif name in self.tied:
                fix = self.tied_fix(root.name, self.tied[name], said)
                (constants if isinstance(fix.value, int) else ties).append(fix)
            elif name in said:
                value, helper = said[name]
                fix = Fix(root.name, value, None, helper)
                (constants if isinstance(value, int) else ranges).append(fix)
        return [*ranges, *ties, *constants, *hints]

    def restated(self, name: str) -> tuple[Any, Dim | None]:
        """A root as the user would write it, and the helper ``Dim`` that it needs."""
        root = self.bindings.roots.get(name)
        label = root.name if root is not None and isinstance(root, Dim) else f"_{self.bindings.name(self.parameters[name], self.env)}"
        found = self.regions.get(name)
        if found is None:
            return Dim(label), Dim(label)
        low, high = found.interval.lower, found.interval.upper
        if found.members is not None:
            return Dim(label, one_of=found.members), None
        if found.interval.is_singleton:
            return int(low), None
        if found.modulus == 1:
            new = Dim(label, min=low or None, max=None if high is int_oo else high)
            return new, new if name in self.parameters else None
        m, r = found.modulus, found.residue
        lowest, highest = (low - r) // m, None if high is int_oo else (high - r) // m
        helper = Dim(f"_{label}", min=lowest or None, max=highest)
        return helper * m + r if r else helper * m, helper

    def tied_fix(self, label: str, value: E.Expr, said: Mapping[str, tuple[Any, Dim | None]]) -> Fix:
        if value.is_const:
            return Fix(label, value.const)
        (name,) = value.symbols
        target, helper = said.get(name, (self.bindings.roots.get(name), None))
        if isinstance(target, int):
            return Fix(label, E.expr(substitute(value, {name: E.integer(target)})).const)
        return Fix(label, _derived(target.root, substitute(value, {name: target.expr})), None, helper if name in self.parameters else None)


def _derived(root: Dim, expression: E.Expr) -> Dim | DerivedDim:
    return root if expression is root.expr else DerivedDim(root, expression)


def _auto(root: Dim) -> DimHint:
    """``Dim.AUTO`` with the bounds of the ``Dim`` that it stands for."""
    return DimHint("AUTO") if root.interval.lower == 0 and root.interval.upper is int_oo else DimHint("AUTO", root.interval)


def _sayable(value: E.Expr) -> bool:
    """Whether a ``Dim`` can say that a size is this: a constant or ``A*d + B``."""
    return value.is_const or (len(value.terms) == 1 and next(iter(value.terms)).op == "symbol")
