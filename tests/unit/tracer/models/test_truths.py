"""``any`` and ``all`` of arrays of data are Python truths that the program computes."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export

ARRAYS = [np.array(items, float) for items in ([1, -1, 0], [0, 0], [np.nan, 0], [], [2, 3, 4, 5])]
PROGRAMS = {
    "any": lambda x: any(x),
    "all": lambda x: all(x),
    "of a comparison": lambda x: (any(x < 0), all(x >= 0), not any(x > 1)),
    "as a number": lambda x: any(x) + all(x),
    "of complex numbers": lambda x: (any(x * 1j), all(x + 0j)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_truths_of_arrays(name):
    program = PROGRAMS[name]
    run = export(program, (ARRAYS[0],), dynamic_shapes=({0: Dim("n")},)).module()
    for array in ARRAYS:
        assert repr(run(array)) == repr(program(array))


def positive(x):
    if any(x < 0):
        raise ValueError(f"{x.min()} is negative")
    return np.sqrt(x)


def test_a_check_by_any():
    run = export(positive, (np.ones(3),)).module()
    assert run(np.full(3, 4.0)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match=r"-2\.0 is negative"):
        run(np.array([1.0, -2, 3]))
