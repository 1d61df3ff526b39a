"""A bounded number of random programs that call operators of users."""

from __future__ import annotations

import pytest

from tests.fuzz.declared import run

pytestmark = pytest.mark.fuzz


def test_programs_do_what_eager_calls_do() -> None:
    outcomes = [run(seed) for seed in range(7_000, 7_012)]
    assert outcomes.count("same") >= 6, outcomes
