"""Programs of what NumPy rounds by how memory lies, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.rounded import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_what_is_rounded_by_how_memory_lies_is_eager_to_the_bit() -> None:
    seeds = shard(range(1000, 1090), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > len(seeds), found
