"""Textbook programs whose loops and branches depend on data, each with arguments that take every
way through it.

Which of them become part of the graph, and which are refused with what in the way, is said in
`tests/unit/tracer/control/test_textbook_loops.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {}


def given(*arguments: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a program with what it is called with."""

    def declare(program: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[program.__name__] = program, list(arguments)
        return program

    return declare


def v(*values: float) -> Any:
    return np.array(values, dtype=np.float64)


def n(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


SPD = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])


# --- roots and minima


@given((v(2.0),), (v(1e6),), (v(1e-4),))
def newton_square_root(a):
    x = a[0]
    while abs(x * x - a[0]) > 1e-9 * a[0]:
        x = 0.5 * (x + a[0] / x)
    return x


@given((v(0.0), v(2.0)), (v(-1.0), v(5.0)))
def bisection(lo, hi):
    lo, hi = lo[0], hi[0]
    while hi - lo > 1e-8:
        mid = 0.5 * (lo + hi)
        if mid**3 - mid - 1.0 < 0:
            lo = mid
        else:
            hi = mid
    return lo, hi


@given((v(1.0, 2.0),), (v(0.5, 3.0),))
def secant(start):
    a, b = start[0], start[1]
    for _ in range(50):
        fa, fb = np.cos(a) - a, np.cos(b) - b
        if abs(fb) < 1e-12 or fa == fb:
            break
        a, b = b, b - fb * (b - a) / (fb - fa)
    return b


@given((v(0.0, 4.0),), (v(1.0, 1.5),))
def golden_section(interval):
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    a, b = interval[0], interval[1]
    while b - a > 1e-6:
        c = b - ratio * (b - a)
        d = a + ratio * (b - a)
        if (c - 2.0) ** 2 < (d - 2.0) ** 2:
            b = d
        else:
            a = c
    return 0.5 * (a + b)


@given((v(0.3),), (v(3.0),), (v(-2.0),))
def false_position(x):
    a, b = x[0] - 4.0, x[0] + 4.0
    fa, fb = np.exp(a) - 1.0, np.exp(b) - 1.0
    c = a
    for _ in range(200):
        c = (a * fb - b * fa) / (fb - fa)
        fc = np.exp(c) - 1.0
        if abs(fc) < 1e-10:
            break
        if fa * fc < 0:
            b, fb = c, fc
        else:
            a, fa = c, fc
    return c


@given((v(1.0, 1.0),), (v(-3.0, 2.0),))
def gradient_descent(x):
    for k in range(500):
        g = np.array([2.0, 20.0]) * x
        if np.sqrt(g @ g) < 1e-6:
            break
        x = x - 0.05 * g
    return x, k


@given((v(2.0, -1.0),), (v(0.1, 0.1),))
def backtracking_line_search(x):
    g = 2.0 * x
    f = x @ x
    t = np.float64(1.0)
    while (x - t * g) @ (x - t * g) > f - 0.5 * t * (g @ g):
        t = t * 0.5
    return t, x - t * g


@given((v(3.0, 0.1), v(0.0, 1.0, 2.0, 3.0)), (v(1.0, 1.0), v(0.0, 0.5, 1.0, 1.5)))
def levenberg_marquardt(p, t):
    y = 2.0 * np.exp(-0.5 * t)
    lam = np.float64(1e-3)
    for _ in range(30):
        model = p[0] * np.exp(-p[1] * t)
        r = y - model
        jac = np.stack([np.exp(-p[1] * t), -p[0] * t * np.exp(-p[1] * t)], axis=1)
        cost = r @ r
        if cost < 1e-16:
            break
        step = np.linalg.solve(jac.T @ jac + lam * np.eye(2), jac.T @ r)
        trial = p + step
        new = y - trial[0] * np.exp(-trial[1] * t)
        if new @ new < cost:
            p = trial
            lam = lam * 0.5
        else:
            lam = lam * 2.0
    return p


# --- linear algebra


@given((SPD, v(1.0, 2.0, 3.0)), (SPD * 2, v(0.0, 0.0, 0.0)))
def conjugate_gradient(a, b):
    x = np.zeros(3)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    while rs > 1e-18:
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return x


@given((SPD,), (np.diag([1.0, 2.0, 5.0]),))
def power_iteration(a):
    x = np.ones(3)
    old = np.float64(0.0)
    for k in range(1000):
        y = a @ x
        lam = np.sqrt(y @ y)
        x = y / lam
        if abs(lam - old) < 1e-12:
            break
        old = lam
    return lam, x, k


@given((SPD, v(1.0, 2.0, 3.0)), (SPD, v(0.0, 0.0, 0.0)))
def jacobi_iteration(a, b):
    d = np.diag(a)
    x = np.zeros(3)
    delta = np.float64(1.0)
    while delta > 1e-10:
        new = (b - (a @ x - d * x)) / d
        delta = np.max(np.abs(new - x))
        x = new
    return x


@given((SPD, v(1.0, 2.0, 3.0)), (SPD, v(-1.0, 0.0, 1.0)))
def gauss_seidel(a, b):
    x = np.zeros(3)
    for sweep in range(100):
        old = x.copy()
        for i in range(3):
            x[i] = (b[i] - a[i] @ x + a[i, i] * x[i]) / a[i, i]
        if np.max(np.abs(x - old)) < 1e-10:
            break
    return x, sweep


