"""A bounded number of random programs of nested control flow."""

from __future__ import annotations

import pytest

from tests.fuzz.control import run

pytestmark = pytest.mark.fuzz


def test_random_control_flow_is_eager() -> None:
    outcomes = [run(seed) for seed in range(20_000, 20_012)]
    assert outcomes.count("same") >= 3, outcomes
