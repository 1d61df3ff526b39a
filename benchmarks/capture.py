"""What `capture` costs the program that it watches: CPU seconds of work outside the target while it is captured, over those without.

    python benchmarks/capture.py

The target is called once in each round, at its beginning; in the last row it is called in each step of a few array calls. Every figure is
the median of interleaved rounds of one run: in a round the work runs bare, while a function is captured, and while a predicate is (which
sees every code object of the work once).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from npexport import capture

ROUNDS = 15
X = np.ones(8)
ROWS = np.ones((8, 64))


def target(x):
    return x * 2


def recursion():
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(21)


def loop_of_calls():
    def add(a, b):
        return a + b

    total = 0
    for i in range(100_000):
        total = add(total, i)
    return total


def methods():
    class Counter:
        def __init__(self):
            self.value = 0

        def next(self):
            self.value += 1

    counter = Counter()
    for _ in range(100_000):
        counter.next()
    return counter.value


def generators():
    def count(k):
        for i in range(k):
            yield i + 1

    return sum(count(200_000))


def sort_keys():
    return sorted(range(50_000), key=lambda i: -i)


def plain_loop():
    total = 0
    for i in range(300_000):
        total += i * 2 % 7
    return total


def array_calls():
    x = np.ones(1000)
    for _ in range(3_000):
        x = np.sqrt(np.clip(x + 1, 0, 2))
    return x


def library():
    total = 0
    for _ in range(300):
        total += np.median(np.arange(50.0)) + np.average(np.ones(50)) + np.linalg.norm(np.ones(5))
    return total


def steps_with_target():
    total = 0.0
    for _ in range(2_000):
        y = target(np.tanh(ROWS))
        total += float(np.maximum(y, 0.5).sum() + (y - y.mean(axis=0)).max())
    return total


WORK: tuple[Callable[[], object], ...] = (
    recursion, loop_of_calls, methods, generators, sort_keys, plain_loop, array_calls, library, steps_with_target,
)  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def captured(what: Callable[..., object], work: Callable[[], object]) -> float:
    with capture(what):
        target(X)
        return seconds(work)


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """(the ratio while a function is captured, the ratio while a predicate is)"""
    bare, function, predicate = [], [], []
    for _ in range(ROUNDS):
        bare.append(seconds(work))
        function.append(captured(target, work))
        predicate.append(captured(lambda code: code.co_name == "target", work))
    base = statistics.median(bare)
    return statistics.median(function) / base, statistics.median(predicate) / base


def main() -> None:
    print(f"CPython {sys.version.split()[0]}{'function':>20}{'predicate':>12}")
    for work in WORK:
        function, predicate = measure(work)
        print(f"{work.__name__:20}{function:14.2f}{predicate:12.2f}")


if __name__ == "__main__":
    main()
