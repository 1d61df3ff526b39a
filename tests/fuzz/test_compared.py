"""A bounded number of random programs that sort by comparisons of their own."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.compared import run

pytestmark = pytest.mark.fuzz


def test_orders_by_comparisons_of_python_are_those_of_eager_execution() -> None:
    outcomes = tally_of(run, range(70_000, 70_014))
    assert outcomes["same"] >= 5, outcomes
