"""Loops that are left, or begun again, at more than two places: several ``break``, ``return`` and
``continue``, in ``while True``, in ``try`` with ``finally``, and in loops inside loops.
"""

from __future__ import annotations

import numpy as np

from tests.support.textbook_loops import given, n, v


@given((v(2.0), v(0.5)), (v(20.0), v(0.1)), (v(0.1), v(5.0)))
def rejected_steps(end, step):
    end, h = end[0], step[0]
    t, y, rejected = np.float64(0), np.float64(1), 0
    while t < end:
        if t + h > end:
            h = end - t
        slope = -y
        error = abs(h * (-(y + h * slope) - slope) / 2)
        if error > 1e-3:
            h = h / 2
            rejected += 1
            if rejected > 60:
                raise RuntimeError("too many steps are rejected")
            continue
        y = y + h * (slope - (y + h * slope)) / 2
        t = t + h
        if error < 1e-5:
            h = h * 2
    return y, rejected


@given((n(1, 0, 2, 3, 0),), (n(3, 3, 3, 3, 3),), (n(9, 3, 3, 3, 3),), (n(1, 1, 2, 1, 9),), (n(0, 0, 0, 0, 0),))
def machine_of_states(codes):
    i, total, state = 0, 0, 0
    while True:
        if i >= 5:
            return total, state
        code = int(codes[i])
        i += 1
        if code == 0:
            state = 0
            continue
        elif code == 1:
            state = 1
        elif code == 9:
            return -1, state
        else:
            if state == 1:
                total += code * 10
                continue
            total += code
        if total > 5:
            break
    return total + 100, state


@given((v(3.0, 1.0, 2.0),), (v(1.0, 2.0, 3.0),), (v(9.0, 8.0, 7.0),), (v(-1.0, 0.0, 0.0),))
def first_outlier(x):
    for i in range(len(x)):
        if x[i] > 5:
            return i, x[i]
        if x[i] < 0:
            return -1, np.float64(0)
    return 3, x[0]


@given((v(10.0),), (v(1e9),), (v(-3.0),), (v(0.0),))
def halved_until_any(x):
    x, k = x[0], 0
    while True:
        if x < 0:
            return x - 1
        x = x / 2
        k += 1
        if x < 1e-3:
            return x
        if k > 20:
            return x * 2


@given((v(3.0, 1.0, 2.0),), (v(1.0, 2.0, 3.0),), (v(9.0, 8.0, 7.0),))
def counted_in_finally(x):
    iterations, i, total = 0, 0, np.float64(0)
    while i < 3:
        try:
            if x[i] > 8:
                break
            if x[i] > 2:
                i += 1
                continue
            total = total + x[i]
        finally:
            iterations += 1
        i += 1
    return total, iterations, i


@given((v(1.0, 2.0, 3.0, -1.0),), (v(1.0, 2.0, 3.0, 4.0),), (v(0.0, 0.0, 0.0, 0.0),), (v(-1.0, 2.0, 0.5, 4.0),))
def sums_of_pairs(x):
    total, i = np.float64(0), 0
    while i < 4:
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if x[j] < 0:
                continue
            if x[j] > 2.5:
                break
            total = total + x[j] * x[i]
        else:
            total = total + 100
        i += 1
        if total > 10:
            break
    return total, i


@given((n(12, 18),), (n(7, 3),), (n(0, 4),), (n(64, 48),), (n(5, 0),))
def binary_gcd(pair):
    a, b = int(pair[0]), int(pair[1])
    if a == 0:
        return b
    if b == 0:
        return a
    shift = 0
    while (a | b) & 1 == 0:
        a >>= 1
        b >>= 1
        shift += 1
    while a & 1 == 0:
        a >>= 1
    while True:
        while b & 1 == 0:
            b >>= 1
        if a > b:
            a, b = b, a
        b -= a
        if b == 0:
            break
    return a << shift
