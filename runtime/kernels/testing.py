"""The assertions of ``numpy.testing``, which programs call for what they raise."""

from __future__ import annotations

from numpy.testing import (  # noqa: F401 (`npexport.ir.ops.assertions` names them)
    assert_allclose,
    assert_almost_equal,
    assert_approx_equal,
    assert_array_almost_equal,
    assert_array_almost_equal_nulp,
    assert_array_equal,
    assert_array_less,
    assert_equal,
)
