"""Masks that stand beside other arrays in an index, with which their true elements are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome

READ: dict[str, Callable[..., Any]] = {
    "two masks": lambda v, u, k, i: v[u, k],
    "numbers and a mask": lambda v, u, k, i: v[i[:2], k],
    "as many numbers": lambda v, u, k, i: v[i[k], k],
    "one number": lambda v, u, k, i: v[i[:1], k],
    "a column of numbers": lambda v, u, k, i: v[np.zeros((2, 1), int), k],
    "known numbers": lambda v, u, k, i: v[np.arange(2), k],
    "no numbers": lambda v, u, k, i: v[np.zeros((2, 0), int), k],
    "an integer between": lambda v, u, k, i: np.stack([v, v])[:, 0, k],
    "a new axis between": lambda v, u, k, i: v[None][0, u, None, k],
    "a mask of a matrix": lambda v, u, k, i: np.stack([v, v], -1)[v % 3 == 2, [0, 1, 1, 0]],
    "a truth": lambda v, u, k, i: v[True, u],
    "no truth": lambda v, u, k, i: v[False, u],
    "a known mask": lambda v, u, k, i: v[i[:2], [True, False, True]],
    "a mask apart": lambda v, u, k, i: np.stack([v, v])[[0, 1], ..., k],
    "an ellipsis in front": lambda v, u, k, i: np.stack([v, v])[..., i[:2], k],
    "one mask twice": lambda v, u, k, i: (v @ v.T)[u, u],
    "changed": lambda v, u, k, i: _changed(v, i[:2], k),
    "changed by masks": lambda v, u, k, i: _changed(v, u, k),
}


def _changed(v: Any, i: Any, k: Any) -> Any:
    v[i, k] += 7
    return v


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("grows", [True, False])
def test_their_places_are_those_of_their_true_elements(name: str, grows: bool) -> None:
    def program(v: Any, u: Any, k: Any, i: Any) -> Any:
        return READ[name](v, u, k, i)

    args = np.arange(12.0).reshape(4, 3), np.array([True, False, False, True]), np.array([True, False, True]), np.array([0, 1, 2])
    dynamic = ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO}) if grows else None
    run = export(program, args, dynamic_shapes=dynamic).module()
    compared = 0
    for masks in ([1, 0, 0, 1], [1, 0, 1, 0]), ([1, 0, 0, 0], [1, 0, 0, 0]), ([0] * 4, [0] * 4), ([1] * 4, [1, 1, 1, 0]):
        for rows, columns in ((4, 3), (3, 3), (2, 2), (4, 2), (3, 4)):
            u, k = [np.array(mask, bool)[:size] for mask, size in zip(masks, (rows, columns), strict=True)]
            given = np.arange(float(rows * columns)).reshape(rows, columns), u, k, np.arange(columns) % min(rows, columns)
            try:
                found = outcome(run, given, memory=True)
            except InputMismatch:
                continue
            assert found == outcome(program, given, memory=True), (rows, columns, masks)
            compared += 1
    assert compared


def test_the_first_of_no_elements_by_a_truth() -> None:
    """NumPy writes it beyond the memory."""

    def program(x: Any) -> Any:
        x.flat[True] = 5
        return x

    with pytest.raises(ExportError, match="beyond the memory"):
        export(program, (np.ones(0),))
    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(np.ones(2)).tolist() == [5, 1]
    with pytest.raises(InputMismatch):
        run(np.ones(0))
