"""Programs that reckon with sizes, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.indices import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

FOUND = (10_096, 11_389, 13_425, 15_726)
"""Seeds of programs that were refused as defects."""


def test_programs_that_reckon_with_sizes_are_eager_at_every_size() -> None:
    seeds = shard((*FOUND, *range(1, 40)), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 6 * len(seeds), found
