"""``export(strict=False)``: C of which nothing is known, and clocks, run at export; all else is as in strict mode."""

import copy
import datetime
import time

import numpy as np
import pytest

from npexport import ExportError, diff, draft_export, export
from tests.support.corpora import BY_CHAPTER
from tests.support.forms import reloaded

X = np.arange(4.0)


def timed(x):
    start = time.perf_counter()
    y = np.sin(x)
    return y, time.perf_counter() - start


def of_the_clock(x):
    return x * time.time()


def of_the_calendar(x):
    now = datetime.datetime.now()
    return x + now.year, [now.month]


def hidden_clock(x):
    table = {}
    table["t"] = time.time()
    return x if table["t"] > 0 else -x


@pytest.mark.parametrize("program", [timed, of_the_clock, of_the_calendar, hidden_clock])
def test_clocks_are_read_at_export(program):
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E106"
    exported = export(program, (X,), strict=False)
    assert any(read.path.startswith("result of ") for read in exported.report.reads)
    first = exported.module()(X)
    for run in (exported.module(), reloaded(exported).module()):
        again = run(X)
        np.testing.assert_equal(again, first)
    assert draft_export(program, (X,), strict=False).report.success


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda x: np.float64(time.strftime("%Y", time.localtime(x[0]))), "E1"),  # a clock of data
        (lambda x: x + np.random.rand(4), "E107"),
        (lambda x: x + len(open(__file__).read()), "E105"),
        (lambda x: {float(x.max()): x}, "E104"),
    ],
)
def test_the_rest_is_refused_as_ever(program, code):
    with pytest.raises(ExportError) as caught:
        export(program, (X,), strict=False)
    assert caught.value.code.startswith(code)


def test_c_that_nothing_is_known_of_runs_where_it_gets_no_array():
    spatial = pytest.importorskip("scipy.spatial")
    tree = spatial.cKDTree(np.eye(3))

    def of_the_program(x):
        return spatial.cKDTree(x[:, None]).n * x

    def of_outside(x):
        return x * tree.n

    with pytest.raises(ExportError) as caught:
        export(of_the_program, (X,), strict=False)
    assert caught.value.code == "E101"
    for strict in (True, False):
        try:
            found = export(of_outside, (X,), strict=strict)
        except ExportError as error:
            assert strict or error.code == "E118"
        else:
            np.testing.assert_array_equal(found.module()(X), X * 3)


@pytest.mark.parametrize("chapter", ["language-control", "language-objects", "networks"])
def test_programs_that_are_exported_strictly_are_the_same(chapter):
    for case in BY_CHAPTER[chapter]():
        strict, other = (export(case.program, copy.deepcopy(case.args), strict=strict) for strict in (True, False))
        assert not diff(strict, other), case.name
