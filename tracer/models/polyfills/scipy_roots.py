"""The root finders of ``scipy.optimize._zeros``, in the order of the C code's operations.

Where an end is the root, the C code counts no iterations, and gives what its memory holds: 0 here.

R. P. Brent, *Algorithms for Minimization without Derivatives*, 1973, chapter 4; J. C. P. Bus and
T. J. Dekker, ACM TOMS 1 (1975) 330; C. J. F. Ridders, IEEE Trans. Circuits Syst. 26 (1979) 979.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import _zeros

CONVERGED, NOT_CONVERGED = 0, -2
SAME_SIGNS = "f(a) and f(b) must have different signs"
SCALES = _zeros._ridder(lambda x: x, -128.3219937585339, 0.018164810540002192, 1e-6, 1e-3, 9, (), 0, 1) == 0
"""Whether Ridder's method divides the values by one of them first, as it does since SciPy 1.18."""
Solver = Callable[..., tuple[float, int, int, int]]


def bisect(f: Any, a: float, b: float, xtol: float, rtol: float, maxiter: int) -> tuple[float, int, int, int]:
    at_a, at_b = f(a), f(b)
    if at_a == 0 or at_b == 0:
        return (a if at_a == 0 else b), 2, 0, CONVERGED
    _require_signs(at_a, at_b)
    step, iterations = b - a, 0
    while iterations < maxiter:
        iterations += 1
        step *= 0.5
        middle = a + step
        value = f(middle)
        if _is_negative(value) == _is_negative(at_a):
            a = middle
        if value == 0 or abs(step) < xtol + rtol * abs(middle):
            return middle, iterations + 2, iterations, CONVERGED
    return a, iterations + 2, iterations, NOT_CONVERGED


def ridder(f: Any, a: float, b: float, xtol: float, rtol: float, maxiter: int) -> tuple[float, int, int, int]:
    tolerance = xtol + rtol * _smaller(abs(a), abs(b))
    at_a, at_b = f(a), f(b)
    if at_a == 0 or at_b == 0:
        return (a if at_a == 0 else b), 2, 0, CONVERGED
    _require_signs(at_a, at_b)
    iterations, point = 0, 0.0
    while iterations < maxiter:
        iterations += 1
        half = 0.5 * (b - a)
        middle = a + half
        at_middle = f(middle)
        if SCALES and at_middle == 0:
            return middle, 2 * iterations + 1, iterations, CONVERGED
        step = _ridder_step(half, at_middle, at_a, at_b)
        point = middle - _sign(step) * _smaller(abs(step), abs(half) - 0.5 * tolerance)
        value = f(point)
        if _is_negative(value) != _is_negative(at_middle):
            a, at_a, b, at_b = point, value, middle, at_middle
        elif _is_negative(value) != _is_negative(at_a):
            b, at_b = point, value
        else:
            a, at_a = point, value
        tolerance = xtol + rtol * point
        if value == 0.0 or abs(b - a) < tolerance:
            return point, 2 * iterations + 2, iterations, CONVERGED
    return point, 2 * iterations + 2, iterations, NOT_CONVERGED


def _ridder_step(half: float, at_middle: float, at_a: float, at_b: float) -> float:
    if SCALES:
        ratio = _quotient(at_middle, at_a)
        return _quotient(-half * ratio, _root(ratio * ratio - _quotient(at_b, at_a)))
    return _quotient(_sign(at_b - at_a) * half * at_middle, _root(at_middle * at_middle - at_a * at_b))


def brentq(f: Any, a: float, b: float, xtol: float, rtol: float, maxiter: int) -> tuple[float, int, int, int]:
    return _brent(_inverse_quadratic, f, a, b, xtol, rtol, maxiter)


def brenth(f: Any, a: float, b: float, xtol: float, rtol: float, maxiter: int) -> tuple[float, int, int, int]:
    return _brent(_hyperbolic, f, a, b, xtol, rtol, maxiter)


def _inverse_quadratic(value: float, earlier: float, other: float, slope: float, other_slope: float) -> float:
    return _quotient(-value * (other * other_slope - earlier * slope), other_slope * slope * (other - earlier))


def _hyperbolic(value: float, earlier: float, other: float, slope: float, other_slope: float) -> float:
    return _quotient(-value * (other - earlier), other * slope - earlier * other_slope)


def _brent(extrapolated: Any, f: Any, a: float, b: float, xtol: float, rtol: float, maxiter: int) -> tuple[float, int, int, int]:
    """The root is between ``x`` and ``end``; ``earlier`` is where ``x`` was before."""
    earlier, x, end = a, b, 0.0
    at_earlier, at_x, at_end = f(a), f(b), 0.0
    if at_earlier == 0 or at_x == 0:
        return (a if at_earlier == 0 else b), 2, 0, CONVERGED
    _require_signs(at_earlier, at_x)
    step_before, step, iterations = 0.0, 0.0, 0
    while iterations < maxiter:
        iterations += 1
        if at_earlier != 0 and at_x != 0 and _is_negative(at_earlier) != _is_negative(at_x):
            end, at_end = earlier, at_earlier
            step_before = step = x - earlier
        if abs(at_end) < abs(at_x):
            earlier, x, end = x, end, x
            at_earlier, at_x, at_end = at_x, at_end, at_x
        tolerance = 0.5 * (xtol + rtol * abs(x))
        half = 0.5 * (end - x)
        if at_x == 0 or abs(half) < tolerance:
            return x, iterations + 1, iterations, CONVERGED
        proposed = math.inf
        if abs(step_before) > tolerance and abs(at_x) < abs(at_earlier):
            if earlier == end:
                proposed = _quotient(-at_x * (x - earlier), at_x - at_earlier)
            else:
                slope, other_slope = _quotient(at_earlier - at_x, earlier - x), _quotient(at_end - at_x, end - x)
                proposed = extrapolated(at_x, at_earlier, at_end, slope, other_slope)
        if 2 * abs(proposed) < _smaller(abs(step_before), 3 * abs(half) - tolerance):
            step_before, step = step, proposed
        else:
            step_before = step = half
        earlier, at_earlier = x, at_x
        x += step if abs(step) > tolerance else (tolerance if half > 0 else -tolerance)
        at_x = f(x)
    return x, iterations + 2, iterations, NOT_CONVERGED


def found(
    solver: Solver, f: Any, a: Any, b: Any, xtol: Any, rtol: Any, maxiter: Any, args: Any, full_output: Any, disp: Any = True, /
) -> Any:
    """What the C function gives for this solver."""

    def value_at(x: float) -> float:
        return float(f(x, *args))

    root, calls, iterations, flag = solver(value_at, float(a), float(b), float(xtol), float(rtol), maxiter)
    if flag != CONVERGED and disp:
        raise RuntimeError(f"Failed to converge after {iterations} iterations.")
    return (root, calls, iterations, flag) if full_output else root


def _require_signs(one: float, other: float) -> None:
    if _is_negative(one) == _is_negative(other):
        raise ValueError(SAME_SIGNS)


def _is_negative(value: float) -> bool:
    """``signbit``."""
    return math.copysign(1.0, value) < 0


def _sign(value: float) -> float:
    return 1.0 if value > 0 else -1.0


def _smaller(one: float, other: float) -> float:
    return one if one < other else other


def _root(value: float) -> float:
    return float(np.sqrt(value))


def _quotient(dividend: float, divisor: float) -> float:
    """As C divides: by zero, too."""
    with np.errstate(all="ignore"):
        return float(np.float64(dividend) / divisor)
