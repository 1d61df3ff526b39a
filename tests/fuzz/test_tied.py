"""A bounded number of random classes whose arrays take the names of one another."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.tied import run

pytestmark = pytest.mark.fuzz


def test_arrays_that_take_the_names_of_one_another() -> None:
    outcomes = tally_of(run, range(70_000, 70_050))
    assert outcomes["same"] >= 25, outcomes
