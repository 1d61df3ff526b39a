"""A bounded number of random programs that are grown on examples: pipelines with state, and mixtures of numbers."""

from __future__ import annotations

import pytest

from tests.fuzz import mixtures, pipelines

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("fuzzer", [mixtures, pipelines], ids=["mixtures", "pipelines"])
def test_grown_programs_are_eager(fuzzer: object) -> None:
    outcomes = [fuzzer.run(seed) for seed in range(7_000, 7_012)]  # type: ignore[attr-defined]
    assert outcomes.count("same") >= 6, outcomes
