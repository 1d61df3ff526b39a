"""The tables of ``view_programs``: every view with some writes and every write with some views, and chains of both."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.views import INPUTS, ORDERS, SOURCES, VIEWS, WRITES, chain, check, made, one_of_each
from tests.support.shards import shard

pytestmark = pytest.mark.filterwarnings("ignore:future versions will not create a writeable array:FutureWarning")
EACH = 3
"""How many partners everything has."""


@pytest.mark.parametrize("place", shard(range(len(VIEWS)), 4))
def test_every_view_is_written_to(place: int) -> None:
    rng = random.Random(place)
    for write in rng.sample(WRITES, EACH):
        check(one_of_each(VIEWS[place], write, rng.choice(SOURCES)), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


@pytest.mark.parametrize("place", shard(range(len(WRITES)), 4))
def test_every_write_goes_through_views(place: int) -> None:
    rng = random.Random(1000 + place)
    for view in rng.sample(VIEWS, EACH):
        check(one_of_each(view, WRITES[place], rng.choice(SOURCES)), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(0, 200, 20), 5))
def test_chains_of_views_and_writes(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = random.Random(number)
        check(chain(rng), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))
