"""A bounded number of random programs over iterators of NumPy and of Python."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.iterators import run

pytestmark = pytest.mark.fuzz


def test_iterators_are_eager() -> None:
    found = tally_of(run, range(8_001, 8_121))
    assert found["equal"] >= 100, found
