"""Lists of dynamic length that stand in several places of a result are one object there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded


def row(x: Any) -> Any:
    first = x.tolist()[0]
    return first, [first]


def row_within_a_tuple(x: Any) -> Any:
    found = "first", x.tolist()[0]
    return found, {"again": found}


def two_in_turn(x: Any) -> Any:
    one, other = [value * 2 for value in x[0]], [value + 1 for value in x[0]]
    return one, [one, other], (other, one)


@pytest.mark.parametrize("f", [row, row_within_a_tuple, two_in_turn])
def test_they_are_one_object(f: Any) -> None:
    program = export(f, (np.arange(6.0).reshape(3, 2),), dynamic_shapes=({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},))
    for run in (program.module(), reloaded(program).module()):
        for shape in ((3, 2), (2, 5), (1, 0)):
            given = np.linspace(-1, 1, shape[0] * shape[1]).reshape(shape)
            found = run(given)
            assert repr(found) == repr(f(given))
            again = found[1]["again"] if type(found[1]) is dict else found[1][0]
            assert again is found[0]
