"""A bounded number of random programs over arrays of texts."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.texts import run

pytestmark = pytest.mark.fuzz


def test_texts_are_eager() -> None:
    found = tally_of(run, range(4_001, 4_081))
    assert found["equal"] >= 60, found
