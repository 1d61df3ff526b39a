"""Random array programs: a fixed seed, and a few of a fresh one that is printed. ``NPEXPORT_FUZZ`` says how many."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from tests import fuzz_arrays
from tests.fuzz_arrays import run
from tests.fuzz_dynamic_arrays import run as run_dynamic
from tests.fuzz_state import run as run_state

COUNT = int(os.environ.get("NPEXPORT_FUZZ", "150"))
FRESH = random.SystemRandom().randrange(1 << 30)


def count_of(seed: int) -> int:
    return COUNT // 5 if seed == FRESH else COUNT


@pytest.mark.parametrize("strict", [False, True], ids=["proxies", "export"])
@pytest.mark.parametrize("seed", [20_000, FRESH], ids=["fixed", "fresh"])
def test_random_programs_are_eager_numpy(seed: int, strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh seed is held to values and dtypes; errors, and how results lie in memory, are compared where the seed is fixed."""
    print(f"seed {seed}")
    monkeypatch.setattr(fuzz_arrays, "MEMORY", seed != FRESH)
    outcomes = [run(number, strict=strict) for number in range(seed, seed + count_of(seed))]
    same = outcomes.count("same")
    assert seed == FRESH or same > COUNT * (0.8 if strict else 0.6), outcomes


@pytest.mark.parametrize("seed", [40_000, FRESH], ids=["fixed", "fresh"])
def test_random_programs_over_state_are_eager_numpy(seed: int) -> None:
    print(f"seed {seed}")
    outcomes = [run_state(number) for number in range(seed, seed + count_of(seed))]
    assert set(outcomes) <= {"same", "raises", "mismatch", "E112", "E117", "E121", "E104", "E120"}
    assert seed == FRESH or outcomes.count("same") > COUNT * 0.5


@pytest.mark.parametrize("seed", [60_000, FRESH], ids=["fixed", "fresh"])
def test_random_programs_of_dynamic_size_are_eager_numpy(seed: int) -> None:
    print(f"seed {seed}")
    outcomes = sum(map(run_dynamic, range(seed, seed + count_of(seed) // 3)), Counter())
    assert seed == FRESH or outcomes["same"] > COUNT // 2, outcomes
