"""A bounded number of random classes whose containers have several names."""

from __future__ import annotations

import pytest

from tests.fuzz.command import tally_of
from tests.fuzz.named import run

pytestmark = pytest.mark.fuzz


def test_containers_with_several_names() -> None:
    outcomes = tally_of(run, range(60_000, 60_060))
    assert outcomes["same"] >= 15, outcomes
