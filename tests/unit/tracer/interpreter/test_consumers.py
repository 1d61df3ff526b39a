"""Builtins and methods that consume generators: what happens between two items, and after the last one that they take, is CPython's."""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import export, interpret
from tests.support.functions import function_of

EXPRESSIONS = [
    *[
        f"{consumer}({items})"
        for consumer in ("sum", "set", "frozenset", "min", "max", "sorted", "list", "tuple", "any", "all", "bytes", "math.fsum")
        for items in ("odd('a')", "odd([])", "odd(1.5)", "odd((1, []))", "odd(Added(3))", "odd(2j)", "odd(None)", "failing()")
    ],
    *[f"{extreme}(odd(5), key=key)" for extreme in ("min", "max", "sorted")],
    "max(odd(9), key=lambda item: log.append(item) or item)",
    "max(odd('a'), key=key)",
    "min(odd(5), default=key(1))",
    "min((item for item in ()), default=4)",
    "max((item for item in ()), key=key, default=None)",
    "max(item for item in ())",
    "max((str(item), item) for item in odd(7))",
    "max(item if item % 2 else (item,) for item in odd(7))",
    "min(Ranked(item) for item in odd(7)).rank",
    "sum(odd([1]), [])",
    "sum((log.append(item) or [item] for item in odd(1)), [])",
    "sum(odd(0.1), 0.1)",
    "sum((0.1 for _ in odd(1)), 0)",
    "sum((item / 10 for item in odd(1)), start=1)",
    "sum((item / 10 for item in odd(1)), Added(0.5))",
    "sum([0.1 if item else Added(2) for item in odd(1)][::-1])",
    "sum((Added(1) if item == 1 else 0.1 for item in odd(1)), 1)",
    "sum(odd(1), 'a')",
    "sum(odd(1), start='a')",
    "sum(odd(1), 1, 2)",
    "sum(odd(1), begin=1)",
    "l.extend(failing())",
    "l.extend(log.append(len(l)) or item for item in odd(1))",
    "l.extend(l.append(9) or item for item in range(3))",
    "l.__iadd__(failing())",
    "s.update(failing())",
    "s.update(odd([]))",
    "s.update(log.append(len(s)) or item for item in odd(3))",
    "s.update(odd(3), failing())",
    "d.update((item, item) for item in failing())",
    "d.update((log.append(len(d)) or item, item) for item in odd(3))",
    "d.update(odd((1, 2)))",
    "d.update((item, item, item) for item in odd(1))",
    "d.update(str(item) * 2 for item in odd(1))",
    "d.update(iter((item, item)) for item in odd(1))",
    "d.update(((item, item) for item in odd(1)), k=2)",
    "d.update(([], item) for item in odd(1))",
    "''.join(odd('a'))",
    "''.join(log.append(item) or str(item) for item in odd('a'))",
    "{*odd([])}",
    "[*failing()]",
    "dict((item, item) for item in failing())",
    "dict.fromkeys(odd([]))",
    "collections.deque(failing(), 2)",
    "collections.Counter(odd([]))",
    "functools.reduce(lambda one, other: log.append((one, other)) or one + other, odd(7))",
    "list(zip(odd(3), failing()))",
    "list(map(key, odd(4)))",
    "list(itertools.accumulate(odd('a')))",
    "heapq.nsmallest(2, odd(7))",
    "3 in odd(3)",
]


class Added:
    """Its sum tells the order of additions."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __add__(self, other: Any) -> Any:
        LOG.append(("add", self.value, other))
        return Added(self.value + other)

    def __radd__(self, other: Any) -> Any:
        LOG.append(("radd", self.value, other))
        return other + self.value

    def __hash__(self) -> int:
        return 5

    def __repr__(self) -> str:
        return f"Added({self.value})"


class Ranked:
    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __lt__(self, other: Any) -> bool:
        LOG.append(("lt", self.rank, other.rank))
        return bool(self.rank < other.rank)


LOG: list[Any] = []


def odd(item: Any, iterations: int = 4) -> Iterator[Any]:
    for iteration in range(iterations):
        LOG.append(iteration)
        yield item if iteration == 1 else iteration


def failing() -> Iterator[int]:
    for iteration in range(4):
        LOG.append(iteration)
        if iteration == 2:
            raise ValueError(iteration)
        yield iteration


def key(item: Any) -> Any:
    LOG.append(("key", item))
    return -item


NAMES = {
    "odd": odd,
    "failing": failing,
    "key": key,
    "Added": Added,
    "Ranked": Ranked,
    "log": LOG,
    "collections": collections,
    "functools": functools,
    "heapq": heapq,
    "itertools": itertools,
    "math": math,
}


def _outcome(expression: str, run: Any) -> tuple[Any, ...]:
    f = function_of(f"def f(l, s, d):\n    return {expression}\n", dict(NAMES))
    LOG.clear()
    held: tuple[Any, ...] = [7], {7}, {7: 7}
    try:
        result = repr(run(f, *held))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return result, list(map(repr, LOG)), repr(held)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_happens_between_items_is_what_happens_in_cpython(expression: str) -> None:
    def eager(function: Any, *args: Any) -> Any:
        return function(*args)

    assert _outcome(expression, interpret) == _outcome(expression, eager)


def test_what_a_generator_does_after_the_item_that_fails_is_no_part_of_the_program() -> None:
    def f(x: Any) -> Any:
        seen: list[int] = []
        try:
            sum((seen.append(k) or ("a" if k == 1 else 1)) for k in range(4))  # type: ignore[func-returns-value, misc]
        except TypeError:
            pass
        try:
            seen.extend(10 // (2 - k) for k in range(4))
        except ZeroDivisionError:
            pass
        return x * len(seen) + seen[-1]

    x = np.arange(3.0)
    np.testing.assert_equal(export(f, (x,)).module()(x), f(x))
