"""No function of ``tests.support.callbacks`` runs in any test here."""

import pytest

from tests.support.callbacks import RAN


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()
    yield
    assert RAN == []
