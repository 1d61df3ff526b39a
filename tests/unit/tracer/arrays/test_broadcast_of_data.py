"""Broadcasting of sizes that only the data know, of which nobody knows whether they are 1."""

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export, load, save
from tests.support.comparison import said


def masks(x):
    return x[x > 0] + x[x < -1]


def masks_in_rows(x):
    positive, negative = x[x > 0], x[x < -1]
    return (positive[:, None] * negative).sum(), np.where(positive > 2, positive, negative)


def beside_a_known_size(x):
    return (x[:3] * x[x > 2]).sum()


def several(x):
    a, b = x[x > 0], x[x < -1]
    c = a + b
    return (c * a - b) * 2 + c, (c + c).shape[0] + len(c)


def reduced(args, condition):
    if np.all(condition):
        *args, condition = np.broadcast_arrays(*args, condition)
        return [arg.ravel() for arg in args]
    return [arg if arg.size == 1 else np.extract(condition, np.broadcast_to(arg, condition.shape)) for arg in args]


def scaled_where_positive(x):
    x, scale = np.atleast_1d(x, 2.0)
    condition = x > 0
    found = np.full(x.shape, np.nan)
    if np.any(condition):
        good, scale = reduced([x, scale], condition)
        np.place(found, condition, np.log(good) * scale + scale)
    return found


def on_a_side(x):
    if x[0] > 0:
        return (x[x > 0] * x[x < -1]).sum()
    return 0.0


def long_ones(x):
    wide = np.repeat(x, 5000)
    a, b = wide[wide > 0], np.repeat(x[x < -1], 5000)[: 1 if x[0] == 5 else 10**6]
    c = a * b + a
    return (np.sqrt(abs(c)) * 2 - b).sum(), c.size


PROGRAMS = {f.__name__: f for f in (masks, masks_in_rows, beside_a_known_size, several, scaled_where_positive, on_a_side, long_ones)}
DATA = [[1, -2, 3, -4, 0.5, -3], [1, -2, 3, 4, 0.5, -1], [-1, -2, -3, -4, 0.5, -3], [-1, -2, -2, -4, -0.5, -3], [1, 2, 3, 4, 5, 6]]
DATA += [
    [1, -2, 3, -4, 0.5, 7],
    [5, 4, 3, 4, -5, -2],
    [5, -4, -3, -4, -5, -2],
    [-0.5, -0.5, -0.5, 4, -0.5, -0.5],
    [0, 0, 0, 0, 0, 0],
    [3, -1, 3, 3, -9, -1],
]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("spec", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
def test_sizes_of_data_are_broadcast_as_they_are(name, spec, tmp_path):
    program = PROGRAMS[name]
    exported = export(program, (np.array(DATA[0], float),), dynamic_shapes=spec)
    save(exported, tmp_path / "program.np2")
    for module in (exported.module(), load(tmp_path / "program.np2").module(), exported.module(fast_math=True)):
        for data in DATA:
            wanted = said(lambda data=data: program(np.array(data, float)))
            try:
                actual = said(lambda data=data, module=module: module(np.array(data, float)))
            except InputMismatch:
                assert type(wanted) is tuple and wanted[0] is ValueError, data
                continue
            assert type(actual) is type(wanted), data
            np.testing.assert_equal(actual, wanted, err_msg=str(data))


def test_sizes_that_never_fit_are_refused():
    with pytest.raises((ExportError, ValueError)):
        export(lambda x: x[:3] + x[x > 0][:2].repeat(2), (np.ones(5),))


@pytest.mark.parametrize("example", [1, 3])
def test_lengths_that_are_numbers_of_data(example):
    def counted(k, x):
        return np.arange(k) * x

    run = export(counted, (np.array(example), np.array([2, 0, 1]))).module()
    for k in (-5, 0, 1, 2, 3, 4):
        args = np.array(k), np.array([3, 4, 5])
        if k in (1, 3):
            np.testing.assert_array_equal(run(*args), counted(*args))
        else:
            for call in (run, counted):
                with pytest.raises(ValueError):
                    call(*args)


@pytest.mark.parametrize("shapes", [None, ({0: Dim.AUTO},)])
def test_lengths_that_are_truths_of_data_are_refused(shapes):
    with pytest.raises(ExportError) as caught:
        export(lambda x: np.arange(bool(x[0])) * x, (np.ones(3),), dynamic_shapes=shapes)
    assert caught.value.code == "E103"
