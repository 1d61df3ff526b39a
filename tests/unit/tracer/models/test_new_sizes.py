"""Sizes that fakes of operators leave open, where the bounds leave one value."""

import numpy as np
import pytest

from npexport import Dim, custom_op, export, new_size
from tests.support.custom_ops import same
from tests.support.forms import reloaded


@custom_op("bounded::positive")
def positive(x: np.ndarray) -> tuple[np.ndarray, int]:
    return x[x > 0], int((x > 0).sum())


@custom_op("bounded::first")
def first(x: np.ndarray, n: int) -> np.ndarray:
    return x[:n].copy()


positive.register_fake(lambda x: (np.empty(count := new_size(max=x.size), x.dtype), count))
first.register_fake(lambda x, n: np.empty((new_size(n, len(x)), *x.shape[1:]), x.dtype))


def of_no_elements(x):
    return positive(x[:0]), x


def of_a_branch_without_elements(x):
    found, _ = positive(x)
    return positive(found) if len(found) <= 0 else found


def of_all_rows(x):
    return first(x, len(x)) + x


@pytest.mark.parametrize("shape", [(0, 3), (4, 3), (1, 3)])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", [of_no_elements, of_a_branch_without_elements, of_all_rows])
def test_bounds_that_leave_one_size_are_that_size(program, dynamic, shape):
    def beside_a_guard(x):
        return program(x), (1, 2)[len(x) % 2]

    for x in (np.ones(shape), -np.ones(shape)):
        exported = export(beside_a_guard, (x,), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},) if dynamic else None)
        same(exported.module()(x), beside_a_guard(x))
        same(reloaded(exported).module()(x), beside_a_guard(x))
