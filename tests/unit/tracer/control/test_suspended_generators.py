"""Generators that are suspended within a ``try`` and dropped on a side of a branch, in an iteration, or with their function:
their ends run when they do in CPython, or the program is refused.
"""

import gc

import numpy as np
import pytest

from npexport import Dim, ExportError, export

X = np.array([0.3, -1.0, 2.0, 0.1])


def values(x, log, name=1):
    try:
        yield from x
    finally:
        log.append(name)


class Counted:
    def __init__(self):
        self.ended = 0

    def values(self, x):
        try:
            for v in x:
                yield v * 2
        finally:
            self.ended += 1


def in_each_iteration(x):
    log = []
    for place in range(len(x)):
        generator = values(x, log, place)
        y = next(generator)
    return y, log


def in_each_iteration_and_then_none(x):
    counted, y = Counted(), 0.0
    for _ in x:
        generator = counted.values(x)
        y = y + next(generator)
    ended = counted.ended
    generator = None
    return y, ended, counted.ended


def at_once_in_each_iteration(x):
    counted, y = Counted(), 0.0
    while y < 3:
        y += abs(next(counted.values(x))) + 1
    return y, counted.ended


def on_one_side(x):
    log = []
    if x[0] > 0:
        generator = values(x, log)
        y = next(generator)
    else:
        y = x[1]
    return y, log


def left_by_break(x):
    counted, y = Counted(), 0.0
    for v in x:
        if v > 0:
            generator = counted.values(x)
            y = next(generator)
            break
    return y, counted.ended


def dropped_on_one_side(x):
    log = []
    generator = values(x, log)
    y = next(generator)
    if x[0] > 0:
        generator = None
    return y, len(log), log


def dropped_in_a_loop_over_sizes(x):
    log = []
    generator = values(x, log)
    y = next(generator)
    for v in x:
        generator = None
        y += v * len(log)
    return y, log


def dropped_in_a_loop_on_data(x):
    log = []
    generator = values(x, log)
    y = next(generator)
    while abs(y) < 5:
        generator = None
        y = y * 2 + len(log) + 0.5
    return y, log


CAPTURED = [in_each_iteration, in_each_iteration_and_then_none, at_once_in_each_iteration]
PROGRAMS = [
    *CAPTURED,
    on_one_side,
    left_by_break,
    dropped_on_one_side,
    dropped_in_a_loop_over_sizes,
    dropped_in_a_loop_on_data,
]


@pytest.mark.parametrize("dynamic", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_ends_run_when_they_do_in_cpython(program, dynamic):
    try:
        run = export(program, (X,), dynamic_shapes=dynamic).module()
    except ExportError as error:
        assert error.code == "E103" and program not in CAPTURED
        return
    for x in (X, -X, X - 3, X + 1, X * 0):
        assert repr(run(x)) == repr(program(x))


def test_a_collection_of_garbage_changes_nothing():
    before = gc.get_threshold()
    gc.set_threshold(5, 1, 1)
    try:
        run = export(dropped_in_a_loop_over_sizes, (X,), dynamic_shapes=({0: Dim.AUTO},)).module()
    except ExportError as error:
        assert error.code == "E103"
        return
    finally:
        gc.set_threshold(*before)
    assert repr(run(X)) == repr(dropped_in_a_loop_over_sizes(X))
