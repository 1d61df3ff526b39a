"""Sizes that a loop checks in its iterations: what comes after the check knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

D = np.cos(np.arange(16.0)).reshape(4, 4)


def halves(x: Any) -> Any:
    total = 0.0
    for i in range(0, x.shape[0], 4):
        total = total + (D @ x[i : i + 4, :4]).sum()
        total = total + (D @ x[i : i + 4, 4:]).sum()
    return total


def blocks(x: Any) -> Any:
    found = np.zeros_like(x)
    for i in range(0, x.shape[0], 4):
        for j in range(0, 8, 4):
            q = np.round(D @ x[i : i + 4, j : j + 4] @ D.T * 4)
            found[i : i + 4, j : j + 4] = D.T @ q @ D
    return found


def on_a_side(x: Any) -> Any:
    best = 0.0
    for i in range(0, x.shape[0], 4):
        q = D @ x[i : i + 4, :4]
        if q.sum() > best:
            best = (D @ x[i : i + 4, 4:] + q).sum()
    return best


@pytest.mark.parametrize("f", [halves, blocks, on_a_side], ids=lambda f: f.__name__)
def test_what_comes_after_a_check_knows_the_sizes(f: Any) -> None:
    program = export(f, (np.ones((8, 8)),), dynamic_shapes=({0: Dim("n")},))
    for run in (program.module(), reloaded(program).module()):
        for rows in (4, 12, 6, 1):
            x = np.sin(np.arange(rows * 8.0) * 1.7).reshape(rows, 8)
            assert outcome(run, (x,)) == outcome(f, (x,))


def at_numbers(x: Any) -> Any:
    total = 0.0
    for i in np.arange(x.shape[0] - 2):
        total = total + x[i : i + 3].sum()
    return total


def at_items(x: Any) -> Any:
    starts, total = np.arange(0, x.shape[0] - 2), 0.0
    for k in range(x.shape[0] - 2):
        total = total + x[starts[k] : starts[k] + 3, 0].sum()
    return total


@pytest.mark.parametrize("f", [at_numbers, at_items], ids=lambda f: f.__name__)
def test_numbers_that_sizes_bound_are_known_as_far_as_the_sizes_are(f: Any) -> None:
    """The numbers are less than a size less two, which only an iteration knows to be positive."""
    program = export(f, (np.ones((6, 2)),), dynamic_shapes=({0: Dim("n")},))
    for run in (program.module(), reloaded(program).module()):
        for rows in (6, 4, 9, 3, 2, 0):
            x = np.sin(np.arange(rows * 2.0) * 1.7).reshape(rows, 2)
            assert outcome(run, (x,)) == outcome(f, (x,))
