"""A bounded number of random programs whose variables are one of several values as data decide."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.sentinels import run
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


@pytest.mark.slow
@pytest.mark.parametrize("start", shard(range(4_000, 4_060, 10), 3))
def test_random_sentinels_are_eager(start: int) -> None:
    outcomes = Counter(map(run, range(start, start + 10)))
    assert outcomes["same"] >= 3, outcomes


def test_sentinels_of_a_fresh_seed_are_eager() -> None:
    print(f"seed {fresh_seed()}")
    for seed in range(fresh_seed(), fresh_seed() + 10):
        run(seed)


def test_a_number_that_is_deleted_later_under_a_name_that_a_result_takes() -> None:
    assert run(822399684) == "same"
