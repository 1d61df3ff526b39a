"""A bounded number of random classes with attributes and keys that only some calls set."""

from __future__ import annotations

import pytest

from tests.fuzz.missing import run

pytestmark = pytest.mark.fuzz


def test_what_only_some_calls_set_is_eager() -> None:
    outcomes = [run(seed) for seed in range(4_001, 4_026)]
    assert outcomes.count("same") >= 10, outcomes
