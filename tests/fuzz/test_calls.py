"""Some of the programs of ``fuzz/calls.py``, the same ones in every run."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.calls import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

EACH = 60
SEEDS = (
    157,
    184,
    306,
    319,
    pytest.param(557, marks=pytest.mark.slow),
    1005,
    1028,
    1181,
    1239,
    1334,
    1455,
    1502,
    1507,
    1881,
    1947,
    2274,
    2303,
    2375,
    2414,
    3128,
    3140,
    3403,
    5831,
    71_200_114,
    97_012_017,
    97_012_047,
    97_013_080,
    97_018_081,
)
"""Of programs that were different once."""


@pytest.mark.parametrize("first", shard(range(0, 360, EACH), 3))
def test_random_calls_give_what_they_give_eagerly(first: int) -> None:
    outcomes = Counter(run(seed) for seed in range(first, first + EACH))
    assert outcomes["same"] > EACH / 3


@pytest.mark.parametrize("seed", SEEDS)
def test_calls_that_were_different(seed: int) -> None:
    assert run(seed)
