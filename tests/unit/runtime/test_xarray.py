"""``npexport.xarray.core_dims``: the names of axes, as ``xarray.apply_ufunc`` takes them."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, UserError, export
from npexport.xarray import core_dims

ROWS = Dim("rows")


def program():
    return export(lambda x, k, w: (x @ w, x.sum(1) * k), (np.ones((4, 3)), 2.0, np.ones((3, 2))), dynamic_shapes=({0: ROWS}, None, None))


def test_axes_are_named_by_their_dims_and_as_told():
    assert core_dims(program()) == {
        "input_core_dims": [["rows", "x_1"], ["w_0", "w_1"]],
        "output_core_dims": [["rows", "result_0_1"], ["rows"]],
    }
    named = core_dims(program(), w=("feature", "score"), x=("row", "feature"), result_0=("row", "score"))
    assert named == {"input_core_dims": [["row", "feature"], ["feature", "score"]], "output_core_dims": [["row", "score"], ["rows"]]}


def test_what_does_not_fit():
    with pytest.raises(UserError, match="has no array 'y'"):
        core_dims(program(), y=("a",))
    with pytest.raises(UserError, match="w has 2 axes, 1 names"):
        core_dims(program(), w=("a",))


def test_xarray_takes_them():
    xarray = pytest.importorskip("xarray")
    made = export(lambda x, w: x @ w, (np.ones((4, 3)), np.ones((3, 2))), dynamic_shapes=({0: ROWS}, None))
    x = xarray.DataArray(np.arange(15.0).reshape(5, 3), dims=("rows", "feature"))
    w = xarray.DataArray(np.ones((3, 2)), dims=("feature", "score"))
    named = core_dims(made, x=("rows", "feature"), w=("feature", "score"), result=("rows", "score"))
    found = xarray.apply_ufunc(made.module(), x, w, **named)
    assert found.dims == ("rows", "score") and np.array_equal(found.values, x.values @ w.values)
