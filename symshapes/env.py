"""The shape environment of one export: its symbols, what is known about them, and the guards that
the trace recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.arithmetic import is_linear
from npexport.symshapes.constructors import compare_floats, float_symbol, is_float_name
from npexport.symshapes.decide import Facts
from npexport.symshapes.derived_sources import example, source_text
from npexport.symshapes.errors import Location, Unsupported, UserError
from npexport.symshapes.guards import LIMIT, Guard
from npexport.symshapes.ranges import EVERYTHING, SIZES, ValueRanges, bounds, ends, int_oo
from npexport.symshapes.regions import implied, simplify_minmax
from npexport.symshapes.rewrite import as_congruence, by_factors, evaluate
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.symshapes.wrapping import as_expr


@dataclass(frozen=True, slots=True)
class Symbol:
    """The declaration of one symbol: its source in the user's terms, its example (``None``:
    unbacked), its range, and the name of its ``Dim``. ``most``: the size or integer that bounds it
    from above, if there is one. ``truths``: comparisons with other sizes that bound it;
    ``possible``: the truth that these bounds leave it a value (``None``: they do).
    """

    name: str
    source: str
    hint: int | None
    declared: ValueRanges
    dim: str = ""
    most: E.Expr | None = None
    truths: tuple[E.Bool, ...] = ()
    possible: E.Bool | None = None


_HELD = ValueRanges(0, limits.MEMORY)
_EXACT = ValueRanges(-limits.EXACT_NUMERATOR, limits.EXACT_NUMERATOR)
_NEGATIVE_SHIFT = "negative shift count"
"""What CPython says of a shift that has no value."""
_OPEN = "Compare expressions, size.expr == other.expr; a range is what range_constraints has under that."


def _no_meaning(op: str, a: Any, b: Any) -> Any:
    return NotImplemented


def _no_words(name: str) -> str | None:
    return None


class ShapeEnv:
    """Symbols, facts and guards of one export.

    ``where()`` gives the user's call chain, innermost last, when a guard is recorded. After
    :meth:`close` nothing specialises any more: sizes print as their expressions. ``foreign(op, a,
    b)`` answers for ``a + b`` (``"fadd"``) and its likes where one side is a NumPy scalar,
    ``of_data(name, *args)`` for operations on numbers that only the data know, ``words(name)`` is
    what the user writes for an unbacked symbol, ``None`` where that is not known: the tracer gives
    all three.

    >>> env = ShapeEnv()
    >>> n = env.create_symbol("x.shape[0]", 8)
    >>> bool(n % 4 == 0), [guard.text for guard in env.guards]
    (True, ['x.shape[0] % 4 == 0'])
    >>> bool(n >= 0), bool(n % 2 == 0), len(env.guards)
    (True, True, 1)
    """

    def __init__(
        self,
        where: Callable[[], tuple[Location, ...]] = tuple,
        *,
        foreign: Callable[[str, Any, Any], Any] | None = None,
        of_data: Callable[..., Any] | None = None,
        splits: bool = False,
    ) -> None:
        self.where = where
        self.words: Callable[[str], str | None] = _no_words
        self.foreign = foreign or _no_meaning
        self.of_data = of_data
        self.facts = Facts()
        self.declared = Facts()
        self.symbols: dict[str, Symbol] = {}
        self.hints: dict[str, Any] = {}
        self._floats = 0
        self.names: dict[str, str] = {}
        self.guards: list[Guard] = []
        self.limits: dict[E.Bool, Guard] = {}  # of the machine, see `limit`
        self.closed = False
        self.splits = splits  # whether a branch on sizes that facts do not decide is one on data, of which both sides count
        self.ruled = False  # whether an operator's rule is running: it derives sizes as the verifier does, however large they become
        self.compared = False  # whether a member is added to a set after it was compared with the others
        self.stating: Callable[[E.Bool], None] | None = None  # receives facts about data instead of guards; whoever set it checks them
        self.undecided: frozenset[str] = frozenset()  # the symbols of the last refused condition
        self._hinted: dict[Any, Any] = {}  # what is evaluated once
        self._backed = 0
        self._unbacked = 0

    # Symbols

    @contextmanager
    def hashing_by_expression(self) -> Iterator[None]:
        """Within it, hashing makes no size constant: members of sets were compared before."""
        self.compared = True
        try:
            yield
        finally:
            self.compared = False

    def create_symbol(self, source: str, hint: int, declared: ValueRanges = SIZES, *, dim: str = "") -> SymInt:
        """A new symbol ``s0``, ``s1``, … for what the user calls ``source``, with an example value
        and a declared range; ``dim``: the name of the ``Dim`` that it is.

        Further facts about it (``multiple_of``, ``one_of``) are promises: see :meth:`declare`.
        """
        name = f"s{self._backed}"
        self._backed += 1
        self.hints[name] = hint
        return self._new(Symbol(name, source, hint, declared, dim))

    def create_float(self, source: str, hint: float) -> SymFloat:
        """A new float ``f0``, ``f1``, … for an input number."""
        number = self.create_unbacked_float(source)
        self.hints[number.expression.args[0]] = hint
        return number

    def create_unbacked_float(self, origin: str = "") -> SymFloat:
        """A new float that only the data know; ``origin`` says which."""
        name = f"f{self._floats}"
        self._floats += 1
        self.names[name] = origin or name
        return SymFloat(float_symbol(name), self)

    def create_unbacked(self, lower: Any = 0, upper: Any = None, origin: str = "") -> SymInt:
        """A new symbol ``u0``, ``u1``, … for a size that only the data know (``origin`` says
        which), between ``lower`` and ``upper``, each an integer or a size (``None``: no upper
        bound).
        """
        upper = int_oo if upper is None else upper
        name = f"u{self._unbacked}"
        self._unbacked += 1
        value = E.symbol(name)
        symbolic = [
            truth(limit.expression) for limit, truth in ((lower, value.__ge__), (upper, value.__le__)) if hasattr(limit, "expression")
        ]
        ends = ValueRanges(-int_oo if hasattr(lower, "expression") else lower, int_oo if hasattr(upper, "expression") else upper)
        least, most = as_expr(lower), as_expr(upper)  # infinities are none
        possible = None if least is None or most is None else most >= least
        return self._new(Symbol(name, origin or name, None, ends, most=most, truths=tuple(symbolic), possible=possible))

    def agree(self, lower: Any, upper: Any) -> bool:
        """Whether the one bound is at most the other, whatever the sizes are that the specification
        allows.
        """
        least, most = as_expr(lower), as_expr(upper)
        return least is None or most is None or self.declared.decide(most >= least) is True

    def _new(self, symbol: Symbol) -> SymInt:
        self.symbols[symbol.name] = symbol
        self.names[symbol.name] = symbol.source
        self._add(symbol)
        for truth in symbol.truths:
            self.declare(truth)
        return SymInt(E.symbol(symbol.name), self)

    def admit(self, names: Iterable[str]) -> None:
        """Have symbols of these names; of those that it does not know yet, nothing is known."""
        for name in names:
            if name not in self.symbols and not is_float_name(name):
                self._new(Symbol(name, name, None, EVERYTHING))

    def know(self, *names: str) -> None:
        """Make the declarations of symbols facts: of new ones, and again after earlier facts are
        restored. That a symbol lies between other sizes becomes a fact if it implies nothing about
        those sizes.
        """
        symbols = [self.symbols[name] for name in names]
        for symbol in symbols:
            self._add(symbol)
        for symbol in symbols:
            if symbol.truths and (symbol.possible is None or self.facts.decide(symbol.possible)):
                for truth in symbol.truths:
                    self.declare(truth)

    def _add(self, symbol: Symbol) -> None:
        for facts in (self.facts, self.declared):
            facts.add_symbol(symbol.name, symbol.declared, symbol.hint)

    def declare(self, truth: E.Bool) -> None:
        """A promise of the specification: a fact that needs no guard."""
        self.declared.assume(truth)
        self.facts.assume(truth)

    def hint(self, value: Any) -> Any:
        """The value of an expression or truth at the example inputs; ``None`` where it has an
        unbacked symbol, or no value there: it is in what the example does not run.
        """
        if value.__class__ in (int, bool, float):
            return value
        found = self._hinted.get(value)
        if found is None:
            try:
                found = self._hinted[value] = evaluate(value, self.hints)
            except (KeyError, ZeroDivisionError):
                return None
            except ValueError as error:
                if str(error) != _NEGATIVE_SHIFT:  # of a function of floats: the program raises it
                    raise
                return None
        return found

    def shows(self, value: Any) -> bool:
        """Whether the example is a possible value here: it is not on a side of a branch that the
        example does not take, nor where only the data know the value.
        """
        ranges = self.facts.ranges
        within = all(ranges[name].lower <= hint <= ranges[name].upper for name, hint in self.hints.items() if name in ranges)
        return value.hint is not None and within and all(self.hint(truth) is not False for truth in self.facts.relations)

    def create_unbacked_truth(self, origin: str = "") -> SymBool:
        """A new truth that only the data know; ``origin`` says which."""
        return SymBool(E.ne0(self.create_unbacked(0, 1, origin).expression), self)

    # Questions

    @property
    def traces(self) -> bool:
        """Whether the program computes, and not the rule of an operator: operations on numbers of
        data are recorded.
        """
        return self.of_data is not None and not self.ruled

    def of_data_alone(self, truth: E.Bool) -> bool:
        """Whether the program is being traced, and neither facts nor the example decide this: only
        the data do.
        """
        return self.traces and self.facts.decide(truth) is None and (self.splits or self.hint(truth) is None)

    def stands_apart(self, value: E.Expr | E.Bool, weight: int) -> bool:
        """Whether an expression over data becomes a number of its own because it has more operators
        than ``weight``.
        """
        return value.weight > weight and self.traces and self.hint(value) is None

    def is_unknown(self, *values: Any) -> bool:
        """Whether the program is being traced, and only the data know one of these numbers."""
        return self.traces and any(self.hint(value) is None for value in values)

    def is_data(self, value: Any) -> bool:
        """Whether Python is to compute with this number when the program runs: only the data know
        it, and it may be so large, or so small, that the arithmetic of sizes does not hold of it.
        """
        if not self.traces or value.__class__ in (int, float) or self.hint(value) is not None:
            return False
        if value.__class__ is E.Expr:
            interval = self.facts.bounds(value)
            return not (interval.lower >= -limits.EXACT_FLOATS and interval.upper <= limits.EXACT_FLOATS)
        return any(self.is_data(E.symbol(name)) if name in self.symbols else name not in self.hints for name in value.symbols)

    def decide(self, truth: E.Bool) -> bool | None:
        """True or False where the declared ranges and the guards so far prove it, else None.
        Records nothing.
        """
        return self.facts.decide(truth)

    def evaluate(self, truth: E.Bool, reason: str = "") -> bool:
        """The truth for this trace: proved, or else the example's side, with a guard at the user's
        line.

        Raises ``Unsupported`` (E103) where it depends on sizes that only the data know.
        """
        answer = self.facts.decide(truth)
        if answer is not None:
            return answer
        truth = by_factors(as_congruence(truth), lambda size: self.facts.bounds(size).lower >= 0)
        if truth.op in ("and", "or"):
            truth = simplify_minmax(truth, self.facts)
        value = self.hint(truth)
        if value is None:
            shown = self.facts.replace(truth)  # sizes that only the data know may have to be known ones
            value = self.hint(shown)
            if value is None:
                raise self._data_dependent(truth)
            truth = shown
        side = self._of_sizes(truth if value else E.negation(truth))
        if not is_linear(side) and implied(side, self.facts):
            self.facts.assume(side)
        else:
            self._guard(side, reason)
        return bool(value)

    def _of_sizes(self, truth: E.Bool) -> E.Bool:
        """What implies this truth, which holds at the example, without parts that data decide."""
        if self.hints.keys() >= truth.symbols or truth.op not in ("and", "or"):
            return truth
        if truth.op == "and":
            return E.conjunction(tuple(map(self._of_sizes, truth.args)))
        parts = [part for part in truth.args if self.hint(part) or self.hints.keys() >= part.symbols]
        return E.disjunction(tuple(map(self._of_sizes, parts)))

    def is_exact_float(self, value: E.Expr) -> bool:
        """Whether an integer is at most 2**52 in size (see :meth:`lies_within`), or counts no more
        than memory holds.
        """
        held = {name: self.symbols[name].declared & _HELD for name in value.symbols if self.counts_elements(name)}
        known = {name: self.facts.ranges[name] for name in value.symbols if name in self.facts.ranges}
        lower, upper = ends(value, known | held)
        if lower >= _EXACT.lower and upper <= _EXACT.upper:
            return True
        return self.lies_within(value, _EXACT, "larger integers are not exact as floats")

    def lies_within(self, value: E.Expr, interval: ValueRanges, reason: str) -> bool:
        """Whether an integer lies within a limit of the machine: proved, or else because the call
        checks it. Of integers that only the data know, and where the example lies outside, only
        what is proved counts.
        """
        truth = E.ge0(value - int(interval.lower)) & E.ge0(int(interval.upper) - value)
        if truth in self.limits or self.facts.decide(truth):
            return True
        if self.closed or not self.hint(truth):
            return False
        self.limit(truth, reason)
        return True

    def limit(self, truth: E.Bool, reason: str) -> None:
        """A limit of the machine, which no specification has to promise: the call checks it."""
        self.limits.setdefault(truth, self._guarding(truth, LIMIT + reason))
        self.facts.assume(truth)

    def is_length(self, value: E.Expr) -> bool:
        """Whether a size surely fits what ``len`` returns, as that of every axis and list does."""
        declared = {name: self.symbols[name].declared for name in value.symbols}
        ranges = {name: each & ValueRanges(-int_oo, sys.maxsize) if each.lower >= 0 else each for name, each in declared.items()}
        return bool(bounds(value, ranges).upper <= sys.maxsize)

    def counts_elements(self, name: str) -> bool:
        """Whether a symbol is the size of an axis of an input, or counts some of the elements of an
        array.
        """
        most = None if name not in self.symbols or self.symbols[name].declared.lower < 0 else self.symbols[name].most
        if ".shape[" in self.names[name] or most is None:
            return ".shape[" in self.names[name]
        return most.const <= sys.maxsize if most.is_const else all(map(self.counts_elements, most.symbols))

    def first_guard(self, name: str) -> Guard | None:
        """The first guard about a symbol, which says why it is a constant if it is one."""
        return next((guard for guard in self.guards if name in guard.truth.symbols), None)

    def specialize(self, value: E.Expr, reason: str, where: tuple[Location, ...] | None = None) -> int:
        """The integer that a size is at the example, with a guard that it always is, the reason
        why it had to become a constant, and the line that needs it (``None``: the one that runs).

        Raises ``Unsupported`` (E104) for sizes that only the data know.
        """
        value = self.facts.replace(value)
        if value.is_const:
            return value.const
        interval = self.facts.bounds(value)
        if interval.is_singleton:
            return int(interval.lower)
        hint = self.hint(value)
        if hint is None:
            what = self._origin(value)
            raise Unsupported(
                "E104", f"{what} is known only when the program runs, but {reason or 'this needs its value now'}", user_stack=self.where()
            )
        truth = E.eq(value, hint)
        if self.facts.decide(truth) is not True:
            self._guard(truth, reason, where=where)
        return int(hint)

    def specialize_float(self, value: E.Float, reason: str) -> float:
        """The float at the example, with a guard that it always is."""
        hint = self.hint(value)
        if hint is None:
            what = self._origin(value)
            raise Unsupported("E104", f"{what} is known only when the program runs, but {reason}", user_stack=self.where())
        truth = compare_floats("feq", value, hint)
        if self.facts.decide(truth) is not True:
            self._guard(truth, reason)
        return float(hint)

    def check(self, truth: E.Bool, message: str = "") -> bool:
        """State a fact. Returns False if it is known to be false, or false at the example;
        otherwise it is known from now on, and checked at the call or by ``stating``.

        Raises ``Unsupported`` (E103) of data once the program has been traced.
        """
        answer = self.facts.decide(truth)
        if answer is not None:
            return answer
        hint = self.hint(truth)
        if hint is False:
            return False
        if hint is None and self.closed:
            raise self._data_dependent(truth)
        if hint is None and self.stating is not None:
            self.stating(truth)
            self.facts.assume(truth)
            return True
        self._guard(truth, message, deferred=True)
        return True

    def require(self, truth: E.Bool, reason: str = "", *, deferred: bool = False) -> None:
        """Record a truth that holds at the example as a guard, unless it is proved."""
        if self.facts.decide(truth) is not True:
            self._guard(truth, reason, deferred=deferred)

    def _guard(self, truth: E.Bool, reason: str, *, deferred: bool = False, where: tuple[Location, ...] | None = None) -> None:
        if self.closed:
            raise UserError("E201", f"{self.text(truth)} may hold or not: the program takes sizes of both kinds", hint=_OPEN)
        self.guards.append(self._guarding(truth, reason, deferred=deferred, where=where))
        self.facts.assume(truth)

    def _guarding(self, truth: E.Bool, reason: str, *, deferred: bool = False, where: tuple[Location, ...] | None = None) -> Guard:
        values = example(self.names, {name: self.hints[name] for name in sorted(truth.symbols) if name in self.hints})
        stack = (self.where() if where is None else where)[-limits.GUARD_STACK :]
        return Guard(truth, self.names, values, stack, reason, deferred)

    def _origin(self, value: Any) -> str:
        return ", ".join(dict.fromkeys(self.names[name] for name in sorted(value.symbols) if name not in self.hints))

    def _data_dependent(self, truth: E.Bool) -> Unsupported:
        self.undecided = frozenset(truth.symbols)
        own = {name: self.words(name) for name in sorted(truth.symbols) if name not in self.hints}
        names = {name: own.get(name) or (name if name not in self.hints else source) for name, source in self.names.items()}
        shown, other = source_text(truth, names), source_text(E.negation(truth), names)
        message = f"whether {shown} holds depends on data: {', '.join(f'{names[name]} is {self.names[name]}' for name in own)}"
        said = f"npexport.check({other}) or npexport.check({shown})" if all(own.values()) else "npexport.check(condition)"
        hint: str | None = f"State which it always is before this line, {said}, or use np.where so that the data chooses."
        if any(name not in self.symbols or self.symbols[name].source.startswith("a truth") for name in truth.symbols - self.hints.keys()):
            message, hint = f"a branch depends on {', '.join(f'{names[name]}, {self.names[name]}' for name in own)}", None
        return Unsupported("E103", message, hint=hint, user_stack=self.where())

    # Reading

    def text(self, value: Any) -> str:
        """An expression in the user's terms."""
        return source_text(value, self.names)

    def simplify(self, value: E.Expr) -> E.Expr:
        """The expression with known equalities put in."""
        return self.facts.replace(value)

    def close(self) -> None:
        """End the trace: from now on sizes are printed and compared, but not specialised."""
        self.closed = True
        self.where, self.foreign, self.of_data, self.words = tuple, _no_meaning, None, _no_words  # releases the tracer

    @contextmanager
    def speculative(self) -> Iterator[None]:
        """Facts and guards recorded within it are forgotten afterwards: for tracing the other side
        of a branch.
        """
        forget = self.remember()
        try:
            yield
        finally:
            forget()

    def remember(self) -> Callable[[], None]:
        """A function that restores the present facts and guards."""
        facts, guards = self.facts, list(self.guards)
        self.facts = facts.copy()

        def forget() -> None:
            self.facts, self.guards[:] = facts, guards

        return forget


def known(condition: Any) -> bool | None:
    """Whether a condition on sizes is proved (True), refuted (False) or open (None); records
    nothing. Plain truths are themselves.

    >>> known(3 > 2)
    True
    """
    if isinstance(condition, SymBool):
        return condition.env.decide(condition.expression)
    if isinstance(condition, SymInt):
        return condition.env.decide(E.ne0(condition.expression))
    return bool(condition)
