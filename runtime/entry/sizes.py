"""Checks of dynamic sizes: symbols are solved from the shapes of the inputs, then ranges and guards
are held against them.

The plan is a list of steps, worked out once. Each step is one condition in the compiled fast path
and one sentence in the explanation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from npexport.ir.argument_specs import ConstantArgument
from npexport.ir.meta import TensorMeta
from npexport.runtime.calling import Leaf
from npexport.runtime.emission.emit import code_of
from npexport.symshapes import expr as E
from npexport.symshapes.derived_sources import DerivedSource, example, source_text
from npexport.symshapes.errors import InputMismatch, InternalError
from npexport.symshapes.rewrite import evaluate, substitute
from npexport.symshapes.semantics import FLOAT_FUNCTIONS, INT_FUNCTIONS

FUNCTIONS: dict[str, Callable[..., Any]] = {**INT_FUNCTIONS, **FLOAT_FUNCTIONS}


@dataclass(frozen=True)
class Place:
    """Where a number comes from: axis ``axis`` of the input number ``index``, or that input
    itself.
    """

    index: int
    axis: int | None
    path: str

    @property
    def local(self) -> str:
        return f"i{self.index}" if self.axis is None else f"i{self.index}[{self.axis}]"


@dataclass
class Solve:
    """``place == coefficient * symbol + rest`` gives the symbol."""

    place: Place
    size: E.Expr
    symbol: str
    coefficient: int
    rest: E.Expr

    def path(self, terms: Mapping[str, str]) -> str:
        return self.place.path

    def term(self, names: Mapping[str, str]) -> str:
        if self.coefficient == 1 and not self.rest.terms and self.rest.const == 0:
            return f"({names[self.symbol]} := {self.place.local}) is not None"
        numerator, divisor = f"({self.place.local} - ({source_text(self.rest, names)}))", f"({self.coefficient})"
        return f"{numerator} % {divisor} == 0 and ({names[self.symbol]} := {numerator} // {divisor}) is not None"

    def problem(self, have: int, values: dict[str, int], terms: Mapping[str, str]) -> str | None:
        if isinstance(self.size, E.Float):
            values[self.symbol] = have
            return None
        quotient, remainder = divmod(have - evaluate(self.rest, values), self.coefficient)
        if remainder:
            return f"{self.place.path}: expected a size of the form {source_text(self.size, {**terms, self.symbol: 'k'})}, got {have}"
        values[self.symbol] = quotient
        return None


@dataclass
class Same:
    """``place == size``, whose symbols are known."""

    place: Place
    size: E.Expr

    def path(self, terms: Mapping[str, str]) -> str:
        return self.place.path

    def term(self, names: Mapping[str, str]) -> str:
        return f"{self.place.local} == {source_text(self.size, names)}"

    def problem(self, have: int, values: dict[str, int], terms: Mapping[str, str]) -> str | None:
        need = evaluate(self.size, values)
        return None if need == have else f"{self.place.path}: expected {need}, which is {source_text(self.size, terms)}, got {have}"


@dataclass
class Range:
    """``lower <= size <= upper``."""

    size: E.Expr
    lower: int | None
    upper: int | None
    label: str = ""  # the input whose size it is

    def path(self, terms: Mapping[str, str]) -> str:
        return self.label or source_text(self.size, terms)

    def term(self, names: Mapping[str, str]) -> str:
        low, high = ("" if self.lower is None else f"{self.lower} <= "), ("" if self.upper is None else f" <= {self.upper}")
        return f"{low}{source_text(self.size, names)}{high}"

    def problem(self, have: int, values: dict[str, int], terms: Mapping[str, str]) -> str | None:
        value = evaluate(self.size, values)
        if (self.lower is None or self.lower <= value) and (self.upper is None or value <= self.upper):
            return None
        words = " and ".join([f"at least {self.lower}"] * (self.lower is not None) + [f"at most {self.upper}"] * (self.upper is not None))
        return f"{self.path(terms)}: expected {words}, got {value}"


@dataclass
class Truth:
    """A guard.

    ``known``: what those of its symbols are that stand in no shape; ``truth``: its condition with
    these put in.
    """

    guard: Any
    known: Mapping[str, E.Expr]
    truth: Any

    def term(self, names: Mapping[str, str]) -> str:
        return f"({source_text(self.truth, names)})"

    def plain(self, names: Mapping[str, str]) -> str | None:
        """The same where these are all its symbols and it is made of sums, products and
        comparisons, which raise nothing; else ``None``.
        """
        text = self.term(names) if self.truth.symbols <= names.keys() else "?"
        return None if _CALLS_OR_DIVIDES.search(text) else text

    def problem(self, have: int, values: dict[str, int], terms: Mapping[str, str]) -> str | None:
        try:
            holds = evaluate(self.truth, values)
        except (ArithmeticError, ValueError):
            holds = False
        return None if holds else guard_text(self, values, terms)


_CALLS_OR_DIVIDES = re.compile(r"[\w.]\s*\(|[^\w\s().,<>=!+*-]|\*\*")

Step = Solve | Same | Range | Truth


@dataclass
class SizeChecks:
    """The steps of one program.

    ``inputs``: the leaves that take part; ``open``: guards on sizes that only data decide.
    """

    inputs: list[Leaf]
    steps: list[Step] = field(default_factory=list)
    open: list[Truth] = field(default_factory=list)
    terms: dict[str, str] = field(default_factory=dict)  # symbol -> what the user calls it

    def problems(self, numbers: Sequence[Any]) -> list[str]:
        """What is wrong; ``numbers`` holds the shape, or the value, of each input that
        takes part.
        """
        values: dict[str, int] = {}
        found = []
        for step in self.steps:
            place = getattr(step, "place", None)
            have = 0 if place is None else numbers[place.index] if place.axis is None else numbers[place.index][place.axis]
            try:
                problem = step.problem(have, values, self.terms)
            except KeyError:
                continue  # a symbol could not be solved; that is reported already
            except (ArithmeticError, ValueError):
                if isinstance(step, Truth):
                    raise
                problem = f"{step.path(self.terms)}: no size fits, since {source_text(step.size, self.terms)} has no value"
            found += [problem] if problem else []
        return [*dict.fromkeys(found)]

    def values(self, numbers: Sequence[Any]) -> dict[str, int]:
        """The symbols' values for inputs that were accepted."""
        values: dict[str, int] = {}
        for step in self.steps:
            if isinstance(step, Solve):
                have = numbers[step.place.index] if step.place.axis is None else numbers[step.place.index][step.place.axis]
                step.problem(have, values, self.terms)
        return values

    def function(self) -> Callable[..., bool]:
        """``fits(*numbers)``: whether all is right, as compiled Python.

        It may raise where an input has another rank.
        """
        return self._compiled(self.steps, ())

    def late(self, step: Truth, symbols: Sequence[str]) -> Callable[..., bool]:
        """``fits(*numbers, *sizes)``: whether a guard holds for inputs that were accepted and these
        symbols' values.
        """
        return self._compiled([*(other for other in self.steps if isinstance(other, Solve)), step], symbols)

    def _compiled(self, steps: Sequence[Step], symbols: Sequence[str]) -> Callable[..., bool]:
        names = {name: f"v{index}" for index, name in enumerate((*self.terms, *symbols))}
        parameters = ", ".join([f"i{index}" for index in range(len(self.inputs))] + [names[symbol] for symbol in symbols])
        conditions = [step.term(names) for step in steps] or ["True"]
        body = f"    try:\n        return {' and '.join(conditions)}\n    except (ArithmeticError, ValueError):\n        return False\n"
        return FunctionType(code_of(f"def fits({parameters}):\n{body}", "<npexport sizes>"), dict(FUNCTIONS))


