"""Loops over lists, tuples, dicts, texts, and ``enumerate`` and ``zip`` of these, that are left, or go on, as data say."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export

DATA = [
    np.array(x)
    for x in ([0.4, 0.9, -0.3, 2.0], [-1.0, -2.0, -3.0, -4.0], [5.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.35], [-0.2, 3.0, 1.0, 1.0])
]

SOURCES: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: [("a", x[0]), ("b", x[1]), ("c", x[2])],
    "tuple of lists": lambda x: ((1, x[0] * 2), (2.5, x[1])),
    "items": lambda x: {"a": x[0], "b": x[1], "c": x[2]}.items(),
    "enumerate": lambda x: enumerate([x[0], x[2], float(x[1])]),
    "enumerate from": lambda x: enumerate((x[3], x[2]), 5),
    "zip": lambda x: zip("abc", x, strict=False),
    "zip of lists": lambda x: zip([0.5, 2, True], [x[1], x[0], x[3]], strict=True),
    "zip of keys": lambda x: zip({"low": 0, "high": 1}, x.tolist(), strict=False),
    "count": lambda x: zip(itertools.count(2), x, strict=False),
    "backwards": lambda x: enumerate(reversed([x[0], x[1], x[2]])),
    "nothing": lambda x: {}.items(),
}


def broken(pairs: Callable[[], Any]) -> Any:
    total, name = 0.0, None
    for name, value in pairs():
        total = total + value
        if total > 1:
            break
    return total, name


def returned(pairs: Callable[[], Any]) -> Any:
    for name, value in pairs():
        if value > 0.8:
            return name, value
    return None


def with_an_else(pairs: Callable[[], Any]) -> Any:
    count = 0
    for _, value in pairs():
        if value < 0:
            continue
        if value > 1:
            break
        count += 1
    else:
        count = -count
    return count


def nested(pairs: Callable[[], Any]) -> Any:
    found = []
    for _, value in pairs():
        for factor in (1, 10, 100):
            if value * factor > 1:
                found.append(float(value * factor))
                break
    return found


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("program", [broken, returned, with_an_else, nested], ids=lambda program: program.__name__)
def test_they_are_left_as_data_say(program: Callable[..., Any], source: str) -> None:
    def run(x: Any) -> Any:
        return program(lambda: SOURCES[source](x))

    module = export(run, (DATA[0],)).module()
    for x in DATA:
        assert repr(module(x)) == repr(run(x))


def arrays_that_are_written(x, y):
    for each in (x, y):
        each += 1
        if each.sum() > 4:
            break


def functions(x, y):
    total = 0.0
    for function, value in [(np.sin, x[0]), (np.cos, x[1]), (np.abs, y[2])]:
        total += function(value)
        if total > 1:
            break
    return total


def one_of_the_callers(x, y):
    best = y
    for each in [x, y]:
        if each[0] > 0:
            best = each
            break
    return best * 1


def until_it_converges(x, y):
    for iteration in itertools.count(1):
        x = x / 2
        if abs(x).max() < 0.1:
            break
    return x, iteration


def steps_that_get_smaller(x, y):
    x = x * 1
    for step in (1.0, 0.1, 0.01):
        while np.abs(x).max() > step:
            x = x * 0.5
        if (x * y).sum() > 0:
            return x, step
    return x, None


@pytest.mark.parametrize("program", [arrays_that_are_written, functions, one_of_the_callers, until_it_converges, steps_that_get_smaller])
def test_arrays_are_those_that_they_are(program: Callable[..., Any]) -> None:
    module = export(program, (DATA[0].copy(), DATA[1].copy())).module()
    for x, y in itertools.product(DATA, DATA):
        given, kept = (x.copy(), y.copy()), (x.copy(), y.copy())
        found, wanted = module(*given), program(*kept)
        assert repr((found, given)) == repr((wanted, kept))
        if type(wanted) is np.ndarray:
            assert [found is each for each in given] == [wanted is each for each in kept]


def that_gets_longer(x):
    values = [x[0], x[1]]
    for value in values:
        values.append(value * 0.5)
        if value < 0.1:
            break
    return value


def of_which_an_item_changes(x):
    values = {"a": x[0], "b": x[1]}
    for key, value in values.items():
        values["b"] = value + 1
        if value > 1:
            return key
    return "none"


@pytest.mark.parametrize("program", [that_gets_longer, of_which_an_item_changes], ids=lambda program: program.__name__)
def test_others_are_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(ExportError) as refused:
        export(program, (copy.copy(DATA[0]),))
    assert refused.value.code == "E103"
