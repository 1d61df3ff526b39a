"""Defaults of schemas are those of every NumPy: programs leave them out."""

import numpy as np
import pytest

from npexport import export
from tests.support.functions import function_of

X, PLACES = np.arange(6.0).reshape(2, 3), np.array([[0], [2]])


@pytest.mark.parametrize("decomposed", [False, True])
def test_the_last_axis_is_taken_along_on_every_version_of_numpy(decomposed):
    program = export(lambda x, places: np.take_along_axis(x, places, -1), (X, PLACES))
    run = (program.run_decompositions() if decomposed else program).module()
    np.testing.assert_array_equal(run(X, PLACES), [[0.0], [5.0]])
    forward = function_of(program.to_python())
    np.testing.assert_array_equal(forward(X, PLACES), [[0.0], [5.0]])
