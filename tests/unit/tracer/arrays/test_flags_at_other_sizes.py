"""What a program reads of an array's layout at the sizes of its example holds at every size that it accepts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export

VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.T,
    "columns": lambda x: x[:, 1:],
    "two columns": lambda x: x[:, :2],
    "rows": lambda x: x[1:],
    "every second row": lambda x: x[::2],
    "reversed": lambda x: x[::-1],
    "rows transposed": lambda x: x[1:].T,
    "computed transposed": lambda x: (x * 2).T,
    "computed from a transposed one": lambda x: x.T + 1,
    "an axis more": lambda x: x[:, None, 1:],
}
FLAGS = ("c_contiguous", "f_contiguous", "forc", "fnc", "contiguous", "fortran", "carray", "farray", "behaved")
SIZES = [*itertools.product(range(5), range(5)), (9, 1), (1, 9)]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("name", VIEWS)
def test_flags_hold_at_the_sizes_that_are_accepted(name: str, flag: str) -> None:
    def program(x: Any) -> Any:
        return getattr(VIEWS[name](x).flags, flag), x.sum()

    try:
        run = export(program, (np.ones((4, 3)),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},)).module()
    except Unsupported as refusal:
        assert refusal.code == "E121"  # noqa: PT017
        return
    accepted = 0
    for shape in SIZES:
        x = np.ones(shape)
        try:
            found = run(x)
        except InputMismatch:
            continue
        assert found == program(x), shape
        accepted += 1
    assert accepted > 5
