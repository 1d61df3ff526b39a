"""Random edits of graphs, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.edits import run
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("first", shard(range(100, 250, 5), 6))
def test_edited_graphs_are_what_the_edits_say_or_are_refused(first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 5):
        found += run(seed)
    assert found["edited"] > 4


@pytest.mark.parametrize("seed", [19, 2009, 2136, 4058, 4667, 7072, 7310, 7613, 90007])
def test_edits_that_went_wrong(seed: int) -> None:
    assert run(seed)
