"""A bounded number of random programs over iterators of NumPy and of Python."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.iterators import run

pytestmark = pytest.mark.fuzz


def test_iterators_are_eager() -> None:
    found: Counter[str] = Counter()
    for seed in range(8_001, 8_121):
        outcome = run(seed)
        found.update([outcome] if isinstance(outcome, str) else outcome)
    assert found["equal"] >= 100, found
