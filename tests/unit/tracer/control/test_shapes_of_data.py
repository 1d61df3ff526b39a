"""Arrays of sizes that only the data know, put into other shapes or into other arrays: NumPy's error is
raised where they do not fit, and handlers of the program get it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome

INPUTS = [np.array(values, float) for values in ([1, -1, 2, -2, 3, 4], [1, 2, -1, -3, -4, -5], [-1, -1, 2, -2, 3, 4], [3, 2, 1], [])]


def pairs(x: Any) -> Any:
    return x[x > 0].reshape(-1, 2)


def halves(x: Any) -> Any:
    return np.reshape(x[x > 0], (2, -1)).sum(0)


def after_a_check(x: Any) -> Any:
    found = np.flatnonzero(x > 0)
    if found.shape[0] % 2 != 0:
        raise ValueError("cannot be paired")
    return found.reshape(-1, 2)


def without_the_last(x: Any) -> Any:
    found = x[x > 0]
    if found.size % 2:
        found = found[:-1]
    return found.reshape(-1, 2)


def in_either_shape(x: Any) -> Any:
    found = x[x > 0]
    return found.reshape(2, -1).sum() if found.size % 2 == 0 else found.reshape(1, -1).sum() + 1


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for least in range(3):
        total = total + x[x > least].reshape(-1, 1).sum()
    return total


def caught(x: Any) -> Any:
    try:
        return x[x > 0].reshape(2, -1).sum(0)
    except ValueError:
        return x


def caught_of_a_known_size(x: Any) -> Any:
    try:
        return x[x > 0].reshape(2, 2).sum()
    except ValueError:
        return x.sum() - 1


def caught_in_a_callee(x: Any) -> Any:
    try:
        rows = pairs(x)
    except ValueError:
        return x.sum()
    return rows.sum() * 2


def run_lengths(x: Any) -> Any:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], x > 0, [0]])))
    edges[1::2] -= edges[::2]
    return edges


def sums_of_neighbours(x: Any) -> Any:
    found = x[x > 0]
    found[::2] += found[1::2]
    return found


def added_to_others(x: Any) -> Any:
    return np.add(np.flatnonzero(x > 0), 1, out=np.flatnonzero(x < 0))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "function", [after_a_check, without_the_last, in_either_shape, in_a_loop, caught, caught_of_a_known_size, caught_in_a_callee]
)
def test_shapes_that_may_fit_or_not(function: Any, dynamic: bool) -> None:
    run = export(function, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}} if dynamic else None).module()
    for x in INPUTS[:4] if dynamic else INPUTS[:3]:
        assert outcome(run, (x,)) == outcome(function, (x,))


@pytest.mark.parametrize("function", [pairs, halves])
def test_shapes_that_must_fit(function: Any) -> None:
    run = export(function, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    for x in INPUTS:
        if (x > 0).sum() % 2:
            with pytest.raises(InputMismatch, match="% 2 == 0"):
                run(x)
        else:
            assert outcome(run, (x,)) == outcome(function, (x,))


@pytest.mark.parametrize("function", [run_lengths, sums_of_neighbours, added_to_others])
def test_results_written_into_arrays(function: Any) -> None:
    run, fitted = export(function, (INPUTS[0],), dynamic_shapes={"x": {0: Dim.AUTO}}).module(), 0
    for values in (
        [],
        [1],
        [-1],
        [1, -1],
        [1, 2],
        [1, -1, 1],
        [1, 1, 1, -2],
        [1, 2, -3, -4],
        [1, -1, 2, -2, 3, -3, 4],
        [1, -1, 2, -2, -3, -3],
    ):
        x = np.array(values, float)
        try:
            found = outcome(run, (x,))
        except InputMismatch:
            with pytest.raises(ValueError, match="broadcast"):
                function(x)
        else:
            assert found == outcome(function, (x,))
            fitted += 1
    assert fitted > 3


def test_results_written_into_arrays_in_a_try_are_refused() -> None:
    def f(x: Any) -> Any:
        try:
            return sums_of_neighbours(x)
        except ValueError:
            return x

    with pytest.raises(ExportError) as caught:
        export(f, (INPUTS[0],))
    assert caught.value.code in ("E103", "E126")


def rebound_to_a_part(x: Any) -> Any:
    places = np.argwhere(x.reshape(-1, 2) > 0)
    column = places.reshape(-1, 1)
    if places.size > 3:
        places = places[:3]
    return places, column


def written_after_that(x: Any) -> Any:
    places, column = rebound_to_a_part(x)
    places += 100
    return column


@pytest.mark.parametrize("function", [rebound_to_a_part, written_after_that])
def test_copies_that_are_views_of_one_row_are_refused(function: Any) -> None:
    """What is not read again, but for a part that data decide, is the memory of a view where it has one row."""
    with pytest.raises(ExportError) as caught:
        export(function, (INPUTS[0],))
    assert caught.value.code == "E103"
