"""A bounded number of random programs over structured arrays."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.records import run

pytestmark = pytest.mark.fuzz


def test_records_are_eager() -> None:
    found: Counter[str] = Counter()
    for seed in range(3_001, 3_081):
        outcome = run(seed)
        found.update([outcome] if isinstance(outcome, str) else outcome)
    assert found["equal"] >= 60, found
