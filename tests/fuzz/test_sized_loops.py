"""A bounded number of random loops over sizes."""

from __future__ import annotations

import pytest

from tests.fuzz.sized_loops import check
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", [*shard(range(48), 4), 5551031, 944262507, 1070504004, 97013003])
def test_program(seed: int) -> None:
    assert check(seed)
