"""``export(strict=False)``: C of which nothing is known, clocks and what is read run at export; all else is as in strict mode."""

import copy
import datetime
import json
import os
import pathlib
import time

import numpy as np
import pytest

from npexport import ExportError, diff, draft_export, export
from tests.support.corpora import BY_CHAPTER
from tests.support.forms import reloaded

X = np.arange(4.0)
SETTINGS = "settings.json"


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


def of_a_file(x):
    with open(SETTINGS) as file:
        settings = json.load(file)
    return x * settings["scale"] + len(open(SETTINGS, mode="rb").read()) + len(pathlib.Path(SETTINGS).read_text(encoding="utf-8"))


def of_the_environment(x):
    return x * float(os.environ.get("NPEXPORT_SCALE", "1")) + len(os.getcwd()) + ("settings.json" in os.listdir())


def of_no_file(x):
    try:
        return x * len(open("none").read())
    except FileNotFoundError as error:
        return x + error.errno


@pytest.mark.parametrize(("program", "code"), [(of_a_file, "E105"), (of_the_environment, "E108"), (of_no_file, "E105")])
def test_files_and_the_environment_are_read_at_export(program, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NPEXPORT_SCALE", "2.5")
    (tmp_path / SETTINGS).write_text('{"scale": 3}')
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == code
    exported, expected = export(program, (X,), strict=False), program(X)
    monkeypatch.delenv("NPEXPORT_SCALE")
    (tmp_path / SETTINGS).unlink()
    np.testing.assert_array_equal(exported.module()(X), expected)
    assert program is of_no_file or exported.report.reads


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda x: np.float64(time.strftime("%Y", time.localtime(x[0]))), "E1"),  # a clock of data
        (lambda x: x + np.random.rand(4), "E107"),
        (lambda x: open(os.devnull, "w") and x, "E105"),
        (lambda x: open(0) and x, "E105"),
        (lambda x: os.listdir(str(x)) and x, "E1"),
        (lambda x: os.environ.update(NPEXPORT_TEST="1") or x, "E1"),
        (lambda x: os.chdir("/") or x, "E108"),
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
