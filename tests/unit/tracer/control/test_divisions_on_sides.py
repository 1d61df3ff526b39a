"""Divisions by numbers of data that one side of a branch knows not to be 0: captured, and equal to
eager execution whatever the data.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

PROGRAMS = {
    "true division": lambda x, k: 1 / int(k[0]) if int(k[0]) == 1 else 0.0,
    "of an array": lambda x, k: x[0] / int(k[0]) if int(k[0]) != 0 else x[1],
    "floor division": lambda x, k: 3 // int(k[0]) if int(k[0]) > 0 else 0,
    "remainder": lambda x, k: 7 % int(k[0]) if int(k[0]) in (2, 3) else 0,
    "both": lambda x, k: divmod(7, int(k[0])) if int(k[0]) > 1 else (0, 0),
    "of floats": lambda x, k: float(x[0]) / float(x[1]) if float(x[1]) == 2.0 else 0.0,
    "floor division of a float": lambda x, k: 2.5 // int(k[0]) if int(k[0]) == 1 else 0.0,
    "remainder of a float": lambda x, k: 1.5 % int(k[0]) if int(k[0]) == 1 else 0.0,
    "by a difference": lambda x, k: 1 / (int(k[0]) - 1) if int(k[0]) > 1 else 0.0,
    "power": lambda x, k: int(k[0]) ** -1 if int(k[0]) == 1 else 0.0,
}


@pytest.mark.parametrize("example", [1, 3])
@pytest.mark.parametrize("name", PROGRAMS)
def test_equals_eager(name, example):
    function = PROGRAMS[name]
    program = export(function, (np.array([2.0, 2.0]), np.array([example])))
    for run in (program.module(), reloaded(program).module()):
        for k in (0, 1, 2, 3, -1):
            for x in ([2.0, 2.0], [1.0, 0.0]):
                args = np.array(x), np.array([k])
                assert outcome(run, args) == outcome(function, args), args
