"""A bounded number of random programs over polynomials and series."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.series import run

pytestmark = pytest.mark.fuzz


def test_series_are_eager() -> None:
    found = tally_of(run, range(4_001, 4_081))
    assert found["equal"] >= 25, found
