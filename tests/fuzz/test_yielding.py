"""A bounded number of random programs that go over generators."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.yielding import run
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


@pytest.mark.slow
@pytest.mark.parametrize("start", shard(range(4_000, 4_060, 10), 3))
def test_random_generators_are_eager(start: int) -> None:
    outcomes = Counter(map(run, range(start, start + 10)))
    assert outcomes["same"] >= 5, outcomes


@pytest.mark.slow
def test_generators_of_a_fresh_seed_are_eager() -> None:
    print(f"seed {fresh_seed()}")
    for seed in range(fresh_seed(), fresh_seed() + 10):
        run(seed)
