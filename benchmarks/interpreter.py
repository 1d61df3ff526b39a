"""What interpretation costs: the interpreter's time over CPython's own on pure Python, all measured in this run.

``python benchmarks/interpreter.py`` prints a table, for ``interpret`` and for an export that traces the same, and fails over the budget:
150 times CPython's, and linear in the size of the problem.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from npexport import export
from npexport.tracer.interpreter import interpret

BUDGET = 150
GROWTH = 15  # for ten times the size


def for_loop(n):
    total = 0
    for i in range(n):
        total += i * 2 % 7
    return total


def while_loop(n):
    i = total = 0
    while i < n:
        if i & 1:
            total += i
        i += 1
    return total


def calls(n):
    def add(a, b):
        return a + b

    total = 0
    for i in range(n):
        total = add(total, i)
    return total


def recursion(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    for _ in range(n // 400):
        fib(9)


def comprehensions(n):
    return len([x * x for x in range(n) if x % 3]) + len({x: -x for x in range(n)})


def generators(n):
    def count(k):
        yield from range(k)

    return sum(x for x in count(n))


def delegation(n):
    def descend(depth):
        if depth:
            yield from descend(depth - 1)
        else:
            yield from range(n // 10)

    return sum(descend(10))


def sending(n):
    def totals():
        total = 0
        while True:
            total += yield total

    running = totals()
    next(running)
    for i in range(n):
        running.send(i)


def builtins(n):
    total = 0
    for i in range(n):
        total += abs(i - 5) + min(i, 3) + len((i, total))
    return total


def keywords(n):
    def scaled(*args, by=1, **rest):
        return args[0] * by + len(rest)

    total = 0
    for i in range(n):
        total += scaled(i, by=2, unused=0)
    return total


def methods(n):
    class Counter:
        def __init__(self, value):
            self.value = value

        def next(self):
            self.value += 1
            return self.value

    counter = Counter(0)
    for _ in range(n):
        counter.next()
    return counter.value


def operators(n):
    class Number:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            return Number(self.value + other.value)

    total, one = Number(0), Number(1)
    for _ in range(n // 2):
        total = total + one
    return total.value


def exceptions(n):
    caught = 0
    for i in range(n // 2):
        try:
            if i % 2:
                raise ValueError(i)
        except ValueError:
            caught += 1
    return caught


def containers(n):
    table, items = {}, []
    for i in range(n):
        table[i % 50] = i
        items.append(table[i % 50])
    return len(items)


CASES: tuple[Callable[[int], object], ...] = (
    for_loop, while_loop, calls, keywords, recursion, builtins, comprehensions, generators, delegation, sending, methods, operators,
    exceptions, containers,
)  # fmt: skip


def seconds(run: Callable[[], object], rounds: int = 5) -> float:
    """The best processor time of some rounds: other processes must not count."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def tracing(case: Callable[[int], object], n: int) -> float:
    """The seconds that an export takes longer when the program runs the case, too."""

    def empty(x):
        return x

    def program(x):
        case(n)
        return x

    x = np.ones(1)
    return seconds(lambda: export(program, (x,)), 3) - seconds(lambda: export(empty, (x,)), 3)


def measure(case: Callable[[int], object], n: int) -> tuple[float, float, float]:
    """(CPython's seconds, the interpreter's, those of tracing)"""
    repeat = 20  # CPython alone is too fast for the clock
    native = seconds(lambda: [case(n) for _ in range(repeat)]) / repeat
    return native, seconds(lambda: interpret(case, n), 3), tracing(case, n)


def main() -> int:
    over = False
    print(f"{'':16}{'CPython':>10}{'interpret':>12}{'ratio':>8}{'export':>12}{'ratio':>8}{'10 times the size':>20}")
    for case in CASES:
        interpret(case, 10)
        native, ours, traced = measure(case, 4_000)
        growth = seconds(lambda case=case: interpret(case, 40_000), 1) / ours
        row = f"{native * 1e3:7.2f} ms{ours * 1e3:9.1f} ms{ours / native:8.0f}{traced * 1e3:9.1f} ms{traced / native:8.0f}"
        print(f"{case.__name__:16}{row}{growth:14.1f} times")
        over = over or max(ours, traced) > BUDGET * native or growth > GROWTH
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
