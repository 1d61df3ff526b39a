"""A part of NumPy's own tests, run as programs; ``python -m tests.numpy_suite MODULE`` runs any of its modules."""

from __future__ import annotations

import pytest

from tests.numpy_suite import cases, compare

MODULES = (
    "numpy._core.tests.test_indexing",
    "numpy.lib.tests.test_arraypad",
    "numpy.lib.tests.test_histograms",
    "numpy.lib.tests.test_shape_base",
    "numpy.lib.tests.test_stride_tricks",
    "numpy.lib.tests.test_twodim_base",
)


@pytest.mark.parametrize("module", MODULES)
def test_what_numpy_tests_is_exported_exactly_or_refused(module: str) -> None:
    outcomes = [compare(case) for case in cases(module)]
    compared = [outcome for outcome in outcomes if outcome != "no inputs"]
    assert compared.count("same") > len(compared) / 3, outcomes
