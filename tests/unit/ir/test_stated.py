"""Numbers of a graph in the terms of what guards say of sizes: what a check states is known behind it only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded


def _memoized(x: Any, y: Any, mask: Any) -> Any:
    total = np.zeros(len(y))
    total[:] = [np.sum(v) for v in x]  # one length for both
    count, known = int(mask.sum()), {}
    if count not in known:
        known[count] = count + 1
    return known[count], total


def _asserted(x: Any, y: Any, mask: Any) -> Any:
    chosen = x[mask]
    before = len(chosen) + len(y)
    assert len(chosen) == 2
    return before, chosen * 2, x + y


def _asserted_twice(x: Any, y: Any, mask: Any) -> Any:
    chosen = x[mask]
    before = np.zeros(len(chosen) * 2)
    assert len(chosen) <= 2
    between = np.ones(len(chosen))
    assert len(chosen) >= 2
    return before, between, chosen, x + y


@pytest.mark.parametrize("f", [_memoized, _asserted, _asserted_twice])
def test_what_stands_before_a_check_does_not_know_it(f: Any) -> None:
    mask = np.array([True, False, True])
    sizes = {0: Dim.AUTO}
    exported = export(f, (np.arange(3.0), np.ones(3), mask), dynamic_shapes=(sizes, sizes, sizes if f is not _memoized else None))
    for count in (3, 3 if f is _memoized else 5):
        given = np.arange(float(count)) + 1, np.ones(count), np.resize(mask, count) & (np.arange(count) < 3)
        np.testing.assert_equal(reloaded(exported).module()(*given), f(*given))
