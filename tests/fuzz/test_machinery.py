"""Programs with the machinery of Python's library, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.machinery import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_in_every_form() -> None:
    assert [run(seed) for seed in shard(range(200, 248), 3)].count("same") > 2
