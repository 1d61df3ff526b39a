"""Programs as users write them, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.idioms import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_at_every_size_and_in_every_form() -> None:
    found = [run(seed) for seed in shard(range(100, 148), 4)]
    assert sum(each["equal"] for each in found) > 3 * len(found)
