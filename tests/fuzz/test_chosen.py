"""A bounded number of random programs in which data choose lists or dicts."""

from __future__ import annotations

import pytest

from tests.fuzz.chosen import run

pytestmark = pytest.mark.fuzz


def test_chosen_containers_are_eager() -> None:
    outcomes = [run(seed) for seed in range(7_001, 7_026)]
    assert outcomes.count("same") >= 8, outcomes
