"""``np.arange`` of scalars: NumPy subtracts the limits in their dtype, and so finds how many numbers there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

PROGRAMS = {
    "from 1": lambda x, k: np.arange(1, x[0]),
    "both": lambda x, k: np.arange(x[0], x[1]),
    "down": lambda x, k: np.arange(x[1], x[0], -1),
    "by 2": lambda x, k: np.arange(x[0], x[1], 2),
    "dtype": lambda x, k: np.arange(1, x[0], dtype="f4"),
    "stop": lambda x, k: np.arange(1, stop=x[0]),
    "one": lambda x, k: np.arange(x[0]),
    "two kinds": lambda x, k: np.arange(k, x[0]),
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "i8"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_that_of_eager_execution(name, dtype):
    program = PROGRAMS[name]
    run = export(program, (np.array([3, 5], dtype), np.int64(1))).module()
    for given in ((3, 5), (0, 3), (5, 0), (1, 1), (120, 3), *(((-100, 100), (100, -100)) if dtype[0] == "i" else ())):
        x, k = np.array(given, dtype), np.int64(given[1] - 1)
        expected, got = program(x, k), run(x, k)
        assert (expected.dtype, expected.tobytes()) == (got.dtype, got.tobytes())


def test_a_range_is_given_by_its_end_alone() -> None:
    def program(x: Any) -> Any:
        stop = int(x[0])
        return np.arange(stop=len(x)), np.arange(stop=3.5, step=2), np.arange(stop=3, dtype="f4"), np.arange(stop=stop, step=None)

    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (1, 2, 5):
        args = (np.full(size, 4.0),)
        assert outcome(run, args) == outcome(program, args)


def test_a_range_without_an_end_is_numpys_error() -> None:
    def program(x: Any) -> Any:
        return np.arange(stop=None), x

    with pytest.raises(TypeError, match="unsupported operand"):
        export(program, (np.ones(3),))
