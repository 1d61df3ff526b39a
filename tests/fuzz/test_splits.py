"""A bounded number of random programs whose rows are proved to be independent."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.splits import run

pytestmark = pytest.mark.fuzz


def test_parts_of_the_rows_give_parts_of_the_result() -> None:
    found = tally_of(run, range(4_001, 4_081))
    assert found["equal"] >= 60, found
