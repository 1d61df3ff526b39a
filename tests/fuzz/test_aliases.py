"""A bounded number of random programs of arrays that share memory as data decide."""

from __future__ import annotations

import pytest

from tests.fuzz.aliases import run

pytestmark = pytest.mark.fuzz


def test_arrays_that_share_memory_are_eager() -> None:
    outcomes = [run(seed) for seed in range(20_008, 20_030)]
    assert outcomes.count("same") >= 8, outcomes
