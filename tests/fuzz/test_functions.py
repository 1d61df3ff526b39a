"""Programs over most of NumPy's functions, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.functions import run

pytestmark = pytest.mark.fuzz


def test_programs_of_fixed_seeds_are_eager_at_every_size() -> None:
    found: Counter[str] = Counter()
    for seed in range(900, 960):
        found += run(seed)
    assert found["equal"] > 300


@pytest.mark.parametrize("seed", [99800112, 352829477, 77000553, 97005015])
def test_programs_that_were_different(seed: int) -> None:
    assert run(seed)
