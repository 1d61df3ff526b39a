"""A bounded number of random programs of arrays that lists hold."""

from __future__ import annotations

import pytest

from tests.fuzz.held import run

pytestmark = pytest.mark.fuzz


def test_arrays_that_lists_hold_are_eager() -> None:
    outcomes = [run(seed) for seed in range(5_001, 5_016)]
    assert outcomes.count("same") >= 4, outcomes
