"""Textbook programs whose containers grow as data decide: equal to eager execution, exported for one
size and for any, on data that takes every side.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support import textbook_orders  # noqa: F401  declares more
from tests.support.outcomes import outcome
from tests.support.textbook_containers import OF_ONE_SIZE, PROGRAMS, arguments

SIZES = 5, 2, 3, 7


def _equals_eager(function: Any, program: Any, sizes: tuple[int, ...]) -> None:
    run = program.module()
    for size in sizes:
        for seed in range(12):
            given = arguments(function, seed, size)
            assert outcome(run, given) == outcome(function, given), given


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_equals_eager(function: Any) -> None:
    _equals_eager(function, export(function, arguments(function, 0, 5)), (5,))


@pytest.mark.parametrize("function", [each for each in PROGRAMS if each not in OF_ONE_SIZE], ids=lambda function: function.__name__)
def test_equals_eager_at_any_size(function: Any) -> None:
    given = arguments(function, 0, 5)
    shapes = tuple([dict.fromkeys(range(array.ndim), Dim.AUTO) for array in given])
    _equals_eager(function, export(function, copy.deepcopy(given), dynamic_shapes=shapes), SIZES)


def test_a_list_gets_one_of_several_values_where_a_loop_ends() -> None:
    """The branch that leaves the loop is not what asks which value it is: it was taken for the
    result of the program.
    """

    def returned(a: Any) -> Any:
        found = []
        for _ in range(1):
            best = None
            if a[0] > 1:
                best = a[0], a[1]
            if a[1] < 2:
                break
            found = [best]
        return found

    def appended(a: Any) -> Any:
        found = []
        for _ in range(2):
            best, most = None, 0
            for i in range(2):
                if a[i] > most:
                    best, most = (a[i], a[i + 1]), a[i]
            if most < 2:
                break
            found.append(best)
        return found

    for function in (returned, appended):
        calls = [np.random.default_rng(seed).integers(0, 4, 4) for seed in range(20)]
        try:
            run = export(function, (calls[0],)).module()
        except ExportError as refusal:
            assert refusal.code == "E103"
            continue
        for a in calls:
            assert outcome(run, (a,)) == outcome(function, (a,)), a
