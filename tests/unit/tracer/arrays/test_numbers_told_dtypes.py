"""Numbers of Python beside arrays where a ufunc is told in which dtype it computes, or how it casts."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome


def complex_with(x):
    return np.add(x, 1j, dtype=float, casting="unsafe")


def complex_of_complex(x):
    return np.multiply(x, 1j, dtype=complex)


def large_truth(x):
    return np.logical_xor(x, 10**20, casting="unsafe")


def integer_as_float(x):
    return np.subtract(x, 3, dtype=np.float32)


def caught(x):
    with np.errstate(divide="raise"):
        try:
            return 10**20 / x[1]
        except FloatingPointError:
            return 1.0


@pytest.mark.parametrize("f", [complex_with, complex_of_complex, large_truth, integer_as_float, caught])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?"])
def test_equals_eager_or_is_refused(f, dtype):
    x = np.array([1, 2, 0]).astype(dtype)
    wanted = outcome(f, (x,))
    try:
        exported = export(f, (x,)).module()
    except ExportError as error:
        assert error.code == "E101"
    except OverflowError as error:
        assert f"OverflowError: {error.args!r}" == wanted[0]
    else:
        assert outcome(exported, (x,)) == wanted
