"""Functions of Python numbers, in Python."""

import math

from npexport.tracer.bytecode.host import SUMS_OF_ALL_ARE_COMPENSATED


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
    to the first float, and before CPython 3.14 without compensation after it.
    """
    floating = isinstance(start, float)
    whole, total, rest = (0, start, 0.0) if floating else (start, 0.0, 0.0)
    for value in values:
        if not isinstance(value, float):
            if not floating:
                whole = whole + value
            elif SUMS_OF_ALL_ARE_COMPENSATED:
                total, rest = added_with_rest(total, rest, float(value))
            else:
                total = total + value
        elif not floating:
            floating, total = True, whole + value
        else:
            total, rest = added_with_rest(total, rest, value)
    return with_rest(total, rest) if floating else whole


def sum_with_complex(values, /, start=0):
    """``sum`` of Python's numbers, complex ones among them, from CPython 3.14 on: of integers up to
    the first number of another type, of floats up to the first complex number.
    """
    place = 0
    while isinstance(start, int) and place < len(values):
        start = start + values[place]
        place += 1
    if isinstance(start, float):
        total, rest = start, 0.0
        while place < len(values) and not isinstance(values[place], complex):
            total, rest = added_with_rest(total, rest, float(values[place]))
            place += 1
        start = with_rest(total, rest)
        if place < len(values):
            start = start + values[place]
            place += 1
    if isinstance(start, complex):
        real, real_rest, imag, imag_rest = start.real, 0.0, start.imag, 0.0
        for value in values[place:]:
            if isinstance(value, complex):
                real, real_rest = added_with_rest(real, real_rest, value.real)
                imag, imag_rest = added_with_rest(imag, imag_rest, value.imag)
            else:
                real, real_rest = added_with_rest(real, real_rest, float(value))
        start = complex(with_rest(real, real_rest), with_rest(imag, imag_rest))
    return start
