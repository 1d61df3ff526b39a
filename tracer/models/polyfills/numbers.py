"""Functions of Python numbers, in Python."""

import math


def power(base, exponent, /):
    """Of integers."""
    return base**exponent if exponent >= 0 else float(base) ** exponent


def distance(p, q, /):
    """``math.dist`` of points whose coordinates are real numbers."""
    p, q = tuple(p), tuple(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return math.hypot(*[float(a) - float(b) for a, b in zip(p, q, strict=True)])
