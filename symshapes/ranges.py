"""Exact intervals of integers, ``VR[lo, hi]`` with ``int_oo`` for an open end, and the interval of
every operator.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.semantics import EVALUATE, INT_FUNCTIONS


class IntInfinity(Immutable):
    """Larger than every integer (or, negated, smaller); ``0 * int_oo`` is 0, as interval ends need
    it.

    >>> int_oo > 10**100, -int_oo < 0, int_oo - 1
    (True, True, int_oo)
    """

    __slots__ = ("sign",)

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def __neg__(self) -> IntInfinity:
        return _MINUS if self.sign > 0 else int_oo

    def __abs__(self) -> IntInfinity:
        return int_oo

    def __add__(self, other: Any) -> IntInfinity:
        if isinstance(other, IntInfinity) and other.sign != self.sign:
            raise ArithmeticError("int_oo - int_oo")
        return self

    __radd__ = __add__

    def __sub__(self, other: Any) -> IntInfinity:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> IntInfinity:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Any:
        if other == 0:
            return 0
        return self if other > 0 else -self

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self * other if not isinstance(other, IntInfinity) else 0

    def __rfloordiv__(self, other: Any) -> int:
        return 0 if (other >= 0) == (self.sign > 0) else -1

    def __float__(self) -> float:
        return math.inf * self.sign

    def __eq__(self, other: object) -> bool:
        return self is other or other == math.inf * self.sign if isinstance(other, (IntInfinity, float)) else False

    def __hash__(self) -> int:
        return hash(math.inf * self.sign)

    def __lt__(self, other: Any) -> bool:
        return self.sign < 0 and self != other

    def __gt__(self, other: Any) -> bool:
        return self.sign > 0 and self != other

    def __le__(self, other: Any) -> bool:
        return self.sign < 0 or self == other

    def __ge__(self, other: Any) -> bool:
        return self.sign > 0 or self == other

    def __repr__(self) -> str:
        return "int_oo" if self.sign > 0 else "-int_oo"

    def __reduce__(self) -> Any:
        return _infinity, (self.sign,)


def _infinity(sign: int) -> IntInfinity:
    return int_oo if sign > 0 else _MINUS


int_oo = IntInfinity(1)
_MINUS = IntInfinity(-1)
Bound = int | IntInfinity


@dataclass(frozen=True, slots=True)
class ValueRanges:
    """All integers from ``lower`` to ``upper``, both included; empty where ``lower > upper``.

    >>> ValueRanges(3, 6), ValueRanges(0, int_oo), 4 in ValueRanges(3, 6)
    (VR[3, 6], VR[0, int_oo], True)
    """

    lower: Any
    upper: Any

    @property
    def is_empty(self) -> bool:
        return bool(self.lower > self.upper)

    @property
    def is_singleton(self) -> bool:
        return bool(self.lower == self.upper)

    def __contains__(self, value: int) -> bool:
        return bool(self.lower <= value <= self.upper)

    def __and__(self, other: ValueRanges) -> ValueRanges:
        if other.lower <= self.lower and self.upper <= other.upper:
            return self
        return ValueRanges(max(self.lower, other.lower), min(self.upper, other.upper))

    def __or__(self, other: ValueRanges) -> ValueRanges:
        return ValueRanges(min(self.lower, other.lower), max(self.upper, other.upper))

    def issubset(self, other: ValueRanges) -> bool:
        """Whether every member is a member of ``other``."""
        return bool(self.is_empty or (other.lower <= self.lower and self.upper <= other.upper))

    def __repr__(self) -> str:
        return f"VR[{self.lower}, {self.upper}]"


EVERYTHING = ValueRanges(-int_oo, int_oo)
SIZES = ValueRanges(0, int_oo)
Ranges = Mapping[str, ValueRanges]


def bounds(value: E.Expr, ranges: Ranges) -> ValueRanges:
    """An interval that holds every value of ``value`` while each symbol is in its range (any
    integer where it has none).

    Exact for one occurrence of each symbol in sums, products, quotients, ``min`` and ``max``.

    >>> bounds(10 - 2 * E.symbol("s0"), {"s0": ValueRanges(0, 3)})
    VR[4, 10]
    """
    return ValueRanges(*ends(value, ranges))


def ends(value: E.Expr, ranges: Ranges, without: E.Atom | None = None) -> tuple[Any, Any]:
    """The two ends of :func:`bounds`; of the value without one of its terms, where an atom is
    given.
    """
    lower = upper = value.const
    open_below = open_above = False
    for atom, c in value.terms.items():
        if atom is without:
            continue
        if atom.op == "symbol":
            known = ranges.get(atom.args[0], EVERYTHING)
            low, high = known.lower, known.upper
        else:
            low, high = _atom(atom, ranges)
        if c < 0:
            low, high = high, low
        if low.__class__ is int:
            lower += c * low
        else:
            open_below = True
        if high.__class__ is int:
            upper += c * high
        else:
            open_above = True
    return -int_oo if open_below else lower, int_oo if open_above else upper


def _atom(atom: E.Atom, ranges: Ranges) -> tuple[Any, Any]:
    if atom.op == "symbol":
        known = ranges.get(atom.args[0], EVERYTHING)
        return known.lower, known.upper
    if atom.op == "mul":
        return _product(atom, ranges)
    if atom.op == "truth":
        return 0, 1
    if atom.op in ("trunc", "floor", "ceil", "round"):
        return _rounded(INT_FUNCTIONS[atom.op], float_bounds(atom.args[0], ranges))
    low, high = _RULES[atom.op](*[ends(arg, ranges) for arg in atom.args])
    if atom.op in ("min", "max") and len(atom.args) == 2 and not (total := atom.args[0] + atom.args[1]).terms:
        middle = total.const  # of two numbers with this sum, one is at least, the other at most half of it
        return (max(low, -(-middle // 2)), high) if atom.op == "max" else (low, min(high, middle // 2))
    return low, high


_Pair = tuple[Any, Any]


def _corners(function: Callable[[Any, Any], Any], a: _Pair, b: _Pair) -> _Pair:
    values = [function(x, y) for x in a for y in b]
    return min(values), max(values)


def _product(atom: E.Atom, ranges: Ranges) -> _Pair:
    result: _Pair = (1, 1)
    for factor in dict.fromkeys(atom.args):
        low, high = _atom(factor, ranges)
        for _ in range(atom.args.count(factor) // 2):
            squares = (low * low, high * high)
            result = _corners(lambda x, y: x * y, result, (0 if low <= 0 <= high else min(squares), max(squares)))
        if atom.args.count(factor) % 2:
            result = _corners(lambda x, y: x * y, result, (low, high))
    return result


def _floordiv(a: _Pair, b: _Pair) -> _Pair:
    if b[0] < 0 < b[1] or b[0] == b[1] == 0:
        return -int_oo, int_oo
    b = (b[0] or 1, b[1] or -1)  # expressions are defined where the divisor is not zero
    return _corners(lambda x, y: x // y, a, b)


def _mod(a: _Pair, b: _Pair) -> _Pair:
    if b[0] < 0:
        return (b[0] + 1, 0) if b[1] <= 0 else (min(b[0] + 1, 0), max(b[1] - 1, 0))
    if a[0] >= 0 and a[1] < b[0]:
        return a
    return 0, min(b[1] - 1, a[1]) if a[0] >= 0 else b[1] - 1


def _pow(a: _Pair, b: _Pair) -> _Pair:
    if a[0] < 0:
        return -int_oo, int_oo
    low = 0 if a[0] == 0 and b[1] > 0 else 1
    if isinstance(a[0], int) and isinstance(b[0], int) and a[0] >= 1 and 0 <= b[0] < 64 and a[0] < 2**64:
        low = a[0] ** b[0]
    if isinstance(a[1], int) and isinstance(b[1], int) and 0 <= b[1] < 64 and a[1] < 2**64:
        return low, max(a[1], 1) ** b[1]
    return low, 1 if a[1] <= 1 else int_oo


def _isqrt(a: _Pair) -> _Pair:
    return tuple(end if isinstance(end, IntInfinity) else math.isqrt(max(end, 0)) for end in (max(a[0], 0), a[1]))  # type: ignore[return-value]


def _round_div(a: _Pair, b: _Pair) -> _Pair:
    low, high = _floordiv(a, b)
    return low, high + 1


def _bits(a: _Pair, b: _Pair) -> Any:
    """The largest number with as many bits as the larger of the two ranges has."""
    top = max(a[1], b[1])
    return top if isinstance(top, IntInfinity) else (1 << top.bit_length()) - 1


def _bitwise(low: Callable[[_Pair, _Pair], Any], high: Callable[[_Pair, _Pair], Any]) -> Callable[[_Pair, _Pair], _Pair]:
    return lambda a, b: (low(a, b), high(a, b)) if a[0] >= 0 and b[0] >= 0 else (-int_oo, int_oo)


def _bit_length(a: _Pair) -> _Pair:
    ends = [end if isinstance(end, IntInfinity) else end.bit_length() for end in (a[0], a[1])]
    return 0 if a[0] <= 0 <= a[1] else min(map(abs, ends)), max(map(abs, ends))


def _gcd(a: _Pair, b: _Pair) -> _Pair:
    nonzero = not (a[0] <= 0 <= a[1] and b[0] <= 0 <= b[1])
    limits = [max(abs(low), abs(high)) for low, high in (a, b) if not low <= 0 <= high]
    return int(nonzero), min(limits, default=int_oo)


_RULES: dict[str, Callable[..., _Pair]] = {
    "floordiv": _floordiv,
    "mod": _mod,
    "min": lambda *args: (min([low for low, _ in args]), min([high for _, high in args])),
    "max": lambda *args: (max([low for low, _ in args]), max([high for _, high in args])),
    "pow": _pow,
    "isqrt": _isqrt,
    "round_div": _round_div,
    "gcd": _gcd,
    "bit_and": _bitwise(lambda a, b: 0, lambda a, b: min(a[1], b[1])),
    "bit_or": _bitwise(lambda a, b: max(a[0], b[0]), _bits),
    "bit_xor": _bitwise(lambda a, b: 0, _bits),
    "right_shift": lambda a, b: (0, a[1]) if a[0] >= 0 else (-int_oo, int_oo),
    "left_shift": lambda a, b: (a[0], int_oo) if a[0] >= 0 else (-int_oo, int_oo),  # by a constant it is a product
    "bit_length": _bit_length,
}


# Floats. Python's float operations round monotonically, so the ends of an interval are computed by
# the operations themselves.

_ANY_FLOAT = (-math.inf, math.inf)
_LOGARITHMS = {"log", "log2", "log10"}
_MONOTONE = {"fadd", "fsub", "fmul", "fneg", "sqrt", "float", "fmin", "fmax"}


def float_bounds(value: Any, ranges: Ranges) -> tuple[float, float]:
    """Two floats between which the value lies; infinite where nothing is known."""
    if isinstance(value, E.Expr):
        lower, upper = ends(value, ranges)
        return _to_float(lower), _to_float(upper)
    if isinstance(value, float):
        return value, value
    if value.op == "const":
        return float(value.args[0]), float(value.args[0])
    if value.op in _LOGARITHMS and len(value.args) == 1:
        return _logarithm(EVALUATE[value.op], *float_bounds(value.args[0], ranges))
    if value.op in ("fpow", "math_pow"):
        return _power_of_floats(float_bounds(value.args[0], ranges), float_bounds(value.args[1], ranges))
    if value.op == "symbol" or (value.op not in _MONOTONE and value.op != "fdiv"):
        return _ANY_FLOAT
    args = [float_bounds(arg, ranges) for arg in value.args]
    if value.op == "fdiv" and args[1][0] <= 0 <= args[1][1]:
        return _ANY_FLOAT
    try:
        corners = [EVALUATE[value.op](*corner) for corner in itertools.product(*args)]
    except (ValueError, OverflowError, ZeroDivisionError):
        return _ANY_FLOAT
    return _ANY_FLOAT if any(map(math.isnan, corners)) else (min(corners), max(corners))


def _logarithm(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Faithful to the last bit only, but exact at 1."""
    if low <= 0:
        return _ANY_FLOAT
    bottom, top = function(low), high if math.isinf(high) else function(high)
    return (bottom and math.nextafter(bottom, -math.inf)), (top and math.nextafter(top, math.inf))


def _power_of_floats(base: tuple[float, float], exponent: tuple[float, float]) -> tuple[float, float]:
    """Of numbers that are not negative: the ends are among the powers of ends, to a few last
    bits.
    """
    if base[0] < 0 or (base[0] == 0 and exponent[0] < 0):
        return _ANY_FLOAT
    corners = []
    for number, power in itertools.product(base, exponent):
        try:
            corners.append(number**power)
        except OverflowError:
            corners.append(math.inf)
    return max(min(corners) * (1 - 1e-15), 0.0), max(corners) * (1 + 1e-15)


def _to_float(end: Any) -> float:
    try:
        return float(end)
    except OverflowError:
        return math.inf if end > 0 else -math.inf


def _rounded(function: Callable[[float], int], interval: tuple[float, float]) -> _Pair:
    low, high = (end if math.isinf(end) else function(end) for end in interval)
    return -int_oo if low == -math.inf else low, int_oo if high == math.inf else high
