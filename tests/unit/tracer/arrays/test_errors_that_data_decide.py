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


DATA = ([0.0, 1.0], [2.0, 3.0], [1.0, 1.0], [-1.0, 6.0], [3.0, 2.0])


def hold(program, example):
    """What a program gives and raises is what it does eagerly, or it is refused."""
    try:
        run = export(program, (np.array(example),)).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9"
        return
    except Exception as error:
        for data in (example, *DATA):
            assert outcome(program, np.array(data)) == (type(error), str(error))
        return
    for data in (example, *DATA):
        assert outcome(run, np.array(data)) == outcome(program, np.array(data))


@pytest.mark.parametrize(("program", "example"), PROGRAMS.values(), ids=PROGRAMS)
def test_errors_are_those_of_eager_execution_or_the_call_is_refused(program, example):
    hold(program, example)


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


DISCARDED = {
    "a truth as a place": (lambda x: np.put(x[x > 0], bool(x[0] > 0), 1), [1.0, 2.0]),
    "truths as places": (lambda x: np.put(x[x > 0], x > 0, 1), [1.0, 2.0]),
    "as many as data say": (lambda x: np.ones(3, bool).fill(np.flatnonzero(x > 1)), [1.0, 2.0]),
    "a number beside @": (lambda x: x @ float(x[0]), [1.0, 2.0]),
    "a text in a list": (lambda x: np.add.reduceat(x, [str(int(x[0]))]), [0.0, 2.0]),
    "a text in a shape": (lambda x: np.broadcast_to(x, (str(x[0]), 2)), [0.0, 2.0]),
    "a complex place": (lambda x: np.add.reduceat(x, complex(x[0])), [0.0, 2.0]),
    "dtype of an array": (lambda x: np.dtype((x[x > 0], 2)), [0.0, 2.0]),
    "days": (lambda x: np.busday_offset("2020-01-01", x.astype("m8[D]")), [0.0, 2.0]),
}


@pytest.mark.parametrize(("program", "example"), DISCARDED.values(), ids=DISCARDED)
def test_errors_of_results_that_nobody_uses(program, example):
    hold(lambda x: (program(x), 1)[1], example)
