"""``Dim``: what a specification says of one size.

A named ``Dim`` is a promise about every size from ``min`` (0) to ``max`` (unbounded) that is a
multiple of ``multiple_of`` and one of ``one_of``. ``A*d + B`` is a size tied to it. ``Dim.AUTO``
lets the program decide, ``Dim.DYNAMIC`` too but refuses to become a constant, ``Dim.STATIC`` is a
constant.
"""

from __future__ import annotations

import keyword
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from npexport.symshapes import expr as E
from npexport.symshapes.errors import UserError
from npexport.symshapes.ranges import SIZES, ValueRanges, bounds, int_oo
from npexport.symshapes.sympy_interop import from_sympy, is_sympy, to_sympy


def integer(value: Any) -> int | None:
    """The ``int`` that an integer of Python, NumPy or SymPy is; ``None`` for everything else,
    truths included.
    """
    if isinstance(value, bool) or not hasattr(type(value), "__index__") or hasattr(value, "ndim") and value.ndim:
        return None
    try:
        return operator.index(value)
    except TypeError:  # an expression of SymPy that is not a number
        return None


def _limit(owner: str, what: str, value: Any, default: Any) -> Any:
    if value is None:
        return default
    if what == "max" and (value is int_oo or ((isinstance(value, float) or is_sympy(value)) and value == math.inf)):
        return int_oo
    number = integer(value)
    if number is None or number < 0:
        raise UserError("E302", f"{owner}: {what} must be an integer that is not negative, not {value!r}", hint=_DIM_HINT)
    return number


def _limits(owner: str, low: Any, high: Any) -> ValueRanges:
    interval = ValueRanges(_limit(owner, "min", low, 0), _limit(owner, "max", high, int_oo))
    if interval.is_empty:
        raise UserError("E302", f"{owner}: min={low} is more than max={high}", hint=_DIM_HINT)
    return interval


@dataclass(frozen=True, slots=True)
class DimHint:
    """``Dim.AUTO``, ``Dim.DYNAMIC`` and ``Dim.STATIC``, each also called with ``min=``/``max=``.

    >>> Dim.AUTO(min=2)
    Dim.AUTO(min=2)
    """

    kind: str
    interval: ValueRanges | None = None

    def __call__(self, *, min: int | None = None, max: int | None = None) -> DimHint:
        return DimHint(self.kind, _limits(f"Dim.{self.kind}", min, max))

    @property
    def min(self) -> int | None:
        return None if self.interval is None else self.interval.lower

    @property
    def max(self) -> int | None:
        return None if self.interval is None or self.interval.upper is int_oo else self.interval.upper

    def __repr__(self) -> str:
        bounds = _arguments(self.interval or SIZES)
        return f"Dim.{self.kind}({', '.join(bounds)})" if bounds else f"Dim.{self.kind}"


def _arguments(interval: ValueRanges) -> list[str]:
    lower = [f"min={interval.lower}"] if interval.lower != 0 else []
    return lower + ([f"max={interval.upper}"] if interval.upper is not int_oo else [])


