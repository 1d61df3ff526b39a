"""Slices that the sides of a branch on data leave in containers, attributes and variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome


def in_a_list(x: Any) -> Any:
    index, count = [slice(None)], int(x[0] > 0)
    if x[1] > 0:
        index[0] = slice(count, count + 1)
    else:
        index[0] = slice(count, count + 2)
    return x[tuple(index)].sum()


def with_an_open_end(x: Any) -> Any:
    count, where = int(abs(x[0])), {}
    if x[0] > 0:
        where["rows"], where["columns"] = slice(0, count), slice(None)
    else:
        where["rows"], where["columns"] = slice(count, None), slice(1, None)
    return np.outer(x, x)[where["rows"], where["columns"]].sum(), where["rows"].start


def percentile(x: Any, share: Any) -> Any:
    ordered = np.sort(x)
    place = share * (len(ordered) - 1)
    before = int(place)
    index = [slice(None)]
    if before == place:
        index[0], weights, total = slice(before, before + 1), np.ones(1), 1.0
    else:
        index[0], weights = slice(before, before + 2), np.array([before + 1 - place, place - before])
        total = weights.sum()
    return np.add.reduce(ordered[tuple(index)] * weights) / total


class Window:
    rows: slice


def in_an_attribute(x: Any) -> Any:
    window = Window()
    window.rows = slice(1, 3)
    for value in x:
        if value > 1:
            window.rows = slice(int(value), int(value) + 2)
    return x[window.rows], window.rows.stop


X = np.array([1.0, 2.0, -0.5, 3.0])


FUNCTIONS = [in_a_list, with_an_open_end, percentile, in_an_attribute]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_slices_are_joined(function: Any) -> None:
    rest = (np.float64(0.3),) if function is percentile else ()
    run = export(function, (X, *rest)).module()
    for x in (X, -X, X[::-1].copy(), np.array([2.0, -1.0, 1.0, 0.0])):
        for more in (rest, tuple([2 * one + 0.4 for one in rest])):
            assert outcome(run, (x, *more)) == outcome(function, (x, *more))


def one_of_two_names(x: Any) -> Any:
    if x[0] > 0:
        rows = slice(0, int(x[1]))
        again = rows
    else:
        rows, again = slice(1, int(x[1])), slice(1, int(x[1]))
    return rows is again


def one_from_before(x: Any) -> Any:
    before = slice(0, 1)
    index = [before]
    if x[0] > 0:
        index[0] = slice(0, 1)
    return index[0] is before


@pytest.mark.parametrize("function", [one_of_two_names, one_from_before])
def test_whether_two_are_one_object_is_not_told(function: Any) -> None:
    with pytest.raises(ExportError) as refusal:
        export(function, (X,))
    assert refusal.value.code == "E109"
