"""A bounded number of random programs that keep things in dicts and sets by keys of data."""

from __future__ import annotations

import pytest

from tests.fuzz.dicts import check
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(60), 4))
def test_program(seed: int) -> None:
    assert check(seed)
