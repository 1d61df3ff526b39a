"""Small programs over numbers: loops, tries, single elements; parts of eager time, of rounds in turn.

python benchmarks/numbers_of_data.py [NAME ...]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import export

ROUNDS, SECONDS = 25, 0.002


def a_division(x):
    try:
        return 1 / float(x[0])
    except ZeroDivisionError:
        return 0.0


def a_root(x):
    try:
        y = math.sqrt(float(x[0]))
    except ValueError:
        y = -1.0
    return y * 2


def an_inverse(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return x


def divisions(x):
    total = 0.0
    for v in x:
        try:
            total += 1 / float(v)
        except ZeroDivisionError:
            total += 1
    return total


def collatz(x):
    n, count = int(x[0]), 0
    while n != 1:
        if n % 2:
            n = 3 * n + 1
        else:
            n //= 2
        count += 1
    return count


def divisor(x):
    a, b = int(x[0]), int(x[1])
    while b:
        a, b = b, a % b
    return a


def digits(x):
    n, total = int(x[0]), 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


def prime(x):
    n, i = int(x[0]), 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def root(x):
    a = float(x[0])
    g = a
    while abs(g * g - a) > 1e-12:
        g = 0.5 * (g + a / g)
    return g


def halves(x):
    goal, low = float(x[0]), 0.0
    high = goal
    for _ in range(60):
        middle = (low + high) / 2
        if middle * middle < goal:
            low = middle
        else:
            high = middle
    return low


def random(x):
    s = 1
    for _ in range(int(x[0])):
        s = (s * 1103515245 + 12345) % 2147483648
    return s


def chaos(x):
    v = float(x[0])
    for _ in range(100_000):
        v = 3.9 * v * (1 - v)
    return v


def escape(x):
    z, c, n = 0j, complex(x[0]), 0
    while abs(z) < 2 and n < 100:
        z = z * z + c
        n += 1
    return n


PROGRAMS: tuple[tuple[Callable[..., Any], Any], ...] = (
    (a_division, [2.0, 1.0]), (a_root, [2.0, 1.0]), (an_inverse, np.eye(4) + 0.1), (divisions, np.arange(1.0, 30.0)), (collatz, [97]),
    (divisor, [2**40 + 6, 12 * 10**9]), (digits, [12345678]), (prime, [1000003]), (root, [3.0]), (halves, [200.5]), (random, [10_000]),
    (chaos, [0.3]), (lambda x: x[0] + x[1], [1.0, 2.0]), (lambda x: float(x[0]), [1.0, 2.0]),
    (lambda x: sorted(x.tolist()), [3.0, 1.0, 2.0]),
    (lambda x: [int(v) for v in x if v % 2 == 0], np.arange(12)), (lambda x: np.bincount(x, minlength=10), np.arange(50) % 9),
    (lambda x: np.nonzero(x > 0)[0], np.arange(-25.0, 25.0)), (lambda x: [v for v in x.tolist() if v > 0], np.arange(-100.0, 100.0)),
    (escape, [0.3 + 0.5j]), (lambda x: f"{x[0]:.2f} {x[1]:.3e}", [1.0, 2.0]), (lambda x: x.fill(0), [1.0, 2.0]),
)  # fmt: skip
NAMES = [f.__name__ for f, _ in PROGRAMS[:12]] + ["two elements", "an element", "a sorted list", "even numbers", "bincount", "nonzero"]
NAMES += ["positive numbers", "escape", "a text", "fill"]


def seconds(call: Callable[..., Any], x: Any, count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call(x)
    return (time.process_time() - start) / count


def main() -> None:
    for name, (function, numbers) in zip(NAMES, PROGRAMS, strict=True):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        x = np.array(numbers)
        run = export(function, (x,)).module()
        assert repr(run(x)) == repr(function(x))
        count = max(1, int(SECONDS / max(seconds(function, x, 3), 1e-7)))
        rounds = [(seconds(function, x, count), seconds(run, x, count)) for _ in range(ROUNDS)]
        plain, exported = (min(each) for each in zip(*rounds, strict=True))
        print(f"{name}: {plain * 1e6:.2f} us plain, ratio {exported / plain:.2f}", flush=True)


if __name__ == "__main__":
    main()
