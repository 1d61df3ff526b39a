"""Dynamic integers among the inputs choose dtypes by their value: a program is valid for those that
choose as the example's does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.images import image

VALUES = (0, -3, 2**31, 2**63 - 3, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1)
PROGRAMS: dict[str, Callable[[int], Any]] = {
    "arange": lambda n: np.arange(n, n + 3).dtype,
    "arange of": lambda n: np.arange(n, n + 3),
    "empty_like": lambda n: np.empty_like(n).dtype,
    "ones_like": lambda n: np.ones_like(n).dtype,
    "zeros_like": lambda n: np.zeros_like(n),
    "full_like": lambda n: np.full_like(n, 7),
    "result_type": lambda n: np.result_type(n),
    "abs": lambda n: np.abs(n).dtype,
    "arccos": lambda n: np.arccos(n).dtype,
    "add": lambda n: np.add(n, 1).dtype,
    "beside a float": lambda n: np.add(n, 1.5).dtype,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_integer_chooses_the_dtype_that_it_chooses_eagerly(name: str) -> None:
    program = PROGRAMS[name]
    module, accepted = export(program, (5,), dynamic_shapes=(Dim.DYNAMIC,)).module(), 0
    for value in VALUES:
        try:
            with np.errstate(all="ignore"):
                found = module(value)
        except InputMismatch:
            continue
        with np.errstate(all="ignore"):
            assert image(found) == image(program(value)), value
        accepted += 1
    assert accepted >= 4


def test_a_size_needs_no_such_condition() -> None:
    exported = export(lambda x: np.arange(x.shape[0] * 2, x.shape[0] * 2 + 3), (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert not exported.guards
