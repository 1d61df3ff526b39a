"""Random modules of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.modules import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_modules_are_eager() -> None:
    seeds = shard(range(1, 37), 3)
    found = sum((run(seed) for seed in seeds), Counter[str]())
    assert found["equal"] > 2 * len(seeds), found
