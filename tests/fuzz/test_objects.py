"""Some of the programs of ``fuzz/objects.py``, the same ones in every run."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.objects import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

EACH = 20


@pytest.mark.parametrize("raising", [False, True], ids=["", "exceptions"])
@pytest.mark.parametrize("first", shard(range(0, 120, EACH), 3))
def test_random_programs_return_and_store_what_they_do_in_eager_execution(first: int, raising: bool) -> None:
    outcomes = Counter(run(seed, raising) for seed in range(first, first + EACH))
    assert outcomes["same"] + outcomes["same, raised"] > EACH // 2
    assert outcomes["same, raised"] > 1 or not raising
