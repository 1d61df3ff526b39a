"""Calls that go wrong, within handlers, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.caught import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_handlers_of_fixed_seeds_run_as_in_eager_execution() -> None:
    found = [run(seed) for seed in shard(range(4100, 4350), 6)]
    assert sum(each["equal"] for each in found) > len(found)
