"""Lists that grow where no item of them is like the next one: as long as data say, they are gone
over in loops that were unrolled for the items that they had at first.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def numbers_apart(x):
    found = []
    for row in x:
        for other in found:
            if abs(other - row[0]) < 0.5:
                break
        else:
            found.append(row[0])
    return len(found), found


def rows_apart(x):
    found = []
    for row in x:
        for other in found:
            if abs(other - row).max() < 0.5:
                break
        else:
            found.append(row)
    return len(found), np.array(found)


def limits_apart(x):
    found, steps = [], 0
    for row in x:
        at = row
        for _ in range(5):
            half = at * 0.5
            if abs(half).max() < 0.1:
                break
            at = half
            steps += 1
        for other in found:
            if abs(other - at).max() < 0.2:
                break
        else:
            found.append(at)
    return len(found), steps


def numbered(x):
    found, places = [0.0], []
    for row in x:
        for place, other in enumerate(found):
            if other > row[0]:
                places.append(place)
                break
        else:
            found.append(row[0])
    return places, len(found), float(found[-1])


@pytest.mark.parametrize("program", [numbers_apart, rows_apart, limits_apart, numbered])
def test_what_is_found_is_found(program):
    rng = np.random.default_rng(0)
    module = export(program, (np.round(rng.normal(size=(4, 2))),)).module()
    for _ in range(16):
        x = (np.round(rng.normal(size=(4, 2))),)
        assert outcome(module, x) == outcome(program, x)
