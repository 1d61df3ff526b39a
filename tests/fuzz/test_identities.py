"""A bounded number of random programs that ask which arrays are one object."""

from __future__ import annotations

import pytest

from tests.fuzz.identities import run

pytestmark = pytest.mark.fuzz


def test_questions_of_identity_have_the_answers_of_eager_execution() -> None:
    outcomes = [run(seed) for seed in range(30_000, 30_030)]
    assert outcomes.count("same") >= 8, outcomes
