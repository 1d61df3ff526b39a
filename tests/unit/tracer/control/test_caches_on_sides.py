"""Cached functions that are called on one side of a branch on data, or in an iteration of a loop: the
program computes what eager execution does, or is refused.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest

from npexport import Unsupported, export


class Kind(enum.Enum):
    PLAIN = 1


@functools.lru_cache
def doubled(n: int) -> float:
    return n * 2.0


@functools.lru_cache(maxsize=None)
def is_below(kind: type, other: type) -> bool:
    return issubclass(kind, other)


@functools.lru_cache
def described(kind: type) -> tuple[Kind, Any]:
    return Kind.PLAIN, np


@functools.lru_cache
def listed(n: int) -> list[int]:
    return [n]


@functools.lru_cache(maxsize=1)
def last(n: int) -> int:
    return n + 1


CACHES = (doubled, is_below, described, listed, last)


@pytest.fixture(autouse=True)
def _empty_caches() -> None:
    for cache in CACHES:
        cache.cache_clear()


def both_sides(x: Any) -> Any:
    y = x * doubled(3) if x[0] > 0 else x - doubled(4)
    return y * doubled(3)


def asked_before(x: Any) -> Any:
    first = doubled(5)
    if x.sum() > 0:
        x = x * doubled(5) + first
    return x + doubled(5)


def of_types(x: Any) -> Any:
    return x + 1 if x[0] > 0 and is_below(type(x), np.ndarray) else x - 1


def of_members(x: Any) -> Any:
    if x[0] > 0:
        kind, module = described(type(x))
        return module.negative(x) if kind is Kind.PLAIN else x
    return x


def in_a_loop(x: Any) -> Any:
    iterations = 0
    while x.sum() < 100 and iterations < 50:
        x = x * doubled(1) + 1
        iterations += 1
    return x, iterations


def in_handlers(x: Any) -> Any:
    if x[0] > 0:
        try:
            x = x * doubled([])  # type: ignore[arg-type]
        except TypeError:
            x = x * 3
    return x


@pytest.mark.parametrize("function", [both_sides, asked_before, of_types, of_members, in_a_loop, in_handlers], ids=lambda f: f.__name__)
def test_what_gives_plain_data_is_the_same_on_every_side(function: Callable[[Any], Any]) -> None:
    run = export(function, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3), np.array([2.0, -9.0, 1.0])):
        expected, found = function(x.copy()), run(x.copy())
        np.testing.assert_equal(found, expected)
        assert type(found) is type(expected)


def gives_a_list(x: Any) -> Any:
    if x.sum() > 0:
        held = listed(3)
        held.append(1)
        x = x + len(held)
    return x + len(listed(3))


def holds_a_list(x: Any) -> Any:
    listed(3)
    if x.sum() > 0:
        held = listed(3)
        held.append(1)
        x = x + len(held)
    return x + len(listed(3))


def reads_what_changes(x: Any) -> Any:
    settings = {"factor": 1}

    @functools.lru_cache
    def factor() -> int:
        return settings["factor"]

    if x.sum() > 0:
        x = x * factor()
    settings["factor"] = 5
    return x + factor()


def leaves_a_trace(x: Any) -> Any:
    seen: list[int] = []

    @functools.lru_cache
    def noted(n: int) -> int:
        seen.append(n)
        return n

    if x.sum() > 0:
        x = x * noted(2)
    return x + noted(2) + len(seen)


def leaves_a_trace_after(x: Any) -> Any:
    seen: list[int] = []
    quiet = [True]

    @functools.lru_cache
    def noted(n: int) -> int:
        if not quiet[0]:
            seen.append(n)
        return n

    if x.sum() > 0:
        x = x * noted(2)
    quiet[0] = False
    return x + noted(2) + len(seen)


def writes_to_an_array(x: Any) -> Any:
    total = np.zeros(3)

    @functools.lru_cache
    def added(n: int) -> int:
        total[:] += n
        return n

    if x.sum() > 0:
        x = x * added(2)
    return x + added(2) + total


def asks_what_is_cached(x: Any) -> Any:
    if x[0] > 0:
        x = x * doubled(1)
    return x, doubled.cache_info().misses


def forgets(x: Any) -> Any:
    last(1)
    if x[0] > 0:
        x = x * last(2)
    return x, last(1)


@pytest.mark.parametrize(
    "function",
    [
        gives_a_list,
        holds_a_list,
        reads_what_changes,
        leaves_a_trace,
        leaves_a_trace_after,
        writes_to_an_array,
        asks_what_is_cached,
        forgets,
    ],
    ids=lambda f: f.__name__,
)
def test_what_may_tell_the_sides_apart_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        export(function, (np.ones(3),))
    assert caught.value.code == "E103"
    assert caught.value.hint


def test_limits_of_a_dtype_by_keyword() -> None:
    def function(x: Any) -> Any:
        return x * np.finfo(dtype=x.dtype).eps + np.iinfo(int_type=np.int8).max

    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(export(function, (x,)).module()(x), function(x))


MISSING = object()
SCALES = [2.0]


@runtime_checkable
class Scaled(Protocol):
    def scale(self) -> float: ...


@functools.cache
def handler(n: int) -> Any:
    return half if n else MISSING


@functools.cache
def scales() -> list[float]:
    return SCALES


def half(x: Any) -> Any:
    return x / 2


def test_what_was_there_before_the_call_may_be_cached_on_a_side() -> None:
    def function(x: Any) -> Any:
        if x.sum() > 0:
            x = handler(1)(x) * scales()[0]
            x = x if handler(0) is MISSING and not isinstance(x, Scaled) else x * 0
        return x + (handler(0) is MISSING) + scales()[0]

    run = export(function, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3)):
        np.testing.assert_array_equal(run(x), function(x))
