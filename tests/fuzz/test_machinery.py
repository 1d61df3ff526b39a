"""Programs with the machinery of Python's library, of fixed seeds."""

from __future__ import annotations

import pytest

from tests.fuzz.machinery import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_in_every_form() -> None:
    seeds = (200, 201, 203, 205, 209, 212, 214, 215, 218, 221, 224, 228, 231, 232, 234, 239, 240, 241, 246, 247)
    found = [run(seed) for seed in shard(seeds, 3)]
    assert found.count("same") > len(found) / 2
