"""Decomposed programs, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.decomposed import run

pytestmark = pytest.mark.fuzz


def test_decomposed_programs_are_what_they_are_made_of() -> None:
    found: Counter[str] = Counter()
    for seed in range(300, 340):
        found += run(seed)
    assert found["equal"] > 200


@pytest.mark.parametrize("seed", [51020, 71220, 71342, 90149, 90437])
def test_programs_that_were_different(seed: int) -> None:
    assert run(seed)
