"""Parameters of NumPy's functions that are numbers of data: what their dtypes decide is as in eager execution, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export

RANGES = [
    np.array(ends, dtype)
    for ends, dtype in [((0, 4), "i8"), ((1, 1), "i8"), ((0, 4), "f4"), ((0, 4), "f2"), ((1, 1), "f4"), ((0, 3), "u4")]
]
HISTOGRAMS = (
    "np.histogram(x, range=(r[0], r[1]))[1]",
    "np.histogram(x, 3, r)[1]",
    "np.histogram_bin_edges(x, 3, range=(0, r[1]))",
    "np.histogram2d(x, x, 3, ((r[0], r[1]), (0, r[1])))[1]",
    "np.histogramdd((x, x), 3, ((r[0], r[1]), (0, r[1])))[1][1]",
    "np.histogram(x + r[0] * 0, 3, (np.int8(1), np.int8(1)))[1]",
    "np.histogram(x + r[0] * 0, 3, (np.int8(1), np.int8(2)))[1]",
    "np.histogram(x + r[0] * 0, 3, (1, 1))[1]",
)


def function(call: str) -> Any:
    return eval(f"lambda x, r: {call}", {"np": np})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("call", HISTOGRAMS)
def test_the_ends_of_a_range_take_part_in_the_dtype_of_edges(call: str, dtype: str) -> None:
    f, x = function(call), np.linspace(0, 5, 7).astype(dtype)
    for ends in RANGES:
        found, expected = export(f, (x, ends)).module()(x, ends), f(x, ends)
        assert found.dtype == expected.dtype, ends
        np.testing.assert_array_equal(found, expected)


def test_whether_ends_of_data_are_equal_does_not_decide_a_dtype_at_a_call() -> None:
    with pytest.raises(ExportError, match="are equal decides the dtype of its edges"):
        export(function(HISTOGRAMS[0]), (np.linspace(0, 5, 7).astype("f4"), np.array([0, 4], "i1")))


@pytest.mark.parametrize("call", ["np.repeat(x[:0], complex(r[0]))", "np.repeat(x, [complex(r[0])])", "np.tile(x, complex(r[0]))"])
def test_complex_numbers_are_no_counts(call: str) -> None:
    with pytest.raises(ExportError, match="E104"):
        export(function(call), (np.ones(3), np.array([2 + 1j])))


@pytest.mark.parametrize("call", ["np.repeat(complex(r[0]), 2)", "np.tile(complex(r[0]), 2)"])
def test_complex_numbers_are_repeated(call: str) -> None:
    f, args = function(call), (np.ones(3), np.array([2 + 0j]))
    np.testing.assert_array_equal(export(f, args).module()(*args), f(*args))


def test_floats_of_data_are_no_counts_of_tiles() -> None:
    with pytest.raises(ExportError, match="E104"):
        export(function("np.tile(x, float(r[0]))"), (np.ones(3), np.ones(1)))
