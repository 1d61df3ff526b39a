"""A bounded number of random programs in which everything meets."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.weaves import run

pytestmark = pytest.mark.fuzz


def test_programs_in_which_everything_meets_are_eager() -> None:
    found = sum((run(seed) for seed in range(7_001, 7_019)), Counter[str]())
    assert found["equal"] > 30, found
