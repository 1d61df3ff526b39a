"""Which integers of Python are int64: conditions on the integers among the inputs."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.expr import Atom, Expr, from_atom, symbol
from npexport.symshapes.ranges import ValueRanges, bounds
from npexport.symshapes.symint import SymInt

INT64 = ValueRanges(-(2**63), 2**63 - 1)


def fits_in_64_bits(value: Any, unknown: bool = True) -> bool:
    """Whether an integer is an int64, as those are of which the example is one: the call checks it.
    ``unknown`` where only the data know.
    """
    if type(value) is not SymInt or is_count(value):
        return True
    if value.hint is not None and value.env.lies_within(value.expression, INT64, "NumPy makes an int64 of it"):
        return True
    return is_met((value >= INT64.lower) & (value <= INT64.upper), unknown)


def is_count(value: SymInt) -> bool:
    """Whether an integer follows from sizes of arrays alone and is an int64 as they are."""
    expression = value.expression
    return all(_is_count(value.env, name) for name in expression.symbols) and grows_slowly(expression)


def grows_slowly(value: Expr) -> bool:
    """Whether a sum is of multiples of products of different sizes, as arrays have them, and of
    what is an int64 for axes of any length there is; powers, for one, are not.
    """
    ranges = dict.fromkeys(value.symbols, _AXIS)
    for atom, factor in value.terms.items():
        if abs(factor) <= _MULTIPLE and _is_product_of_sizes(atom):
            continue
        found = bounds(from_atom(atom) * factor, ranges)
        if not (found.lower >= INT64.lower and found.upper <= INT64.upper):
            return False
    return bool(INT64.lower <= value.const <= INT64.upper)


def _is_product_of_sizes(atom: Atom) -> bool:
    factors = atom.args if atom.op == "mul" else (atom,)
    return all(factor.op == "symbol" for factor in factors) and len(set(factors)) == len(factors)


_AXIS = ValueRanges(0, 1 << 30)
_MULTIPLE = 1 << 10
"""Such as the bytes of an element."""


def is_met(truth: Any, unknown: bool) -> bool:
    """A condition on the integers among the inputs; ``unknown`` where only the data know."""
    return bool(truth) if type(truth) is bool or truth.hint is not None else unknown


def _is_count(env: Any, name: str) -> bool:
    """Whether a symbol is the size of an array, or how many elements of one the data select."""
    return ".shape[" in env.names[name] or (env.hints.get(name) is None and env.decide(symbol(name) >= 0) is True)
