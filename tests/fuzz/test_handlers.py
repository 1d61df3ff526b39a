"""A bounded number of random programs that raise on data, past handlers that may fail."""

from __future__ import annotations

import pytest

from tests.fuzz.handlers import run

pytestmark = pytest.mark.fuzz


def test_random_handlers_are_eager() -> None:
    outcomes = [run(seed) for seed in range(20_000, 20_040)]
    assert outcomes.count("same") >= 8, outcomes


@pytest.mark.parametrize("seed", [7168, 28211012])
def test_handlers_that_were_different(seed: int) -> None:
    assert run(seed)
