"""Random programs over arrays, held to eager NumPy in everything: a thousand of fixed seeds, and some that are fresh for each change.

``NPEXPORT_FUZZ`` says how many times as many.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.fuzz.arrays import run
from tests.fuzz.dynamic_arrays import run as run_dynamic
from tests.fuzz.state import run as run_state
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz

TIMES = int(os.environ.get("NPEXPORT_FUZZ", "1"))
FRESH = fresh_seed()
CHUNK = 125


def _export(seed: int) -> str:
    return run(seed, strict=True)


KINDS = {"export": (_export, 750, 0.9), "proxies": (run, 250, 0.6), "state": (run_state, 125, 0.5)}
"""What is run, how many programs of fixed seeds there are, and how many of them must be the same and not refused."""


def chunks() -> Iterator[tuple[str, int]]:
    for kind, (_, count, _) in KINDS.items():
        yield from ((kind, 20_000 + start) for start in range(0, count * TIMES, CHUNK))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "start"), shard(chunks(), 3))
def test_random_programs_are_eager_numpy(kind: str, start: int) -> None:
    function, _, least = KINDS[kind]
    outcomes = list(map(function, range(start, start + CHUNK)))
    assert outcomes.count("same") > CHUNK * least, outcomes


@pytest.mark.parametrize("start", shard(range(60_000, 60_000 + 100 * TIMES, 25), 4))
def test_random_programs_of_dynamic_size_are_eager_numpy(start: int) -> None:
    outcomes = sum(map(run_dynamic, range(start, start + 25)), Counter())
    assert outcomes["same"] > 75, outcomes


@pytest.mark.parametrize(("function", "count"), [(_export, 40), (run_state, 20), (run_dynamic, 15)])
def test_programs_of_a_fresh_seed_are_eager_numpy(function, count: int) -> None:  # type: ignore[no-untyped-def]
    print(f"seed {FRESH}")
    for seed in range(FRESH, FRESH + count * TIMES):
        function(seed)
