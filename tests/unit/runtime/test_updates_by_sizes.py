"""Arrays of the caller that are updated by what is computed from sizes."""

from __future__ import annotations

import numpy as np

from npexport import Dim, export


def test_an_input_times_a_number_of_sizes() -> None:
    def program(y: np.ndarray, w: np.ndarray) -> np.ndarray:
        y *= w.size - 1
        return y

    run = export(program, (np.ones((3, 4)), np.ones(3)), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO})).module()
    for rows in (0, 1, 5):
        found, wanted = np.ones((rows, 2)), np.ones((rows, 2))
        assert np.array_equal(run(found, np.ones(rows)), program(wanted, np.ones(rows)))
        assert np.array_equal(found, wanted)
