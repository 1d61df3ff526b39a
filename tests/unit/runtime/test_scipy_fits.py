"""The compiled code of SciPy's splines trusts its arguments: a kernel calls it with those alone that it may be called with."""

import numpy as np
import pytest

from npexport.runtime.kernels import scipy_fits

interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

PLACES, DEGREE = np.linspace(0, 1, 9), 3
KNOTS = np.concatenate([np.zeros(4), np.linspace(0.2, 0.8, 5), np.ones(4)])


def collocated(x, t=KNOTS, offset=0):
    return scipy_fits.collocated(x, t, DEGREE, np.zeros((len(t) - DEGREE - 1, 3 * DEGREE + 1)), offset)


def test_places_between_their_knots_are_collocated():
    bands, matrix = collocated(PLACES), interpolate.BSpline.design_matrix(PLACES, KNOTS, DEGREE).toarray()
    for row, column in np.ndindex(matrix.shape):
        band = 2 * DEGREE + row - column
        assert matrix[row, column] == (bands[column, band] if 0 <= band < bands.shape[1] else 0)


@pytest.mark.parametrize(
    ("x", "t"),
    [
        (PLACES - 0.5, KNOTS),
        (PLACES * 9, KNOTS),
        (np.full(9, 0.99), KNOTS),
        (np.full(9, 0.01), KNOTS),
        (np.where(PLACES == 0.5, np.nan, PLACES), KNOTS),
        (PLACES, KNOTS[::-1].copy()),
        (PLACES, np.where(KNOTS == 0.5, np.nan, KNOTS)),
        (np.linspace(-1, 2, 9), np.linspace(-1, 2, 13)),
    ],
    ids="below above late early nan falling nan-knot beside".split(),
)
def test_places_elsewhere_are_refused(x, t):
    """… where the code would write beside the array."""
    with pytest.raises(ValueError, match="do not fit each other"):
        collocated(x, t)


def test_rows_behind_others_are_collocated():
    assert collocated(PLACES[1:-1], offset=1).any()
    with pytest.raises(ValueError, match="do not fit each other"):
        collocated(PLACES[1:-1], offset=3)
