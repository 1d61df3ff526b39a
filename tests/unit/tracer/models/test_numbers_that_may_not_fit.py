"""Lists of Python's numbers that loops fill become arrays of integers as NumPy converts them: one that does not fit raises."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def chosen(x):
    found = []
    for value in x:
        if value > 1:
            found.append(int(value) * 100)
    return np.array(found, dtype=np.int16)


PROGRAMS = {
    "integers": lambda x: np.array([int(v) * 100 for v in x], dtype=np.uint8),
    "negative ones": lambda x: np.array([int(v) - 3 for v in x], np.uint64),
    "floats": lambda x: np.asarray([float(v) * 2 for v in x], dtype=np.int64),
    "integers and floats": lambda x: np.array([v if v > 1 else 3 for v in x.tolist()], dtype=np.int8),
    "those that data choose": chosen,
    "truths": lambda x: np.array([bool(v > 1) for v in x], dtype=np.uint8),
    "scalars of NumPy": lambda x: np.array([np.int64(v) * 100 for v in x], dtype=np.uint8),
    "of vectorize": lambda x: np.vectorize(lambda v: int(v) * 100, otypes=[np.uint8])(x),
    "of the dtype of the first": lambda x: np.vectorize(lambda v: v * 100)(x.astype(np.uint8)),
    "as they are": lambda x: np.array([int(v) * 100 for v in x]).astype(np.uint8),
    "floats of integers": lambda x: np.array([int(v) * 100 for v in x], dtype=np.float32),
}
INPUTS = [
    np.array([1.5, 2.0, 0.5]), np.array([2.0, 3.5]), np.array([1.0, -1.0, 2.0, 1.25]), np.array([4.0, 1e6, 2.0]), np.array([1e15, 2.0]),
    np.array([1.0, np.nan]), np.array([np.inf, 1.0, 1.0]), np.array([2.0]),
]  # fmt: skip


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_does_not_fit_raises(name):
    program = PROGRAMS[name]
    run = export(program, (INPUTS[0],), dynamic_shapes=({0: Dim.AUTO},)).module()
    for x in INPUTS:
        assert outcome(run, (x,)) == outcome(program, (x,))


def test_tuples_of_them_are_not_converted_to_narrower_integers():
    program = lambda x: np.array([(int(v) * 100, int(v)) for v in x], dtype=np.uint8)
    run = export(program, (INPUTS[0],), dynamic_shapes=({0: Dim.AUTO},)).module()  # of this number of items alone
    for x in (INPUTS[0], INPUTS[3]):
        assert outcome(run, (x,)) == outcome(program, (x,))


def whole(x, o):
    o[:] = [int(v) * 2 for v in x.tolist()]
    return o


def row(x, o):
    rows = np.zeros((2, len(x)), np.int16)
    rows[1, ...] = [v * 1e4 for v in x.tolist()]
    return rows, o


def column(x, o):
    rows = np.zeros((len(x), 2), np.int8)
    rows[:, 0] = [int(v * 3) for v in x]
    return rows, o


def by_a_mask(x, o):
    o[x > -1e9] = [int(v) * 2 for v in x.tolist()]
    return o


def to_floats(x, o):
    found = np.zeros(len(x), np.float32)
    found[:] = [int(v) * 10**6 for v in x.tolist()]
    return found, o


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [whole, row, column, by_a_mask, to_floats])
def test_lists_that_are_assigned_raise_after_the_items_before(program):
    inputs = [
        np.array(values)
        for values in ([1.5, 2.0, 0.5], [4.0, 200.0, 2.0], [1.0, -1.0], [2.0, np.nan, 1.0], [np.inf], [1.0, 2.0, 3.0, 500.0])
    ]
    run = export(program, (inputs[0], np.zeros(3, np.uint8)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    for x in inputs:
        given = x, np.zeros(len(x), np.uint8)
        assert outcome(run, given) == outcome(program, given)
