"""A bounded number of random programs that keep containers in containers at places of data."""

from __future__ import annotations

import pytest

from tests.fuzz.nested import check
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(40), 4))
def test_program(seed: int) -> None:
    assert check(seed)
