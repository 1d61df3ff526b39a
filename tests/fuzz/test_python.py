"""Short runs of the random-program generator: fixed seeds, and some that are fresh for each change."""

from __future__ import annotations

import pytest

from tests.fuzz.python import check
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

FRESH = fresh_seed()


@pytest.mark.parametrize("seed", shard(range(120), 4))
def test_fixed_seed(seed):
    problem = check(seed)
    assert problem is None, problem


@pytest.mark.parametrize("offset", range(10))
def test_fresh_seed(offset):
    problem = check(FRESH + offset)
    assert problem is None, problem
