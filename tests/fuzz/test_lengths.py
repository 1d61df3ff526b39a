"""Programs over long arrays, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.lengths import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_long_arrays_are_eager_to_the_bit() -> None:
    seeds = shard(range(1000, 1036), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 3 * len(seeds), found
