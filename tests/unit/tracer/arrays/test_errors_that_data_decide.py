"""What NumPy raises of one stand-in is what the program raises only where it raises that of all data: else the call is refused."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export

PROGRAMS = {
    "the first element": (lambda x: np.take(float(x[0]), float(x[0]) % 2), [0.0, 1.0]),
    "a place": (lambda x: np.partition(np.flatnonzero(x > 8), 1), [0.0, 9.0]),
    "a shape": (lambda x: np.ones(6).reshape(int(x[0]), int(x[1])), [2.0, 3.0]),
    "vectors": (lambda x: np.cross(x[x > 0], [1.0, 2.0, 3.0]), [1.0, 2.0]),
    "an axis": (lambda x: np.sum(x, axis=int(x[0])), [0.0, 1.0]),
    "a power": (lambda x: np.array([2, 3]) ** int(x[0]), [-1.0, 1.0]),
    "a text": (lambda x: x.astype(str)[0][0], [1.0, 2.0]),
    "a record": (lambda x: x.view(np.void)[int(x[0])], [0.0, 0.0]),
}


def outcome(program, x):
    try:
        return repr(program(x))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("program", "example"), PROGRAMS.values(), ids=PROGRAMS)
def test_errors_are_those_of_eager_execution_or_the_call_is_refused(program, example):
    try:
        run = export(program, (np.array(example),)).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9"
        return
    for data in (example, [0.0, 1.0], [2.0, 3.0], [1.0, 1.0], [-1.0, 6.0], [3.0, 2.0]):
        assert outcome(run, np.array(data)) == outcome(program, np.array(data))


ALWAYS = {
    "axis": lambda x: np.sum(x, axis=3),
    "axes": lambda x: x[None, 0, 0, 0],
    "place": lambda x: np.take(x, [5]),
    "shapes": lambda x: np.ones(3) @ x,
}


@pytest.mark.parametrize("program", ALWAYS.values(), ids=ALWAYS)
def test_what_is_raised_whatever_the_data_are_is_raised(program):
    x = np.arange(2.0)
    assert outcome(lambda x: export(program, (x,)), x) == outcome(program, x)