def size_checks(leaves: Sequence[Leaf], ranges: Mapping[Any, Any], guards: Iterable[Any], stated: Container[Any] = ()) -> SizeChecks:
    """The checks of a program whose sizes obey ``ranges`` and ``guards``; truths that are
    ``stated``, of sizes that only data decide, are held by nodes of the program.

    Raises ``InternalError`` where the inputs do not determine a symbol.
    """
    checks = SizeChecks([leaf for leaf in leaves if is_dynamic(leaf)])
    sizes = {path: size for leaf in leaves for path, size in _sizes_of(leaf)}
    open_sizes = [
        (as_expr(size), Place(index, axis if isinstance(leaf.node.meta["val"], TensorMeta) else None, path))
        for index, leaf in enumerate(checks.inputs)
        for axis, (path, size) in enumerate(_sizes_of(leaf))
        if not isinstance(size, int)
    ]
    _solve(checks, open_sizes, guards := list(guards))
    for size, bounds in ranges.items():
        size = as_expr(size)
        lower, upper = (end if isinstance(end, int) else None for end in (bounds.lower, bounds.upper))
        lower = None if lower is not None and lower <= 0 and _is_a_size(size, open_sizes) else lower
        if size.symbols <= checks.terms.keys() and (lower is not None or upper is not None):
            path = next((place.path for other, place in open_sizes if other is size), "")
            checks.steps.append(Range(size, lower, upper, path))
    for guard in guards:
        # a symbol that turned out to be another size stands in no shape any more: its place says
        # what it is
        unknown = {name: _in_shapes(guard.names.get(name), sizes) for name in guard.truth.symbols - checks.terms.keys()}
        known = {name: value for name, value in unknown.items() if value is not None}
        step = Truth(guard, known, substitute(guard.truth, known))
        if step.truth.symbols <= checks.terms.keys():
            checks.steps.append(step)
        elif guard.truth not in stated:
            checks.open.append(step)
    return checks


def _in_shapes(name: str | None, sizes: Mapping[str, Any]) -> E.Expr | None:
    """What the shapes of the inputs say of a symbol that the user calls ``name``."""
    if isinstance(name, DerivedSource) and name.place in sizes:
        return name.of(as_expr(sizes[name.place]))
    return as_expr(sizes[name]) if name is not None and name in sizes else None


