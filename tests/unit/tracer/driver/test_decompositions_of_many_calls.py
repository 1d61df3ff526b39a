"""What decomposing costs grows with the number of calls alone."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export


def stacked(steps: int) -> Any:
    def program(x, y):
        for step in range(steps):
            x, y = np.concatenate([x, y * step])[2:6], np.stack([x, y]).mean(axis=0)
        return x, y

    return program


def chosen(steps: int) -> Any:
    def program(x, y):
        for step in range(steps):
            x = np.clip(x, -step, y.shape[0])
            y = np.where(x > y, x, y + step)
        return x, y

    return program


def counted(run: Any) -> int:
    """The calls of functions that a call makes."""
    count = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("program", "dynamic"), [(stacked, False), (chosen, False), (chosen, True)])
def test_calls_for_each_call_stay_the_same(program: Any, dynamic: bool) -> None:
    arrays = np.random.default_rng(0).standard_normal((2, 4, 3))
    each = []
    for steps in (20, 80):
        shapes = ({0: Dim("n", min=4)},) * 2 if dynamic else None
        exported = export(program(steps), tuple(arrays), dynamic_shapes=shapes)
        exported.run_decompositions()
        each.append(counted(exported.run_decompositions) / len(exported.graph.nodes))
    assert each[1] < each[0] * 1.2
