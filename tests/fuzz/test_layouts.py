"""Programs over the memory of arrays and over scalars, of fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz.layout_programs import SIZES, arguments
from tests.fuzz.layouts import memory, run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_at_every_size() -> None:
    found = [run(seed) for seed in shard(range(5000, 5072), 6)]
    assert sum(each["equal"] for each in found) > 3 * len(found)


@pytest.mark.parametrize("size", SIZES)
def test_the_arguments_are_the_same_each_time_and_lie_in_memory_in_every_way(size: int) -> None:
    one, other = arguments(3, size), arguments(3, size)
    assert [*map(memory, one.values())] == [*map(memory, other.values())]
    assert one["x"] is one["x2"]
    assert not one["e"].flags.writeable
    assert np.shares_memory(one["w"], one["w2"]) is (size > 1)
