"""A bounded number of random classes whose calls replace arrays of the object."""

from __future__ import annotations

import pytest

from tests.fuzz.replaced import run

pytestmark = pytest.mark.fuzz


def test_replaced_arrays_are_eager() -> None:
    outcomes = [run(seed) for seed in range(8_001, 8_041)]
    assert outcomes.count("same") >= 15, outcomes
