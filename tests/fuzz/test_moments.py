"""A bounded number of random programs over dates and spans of time."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.moments import run

pytestmark = pytest.mark.fuzz


def test_moments_are_eager() -> None:
    found = tally_of(run, range(4_001, 4_081))
    assert found["equal"] >= 60, found
