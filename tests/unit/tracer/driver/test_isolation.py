"""While strict export runs, CPython executes none of the program's bytecode: a trace function sees no line of its files."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.language import PROGRAMS, inputs
from tests.support.shards import shard


@contextmanager
def lines_of(file):
    """The lines of a file that CPython runs meanwhile, with the functions they are in."""
    seen = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename != file:
            return None
        if event == "line":
            seen.append((frame.f_code.co_qualname, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield seen
    finally:
        sys.settrace(before)


def exported(program, arguments, frame_hook):
    """Exports; without the extension, callbacks from C may be refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return export(program, arguments)
        except Unsupported as error:
            if error.code != "E119" or frame_hook != "settrace":
                raise


@pytest.mark.parametrize("program", shard(PROGRAMS, 6))
def test_no_bytecode_of_the_program_runs(program, frame_hook, capsys):
    with lines_of(program.__code__.co_filename) as seen:
        exported(program, inputs(0), frame_hook)
    assert [line for line in seen if "__annotate__" not in line[0]] == []  # CPython 3.14 makes annotations when they are asked for


# Objects of the program's classes, in the hands of NumPy


class Number:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __int__(self):
        return self.value

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return self.value > 0

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value


class Sequence:
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Doubling:
    def __call__(self, x):
        return x * 2

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return True


ONE, TWO = Number(1), Number(2)
OBJECTS = {
    "index": lambda x: (x[ONE], x[ONE, Number(0)], x[:ONE], x[Sequence(1, 0)], [1, 2, 3][ONE:], "abc"[ONE]),
    "created": lambda x: (np.zeros(TWO), np.ones((TWO, 3)), np.full([TWO], 1.0), np.zeros(Sequence(2, 3))),
    "axis": lambda x: (x.sum(axis=ONE), np.sum(x, axis=ONE), np.stack([x, x], axis=ONE), np.sort(x, axis=Number(0)), np.flip(x, ONE)),
    "shape": lambda x: (
        x.reshape(Number(4)),
        np.reshape(x, (Number(4), 1)),
        x.transpose(ONE, Number(0)),
        np.broadcast_to(x, Sequence(2, 2, 2)),
    ),
    "flag": lambda x: x.sum(axis=0, keepdims=ONE),
    "counts": lambda x: (x.repeat(TWO), np.roll(x, ONE), np.diag(x, ONE), np.round(x, ONE), np.linalg.matrix_power(x, TWO)),
    "operand": lambda x: (x + Sequence(1, 2), x @ Sequence(1, 2), np.add(x, Sequence(1, 2)), np.isin(x, Sequence(1.0, 2.0))),
    "array": lambda x: (np.array(Sequence(1, 2)), np.array([ONE, TWO], dtype=float), np.float64(ONE), np.int64(ONE), np.bool_(ONE), x),
    "arrays": lambda x: (np.concatenate(Sequence(x, x)), np.vstack(Sequence(x, x))),
    "callable": lambda x: (list(map(Doubling(), x)), np.vectorize(Doubling())(x), np.apply_along_axis(Doubling(), 0, x)),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_none_runs_for_numpy(name, frame_hook):
    program, x = OBJECTS[name], np.array([[1.5, 2.0], [3.0, 4.0]])
    with lines_of(__file__) as seen:
        found = exported(program, (x,), frame_hook)
    assert [entry for entry in seen if entry[0] not in ("exported", "lines_of", "test_none_runs_for_numpy")] == []
    if found is not None:
        for actual, expected in zip(found.module()(x), program(x), strict=True):
            np.testing.assert_array_equal(actual, expected, strict=isinstance(expected, np.ndarray))
