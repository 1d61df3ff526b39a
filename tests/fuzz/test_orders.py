"""Programs over arrays in every order of memory, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.orders import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_round_as_eager_execution_does() -> None:
    found = [run(seed) for seed in shard(range(2000, 2072), 3)]
    assert sum(each["equal"] for each in found) > 2 * len(found)
