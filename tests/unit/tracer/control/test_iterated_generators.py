"""Loops on data over generators, also those that are counted, paired or filtered by another: they become loops of one
function, equal to eager execution.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export


def iterates(y):
    while True:
        y = y * 0.5 + 0.2
        yield y


def errors(y):
    while True:
        old, y = y, y * 0.5 + 0.2
        yield y, np.abs(y - old).max()


def counted(x):
    previous = x
    for n, y in enumerate(iterates(x)):
        if np.abs(y - previous).max() < 0.1:
            break
        previous = y
    return y.sum(), n


def returned(x):
    for n, (y, error) in enumerate(errors(x)):
        if error < 0.1 or n > 5:
            return y, n, error


def paired(x):
    for n, y in zip(range(8), iterates(x)):
        if y.max() < 0.6:
            return y, n
    return None


def of_a_generator(x):
    for y in (2 * y for y in iterates(x)):
        if y.max() < 1:
            return y


def chained(x):
    for n, y in enumerate(itertools.chain([x], iterates(x))):
        if y.max() < 0.6:
            return y, n


def held(x):
    source = iterates(x)
    for y in source:
        if y.max() < 0.6:
            break
    return y, next(source)


def sweeps_in_place(x):
    def sweeps(y):
        while True:
            old = y.copy()
            for i in range(len(y)):
                y[i] = x[i] - y[i] * 0.5
            yield y, np.abs(y - old).max()

    for n, (y, error) in enumerate(sweeps(np.zeros(len(x)))):
        if error < 0.1 or n > 5:
            return y, n, error


CAPTURED = [counted, returned, of_a_generator]
PROGRAMS = [*CAPTURED, paired, chained, held, sweeps_in_place]


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n", min=3)},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_over_generators_are_those_of_eager_execution(program: Any, shapes: Any) -> None:
    try:
        module = export(program, (np.full(5, 0.5),), dynamic_shapes=shapes).module()
    except ExportError as refusal:
        assert program not in CAPTURED
        assert refusal.code == "E103"
        return
    rng = np.random.default_rng(1)
    for call in range(16):
        x = rng.standard_normal(5 + (call % 4 if shapes else 0)) * (0.1, 1, 5, 30)[call % 4]
        assert repr(module(x.copy())) == repr(program(x.copy()))


def positive(x):
    return (value for value in x if value > 0)


def endless(x):
    value = x[0]
    while True:
        value = value * 0.5 + 0.1
        yield value


def mapped(x):
    return list(map(lambda value: value * 2, positive(x))), sum(map(abs, (value for value in x if value < 0)))


def mapped_and_filtered(x):
    total = 0.0
    for value in map(lambda value: value * 2, filter(lambda value: value > 0, x)):
        total = total * 0.5 + value
    return total


def added_up(x):
    return list(itertools.accumulate(positive(x))), list(itertools.accumulate(positive(x), max))


def the_first(x):
    return list(itertools.islice(endless(x), 4)), list(itertools.islice(positive(x), 0))


def noted(x, seen):
    for value in x:
        seen.append(1)
        if value > 0:
            yield value


def the_first_while_others_are_counted(x):
    seen = []
    return list(itertools.islice(noted(x, seen), 2)), len(seen)


def every_second(x):
    seen = []
    return list(itertools.islice(noted(x, seen), 0, 4, 2)), len(seen)


def one_after_the_other(x):
    return list(itertools.chain(positive(x), (value * 2 for value in x if value < 0), x[:2]))


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n", min=3)},)], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    "program",
    [mapped, mapped_and_filtered, added_up, the_first, the_first_while_others_are_counted, every_second, one_after_the_other],
)
def test_iterators_of_c_over_generators_are_those_of_eager_execution(program: Any, shapes: Any) -> None:
    module = export(program, (np.full(5, 0.5),), dynamic_shapes=shapes).module()
    rng = np.random.default_rng(1)
    for call in range(24):
        x = np.round(rng.standard_normal(5 + (call % 4 if shapes else 0)) * (0.0, 1, 5, 30)[call % 4], 1)
        assert repr(module(x.copy())) == repr(program(x.copy()))
