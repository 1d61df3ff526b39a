"""Ranges among the items of a list that becomes an array, beside arrays and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.images import image

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "beside an array": lambda x: np.array([range(len(x)), x]),
    "beside truths": lambda x: np.array((range(len(x)), x > 1)),
    "nested": lambda x: np.array([[range(len(x)), x]]),
    "of a dtype": lambda x: np.array([range(len(x)), x], np.float32),
    "scalar type": lambda x: np.float32([range(len(x)), x]),
    "empty": lambda x: np.array([range(len(x) - 3), x[3:]]),
    "beside a size": lambda x: np.array([range(2), (len(x), 1)]),
    "reduced": lambda x: np.mean([range(len(x)), x], 0),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_a_range_is_an_item_of_integers(program: Callable[[Any], Any], dynamic: bool) -> None:
    module = export(program, (np.ones(3) * 1.5,), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    x = np.array([0.5, 1.5, 2.5])
    assert image(module(x)) == image(program(x))
