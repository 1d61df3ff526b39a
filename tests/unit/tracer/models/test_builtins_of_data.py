"""Builtins given numbers of Python that only the data know, in forms that Python takes and does not take."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome
from tests.support.shards import shard

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "int": lambda x: int(x[0]),
    "float": lambda x: float(x[0]),
    "bool": lambda x: bool(x[0] > 1),
    "size": lambda x: len(x),
    "scalar": lambda x: x[0],
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "the only one": lambda s: (max([s]), min((s,)), sum([s]), sorted([s])),
    "the only one, or a default": lambda s: max([s], default=3),
    "no base": lambda s: int(s, 10),
    "three to int": lambda s: int(s, 2, 3),
    "divmod": lambda s: (divmod(s, 1), divmod(5, s), divmod(s, s), divmod(2.5, s)),
    "divmod of one": lambda s: divmod(s),
    "pow of one": lambda s: pow(s),
    "comb": lambda s: math.comb(5, s),
    "comb of one": lambda s: math.comb(s),
    "round with three": lambda s: round(s, 1, 2),
    "sum with three": lambda s: sum([s], 1, 2),
}
EXAMPLE = np.array([2.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("call", shard(CALLS, 3))
def test_builtins_give_and_raise_what_they_do_eagerly(kind: str, call: str) -> None:
    def program(x: Any) -> Any:
        return CALLS[call](NUMBERS[kind](x))

    wanted = outcome(program, (EXAMPLE,))
    try:
        run = export(program, (EXAMPLE,), dynamic_shapes=({0: Dim.AUTO},)).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9"
        return
    except TypeError as error:
        said = "" if kind == "scalar" else repr(error.args)  # C is asked with a number in the place of a scalar
        assert wanted[0].startswith(f"TypeError: {said}")
        return
    for x in (EXAMPLE, np.array([1.0]), np.array([3.0, 2.0, 5.0, 1.0])):
        try:
            found = outcome(run, (x,))
        except InputMismatch:
            continue
        assert found == outcome(program, (x,))


TRUTHS: dict[str, Callable[[Any], Any]] = {
    "of a remainder": lambda x: bool(len(x) % 2),
    "as a number": lambda x: np.zeros(len(x) // 2 + bool(len(x) % 2)).shape,
    "not": lambda x: (not len(x) % 2, not len(x) > 3),
    "of a comparison": lambda x: bool(len(x) > 3) + 1,
    "whether it can be iterated": lambda x: (np.iterable(range(len(x))), np.iterable(range(2, len(x), 3))),
    "of an operator": lambda x: (operator.truth(len(x) - 2), operator.not_(len(x) - 2)),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_truths_of_sizes_leave_the_sizes_dynamic(name: str) -> None:
    program = TRUTHS[name]
    run = export(program, (np.ones(4),), dynamic_shapes=({0: Dim("n")},)).module()
    for size in (0, 1, 2, 5):
        assert repr(run(np.ones(size))) == repr(program(np.ones(size)))


def test_the_least_type_of_a_size_is_that_of_all_sizes_that_have_the_same() -> None:
    def program(x: Any) -> Any:
        return np.arange(len(x), dtype=np.min_scalar_type(len(x) - 1)) + np.arange(len(x), dtype=np.min_scalar_type(-(len(x) ** 2)))

    run = export(program, (np.ones(7),), dynamic_shapes=({0: Dim("n", min=1, max=11)},)).module()
    for size in (1, 7, 11):
        np.testing.assert_array_equal(run(np.ones(size)), program(np.ones(size)), strict=True)
    wide = export(program, (np.ones(300),), dynamic_shapes=({0: Dim("n", min=257, max=40_000)},)).module()
    np.testing.assert_array_equal(wide(np.ones(400)), program(np.ones(400)), strict=True)


def largest_sum(x: Any) -> int:
    best = current = int(x[0])
    for v in x[1:].tolist():
        current = max(v, current + v)
        best = max(best, current)
    return best


def within_walls(x: Any) -> int:
    place = 0
    for v in x.tolist():
        place = min(max(place + v, min(v, 0)), max(v, 9) + place)
    return place


def longest_run(x: Any) -> int:
    best = current = 0
    for v in x.tolist():
        current = max(current + v, 0)
        best = max(best, current - min(best, v))
    return best


@pytest.mark.parametrize("dtype", [np.int64, np.int16])
@pytest.mark.parametrize("program", [largest_sum, within_walls, longest_run])
def test_extrema_of_extrema_over_many_items(program: Any, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    run = export(program, (rng.integers(-9, 9, 48).astype(dtype),)).module()
    for _ in range(5):
        x = rng.integers(-9, 9, 48).astype(dtype)
        assert repr(run(x)) == repr(program(x))


def _not_negative(n: Any) -> Any:
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n


POWERS_AND_DISTANCES: dict[str, Callable[[Any], Any]] = {
    "power": lambda x: 2 ** int(x[0]),
    "powers of numbers": lambda x: (operator.pow(10, int(x[0])), x * (-1) ** int(x[1])),
    "power of data": lambda x: int(x[1]) ** int(x[0]),
    "power of a truth": lambda x: True ** int(x[0]),
    "places": lambda x: math.floor(x[1] * 10 ** int(x[0])) / 10 ** int(x[0]),
    "root": lambda x: float(x[0]) ** 0.5,
    "pow of floats": lambda x: (pow(float(x[0]), 0.5), pow(abs(float(x[1])), float(x[0])), pow(base=float(x[0]), exp=2)),
    "pow of integers": lambda x: (pow(int(x[1]), int(x[0])), pow(int(x[0]), 3, 7), pow(2, exp=int(x[0]))),
    "root as an integer": lambda x: int(int(x[0] * 10) ** 0.5),
    "fraction of data": lambda x: (-2.0) ** float(x[1]),
    "root of squares": lambda x: (x[0].item() ** 2 + abs(x[1].item())) ** 0.5 + float((x * x).sum()) ** 1.5,
    "power after a check": lambda x: _not_negative(int(x[0])) ** int(x[0]),
    "power in a loop": lambda x: sum(0.5 * 2 ** int(v) for v in x[:2]),
    "dist of arrays": lambda x: (math.dist(x[:2], x[1:]), math.dist(x.astype(np.float32), x)),
    "dist of lists": lambda x: math.dist((x[0], 0, float(x[1])), [x[1], 1.5, True]),
    "dist of rows": lambda x: min(math.dist(row, (0.0, 1)) for row in np.stack([x[:2], x[1:]])),
    "hypot of none": lambda x: (math.dist((), ()), math.dist(x[:1], x[1:2])),
    "other lengths": lambda x: math.dist(x, x[1:]) if x[0] > 3 else 0.0,
}


@pytest.mark.parametrize("name", POWERS_AND_DISTANCES)
def test_powers_and_distances_of_data(name: str) -> None:
    program = POWERS_AND_DISTANCES[name]
    run = export(program, (EXAMPLE,)).module()
    for x in ([2.0, 1.0, 0.0], [-1.0, 2.0, np.inf], [0.0, -3.0, 1.0], [-2.0, 0.0, 4.0], [5.0, np.nan, 1.0], [62.0, 1.0, -1.0]):
        given = np.array(x)
        assert outcome(run, (given,)) == outcome(program, (given,)), x
