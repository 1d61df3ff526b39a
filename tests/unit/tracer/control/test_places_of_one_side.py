"""Views by place that only one side of a branch on data makes: a call takes the other side also where the array has no such place, or is
of a size that the program does not take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.outcomes import outcome


def beside_a_text(x, z):
    return "none" if z.sum() == 0 else x[:, 0]


def in_a_tuple(x, z):
    return (np.zeros(len(x)), 0) if z.sum() == 0 else (x[:, 0], 1)


def of_other_axes(x, z):
    return x[0] if z.sum() == 0 else x[:, -1]


def by_a_pattern(x, z):
    match z[0]:
        case 0:
            return None
        case number:
            return number, x[..., 1]


def the_same_on_both(x, z):
    return x[0] if z.sum() == 0 else x[-1]


@pytest.mark.parametrize("program", [beside_a_text, in_a_tuple, of_other_axes, by_a_pattern])
def test_a_side_that_is_not_taken_raises_nothing(program: Callable[..., Any]) -> None:
    dynamic = ({0: Dim.AUTO, 1: Dim.AUTO}, None)
    run, found = export(program, (np.ones((3, 3)), np.zeros(2)), dynamic_shapes=dynamic).module(), 0
    for shape in ((3, 3), (3, 0), (0, 3), (1, 1), (5, 2), (2, 5)):
        for value in (0.0, 1.0):
            given = np.ones(shape), np.full(2, value)
            try:
                ours = outcome(run, given)
            except InputMismatch:
                assert min(shape) < 2
                continue
            assert ours == outcome(program, given)
            found += 1
    assert found >= 6


def test_what_both_sides_need_is_no_promise_of_the_size() -> None:
    run = export(the_same_on_both, (np.ones((4, 3)), np.zeros(2)), dynamic_shapes=({0: Dim("n")}, None)).module()
    for size in (1, 2, 7):
        for value in (0.0, 1.0):
            given = np.arange(3.0 * size).reshape(size, 3), np.full(2, value)
            assert outcome(run, given) == outcome(the_same_on_both, given)
    with pytest.raises(IndexError):
        run(np.ones((0, 3)), np.zeros(2))
