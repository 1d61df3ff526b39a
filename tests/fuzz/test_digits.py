"""Programs over numbers at the edges of their kinds, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.digits import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_numbers_at_their_edges_are_eager() -> None:
    seeds = shard((5_111, *range(23, 50)), 3)  # a shift that no file could hold was in the first
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 3 * len(seeds), found
