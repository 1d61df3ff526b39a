"""``x **= exponent`` computes what NumPy computes in its place: squares, reciprocals, roots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.images import image
from tests.support.quiet import quiet

SPECIAL = np.array([2.5, -0.0, 0.0, -np.inf, np.inf, np.nan, -3.7, 1e-3, 7.1, 3.3, 0.1])


@pytest.mark.parametrize("exponent", [2, -1, 0.5, 2.0, 3, np.float64(0.5), np.array(2)], ids=repr)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "?"])
def test_powers_in_place_are_numpys_to_the_bit(dtype: str, exponent: Any) -> None:
    def program(x: Any) -> Any:
        y = x.copy()
        y **= exponent
        return y

    with quiet():
        x = (SPECIAL if np.dtype(dtype).kind in "fc" else np.array([2, 0, 1, 5, 3])).astype(dtype)
        if np.dtype(dtype).kind == "c":
            x = x + 1j * x[::-1]
        try:
            wanted = program(x)
        except Exception as error:
            with pytest.raises(type(error)):
                export(program, (x,)).module()(x)
            return
        found = export(program, (x,)).module()(x)
    assert found.dtype == wanted.dtype
    nan = np.isnan(wanted)
    assert np.array_equal(np.isnan(found), nan)
    assert np.where(nan, 0, found).tobytes() == np.where(nan, 0, wanted).tobytes()


def _power(x: Any, n: Any) -> Any:
    return x**n


def _in_place(x: Any, n: Any) -> Any:
    x **= n
    return x


@pytest.mark.parametrize("program", [_power, _in_place])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_exponents_that_the_run_decides_are_numpys_to_the_bit(program: Any, dtype: str) -> None:
    with quiet():
        x = np.stack([SPECIAL, SPECIAL[::-1]]).astype(dtype)
        x = np.asfortranarray(x + 1j * x[::-1] if np.dtype(dtype).kind == "c" else x)
        number = export(program, (x, 2), dynamic_shapes=(None, Dim.DYNAMIC)).module()
        data = export(lambda x, k: program(x, float(k[0])), (x, np.array([2.0]))).module()
        for exponent in (2, -1, 0, 1, 3):
            same(number(x.copy("K"), exponent), program(x.copy("K"), exponent))
        for exponent in (2.0, -1.0, 0.5, 2.5):
            same(data(x.copy("K"), np.array([exponent])), program(x.copy("K"), exponent))


def same(found: Any, wanted: Any) -> None:
    assert image(found, strides=True) == image(wanted, strides=True)


def test_squares_of_truths_have_a_dtype_of_their_own() -> None:
    with pytest.raises(ExportError, match="E104"):
        export(_power, (np.array([True]), 2), dynamic_shapes=(None, Dim.DYNAMIC))
