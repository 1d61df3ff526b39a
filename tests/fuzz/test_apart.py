"""Programs over arrays whose sizes vary apart, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.apart import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_wherever_sizes_fit() -> None:
    found = [run(seed) for seed in shard(range(900, 984), 6)]
    assert sum(each["equal"] for each in found) > len(found)
