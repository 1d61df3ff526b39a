"""Programs of what other fuzzers keep apart, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.blends import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_at_every_size() -> None:
    found = [run(seed) for seed in shard(range(100, 164), 4)]
    assert sum(each["equal"] for each in found) > 30


@pytest.mark.parametrize("seed", [60090, 60820, 200269, 300508])
def test_programs_that_were_different(seed: int) -> None:
    assert run(seed)
