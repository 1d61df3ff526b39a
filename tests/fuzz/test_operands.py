"""A bounded number of calls with operands of every kind that sizes and data make."""

from __future__ import annotations

import pytest

from tests.fuzz.operands import run
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(0, 1200, 40), 3))
def test_operands(seed: int) -> None:
    outcomes = sum([run(number) for number in range(seed, seed + 40)], start=run(seed))
    assert outcomes["equal"] > 40
