"""A bounded number of random programs over structured arrays."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.records import run

pytestmark = pytest.mark.fuzz


def test_records_are_eager() -> None:
    found = tally_of(run, range(3_001, 3_081))
    assert found["equal"] >= 60, found
