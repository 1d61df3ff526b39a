"""Programs over rooms of NumPy that others pass by, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.corners import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_at_every_size_and_in_every_form() -> None:
    found = [run(seed) for seed in shard(range(7000, 7072), 6)]
    assert sum(each["equal"] for each in found) > 3 * len(found)
