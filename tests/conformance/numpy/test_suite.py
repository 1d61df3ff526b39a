"""A part of NumPy's own tests, run as programs; ``python -m tests.conformance.numpy.suite`` runs all of them."""

from __future__ import annotations

import pytest

from tests.conformance.numpy.differences import DIFFERENCES
from tests.conformance.numpy.suite import run
from tests.support.shards import shard

MODULES = (
    "numpy._core.tests.test_indexing",
    "numpy._core.tests.test_scalar_methods",
    "numpy.fft.tests.test_helper",
    "numpy.lib.tests.test_arraypad",
    "numpy.lib.tests.test_histograms",
    "numpy.lib.tests.test_shape_base",
    "numpy.lib.tests.test_stride_tricks",
    "numpy.lib.tests.test_twodim_base",
)


@pytest.mark.parametrize("module", shard(MODULES, 2))
def test_what_numpy_tests_is_exported_exactly_or_refused(module: str) -> None:
    outcomes, unlisted, stale = run(module)
    assert unlisted == []
    assert stale == [], "no longer different: to be taken from the table"
    assert outcomes["same"] > outcomes.total() / 3, outcomes


def test_every_listed_difference_has_a_reason() -> None:
    assert all(reason for tests in DIFFERENCES.values() for reason in tests.values())
    assert sum(map(len, DIFFERENCES.values())) <= 36
