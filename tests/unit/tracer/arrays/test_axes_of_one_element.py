"""Axes of one element may have any stride: what a program sees of that holds at the call, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export

ROWS = {
    "new": lambda: np.ones((1, 5)),
    "a row": lambda: np.ones((9, 5))[:1],
    "a row of every third": lambda: np.ones((9, 5))[::3][:1],
    "in Fortran's order": lambda: np.ones((1, 5), order="F"),
    "a column": lambda: np.ones((5, 1)).T,
    "repeated": lambda: np.lib.stride_tricks.as_strided(np.ones(5), (1, 5), (0, 8)),
    "reversed": lambda: np.ones((3, 5))[::-1][:1],
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("text", ["x", "x.T", "x[:, :2]", "x[None]", "x[::-1]", "(x + 1)", "x.T.copy(order='A')", "x[0]", "x.view('f4')"])
def test_strides_along_axes_of_one_element_are_those_of_the_example(text: str, name: str) -> None:
    function = eval(f"lambda x: {text}.strides", {"np": np})
    run, refused = export(function, (ROWS[name](),)).module(), 0
    for make in ROWS.values():
        try:
            found = run(make())
        except InputMismatch:
            refused += 1
        else:
            assert found == function(make())
    assert refused < len(ROWS)


@pytest.mark.parametrize("joined", ["np.concatenate([x, x])", "np.stack([x, x])", "np.pad(x, 1)", "np.concatenate([x.T, x.T], 1) + 1"])
@pytest.mark.parametrize("order", ["r.ravel('K')", "r.T.copy('A').reshape(-1, order='A')", "r.flags.f_contiguous"])
def test_where_one_row_lies_in_either_order_so_does_what_is_made_of_it(joined: str, order: str) -> None:
    names = {"np": np}
    exec(f"def function(x):\n r = {joined}\n return {order}", names)
    function: Any = names["function"]
    run = None
    for least in (0, 2):
        try:
            run = export(function, (np.asfortranarray(np.arange(20.0).reshape(4, 5)),), dynamic_shapes=({0: Dim("n", min=least)},)).module()
        except ConstraintViolation:
            continue
        for size in range(least, 4):
            for make in (np.asfortranarray, np.ascontiguousarray, lambda x: np.ascontiguousarray(x.T).T):
                x = make(np.arange(5.0 * size).reshape(size, 5))
                try:
                    np.testing.assert_array_equal(run(x), function(x))
                except InputMismatch:
                    assert size > 1
    assert run is not None
