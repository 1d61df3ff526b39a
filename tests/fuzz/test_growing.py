"""A bounded number of random classes with lists that calls make longer or shorter."""

from __future__ import annotations

import pytest

from tests.fuzz.growing import run

pytestmark = pytest.mark.fuzz


def test_lists_of_the_state_are_eager() -> None:
    outcomes = [run(seed) for seed in range(9_001, 9_026)]
    assert outcomes.count("same") >= 10, outcomes
