"""A bounded number of random programs over lists of entries that searches find, change or add."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.entries import run

pytestmark = [pytest.mark.fuzz, pytest.mark.slow]


def test_entries_are_eager() -> None:
    found = tally_of(run, range(9_001, 9_041))
    assert found["equal"] >= 40, found
