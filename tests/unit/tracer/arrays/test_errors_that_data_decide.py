"""What NumPy raises of one stand-in is what the program raises only where it raises that of all data: else the call is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.comparison import said

PROGRAMS = {
    "the first element": (lambda x: np.take(float(x[0]), float(x[0]) % 2), [0.0, 1.0]),
    "a place": (lambda x: np.partition(np.flatnonzero(x > 8), 1), [0.0, 9.0]),
    "a shape": (lambda x: np.ones(6).reshape(int(x[0]), int(x[1])), [2.0, 3.0]),
    "vectors": (lambda x: np.cross(x[x > 0], [1.0, 2.0, 3.0]), [1.0, 2.0]),
    "an axis": (lambda x: np.sum(x, axis=int(x[0])), [0.0, 1.0]),
    "a power": (lambda x: np.array([2, 3]) ** int(x[0]), [-1.0, 1.0]),
    "a text": (lambda x: x.astype(str)[0][0], [1.0, 2.0]),
    "a weight": (lambda x: (np.average(x[0], weights=int(x[0])), 1)[1], [1.0, 2.0]),
    "weights": (lambda x: (np.average(x, weights=[int(x[0]), 0]), 1)[1], [1.0, 2.0]),
    "edges": (lambda x: (np.digitize([1.0], [1.0, 0.5 + float(x[0]), 2.0]), 1)[1], [0.6, 2.0]),
    "times": (lambda x: (np.repeat(x, int(x[0])), 1)[1], [1.0, 2.0]),
    "points": (lambda x: np.fft.rfft(x, float(x[0])), [1.0, 2.0]),
    "points of several axes": (lambda x: np.fft.fftn(x, (float(x[0]),), axes=(0,)), [1.0, 2.0]),
    "a time": (lambda x: np.dot(x.astype("m8[D]"), x[0]), [1.0, 2.0]),
    "a time of an integer": (lambda x: np.inner(x.astype("m8[D]"), 2), [1.0, 2.0]),
    "times of a scalar": (lambda x: np.dot(x.astype("m8[D]")[0], x[0]), [1.0, 2.0]),
    "a record": (lambda x: x.view(np.void)[int(x[0])], [0.0, 0.0]),
}


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
            assert said(program, np.array(data)) == (type(error), str(error))
        return
    for data in (example, *DATA):
        assert repr(said(run, np.array(data))) == repr(said(program, np.array(data)))


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
    assert said(lambda x: export(program, (x,)), x) == said(program, x)


DISCARDED = {
    "a truth as a place": (lambda x: np.put(x[x > 0], bool(x[0] > 0), 1), [1.0, 2.0]),
    "truths as places": (lambda x: np.put(x[x > 0], x > 0, 1), [1.0, 2.0]),
    "as many as data say": (lambda x: np.ones(3, bool).fill(np.flatnonzero(x > 1)), [1.0, 2.0]),
    "a number beside @": (lambda x: x @ float(x[0]), [1.0, 2.0]),
    "a text in a list": (lambda x: np.add.reduceat(x, [str(int(x[0]))]), [0.0, 2.0]),
    "a text in a shape": (lambda x: np.broadcast_to(x, (str(x[0]), 2)), [0.0, 2.0]),
    "a complex place": (lambda x: np.add.reduceat(x, complex(x[0])), [0.0, 2.0]),
    "dtype of an array": (lambda x: np.dtype((x[x > 0], 2)), [0.0, 2.0]),
    "places that are floats": (lambda x: np.add.reduceat(x, x), [0.0, 1.0]),
    "truths for integers": (lambda x: math.gcd(x[0] > 0, 6), [0.0, 1.0]),
    "windows of a float": (lambda x: np.lib.stride_tricks.sliding_window_view([float(x[0]), 1.0], float(x[0])), [1.0, 1.0]),
    "as often as data say": (lambda x: np.repeat(int(x[0]), np.flatnonzero(x)), [1.0, 0.0]),
    "days": (lambda x: np.busday_offset("2020-01-01", x.astype("m8[D]")), [0.0, 2.0]),
}


@pytest.mark.parametrize(("program", "example"), DISCARDED.values(), ids=DISCARDED)
def test_errors_of_results_that_nobody_uses(program, example):
    hold(lambda x: (program(x), 1)[1], example)


@pytest.mark.parametrize("text", ["str(s[0])", "format(s[0], '')", "f'{s[0]}'", "repr(s[0])", "str(s[0]) + str(s[1])"])
def test_a_text_of_an_empty_text_is_empty(text):
    hold_texts(eval(f"lambda s: bool({text})"))
    hold_texts(eval(f"lambda s: 1 if {text} else 2"))


def hold_texts(program):
    try:
        run = export(program, (np.array(["a", "b"]),)).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9"
        return
    for data in (["a", "b"], ["", "b"], ["", ""]):
        assert run(np.array(data, "U1")) == program(np.array(data, "U1"))
