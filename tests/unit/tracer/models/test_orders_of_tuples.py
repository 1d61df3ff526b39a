"""``<`` and its kin of tuples and lists that hold what only the data know: as Python compares their items."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome

Pair = namedtuple("Pair", "first second")


@dataclass(order=True)
class Event:
    time: float
    kind: int


def relations(x: Any) -> Any:
    return (
        (x[0], x[1]) < (x[1], x[0]), [x[0], 1] >= [x[1], 1], (x[0],) <= (x[0], 1), Pair(x[0], 2) > (x[1], x[2]), (1, 2) < (x[0], 3),
        [x[0], [x[1], 0]] < [x[1], [x[0], 0]], () < (x[0],),
    )  # fmt: skip


def best(x: Any) -> Any:
    found = (x[0], 0)
    for place, value in enumerate(x):
        if (value, place) > found:
            found = value, place
    return found


def least_rotation(x: Any) -> Any:
    values = [int(value > 0) for value in x]
    found = values
    for start in range(1, len(values)):
        turned = values[start:] + values[:start]
        if turned < found:
            found = turned
    return found


def in_bubbles(x: Any) -> Any:
    pairs = [(value > 0, value) for value in x]
    for end in range(len(pairs) - 1, 0, -1):
        for place in range(end):
            if pairs[place] > pairs[place + 1]:
                pairs[place], pairs[place + 1] = pairs[place + 1], pairs[place]
    return pairs


def of_data_classes(x: Any) -> Any:
    one, other = Event(x[0], 1), Event(x[1], int(x[2]))
    return one < other, one >= other, max(one, other).kind if x[0] != x[1] else 0


def of_different_kinds(x: Any) -> Any:
    return (x[0], "a") < (x[1], 1)


def of_one_object(x: Any) -> Any:
    value = x[0]
    return (value, 1) < (value, 2)


PROGRAMS = [relations, best, least_rotation, in_bubbles, of_data_classes, of_different_kinds, of_one_object]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_orders_are_those_of_eager_execution(program: Any) -> None:
    run, rng = export(program, (np.array([0.5, 1.0, 2.0, -1.0]),)).module(), np.random.default_rng(1)
    for given in [*rng.integers(-1, 2, (25, 4)) / 2, np.array([1.0, 1.0, 0.0, 1.0])]:
        assert outcome(run, (given,)) == outcome(program, (given,))


@pytest.mark.parametrize("program", [relations, best, of_one_object], ids=lambda program: program.__name__)
def test_nan_is_in_no_order(program: Any) -> None:
    run = export(program, (np.array([0.5, 1.0, 2.0, -1.0]),)).module()
    for given in ([np.nan, 1.0, 0.0, 1.0], [np.nan, np.nan, 0.0, np.nan], [1.0, np.nan, np.nan, 0.0]):
        assert outcome(run, (np.array(given),)) == outcome(program, (np.array(given),))
