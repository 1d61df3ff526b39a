"""A bounded number of random programs of arrays that share memory as data decide."""

from __future__ import annotations

import pytest

from tests.fuzz.aliases import run

pytestmark = pytest.mark.fuzz


def test_arrays_that_share_memory_are_eager() -> None:
    outcomes = [run(seed) for seed in range(20_000, 20_004)]
    assert outcomes.count("same") >= 1, outcomes
