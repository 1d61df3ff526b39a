"""Polynomials that fit, with the covariances of their coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, Unsupported, export

Y = np.array([1.25, 2.5, 3.0, 9.0, 2.0, 4.0])


@pytest.mark.parametrize("deg, options", [(1, {}), (2, {}), (1, {"w": np.arange(1.0, 7.0)}), (3, {"rcond": 1e-9})])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_covariances(deg, options, dtype):
    def fit(y):
        return np.polyfit(np.arange(6.0), y, deg, cov=True, **options)

    y = Y.astype(dtype)
    run = export(fit, (y,)).module()
    for data in (y, y[::-1].copy(), y * 0):
        for found, wanted in zip(run(data), fit(data), strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)


def test_dynamic_sizes():
    def fit(y):
        return np.polyfit(np.arange(len(y)), y, 1, cov=True)

    run = export(fit, (Y,), dynamic_shapes=({0: Dim("n", min=4)},)).module()
    for count in (4, 5, 6):
        for found, wanted in zip(run(Y[:count]), fit(Y[:count]), strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.filterwarnings("ignore")
def test_deficient_ranks_raise_what_numpy_raises():
    def fit(x):
        return np.polyfit(x, Y, 2, cov=True)

    run = export(fit, (np.arange(6.0),)).module()
    for each in (run, fit):
        with pytest.raises(ValueError):
            each(np.ones(6))


@pytest.mark.parametrize(
    "call", ["np.polyfit(x, x, 0, cov=True)", "np.polyfit(x, x, 1, full=True)", "np.polyfit(x, np.stack([x, x], 1), 1, cov=True)"]
)
def test_shapes_that_depend_on_the_rank_are_refused(call):
    with pytest.raises(Unsupported, match="lstsq"):
        export(eval(f"lambda x: {call}", {"np": np}), (Y,))
