"""Imports inside programs, also of modules that are not installed."""

import importlib
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from npexport import export


def by_statement(x):
    try:
        import missing_for_sure
    except ImportError:
        return x + 1
    return missing_for_sure


def of_a_submodule(x):
    try:
        import numpy.missing_for_sure
    except ModuleNotFoundError as error:
        return x * len(error.name)
    return numpy.missing_for_sure


def by_name(x):
    try:
        return importlib.import_module("missing_for_sure")
    except ImportError as error:
        return x, str(error)


def found_by_name(x):
    return importlib.import_module("numpy").sin(x), importlib.import_module(".linalg", "numpy").norm(x)


def asked(x):
    missing = importlib.util.find_spec("missing_for_sure") is None
    return x * missing * (importlib.util.find_spec("numpy") is not None)


@pytest.mark.parametrize("program", [by_statement, of_a_submodule, by_name, found_by_name, asked])
def test_as_in_eager_execution(program):
    run = export(program, (np.ones(3),)).module()
    np.testing.assert_equal(run(np.arange(3.0)), program(np.arange(3.0)))


def test_what_nobody_catches_leaves_the_export():
    with pytest.raises(ModuleNotFoundError, match="missing_for_sure"):
        export(lambda x: importlib.import_module("missing_for_sure"), (np.ones(3),))


def test_dtypes_that_others_put_into_numpys_table_do_no_harm():
    """As packages do that declare dtypes of their own in C, which have no name."""
    source = """
    import numpy as np
    np.sctypeDict["odd"] = np.dtype("f8")
    from npexport import export
    assert export(lambda x: x.sum() + np.float64(1), (np.ones(3),)).module()(np.ones(3)) == 4
    """
    subprocess.run([sys.executable, "-c", source.replace("\n    ", "\n")], check=True)
