"""Where Python's operations on floats raise because a result is too large: a truth about sizes
under which they do not.

Sums and products of floats become infinite and raise nothing. Integers that no float holds do
raise where one is needed, and so do powers, exponentials, and functions of the infinite.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import floats
from npexport.symshapes.constructors import compare_floats, float_node, number_of
from npexport.symshapes.ranges import EVERYTHING, Ranges, ValueRanges, float_bounds
from npexport.symshapes.semantics import EVALUATE

_WORD = ValueRanges(-(2**63), 2**63 - 1)
_LARGEST = sys.float_info.max
_INTEGERS = 2**1024 - 2**970 - 1
"""The largest integer that becomes a float: it is rounded to the largest of them."""
_AS_THEY_ARE = frozenset({"log", "log2", "log10", "const", "symbol", "fmin", "fmax"})
"""What takes integers that no float holds."""


class _Words(Mapping[str, ValueRanges]):
    """Ranges of symbols, none of which a word of 64 bits does not hold."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges

    def __getitem__(self, name: str) -> ValueRanges:
        return self._ranges.get(name, EVERYTHING) & _WORD

    def __iter__(self) -> Any:
        return iter(self._ranges)

    def __len__(self) -> int:
        return len(self._ranges)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]


def holds_no_overflow(value: E.Float, ranges: Ranges) -> E.Bool:
    """A truth that implies that this operation raises no error of a result that is too large; its
    operands are those of operations that raise none.

    >>> s0, sizes = E.symbol("s0"), {"s0": ValueRanges(0, 1000)}
    >>> print(holds_no_overflow(float_node("exp", s0 * 100), sizes))
    s0 <= 7
    >>> print(holds_no_overflow(float_node("fpow", 0.5, s0), sizes))
    True
    """
    words = _Words(ranges)
    truth = E.TRUE
    if value.op not in _AS_THEY_ARE:
        for arg in value.args[:1] if value.op == "fdiv" else value.args:
            if isinstance(arg, E.Expr):
                truth = truth & _between(arg, -_INTEGERS, _INTEGERS, words)
    rule = _RULES.get(value.op)
    return truth if rule is None else truth & rule(words, *value.args)


def is_finite(value: Any, ranges: Ranges) -> E.Bool:
    """A truth that implies that a float is neither infinite nor no number."""
    return _between(value, -_LARGEST, _LARGEST, _Words(ranges))


def _between(value: Any, low: Any, high: Any, words: Ranges) -> E.Bool:
    return _at_most(value, high, words) & _at_least(value, low, words)


def _any_size(numerator: E.Expr) -> bool:
    """Near the limits of floats, where these truths decide, one rounding makes no difference."""
    return True


def _at_most(value: Any, limit: Any, words: Ranges) -> E.Bool:
    if limit == math.inf or float_bounds(value, words)[1] < limit:
        return E.TRUE
    exact = floats.dyadic(value, _any_size)
    if exact is not None:
        return E.ge0(math.floor(Fraction(limit) * exact[1]) - exact[0])
    return compare_floats("fle", value, float(limit))


def _at_least(value: Any, limit: Any, words: Ranges) -> E.Bool:
    if limit == -math.inf or float_bounds(value, words)[0] > limit:
        return E.TRUE
    exact = floats.dyadic(value, _any_size)
    if exact is not None:
        return E.ge0(exact[0] - math.ceil(Fraction(limit) * exact[1]))
    return compare_floats("fle", float(limit), value)


def _last(function: Callable[[float], float]) -> float:
    """The last number from 0 upwards at which a growing function does not raise."""
    low, high = 0.0, _LARGEST
    if not _raises(function, high):
        return math.inf
    for _ in range(2200):
        middle = low + (high - low) / 2 if high < 2 * low + 1 else math.sqrt(max(low, 1.0)) * math.sqrt(high)
        if not low < middle < high:
            break
        low, high = (low, middle) if _raises(function, middle) else (middle, high)
    return low


def _raises(function: Callable[[float], float], value: float) -> bool:
    try:
        function(value)
    except OverflowError:
        return True
    return False


def _exponential(name: str) -> Callable[..., E.Bool]:
    limit = _last(EVALUATE[name])
    return lambda words, value: _at_most(value, limit, words)


def _finite(words: Ranges, *values: Any) -> E.Bool:
    return _between(values[0], -_LARGEST, _LARGEST, words)


def _rounded(words: Ranges, value: Any, digits: Any) -> E.Bool:
    return E.TRUE if digits.const >= 0 else _between(value, -_LARGEST / 2, _LARGEST / 2, words)


def _power(words: Ranges, base: Any, exponent: Any) -> E.Bool:
    fixed_base, fixed_exponent = number_of(base), number_of(exponent)
    (low, high), (least, most) = float_bounds(base, words), float_bounds(exponent, words)
    if (low >= 1 and most <= 0) or (low >= -1 and high <= 1 and least >= 0):
        return E.TRUE
    if fixed_exponent is not None:
        return _of_exponent(words, base, float(fixed_exponent))
    if fixed_base is not None:
        size = abs(float(fixed_base))
        if size in (0.0, 1.0):
            return E.TRUE
        if size > 1:
            return _at_most(exponent, _last(lambda to: size**to), words)
        return _at_least(exponent, -_last(lambda to: size**-to), words)
    if low < 0 or least < 0:
        return E.FALSE
    if high < math.inf and most * math.log2(max(high, 1.0)) < 1023:
        return E.TRUE
    bits = float_node("fmul", exponent, float_node("log2", base))
    return compare_floats("fle", bits, 1023.0) if low > 0 else E.FALSE


def _of_exponent(words: Ranges, base: Any, exponent: float) -> E.Bool:
    if 0 <= exponent <= 1:
        return E.TRUE
    if exponent > 1:
        limit = _last(lambda number: number**exponent)
        return _between(base, -limit, limit, words)
    low, high = float_bounds(base, words)
    if low >= 1 or high <= -1 or isinstance(base, E.Expr):  # no integer but 0, which was excluded, is smaller
        return E.TRUE
    least = 1 / _last(lambda number: number**-exponent) * (1 + 1e-12)
    return _at_least(base, least, words) if low >= 0 else E.FALSE


_RULES: dict[str, Callable[..., E.Bool]] = {
    "exp": _exponential("exp"), "expm1": _exponential("expm1"), "sin": _finite, "cos": _finite, "tan": _finite,
    "fpow": _power, "math_pow": _power, "ndigits": _rounded,
}  # fmt: skip
