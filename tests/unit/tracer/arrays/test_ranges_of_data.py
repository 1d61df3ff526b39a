"""``np.arange`` to a float that only the data know: as long as in NumPy, or NumPy's error before what follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def returned(x: Any, y: Any) -> Any:
    found = np.arange(float(x.sum()))
    y[0] = 5
    return found


def of_a_scalar(x: Any, y: Any) -> Any:
    found = np.arange(0.0, x.sum(), 0.5)
    y[0] = 5
    return found


def unused(x: Any, y: Any) -> Any:
    np.arange(float(x[0]))
    y[0] = 5
    return y * 2


@pytest.mark.parametrize("program", [returned, of_a_scalar, unused])
@pytest.mark.parametrize("value", [1.0, 0.0, 0.3, -2.0, np.nan, np.inf, -np.inf])
def test_they_are_what_they_are_eagerly(program: Any, value: float) -> None:
    run = export(program, (np.ones(3), np.zeros(1))).module()
    given = np.full(3, value), np.zeros(1)
    assert outcome(run, given) == outcome(program, given)
