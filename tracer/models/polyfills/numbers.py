"""Functions of Python numbers, in Python."""

import math


def power(base, exponent, /):
    """Of integers."""
    return base**exponent if exponent >= 0 else float(base) ** exponent


def real_power(real, base, exponent, /):
    """With a float as exponent: ``real`` computes the power where it is not a complex number."""
    fraction = math.isfinite(exponent) and exponent != math.floor(exponent)
    if fraction and base < 0 and (isinstance(base, int) or base > -math.inf):
        return complex(base) ** exponent
    return real(base, exponent)


def distance(p, q, /):
    """``math.dist`` of points whose coordinates are real numbers."""
    p, q = tuple(p), tuple(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return math.hypot(*[float(a) - float(b) for a, b in zip(p, q, strict=True)])


def product(iterable, /, *, start=1):
    """``math.prod``."""
    for value in iterable:
        start = start * value
    return start


def sum_with_rest(values, /, start=0):
    """Sum floats with compensation: the rounding errors are summed beside them."""
    if not isinstance(start, float) and len(values) == 0:
        return start
    total, rest = start + 0.0, 0.0
    for value in values:
        total, rest = added_with_rest(total, rest, value)
    return with_rest(total, rest)


def added_with_rest(total, rest, value):
    """A sum and the rounding errors beside it, with one float more."""
    found = total + value
    if abs(total) >= abs(value):
        rest = rest + ((total - found) + value)
    else:
        rest = rest + ((value - found) + total)
    return found, rest


def with_rest(total, rest):
    return total + rest if rest and -float("inf") < rest < float("inf") else total


def sum_of_kinds(values, /, start=0):
    """``sum`` of floats with compensation, and of integers among them: these are added as such up
    to the first float, and without compensation after it.
    """
    floating = isinstance(start, float)
    whole, total, rest = (0, start, 0.0) if floating else (start, 0.0, 0.0)
    for value in values:
        if not isinstance(value, float):
            if floating:
                total = total + value
            else:
                whole = whole + value
        elif not floating:
            floating, total = True, whole + value
        else:
            total, rest = added_with_rest(total, rest, value)
    return with_rest(total, rest) if floating else whole
