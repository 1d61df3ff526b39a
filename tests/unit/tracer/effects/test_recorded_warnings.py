"""A program that records warnings, or makes them errors, is refused where an operator of integers may warn, and only there."""

import warnings

import numpy as np
import pytest

from npexport import ExportError, export

WHOLE = np.array([1, 2, 3])
WARNING = {
    "root": np.sqrt,
    "product with a float": lambda i: i * 1e308,
    "quotient": lambda i: i // (i - 2),
    "power": lambda i: i ** (i - 2),
    "narrow floats": lambda i: i.astype(np.float16),
    "mean": lambda i: i.mean(),
    "product of scalars": lambda i: i[0] * i[1],
}
SILENT = {
    "sum": lambda i: i + i * 2 - 1,
    "reduction": lambda i: i.sum(),
    "order": lambda i: np.sort(i)[::-1] > 1,
    "together": lambda i: np.concatenate((i, i)),
}


def recording(f):
    def program(i):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            y = f(i)
        return y, len(told)

    return program


def refusing(f):
    def program(i):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return f(i)

    return program


@pytest.mark.parametrize("around", [recording, refusing])
@pytest.mark.parametrize("name", WARNING)
def test_refused(name, around):
    with pytest.raises(ExportError) as refusal:
        export(around(WARNING[name]), (WHOLE,))
    assert refusal.value.code == "E126"


@pytest.mark.parametrize("around", [recording, refusing])
@pytest.mark.parametrize("name", SILENT)
def test_captured(name, around):
    program = around(SILENT[name])
    run = export(program, (WHOLE,)).module()
    for i in (WHOLE, -WHOLE, np.array([0, np.iinfo(int).max, np.iinfo(int).min])):
        np.testing.assert_equal(run(i), program(i))
