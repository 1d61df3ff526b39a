"""A bounded number of random classes over arrays that are read-only, or become so."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.read_only import run

pytestmark = pytest.mark.fuzz


def test_what_is_read_only_is_so_in_the_program() -> None:
    outcomes = tally_of(run, range(50_000, 50_040))
    assert outcomes["same"] >= 12, outcomes