class _Arithmetic:
    """``A*d + B``, its negative forms, and exact or rounding division, for a ``Dim`` and for what
    is derived from one.
    """

    def _sympy_(self) -> Any:
        return to_sympy(self._linear()[1])

    def _linear(self) -> tuple[Dim, E.Expr]:
        raise NotImplementedError

    def _derive(self, other: Any, combine: Any, sign: str) -> DerivedDim:
        number = integer(other)
        if number is None:
            raise UserError("E302", f"{self!r} {sign} {other!r}: a Dim is combined with integers only", hint=_RELATIONS_HINT)
        root, expression = self._linear()
        result = combine(expression, number)
        if result.is_const:
            raise UserError("E302", f"{self!r} {sign} {other!r} is the constant {result}; write {result} instead")
        return DerivedDim(root, result)

    def __add__(self, other: Any) -> DerivedDim:
        return self._derive(other, lambda d, k: d + k, "+")

    def __sub__(self, other: Any) -> DerivedDim:
        return self._derive(other, lambda d, k: d - k, "-")

    def __rsub__(self, other: Any) -> DerivedDim:
        return self._derive(other, lambda d, k: k - d, "-")

    def __mul__(self, other: Any) -> DerivedDim:
        return self._derive(other, lambda d, k: d * k, "*")

    def __neg__(self) -> DerivedDim:
        return self * -1

    def __floordiv__(self, other: Any) -> DerivedDim:
        number = integer(other)
        if number is not None and number <= 0:
            raise UserError("E302", f"{self!r} // {other!r}: the divisor must be positive")
        return self._derive(other, lambda d, k: d // k, "//")

    __radd__ = __add__
    __rmul__ = __mul__


_DIM_HINT = "Write Dim('n', min=2, max=8): a name that may stand in code, and bounds that admit sizes."
_RELATIONS_HINT = "Write A*d + B with integers A and B, or Dim.AUTO: the relation that the program has is then kept and checked."


class Dim(_Arithmetic):
    """A named size that may vary, and a promise: the program admits every size that it admits.

    ``2 * batch + 1`` and the like are sizes derived from it. The same name stands for the same size
    in all inputs.

    Parameters
    ----------
    name : str
        A Python identifier.
    min : int, optional
        The least size, 0 by default.
    max : int, optional
        The greatest size; without it there is no bound.
    multiple_of : int, optional
        Every size is a multiple of this.
    one_of : sequence of int, optional
        The only sizes that there are.

    Attributes
    ----------
    AUTO : DimHint
        Instead of a name: dynamic where the program allows it, otherwise as in the example.
    DYNAMIC : DimHint
        Instead of a name: dynamic, or an error where the program needs a constant.
    STATIC : DimHint
        Instead of a name: as in the example. Each of the three is also called with ``min`` and
        ``max``.

    Raises
    ------
    UserError
        The name is not an identifier, or the bounds are malformed or admit nothing (E302).

    Examples
    --------
    >>> batch = Dim("batch", max=1024)
    >>> batch, 2 * batch + 1, 32 - batch
    (Dim('batch', max=1024), 2*batch + 1, 32 - batch)
    >>> Dim("heads", one_of=[4, 8]), Dim("width", multiple_of=8), Dim.AUTO(min=2)
    (Dim('heads', one_of=(4, 8)), Dim('width', multiple_of=8), Dim.AUTO(min=2))
    """

    __slots__ = ("interval", "multiple_of", "name", "one_of")
    AUTO: ClassVar[DimHint] = DimHint("AUTO")
    DYNAMIC: ClassVar[DimHint] = DimHint("DYNAMIC")
    STATIC: ClassVar[DimHint] = DimHint("STATIC")

    def __init__(
        self, name: str, *, min: int | None = None, max: int | None = None, multiple_of: int | None = None, one_of: Any = None
    ) -> None:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise UserError("E302", f"Dim({name!r}): the name must be a Python identifier", hint=_DIM_HINT)
        self.name = name
        self.interval = _limits(f"Dim({name!r})", min, max)
        multiple = 1 if multiple_of is None else integer(multiple_of)
        if multiple is None or multiple < 1:
            raise UserError("E302", f"Dim({name!r}): multiple_of must be a positive integer, not {multiple_of!r}", hint=_DIM_HINT)
        self.multiple_of = multiple
        self.one_of = None if one_of is None else self._members(one_of)

    def _members(self, one_of: Any) -> tuple[int, ...]:
        given = list(map(integer, one_of)) if isinstance(one_of, (tuple, list, set, frozenset, range)) else []
        members = [member for member in given if member is not None and member >= 0]
        if not members or len(members) != len(given):
            message = f"Dim({self.name!r}): one_of must be a list of integers that are not negative, not {one_of!r}"
            raise UserError("E302", message, hint=_DIM_HINT)
        kept = tuple(sorted({member for member in members if member in self.interval and member % self.multiple_of == 0}))
        if not kept:
            raise UserError("E302", f"Dim({self.name!r}): no member of one_of={one_of!r} is within the other bounds", hint=_DIM_HINT)
        return kept

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def min(self) -> int:
        """The least size."""
        return int(self.interval.lower)

    @property
    def max(self) -> Any:
        """The greatest size, ``int_oo`` where there is no bound."""
        return self.interval.upper

    @property
    def root(self) -> Dim:
        """The ``Dim`` itself: what the root of a derived size is."""
        return self

    @property
    def expression(self) -> E.Expr:
        """The symbol of this name."""
        return E.symbol(self.name)

    def _linear(self) -> tuple[Dim, E.Expr]:
        return self, self.expression

    def truths(self, value: E.Expr) -> tuple[E.Bool, ...]:
        """What the declaration says of a size ``value``, beyond its interval."""
        found: list[E.Bool] = []
        if self.multiple_of > 1:
            found.append(E.eq(E.mod(value, self.multiple_of), 0))
        if self.one_of is not None:
            found += [value >= self.one_of[0], value <= self.one_of[-1], E.disjunction([E.eq(value, member) for member in self.one_of])]
        return tuple(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.name, self.interval.lower, self.interval.upper, self.multiple_of, self.one_of

    def __repr__(self) -> str:
        options = _arguments(self.interval)
        options += [f"multiple_of={self.multiple_of}"] if self.multiple_of > 1 else []
        options += [f"one_of={self.one_of}"] if self.one_of is not None else []
        return f"Dim({', '.join([repr(self.name), *options])})"


class DerivedDim(_Arithmetic):
    """A size tied to a named ``Dim``: ``2*d + 1``, ``32 - d``, ``d//2``. ``expression`` says it
    over the symbol of the root's name.
    """

    __slots__ = ("expression", "root")

    def __init__(self, root: Dim, expression: E.Expr) -> None:
        self.root = root
        self.expression = expression

    @property
    def __name__(self) -> str:
        return str(self.expression)

    @property
    def min(self) -> int:
        """The least size that the root's bounds allow."""
        lower = self._interval.lower
        return 0 if lower < 0 else int(lower)

    @property
    def max(self) -> Any:
        return self._interval.upper

    @property
    def _interval(self) -> ValueRanges:
        return bounds(self.expression, {self.root.name: self.root.interval})

    def _linear(self) -> tuple[Dim, E.Expr]:
        return self.root, self.expression

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DerivedDim) and self.root == other.root and self.expression is other.expression

    def __hash__(self) -> int:
        return hash((self.root, self.expression))

    def __repr__(self) -> str:
        return str(self.expression)


def from_sympy_size(value: Any, declared: Mapping[str, Dim]) -> int | Dim | DerivedDim | None:
    """What a SymPy expression says of a size: an integer, the ``Dim`` of its symbol's name, or a
    size derived from that.

    ``declared``: the ``Dim``s of the specification by name; a symbol that none of them has is a
    ``Dim`` without bounds. ``None`` where the expression is not over one symbol, or is not an
    integer expression.

    >>> import sympy
    >>> from_sympy_size(2 * sympy.Symbol("n", integer=True) + 1, {})
    2*n + 1
    """
    try:
        expression = from_sympy(value)
    except ValueError:
        return None
    if not isinstance(expression, E.Expr) or len(expression.symbols) > 1:
        return None
    if expression.is_const:
        return expression.const
    (name,) = expression.symbols
    root = declared.get(name) or Dim(name)
    return root if expression.is_symbol else DerivedDim(root, expression)


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Make several named sizes with the same bounds.

    Parameters
    ----------
    *names : str
        The names.
    min, max : int, optional
        The bounds of each, as for ``Dim``.

    Returns
    -------
    tuple of Dim
        One for each name.

    Examples
    --------
    >>> dims("a", "b", max=8)
    (Dim('a', max=8), Dim('b', max=8))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)
