"""A bounded number of random classes whose lists hold what others hold, too."""

from __future__ import annotations

import pytest

from tests.fuzz.listed import run

pytestmark = pytest.mark.fuzz


def test_lists_of_what_others_hold_are_eager() -> None:
    outcomes = [run(seed) for seed in range(2_001, 2_041)]
    assert outcomes.count("same") >= 8 and outcomes.count("refused later") >= 2, outcomes
