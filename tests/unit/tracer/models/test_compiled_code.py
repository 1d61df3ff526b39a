"""``export(strict=False)`` of compiled Python: recorded on proxies, held to what it gives for arrays, or refused."""

import copy
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

from npexport import Dim, ExportError, export, scan
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

X = np.array([1.0, -2.0, 3.0, 0.5])
SOURCE = pathlib.Path(__file__).parents[3] / "support" / "compiled_sample.c"


@pytest.fixture(scope="module", autouse=True)
def sample(tmp_path_factory):
    """The module, compiled for this CPython."""
    target = tmp_path_factory.mktemp("compiled") / f"compiled_sample{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    command = ["cc", "-shared", "-fPIC", "-w", f"-I{sysconfig.get_path('include')}", str(SOURCE), "-o", str(target)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no compiler of C")
    spec = importlib.util.spec_from_file_location("compiled_sample", target)
    module = sys.modules["compiled_sample"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["compiled_sample"]


def of(sample, name):
    """The function, and a program of Python that calls it."""
    function = getattr(sample, name)
    return function, lambda x: function(x)


@pytest.mark.parametrize("name", ["doubled", "measured", "filled", "added"])
def test_it_is_recorded_as_target_and_as_callee(sample, name):
    for program in of(sample, name):
        with pytest.raises(ExportError) as caught:
            export(program, (X,))
        assert caught.value.code == "E101"
        exported = export(program, (X,), strict=False)
        for run in (exported.module(), reloaded(exported).module()):
            for data in (X, -X):
                assert outcome(run, (data.copy(),)) == outcome(program, (data.copy(),))


def test_what_it_prints_is_printed_once_at_export(sample, capsys):
    def on_one_side(x):
        print("first")
        y = sample.printed(x) if x.sum() > 0 else sample.doubled(x)
        return sample.printed(y)

    for program, told in (
        (sample.printed, "doubles\n"),
        (lambda x: sample.printed(sample.printed(x)), "doubles\n" * 2),
    ):
        streams = sys.stdout, sys.stderr
        run = export(program, (X,), strict=False).module()
        assert (sys.stdout, sys.stderr) == streams
        assert capsys.readouterr() == (told, "slowly\n" * told.count("\n"))
        np.testing.assert_array_equal(run(-X), program(-X))
        capsys.readouterr()
        run(X)
        assert capsys.readouterr() == ("", "")
    with pytest.raises(ExportError):
        export(on_one_side, (X,), strict=False)
    assert capsys.readouterr() == ("first\n", "")  # what comes before the branch that is refused


def test_sizes_are_dynamic_where_c_does_not_read_them(sample):
    shapes = ({0: Dim("n")},)
    run = export(lambda x: sample.doubled(x), (X,), dynamic_shapes=shapes, strict=False).module()
    np.testing.assert_array_equal(run(np.ones(7)), np.full(7, 2.0))
    with pytest.raises(ExportError) as caught:
        export(lambda x: sample.measured(x), (X,), dynamic_shapes=shapes, strict=False)
    assert caught.value.code == "E301"


@pytest.mark.parametrize(
    ("name", "code"), [("typed", "E101"), ("buffered", "E101"), ("first", "E104"), ("counted", "E112"), ("kept", "E112")]
)
def test_what_it_does_otherwise_for_arrays_or_writes_outside_is_refused(sample, name, code):
    for program in of(sample, name):
        with pytest.raises(ExportError) as caught:
            export(program, (X,), strict=False)
        assert caught.value.code == code and (sample.COUNT, sample.KEPT) == (0, [])


def test_its_own_exception_is_the_programs(sample):
    def caught(x):
        try:
            return sample.refused(x)
        except ValueError as error:
            return x, str(error)

    with pytest.raises(ValueError, match="none of these"):
        export(sample.refused, (X,), strict=False)
    assert outcome(export(caught, (X,), strict=False).module(), (X,)) == outcome(caught, (X,))


def made_by_the_program(sample, x):
    scale = sample.Scale(x * 2)
    first = scale(x), scale.grown(x)
    return (*first, scale + x, scale.scale)


def on_a_side(sample, x):
    return sample.doubled(x) if x.sum() > 0 else sample.added(x) * x


def in_a_loop(sample, x):
    count = 0
    while x.sum() < 100 and count < 4:
        x, count = sample.doubled(x) + 1, count + 1
    return x


def in_a_scan(sample, x):
    return scan(lambda carry, row: (sample.doubled(carry) + row, sample.doubled(row)), np.zeros(2), x.reshape(2, 2))


@pytest.mark.parametrize("program", [made_by_the_program, on_a_side, in_a_loop, in_a_scan])
def test_it_is_recorded_wherever_the_program_calls_it(sample, program):
    run = export(lambda x: program(sample, x), (X,), strict=False).module()
    for data in (X, -X):
        assert outcome(run, (data.copy(),)) == outcome(lambda x: program(sample, x), (data.copy(),))


def test_objects_from_outside_give_constants_and_are_not_written_to(sample):
    scale = sample.Scale(np.arange(4.0))
    run = export(scale.scaled, (X,), strict=False).module()
    np.testing.assert_array_equal(run(X), X * np.arange(4.0))
    before = copy.copy(scale.scale)
    for program in (scale.grown, lambda x: scale + x):
        with pytest.raises(ExportError):
            export(program, (X,), strict=False)
    np.testing.assert_array_equal(scale.scale, before)


def test_strict_mode_refuses_special_methods_too(sample):
    scale = sample.Scale(np.arange(4.0))
    for program in (lambda x: scale + x, lambda x: scale(x), lambda x: sample.Scale(x)(x)):
        with pytest.raises(ExportError) as caught:
            export(program, (X,))
        assert caught.value.code in ("E101", "E118")
    np.testing.assert_array_equal(scale.scale, np.arange(4.0))


def test_modules_that_use_the_c_interface_of_numpy_get_no_proxies():
    ndimage = pytest.importorskip("scipy.ndimage._nd_image")
    with pytest.raises(ExportError) as caught:
        export(lambda x: ndimage.find_objects(x, 1), (np.eye(3, dtype=np.int64),), strict=False)
    assert caught.value.code == "E101" and "nothing is known" in caught.value.message
