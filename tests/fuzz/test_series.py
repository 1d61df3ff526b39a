"""A bounded number of random programs over polynomials and series."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.series import run

pytestmark = pytest.mark.fuzz


def test_series_are_eager() -> None:
    found: Counter[str] = Counter()
    for seed in range(4_001, 4_081):
        outcome = run(seed)
        found.update([outcome] if isinstance(outcome, str) else outcome)
    assert found["equal"] >= 25, found
