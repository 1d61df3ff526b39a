"""``x **= exponent`` computes what NumPy computes in its place: squares, reciprocals, roots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
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
