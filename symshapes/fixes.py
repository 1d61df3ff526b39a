"""Constraint violations and the fixes that they suggest: worked out from the guards, applied to the
promise and solved again before they are shown.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.arithmetic import holds
from npexport.symshapes.binding import Bindings
from npexport.symshapes.derived_sources import DerivedSource, example
from npexport.symshapes.dims import DerivedDim, Dim, DimHint
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import UserError
from npexport.symshapes.guards import Guard, Reason
from npexport.symshapes.implications import consequences, free_symbols
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.refine import apply_fixes
from npexport.symshapes.repair import Repair, repair
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
        return self.value.name if isinstance(self.value, Dim) and self.value.name != self.name else repr(self.value)

    def lines(self) -> list[tuple[str, str]]:
        """The assignments, the helper's first."""
        return ([(self.helper.name, repr(self.helper))] if self.helper is not None else []) + [(self.name, self.text)]

    def apply(self, spec: Any) -> Any:
        """A copy of a specification with this fix applied."""
        return apply_fixes(spec, {self.name: self.value}, {self.name: self.argument} if self.argument is not None else {})


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken promise: what was promised, what the program needs, the guard that needs it, a
    promised size for which it fails.
    """

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

    Parameters
    ----------
    violations : tuple
        The broken promises: what was promised, what the program needs, and where.
    fixes : tuple
        The suggested changes.
    names : tuple of str
        The names of the sizes that are promised.
    wider : tuple, optional
        What allows sizes of 0, too, which ``fixes`` leave out.

    Attributes
    ----------
    msg : str
        The full text, which ends in the suggested fixes.
    suggested_fixes : dict of str to str
        Name to right-hand side, in an order that defines every name before it is used.
    wider_fixes : dict of str to str
        The same for ``wider``, empty where the suggested fixes leave out nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import ConstraintViolation, Dim, export
    >>> try:
    ...     export(lambda x: x + np.ones(4), (np.ones(4),), dynamic_shapes={"x": {0: Dim("n")}})
    ... except ConstraintViolation as error:
    ...     print(error.suggested_fixes)
    {'n': '4'}
    """

    def __init__(
        self, violations: tuple[Violation, ...], fixes: tuple[Fix, ...], names: tuple[str, ...], wider: tuple[Fix, ...] = ()
    ) -> None:
        self.violations = violations
        self.fixes = fixes
        self.suggested_fixes: dict[str, str] = dict(line for fix in fixes for line in fix.lines())
        self.wider_fixes: dict[str, str] = dict(line for fix in wider for line in fix.lines())
        body = "\n".join(f"  - {violation}" for violation in violations)
        arguments = {fix.name: fix.argument for fix in fixes if fix.argument is not None}
        block = "\n".join(
            f"  {name} = {text}" + (f"  # argument {arguments[name]}" if name in arguments else "")
            for name, text in self.suggested_fixes.items()
        )
        note = "The fixes were applied to the specification and solved again: it holds then, "
        if self.wider_fixes:
            lines = "".join(f"\n    {name} = {text}" for name, text in self.wider_fixes.items())
            note += f"and leaves out only sizes of 0 that go the example's way.\nFor those, too, write instead:{lines}\n"
        else:
            note += "and excludes no size that goes the example's way.\n"
        if any(isinstance(fix.value, DimHint) for fix in (*fixes, *wider)):
            note += "What no Dim can say is left to Dim.AUTO: the requirement is kept and checked when the program is called.\n"
        self.msg = f"Constraints violated ({', '.join(names)})!\n{body}\n{note}\nSuggested fixes:\n{block}"
        stacks = [violation.guard.stack for violation in violations if violation.guard is not None]
        reasons = [violation.guard.reason for violation in violations if violation.guard is not None]
        hint = next((f"{reason.hint} Or apply the suggested fixes." for reason in reasons if isinstance(reason, Reason)), None)
        super().__init__("E301", self.msg, hint=hint, user_stack=stacks[0] if stacks else ())

    def __str__(self) -> str:
        return f"{self.code} {self.slug}: {self.msg}"

    def apply(self, spec: Any) -> Any:
        """A copy of the specification ``spec`` with all fixes applied."""
        arguments = {fix.name: fix.argument for fix in self.fixes if fix.argument is not None}
        return apply_fixes(spec, {fix.name: fix.value for fix in self.fixes}, arguments)


def violation(
    env: ShapeEnv, bindings: Bindings, needed: list[Guard], broken: list[Guard], frozen: list[tuple[str, int]]
) -> ConstraintViolation:
    """The error for guards about named dims that the promise does not prove, and for
    ``Dim.DYNAMIC`` sizes that became constants.
    """
    found = [_guard_violation(env, bindings, guard.truth, guard) for guard in broken]
    for name, value in frozen:
        promised = f"{env.names[name]} is Dim.DYNAMIC"
        found.append(Violation(env.names[name], promised, f"{env.names[name]} == {value}, a constant", env.first_guard(name)))
    if not found:
        for truth in consequences(env.declared, [guard.truth for guard in needed], free_symbols(env, bindings)):
            cause = next((guard for guard in needed if not guard.truth.symbols.isdisjoint(truth.symbols)), None)
            found.append(_guard_violation(env, bindings, truth, cause))
    truths = [guard.truth for guard in needed]
    chosen = repair(env, bindings, truths)
    arguments = {size.source: size.argument for size in bindings.sizes}
    hints = [Fix(env.names[name], value, arguments.get(env.names[name])) for name, value in frozen]
    fixes = (*_Writer(env, bindings, chosen).fixes(), *hints)
    kept = repair(env, bindings, truths, present=True) if chosen.auto else chosen
    names = tuple(sorted({name for entry in found for name in entry.name.split(", ")}))
    if kept.auto == chosen.auto:
        return ConstraintViolation(tuple(found), fixes, names)
    return ConstraintViolation(tuple(found), (*_Writer(env, bindings, kept).fixes(), *hints), names, fixes)


