"""Some of the programs of ``fuzz/errors.py``, the same ones in every run."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.errors import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

EACH = 10


@pytest.mark.parametrize("first", shard(range(0, 60, EACH), 3))
def test_random_programs_tell_of_errors_what_eager_execution_tells(first: int) -> None:
    outcomes = Counter(run(seed) for seed in range(first, first + EACH))
    assert outcomes["same"] >= EACH - 2
