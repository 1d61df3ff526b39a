"""A bounded number of random loops over sizes."""

from __future__ import annotations

import pytest

from tests.fuzz.sized_loops import check


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(20))
def test_program(seed: int) -> None:
    assert check(seed)