def _guard_violation(env: ShapeEnv, bindings: Bindings, truth: E.Bool, guard: Guard | None) -> Violation:
    symbols = sorted(truth.symbols, key=lambda name: list(bindings.roots).index(name))
    promised = _promise_text(env, bindings, symbols)
    names = ", ".join(bindings.name(name, env) for name in symbols)
    return Violation(names, promised, env.text(truth), guard, _counterexample(env, truth))


def _promise_text(env: ShapeEnv, bindings: Bindings, symbols: list[str]) -> str:
    """What the specification says of some sizes."""
    names, dims = [], []
    for symbol in symbols:
        name, root = env.names[symbol], bindings.roots[symbol]
        if isinstance(name, DerivedSource) and isinstance(root, Dim):
            names.append(name.place)
            dims.append(f"{name.a * root + name.b!r} of {root!r}")
        else:
            names.append(name)
            dims.append(repr(root))
    if len(names) == 1:
        return f"{names[0]} is promised to be any size of {dims[0]}"
    return f"{_listed(names)} are promised to be any sizes of {_listed(dims)}"


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1]


def _counterexample(env: ShapeEnv, guard: E.Bool) -> str:
    """Promised sizes, near the example and small, for which the truth fails."""
    names = sorted(guard.symbols)
    near = {
        name: [*dict.fromkeys([env.hints[name], *(env.hints[name] + d for d in (1, -1, 2, -2)), *range(9), 64, 1000, 100003])]
        for name in names
    }
    promised = [truth for truth in env.declared.truths(names) if truth.symbols <= guard.symbols]
    for values in itertools.islice(itertools.product(*near.values()), 5000):
        numbers = dict(zip(names, values, strict=True))
        if holds(promised, numbers) and not holds((guard,), numbers):
            return ", ".join(f"{name} = {value}" for name, value in example(env.names, numbers).items())
    return ""


class _Writer:
    """A repair as assignments."""

    def __init__(self, env: ShapeEnv, bindings: Bindings, repair: Repair) -> None:
        self.env = env
        self.bindings = bindings
        self.repair = repair
        self.roots: dict[str, tuple[Any, Dim | None]] = {}

    def fixes(self) -> list[Fix]:
        """Ranges first, in input order, then ties, then constants, then what is left to
        ``Dim.AUTO``: every name before its use.
        """
        repair = self.repair
        for name in [*repair.parameters, *self.bindings.roots]:
            if name in repair.regions or (name in repair.parameters and name not in repair.tied):
                self.roots[name] = self.restated(name)
        groups: dict[str, list[Fix]] = {"ranges": [], "ties": [], "constants": [], "hints": []}
        for name, root in self.bindings.roots.items():
            if not isinstance(root, Dim):
                continue
            if name in repair.auto:
                groups["hints"].append(Fix(root.name, _auto(root)))
            elif name in repair.tied:
                fix = self.tied(root.name, repair.tied[name])
                helped = fix.helper is not None and not any(other.helper == fix.helper for other in groups["ranges"])
                groups["constants" if isinstance(fix.value, int) else "ranges" if helped else "ties"].append(fix)
            elif name in self.roots:
                value, helper = self.roots[name]
                groups["constants" if isinstance(value, int) else "ranges"].append(Fix(root.name, value, None, helper))
        return [fix for group in groups.values() for fix in group]

    def restated(self, name: str) -> tuple[Any, Dim | None]:
        """A root as the user would write it, and the helper ``Dim`` that it needs."""
        user = self.bindings.name(self.repair.parameters.get(name, name), self.env)
        is_new = name in self.repair.parameters
        label = f"_{user}" if is_new else user
        found = self.repair.regions.get(name)
        if found is None:
            new = Dim(label)
            return new, new
        low, high = found.interval.lower, found.interval.upper
        if found.interval.is_singleton:
            return int(low), None
        if found.members is not None or found.modulus == 1:
            limit = None if high is int_oo else high
            new = Dim(label, one_of=found.members) if found.members is not None else Dim(label, min=low or None, max=limit)
            return new, new if is_new else None
        m, r = found.modulus, found.residue
        helper = Dim(f"_{label}", min=(low - r) // m or None, max=None if high is int_oo else (high - r) // m)
        return helper * m + r if r else helper * m, helper

    def tied(self, label: str, value: E.Expr) -> Fix:
        if value.is_const:
            return Fix(label, value.const)
        (name,) = value.symbols
        target, helper = self.roots.get(name, (self.bindings.roots.get(name), None))
        if isinstance(target, int):
            return Fix(label, E.expr(substitute(value, {name: E.integer(target)})).const)
        expression = substitute(value, {name: target.expression})
        new = target.root if expression is target.root.expression else DerivedDim(target.root, expression)
        return Fix(label, new, None, helper if name in self.repair.parameters else None)


def _auto(root: Dim) -> DimHint:
    """``Dim.AUTO`` with the bounds of the ``Dim`` that it replaces."""
    return DimHint("AUTO") if root.interval.lower == 0 and root.interval.upper is int_oo else DimHint("AUTO", root.interval)
