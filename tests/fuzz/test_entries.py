"""A bounded number of random programs over lists of entries that searches find, change or add."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.entries import run

pytestmark = [pytest.mark.fuzz, pytest.mark.slow]


def test_entries_are_eager() -> None:
    found: Counter[str] = Counter()
    for seed in range(9_001, 9_041):
        outcome = run(seed)
        found.update([outcome] if isinstance(outcome, str) else outcome)
    assert found["equal"] >= 40, found
