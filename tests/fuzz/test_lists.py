"""A bounded number of random programs that fill lists in loops over sizes."""

from __future__ import annotations

import pytest

from tests.fuzz.lists import check


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(40))
def test_program(seed: int) -> None:
    assert check(seed)
