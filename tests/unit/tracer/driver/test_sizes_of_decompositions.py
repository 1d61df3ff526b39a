"""A decomposition whose result has sizes that only the data tell, where the operator's are those of its operands."""

import numpy as np
import pytest

from npexport import Dim, UserError, export, ops

X = np.linspace(-1, 1, 12).reshape(3, 4)


def one_row_less(x):
    return x * x if x.sum() > 0 else (x * x)[1:]


def two_columns_at_most(x):
    return x * x if x.shape[1] <= 4 else (x * x)[:, :2]


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n")},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", [np.square, lambda x: np.square(x) if x.max() > 2 else x + 1], ids=["alone", "in a branch"])
def test_sides_of_other_sizes_are_not_what_the_operator_gives(program, shapes):
    ep = export(program, (X,), dynamic_shapes=shapes)
    with pytest.raises(UserError, match=r"the decomposition of ops\.np\.square gives f64\[u\d+, 4\], the operator"):
        ep.run_decompositions({ops.np.square: one_row_less})
    wide = export(np.square, (X,), dynamic_shapes=({1: Dim("n")},))
    made = wide.run_decompositions({ops.np.square: two_columns_at_most})
    assert made.module()(np.ones((3, 7))).shape == (3, 7)


def test_counts_of_data_are_not_sizes_of_operands():
    def counted(x):
        y = x[x > 0]
        return np.square(y)

    ep = export(counted, (X,))
    with pytest.raises(UserError, match=r"gives f64\[u\d+\], the operator f64\[u0\]"):
        ep.run_decompositions({ops.np.square: lambda y: (y * y)[y > 1]})
    with pytest.raises(UserError, match=r"gives f64\[u\d+\], the operator f64\[u0\]"):
        ep.run_decompositions({ops.np.square: one_row_less})
    made = ep.run_decompositions({ops.np.square: lambda y: y * y})
    assert made.module()(X).tolist() == counted(X).tolist()
