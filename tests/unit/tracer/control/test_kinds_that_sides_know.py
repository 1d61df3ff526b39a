"""Numbers that are Python's or NumPy's, and variables, of which a side of a branch, or a handler, knows more than the data say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

PROGRAMS: dict[str, Any] = {}


def captured(program):
    PROGRAMS[program.__name__] = program
    return program


@captured
def bound_in_a_handler(x):
    try:
        if not np.isfinite(x).all():
            raise ValueError("not finite", x[1])
        return x.sum()
    except ValueError as error:
        if np.isnan(x[0]):
            found = 1.0
        else:
            place = np.argmax(x)
            found = x[place] * 2
        return found + len(error.args)


@captured
def frames_of_tracebacks(x):
    try:
        if x[0] > 1:
            raise ValueError("big")
        y = x[0] * 2
    except ValueError as error:
        variables = error.__traceback__.tb_frame.f_locals
        if x[1] > 0:
            other = x[0] - 1
            y = other * 2
        else:
            y = x[1]
        return y + variables["x"][0]
    return y


@captured
def nothing_among_truths(x):
    items, none = [x[0], None if x[1] > 0 else x[1], x[2]], None
    return all(items), any([none, x[0] > 3, x[1]]), all([x[0], none]), any((0, "", x[2]))


DATA = [[2.0, 1, 3], [0.2, 1, 0], [-3.0, -1, 0], [2.0, -1, 1], [np.nan, 1, 2], [1, np.inf, 0], [0.0, 0, 0], [-1e18, 3, 1]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_they_give_eagerly(name: str) -> None:
    program = PROGRAMS[name]
    module = export(program, (np.array(DATA[0]),)).module()
    for data in DATA:
        assert outcome(module, (np.array(data),)) == outcome(program, (np.array(data),))


def test_a_variable_of_a_frame_that_one_side_binds_is_refused() -> None:
    def program(x):
        try:
            raise ValueError("always")
        except ValueError as error:
            variables = error.__traceback__.tb_frame.f_locals
            if x[1] > 0:
                other = x[0] - 1
                y = other * 2
            else:
                y = x[1]
            return y + variables.get("other", 100.0)

    with pytest.raises(Unsupported, match="`other` is"):
        export(program, (np.array(DATA[0]),))
