"""Programs over numbers at the edges of their kinds, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.digits import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_numbers_at_their_edges_are_eager() -> None:
    seeds = shard(range(23, 50), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 3 * len(seeds), found
