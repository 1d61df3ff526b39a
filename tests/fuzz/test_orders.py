"""Programs over arrays in every order of memory, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.orders import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_round_as_eager_execution_does() -> None:
    found = [run(seed) for seed in shard(range(2000, 2072), 3)]
    assert sum(each["equal"] for each in found) > 4 * len(found)


def test_a_loop_over_places_and_rows_of_one_of_several_arrays_is_refused() -> None:
    assert run(1549) == {"refused E103": 1}
