"""Items in the order of totals that are Python's 0.0 until data add to them, and NumPy's then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.outcomes import outcome

DATA = [np.array(values, float) for values in ([1, 2, -1, -1], [-1, 1, 1, -1], [2, 0, 1, 1], [-3, -1, -1, 1], [3, 1, 1, 1], [0, 0, 0, 0])]


def of_a_dict(x: Any) -> Any:
    totals = {"high": 0.0, "low": 0.0, "none": 0.0}
    for value in x:
        totals["high" if value > 1 else "low" if value > 0 else "none"] += value
    return sorted(totals, key=totals.get)[:2], sorted(totals, key=totals.__getitem__, reverse=True)


def of_a_list(x: Any) -> Any:
    totals = [0.0, 0.0, 0.0]
    for value in x:
        totals[int(value > 0)] += value
    return sorted(range(3), key=lambda place: totals[place]), totals


def of_tuples(x: Any) -> Any:
    totals = [0.0, 0.0, 0.0]
    for value in x:
        totals[int(value > 0)] += value
    places = [0, 1, 2]
    places.sort(key=lambda place: (-totals[place], place))
    return places, sorted(range(3), key=lambda place: [totals[place], -place], reverse=True)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [of_a_dict, of_a_list, of_tuples])
def test_equals_eager(function, dynamic):
    run = export(function, (DATA[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    for x in DATA:
        assert outcome(run, (x,)) == outcome(function, (x,))


def themselves(x: Any) -> Any:
    totals = [0.0, 0.0]
    for value in x:
        totals[int(value > 0)] += value
    return sorted(totals)


def test_such_numbers_in_the_order_of_themselves_are_refused():
    with pytest.raises(Unsupported) as caught:
        export(themselves, (DATA[0],))
    assert caught.value.code == "E103"
