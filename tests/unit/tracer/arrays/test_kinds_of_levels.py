"""Levels of quantiles that are scalars of NumPy: their dtypes count, those of Python's numbers do not."""

import numpy as np
import pytest

from npexport import export

FUNCTIONS = (np.percentile, np.nanpercentile, np.quantile, np.nanquantile)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2"])
@pytest.mark.parametrize("level", ["?", "i1", "u1", "i8", "f4", "f8"])
def test_the_result_is_of_eager_executions_dtype(dtype, level):
    def program(x, q):
        exact = [function(x, q[0]) for function in FUNCTIONS]
        return exact, [function(x, q) for function in FUNCTIONS[:2]], np.percentile(x, int(q[0])), np.quantile(x, float(q[0]))

    args = np.array([1, 3, 2]).astype(dtype), np.array([1, 0]).astype(level)
    got, expected = export(program, args).module()(*args), program(*args)
    assert repr(got) == repr(expected)