@given((SPD, v(1.0, 2.0, 3.0)), (SPD, v(-1.0, 0.0, 1.0)))
def successive_over_relaxation(a, b):
    x = np.zeros(3)
    err = np.float64(1.0)
    while err > 1e-9:
        err = np.float64(0.0)
        for i in range(3):
            new = x[i] + 1.1 * (b[i] - a[i] @ x) / a[i, i]
            err = np.maximum(err, abs(new - x[i]))
            x[i] = new
    return x


@given((SPD,), (np.diag([3.0, 1.0, 2.0]),))
def unshifted_qr_iteration(a):
    a = a.copy()
    while np.max(np.abs(np.tril(a, -1))) > 1e-8:
        q, r = np.linalg.qr(a)
        a = r @ q
    return np.diag(a)


@given((np.array([[2.0, 1.0], [1.0, 3.0]]),), (np.array([[5.0, 0.0], [0.0, 1.0]]),))
def jacobi_eigenvalues(a):
    a = a.copy()
    while abs(a[0, 1]) > 1e-12:
        theta = 0.5 * np.arctan2(2.0 * a[0, 1], a[1, 1] - a[0, 0])
        c, s = np.cos(theta), np.sin(theta)
        rotation = np.array([[c, s], [-s, c]])
        a = np.ascontiguousarray(rotation.T @ a @ rotation)
    return np.diag(a)


@given((np.array([[1.0, 2.0], [3.0, 4.0]]),), (np.eye(2),))
def newton_schulz_inverse(a):
    x = np.ascontiguousarray(a.T) / (np.abs(a).sum() ** 2)
    for _ in range(100):
        r = np.eye(2) - a @ x
        if np.sqrt((r * r).sum()) < 1e-10:
            return x
        x = x + x @ r
    return x


@given((np.array([[0.9, 0.2], [0.1, 0.8]]),), (np.array([[0.5, 0.5], [0.5, 0.5]]),))
def page_rank(m):
    rank = np.full(2, 0.5)
    while True:
        new = 0.85 * (m @ rank) + 0.075
        if np.abs(new - rank).sum() < 1e-10:
            break
        rank = new
    return rank


@given((np.array([[1.0, 2.0], [3.0, 4.0]]), v(0.5, 0.5)), (np.ones((2, 2)), v(0.2, 0.8)))
def sinkhorn(cost, marginal):
    k = np.exp(-cost)
    u, w = np.ones(2), np.ones(2)
    for _ in range(200):
        u = marginal / (k @ w)
        w = marginal / (k.T @ u)
        if np.max(np.abs(u * (k @ w) - marginal)) < 1e-9:
            break
    return u, w


# --- integers


@given((n(12, 18),), (n(7, 5),), (n(0, 3),), (n(5, 0),))
def greatest_common_divisor(x):
    a, b = int(x[0]), int(x[1])
    while b:
        a, b = b, a % b
    return a


@given((n(240, 46),), (n(17, 5),))
def extended_euclid(x):
    r0, r1 = int(x[0]), int(x[1])
    s0, s1, t0, t1 = 1, 0, 0, 1
    while r1 != 0:
        q = r0 // r1
        r0, r1 = r1, r0 - q * r1
        s0, s1 = s1, s0 - q * s1
        t0, t1 = t1, t0 - q * t1
    return r0, s0, t0


@given((n(27),), (n(1),), (n(7),))
def collatz(x):
    m, steps = int(x[0]), 0
    while m != 1:
        if m % 2 == 0:
            m = m // 2
        else:
            m = 3 * m + 1
        steps += 1
    return steps


@given((n(10),), (n(0),), (n(90),))
def fibonacci(x):
    a, b = 0, 1
    for _ in range(int(x[0])):
        a, b = b, a + b
    return a


@given((n(97),), (n(91),), (n(2),))
def is_prime(x):
    m, d = int(x[0]), 2
    while d * d <= m:
        if m % d == 0:
            return False
        d += 1
    return m > 1


@given((n(3, 200, 13),), (n(7, 0, 5),))
def modular_power(x):
    base, exponent, modulus = int(x[0]), int(x[1]), int(x[2])
    result = 1
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


@given((n(99),), (n(0),), (n(1 << 40),))
def integer_square_root(x):
    m = int(x[0])
    lo, hi = 0, m + 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if mid * mid <= m:
            lo = mid
        else:
            hi = mid
    return lo


@given((n(44257),), (n(1),))
def linear_feedback_shift_register(x):
    start = int(x[0])
    state, period = start, 0
    while True:
        bit = ((state >> 0) ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
        state = (state >> 1) | (bit << 15)
        period += 1
        if state == start or period >= 100:
            break
    return state, period


@given((np.frombuffer(b"123456789", np.uint8),), (np.frombuffer(b"abcdefghi", np.uint8),))
def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte) << 8
        for _ in range(8):
            if crc & 0x8000:
                crc = (crc << 1) ^ 0x1021
            else:
                crc = crc << 1
            crc &= 0xFFFF
    return crc


@given((n(12345),), (n(0),), (n(7),))
def digit_sum(x):
    m, total = int(x[0]), 0
    while m > 0:
        total += m % 10
        m //= 10
    return total


@given((n(13),), (n(255),), (n(0),))
def population_count(x):
    m, count = int(x[0]), 0
    while m:
        m &= m - 1
        count += 1
    return count
