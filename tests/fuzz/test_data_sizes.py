"""A bounded number of random programs over arrays whose lengths only the data know."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.data_sizes import run

pytestmark = pytest.mark.fuzz


def test_arrays_of_data_sizes_are_those_of_eager_execution() -> None:
    found: Counter[str] = sum((run(seed) for seed in range(40)), Counter())
    assert found["equal"] > 300, found
