"""A bounded number of random programs that draw."""

from __future__ import annotations

import pytest

from tests.fuzz.generators import run
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(60), 3))
def test_program(seed: int) -> None:
    assert run(seed)
