"""Archives of every version of the format, as they were written then, are read and compute what they did."""

import warnings

import numpy as np
import pytest

from npexport import NP2ArchiveReader, load
from npexport.ir.archive_encode import VERSION
from npexport.ir.archive_upgrades import UPGRADES
from tests.support.comparison import assert_alike
from tests.support.forms import reloaded
from tests.support.golden_programs import Net, Turned, data, sizes
from tests.support.paths import ROOT

GOLDEN = ROOT / "tests/support/golden"
FILES = sorted(path.name for path in GOLDEN.glob("*.np2"))


def of(program):
    return [name for name in FILES if name.endswith(f"-{program}.np2")]


def both(name):
    with NP2ArchiveReader(GOLDEN / name) as archive:
        assert archive.archive_version() == int(name.partition("-")[0])
    program = load(GOLDEN / name)
    return [program.module(), load(GOLDEN / name, mmap=True).module(), reloaded(program).module()]


@pytest.mark.parametrize("name", of("net"))
def test_net(name):
    note = {"note.txt": ""}
    load(GOLDEN / name, extra_files=note)
    assert note == {"note.txt": "golden"}
    for run in both(name):
        for rows in (4, 7):
            x = np.linspace(-1, 1, rows * 3, dtype=np.float32).reshape(rows, 3)
            found, expected = run(x, scale=3.0), Net()(x, scale=3.0)
            np.testing.assert_allclose(found[0]["y"], expected[0]["y"], rtol=1e-6)
            np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)
            assert found[0]["rows"] == rows and found[2] == "a"
        assert dict(run.named_buffers())["calls"] == 2


@pytest.mark.parametrize("name", of("sizes"))
def test_sizes(name):
    for run in both(name):
        for shapes in ((6, 4), (8, 8), (9, 1)):
            args = [np.arange(float(size)) for size in shapes]
            found, expected = run(*args), sizes(*args)
            np.testing.assert_array_equal(found[0], expected[0])
            assert found[1] == expected[1]
        with pytest.raises(ValueError, match=r"x\.shape\[0\] != 5"):
            run(np.ones(5), np.ones(4))


@pytest.mark.parametrize("name", of("data"))
def test_data(name):
    for run in both(name):
        for seed in range(4):
            x = np.array([seed * 2.0, -1.0, 0.5])
            found, expected = (f(np.random.default_rng(seed), x) for f in (run, data))
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
            assert found[1] == expected[1]


@pytest.mark.parametrize("name", of("quiet"))
def test_quiet(name):
    x = np.array([1.0, 0.0, -1.0])
    for run in both(name):
        with warnings.catch_warnings(record=True) as told, np.errstate(all="warn"):
            warnings.simplefilter("always")
            found = run(x, np.zeros(3))
        assert [str(each.message) for each in told] == [f"{what} encountered in log" for what in ("divide by zero", "invalid value")]
        np.testing.assert_array_equal(found, [[np.inf, np.nan, -np.inf], [0, -np.inf, np.nan]])


@pytest.mark.parametrize("name", of("chosen"))
def test_chosen(name):
    for run in both(name):
        for first in (1.0, -1.0):
            x, y = np.full(3, first), np.zeros(3)
            found = run(x, y)
            assert found is (x if first > 0 else y)
            np.testing.assert_array_equal([x[1], y[1]], [7.0, 0.0] if first > 0 else [first, 7.0])


@pytest.mark.parametrize("name", of("turned"))
def test_turned(name):
    x, eager = np.array([2.0, 3.0]), Turned()
    for run in both(name):
        for found, wanted in zip(run(x), eager(x), strict=True):
            assert_alike(found, wanted, name)
    constants = load(GOLDEN / name).constants
    assert [constants[each].strides for each in ("weight", "coefficients", "row")] == [(32, 8, 96), (-16,), (0, 8)]


def test_every_version_has_archives_and_leads_to_the_next():
    assert {int(name.partition("-")[0]) for name in FILES} == set(range(1, VERSION + 1))
    assert UPGRADES.keys() == set(range(1, VERSION))