def _sizes_of(leaf: Leaf) -> list[tuple[str, Any]]:
    """What the user calls the sizes of a leaf, and the sizes; that of an integer is itself."""
    value = leaf.node.meta["val"]
    if isinstance(value, TensorMeta):
        return [(f"{leaf.path}.shape[{axis}]", size) for axis, size in enumerate(value.shape)]
    return [(leaf.path, value)] if is_dynamic(leaf) or type(value) is int else []


def _solve(checks: SizeChecks, open_sizes: list[tuple[E.Expr, Place]], guards: list[Any]) -> None:
    """Order the sizes so that each determines at most one new symbol: symbols by themselves first,
    then what is linear in one more. What is said of one that determines none is held when the
    program knows it.
    """
    remaining = sorted(open_sizes, key=lambda item: isinstance(item[0], E.Expr) and not item[0].is_symbol)
    while remaining:
        for item in remaining:
            step = _step(*item, checks.terms)
            if step is not None:
                break
        else:
            item, step = remaining[0], _late(*remaining[0], checks, guards)
        remaining.remove(item)
        checks.steps.append(step)


def _late(size: E.Expr, place: Place, checks: SizeChecks, guards: list[Any]) -> Step:
    """A size that data decide and that does not tell them. Raises ``InternalError`` where no guard
    says so.
    """
    guard = next((guard for guard in guards if not guard.truth.symbols.isdisjoint(size.symbols)), None)
    if guard is None:
        raise InternalError("E901", f"the symbols cannot be solved from the inputs: {place.path} = {size}")
    name = f"place_{place.index}_{place.axis}"
    checks.terms[name] = place.path
    truth = E.eq(E.symbol(name), size)
    checks.open.append(Truth(replace(guard, truth=truth), {}, truth))
    return Solve(place, E.symbol(name), name, 1, E.integer(0))


def _step(size: E.Expr, place: Place, terms: dict[str, str]) -> Step | None:
    unknown = [name for name in size.symbols if name not in terms]
    if isinstance(size, E.Float):  # an input number: a symbol by itself
        terms[unknown[0]] = place.path
        return Solve(place, size, unknown[0], 1, E.integer(0))
    if not unknown:
        return Same(place, size)
    if len(unknown) > 1:
        return None
    symbol = E.symbol(unknown[0])
    atom: Any = symbol.atom
    coefficient = size.terms.get(atom, 0)
    rest = size - coefficient * symbol
    if coefficient == 0 or unknown[0] in rest.symbols:
        return None
    if rest.is_const and (coefficient != 1 or rest.const):
        terms[unknown[0]] = DerivedSource(place.path, coefficient, rest.const)
    else:
        place_symbol = E.symbol("place")
        inverse = (place_symbol - rest) // coefficient if coefficient > 0 else (rest - place_symbol) // -coefficient
        terms[unknown[0]] = source_text(inverse, {**terms, "place": place.path})
    return Solve(place, size, unknown[0], coefficient, rest)


def _is_a_size(size: E.Expr, open_sizes: list[tuple[E.Expr, Place]]) -> bool:
    """Whether it stands in a shape, where it cannot be negative."""
    return any(size is other and place.axis is not None for other, place in open_sizes)


def is_dynamic(leaf: Leaf) -> bool:
    """Whether a leaf has or is a symbol."""
    value = leaf.node.meta["val"]
    if isinstance(value, TensorMeta):
        return any(not isinstance(size, int) for size in value.shape)
    return not isinstance(leaf.spec.arg, ConstantArgument)


def as_expr(size: Any) -> E.Expr:
    """The expression of a size: an ``int``, an ``Expr`` or a ``SymInt``."""
    return E.expr(size) if isinstance(size, (int, E.Expr)) else size.expression


def guard_text(step: Truth, values: Mapping[str, int], terms: Mapping[str, str]) -> str:
    """A guard that does not hold: the condition in the user's terms, the line that needs it, and
    what came.
    """
    guard = step.guard
    names = {name: terms.get(name) or guard.names.get(name, name) for name in sorted(guard.truth.symbols)}
    numbers = {name: evaluate(step.known.get(name, E.symbol(name)), values) for name in names}
    came = ", ".join(f"{name} = {number}" for name, number in example(names, numbers).items())
    return f"expected {source_text(guard.truth, names)}{guard.origin}; got {came}"


def late_check(step: Truth, checks: SizeChecks, symbols: Sequence[str]) -> Callable[..., None]:
    """``check(numbers, *sizes)``, sizes of these symbols: hold a guard on sizes that only data
    decide, while the program runs.

    Raises ``InputMismatch``.
    """

    fits = checks.late(step, symbols)

    def check(numbers: Sequence[Any], *sizes: int) -> None:
        if not fits(*numbers, *sizes):
            values = {**checks.values(numbers), **dict(zip(symbols, sizes, strict=True))}
            raise InputMismatch("E401", f"the data do not fit the program: {guard_text(step, values, checks.terms)}")

    return check
