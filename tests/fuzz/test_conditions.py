"""Conditions on sizes and data, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.conditions import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_conditions_hold_at_every_size_that_is_accepted() -> None:
    seeds = shard(range(2000, 2060), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 5 * len(seeds), found
