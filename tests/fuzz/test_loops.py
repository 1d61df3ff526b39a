"""A bounded number of random loops on data and of known lengths."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.loops import check
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


@pytest.mark.slow
@pytest.mark.parametrize("start", shard(range(7_240, 7_300, 10), 3))
def test_random_loops_are_eager(start: int) -> None:
    outcomes = Counter(map(check, range(start, start + 10)))
    assert outcomes["captured"] >= 2, outcomes


@pytest.mark.slow
def test_loops_that_were_different() -> None:
    check(71_301_010)


@pytest.mark.slow
def test_loops_of_a_fresh_seed_are_eager() -> None:
    print(f"seed {fresh_seed()}")
    for seed in range(fresh_seed(), fresh_seed() + 10):
        check(seed)
