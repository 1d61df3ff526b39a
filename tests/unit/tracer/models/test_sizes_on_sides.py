"""What NumPy refuses of sizes that only the data know, on a side of a branch and in an iteration of a
loop: the program raises NumPy's error where it stands.
"""

import numpy as np
import pytest

from npexport import Dim, export, load, save
from tests.support.comparison import said


def ranks(x):
    if not np.isfinite(x).all():
        return np.full(x.shape, np.nan)
    order = np.argsort(x)
    y = x[order]
    first = np.concatenate([[True], y[1:] != y[:-1]])
    starts = np.arange(y.size)[first]
    counts = np.diff(np.append(starts, y.size))
    found = np.empty(x.size)
    found[order] = np.repeat(starts + (counts - 1) / 2.0, counts).reshape(x.shape)
    return found


def in_a_loop(x):
    total = 0.0
    for i in range(1, len(x) - 1):
        some = x[x > 0][:i]
        if x[0] > 0.5:
            total += (some.reshape(i) if i < 2 else some[:2].reshape(2)).sum()
    return total


def products(x):
    y = 0.0
    if x[0] > 0:
        y = np.dot(x[x > 0], x[x < 0])
    return y


def unused(x):
    if x[0] > 0:
        x[x > 0].reshape(3)
        return x.sum()
    return 0.0


def caught(x):
    if x[0] > 0:
        try:
            return (x[x > 0].reshape(3) * 2).sum()
        except ValueError:
            return -1.0
    return 0.0


def known_behind(x):
    if x[0] > 0:
        positive, negative = x[x > 0], x[x < 0]
        return np.dot(positive, negative) + (positive - negative).sum()
    return 0.0


PROGRAMS = {f.__name__: f for f in (ranks, in_a_loop, products, unused, caught, known_behind)}
DATA = [[1, 2, -1, 3, -2], [1, 2, 3, -1, -4], [1, 1, 1, 2, 2], [-1, 2, 2, 2, 3], [1, -2, 3, -2, 0], [np.nan, 1, 2, 1, 1], [1, 2, -3, -4, 5]]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("spec", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
def test_numpys_error_is_raised_where_it_stands(name, spec, tmp_path):
    program = PROGRAMS[name]
    exported = export(program, (np.array(DATA[0], float),), dynamic_shapes=spec)
    save(exported, tmp_path / "program.np2")
    for module in (exported.module(), load(tmp_path / "program.np2").module()):
        for data in DATA:
            x, y = np.array(data, float), np.array(data, float)
            assert repr(said(lambda m=module, x=x: m(x))) == repr(said(lambda y=y: program(y))), data
            np.testing.assert_array_equal(x, y)
