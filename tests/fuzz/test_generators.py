"""A bounded number of random programs that draw."""

from __future__ import annotations

import pytest

from tests.fuzz.generators import run


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(40))
def test_program(seed: int) -> None:
    assert run(seed)
