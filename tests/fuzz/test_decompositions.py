"""Decompositions at odd operands and arguments, of fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.decompositions import run, run_resized

pytestmark = pytest.mark.fuzz


def test_decompositions_give_what_they_promise() -> None:
    found = Counter(run(seed) for seed in range(300, 420))
    assert found["same"] > 60


def test_decompositions_at_other_sizes_give_what_they_promise() -> None:
    found: Counter[str] = Counter()
    for seed in range(100, 160):
        found += run_resized(seed)
    assert found["same"] > 120


def test_a_truth_is_a_place_of_a_flat_iterator() -> None:
    assert run(27110059) in ("same", "stays")
