"""What Python computes for each operator of expressions, on numbers: evaluation, folding and
generated code rest on these tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def round_div(p: int, q: int) -> int:
    """``p / q`` rounded to the nearest integer, halves to the even one, in exact arithmetic."""
    quotient, rest = divmod(p, q)
    twice = 2 * rest if q > 0 else -2 * rest
    return quotient + (twice > abs(q) or (twice == abs(q) and quotient % 2 == 1))


def int_pow(base: int, exponent: int) -> int:
    """``base ** exponent``, refusing results of absurd size."""
    if exponent < 0:
        raise ValueError("negative power of an integer")
    if exponent * max(base.bit_length(), 1) > 65536 and base not in (0, 1, -1):
        raise OverflowError("power of sizes is too large")
    return int(base**exponent)


def float_pow(base: float, exponent: float) -> Any:
    """``base ** exponent``, refusing results that are complex."""
    power = base**exponent
    if isinstance(power, complex):
        raise ValueError("the power of a negative number is complex")
    return power


def left_shift(value: int, count: int) -> int:
    """``value << count``, refusing results of absurd size."""
    if count + value.bit_length() > 65536 and value:
        raise OverflowError("shift of sizes is too large")
    return value << count


INT_FUNCTIONS: dict[str, Callable[..., int]] = {
    "isqrt": math.isqrt, "gcd": math.gcd, "round_div": round_div, "bit_and": lambda a, b: a & b, "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b, "left_shift": left_shift, "right_shift": lambda a, b: a >> b,
    "bit_length": lambda a: a.bit_length(), "trunc": math.trunc, "floor": math.floor, "ceil": math.ceil, "round": round, "truth": int,
}  # fmt: skip
FLOAT_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p, "expm1": math.expm1,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "atan": math.atan, "tanh": math.tanh, "math_pow": math.pow, "fabs": abs,
    "float": float, "fmin": min, "fmax": max, "ndigits": round,
}  # fmt: skip
FLOAT_OPERATORS: dict[str, Callable[..., float]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b, "fdiv": lambda a, b: a / b,
    "ffloordiv": lambda a, b: a // b, "fmod": lambda a, b: a % b, "fpow": float_pow, "fneg": lambda a: -a,
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "neg": lambda a: -a,
    "mul": lambda *args: math.prod(args), "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b, "min": min, "max": max,
    "pow": int_pow, "ge": lambda a: a >= 0, "eq": lambda a: a == 0, "ne": lambda a: a != 0, "and": lambda *args: all(args),
    "or": lambda *args: any(args), "not": lambda a: not a, "flt": lambda a, b: a < b, "fle": lambda a, b: a <= b,
    "feq": lambda a, b: a == b, "fne": lambda a, b: a != b,
}  # fmt: skip
EVALUATE: dict[str, Callable[..., Any]] = {}
for _table in (_OPERATORS, INT_FUNCTIONS, FLOAT_FUNCTIONS, FLOAT_OPERATORS):
    if not EVALUATE.keys().isdisjoint(_table):
        raise AssertionError("an operator is declared twice")
    EVALUATE.update(_table)
