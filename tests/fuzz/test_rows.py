"""A bounded number of random programs of loops over rows."""

from __future__ import annotations

import pytest

from tests.fuzz.rows import run

pytestmark = pytest.mark.fuzz


def test_rows_that_loops_keep_are_those_of_eager_execution() -> None:
    outcomes = [run(seed) for seed in range(40)]
    assert outcomes.count("same") >= 25, outcomes
