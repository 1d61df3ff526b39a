"""A bounded number of random programs that draw."""

from __future__ import annotations

import pytest

from tests.fuzz.generators import run
from tests.support.shards import shard

LOADED = 4114257
"""Nobody uses one result of a branch, and a range is checked of another."""


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard([*range(60), LOADED], 3))
def test_program(seed: int) -> None:
    assert run(seed)
