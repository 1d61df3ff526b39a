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
