"""A bounded number of random models, in every form that their programs can take."""

from __future__ import annotations

import pytest

from tests.fuzz.models import run
from tests.support.shards import shard


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard([*range(12), 120, 151], 4))
def test_model(seed: int) -> None:
    assert run(seed)
