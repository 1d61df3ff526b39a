"""A bounded number of random programs that raise within branches and loops, after writes to an input and to state."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.written import run
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


@pytest.mark.slow
@pytest.mark.parametrize("start", shard(range(0, 60, 10), 3))
def test_random_writes_before_exceptions_are_eager(start: int) -> None:
    outcomes = Counter(map(run, range(start, start + 10)))
    assert outcomes["within"] >= 2, outcomes


def test_writes_before_exceptions_of_a_fresh_seed_are_eager() -> None:
    print(f"seed {fresh_seed()}")
    for seed in range(fresh_seed(), fresh_seed() + 5):
        run(seed)
