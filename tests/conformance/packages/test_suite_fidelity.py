"""A sample of the test suites of packages, each test's body interpreted.

The whole: ``python -m tests.conformance.packages.suite_fidelity toolz networkx``.
"""

import importlib.util

import pytest

from tests.conformance.packages import suite_fidelity

SAMPLE = {
    "toolz": (("test_functoolz.py", "test_compatibility.py"), 25),
    "networkx": (("classes/tests/test_graph.py", "classes/tests/test_coreviews.py"), 40),
}


@pytest.mark.slow
@pytest.mark.parametrize("package", SAMPLE)
def test_a_suite_runs_as_in_cpython(package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    names, least = SAMPLE[package]
    passing, failing = suite_fidelity.differences([path for path in suite_fidelity.files(package) if str(path).endswith(names)])
    assert passing >= least
    assert suite_fidelity.unexpected(failing) == {}


def test_a_test_is_left_out_by_its_whole_name(tmp_path):
    path = tmp_path / "test_names.py"
    path.write_text("def test_a():\n    assert False\n\n\ndef test_a_b():\n    assert True\n")
    passing, failing = suite_fidelity.differences([path])
    assert (passing, failing) == (1, {})
