"""Lists that loops fill with arrays whose sizes are equal at the example: the program is one for which
they are, and the number of iterations stays dynamic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def orbit(start: Any, times: Any) -> Any:
    found = [start]
    for step in times:
        place, speed = found[-1]
        found.append(np.array([place + step * speed, speed - step * place]))
    return np.array(found)


def orbit_with_times(start: Any, times: Any) -> Any:
    found, last = [(start, 0.0)], start
    for step in times:
        last = last + step * np.array([last[1], -last[0]])
        found.append((last, step))
    return np.array([state for state, _ in found])


def of_either(x: Any, y: Any) -> Any:
    found = []
    for value in x:
        if value > 0:
            found.append(x)
        else:
            found.append(y)
    return np.array(found)


@pytest.mark.parametrize("function", [orbit, orbit_with_times])
def test_the_number_of_steps_is_dynamic(function: Any) -> None:
    start = np.array([1.0, 0.5])
    program = export(function, (start, np.linspace(0, 1, 4)), dynamic_shapes={"start": {0: Dim.AUTO}, "times": {0: Dim("n")}})
    for size in (4, 0, 1, 9):
        given = start, np.linspace(0, 1, size)
        assert outcome(program.module(), given) == outcome(function, given)


def test_arrays_of_two_inputs_are_of_one_size() -> None:
    program = export(of_either, (np.array([1.0, -2.0]), np.ones(2)), dynamic_shapes={"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}})
    for size in (2, 1, 5):
        given = np.linspace(-1, 1, size), np.ones(size)
        assert outcome(program.module(), given) == outcome(of_either, given)
