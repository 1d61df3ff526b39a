"""Loops on data that keep arrays whose order in memory inputs decide: the program requires the order of the example, and no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export


def lower_triangle(x, n):
    y = np.tril(x)
    k = 0
    while k < n[0]:
        y[k, k] = y[k, k] * 2 + 1
        k += 1
    return y, y.sum()


def chosen_beside_a_copy(x, n):
    y = np.where(x > 0, x.copy("C"), 1)
    kept = []
    while len(kept) < n[0]:
        kept.append(y)
        y = y + 1
    return np.stack(kept), y


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("program", [lower_triangle, chosen_beside_a_copy])
def test_the_order_of_the_example_is_taken(program: Any, order: Any) -> None:
    x, n = np.asarray(np.random.default_rng(0).standard_normal((4, 4)), order=order), np.array([2])
    module = export(program, (x, n)).module()
    for ours, eager in zip(module(x, n), program(x, n), strict=True):
        assert np.shape(ours) == np.shape(eager) and getattr(ours, "strides", ()) == getattr(eager, "strides", ())
        np.testing.assert_array_equal(ours, eager)


def test_another_order_is_refused_where_it_decides_the_result() -> None:
    x, n = np.asfortranarray(np.random.default_rng(0).standard_normal((4, 4))), np.array([2])
    module = export(lower_triangle, (x, n)).module()
    with pytest.raises(InputMismatch, match="F-contiguous"):
        module(np.ascontiguousarray(x), n)
