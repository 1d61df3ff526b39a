"""``--format json``: standard output is one document, whatever the user's code prints and whatever fails; files that end the process."""

from __future__ import annotations

import json

import numpy as np
import pytest

from npexport import export, save
from npexport.cli import main

LOUD = """
import numpy as np
print("imported")
def f(x):
    print("called")
    return np.sin(x), None, {"a": "text"}
def example_inputs():
    print("inputs")
    return (np.ones(3),)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud.py").write_text(LOUD)
    (tmp_path / "ends.py").write_text("import sys\n\n\ndef f(x):\n    return x\n\n\nsys.exit(0)\n")
    (tmp_path / "syntax.py").write_text("def f(x:\n")
    save(export(lambda x: (np.sin(x), None, {"a": "text"}), (np.ones(3),)), "p.np2")
    np.save("one.npy", np.ones(3))
    return tmp_path


LINES = [
    ("export loud.py:f", 0),
    ("explain loud.py:f", 0),
    ("fix loud.py:f", 0),
    ("bench p.np2 loud.py:f", 0),
    ("run p.np2 --compare loud.py:f", 0),
    ("run p.np2 --output found.npz", 0),
    ("run p.np2 --import loud.py", 0),
    ("show p.np2", 0),
    ("info p.np2", 0),
    ("verify p.np2", 0),
    ("diff p.np2 p.np2", 0),
    ("export ends.py:f", 1),
    ("export syntax.py:f", 1),
    ("export loud.py:g", 2),
    ("export none.py:f", 2),
    ("export loud.py:f --inputs one.npy", 2),
    ("export loud.py:f --to none/p.np2", 2),
    ("verify loud.py", 1),
    ("info none.np2", 2),
    ("bench p.np2", 2),
    ("export loud.py:f --nonsense", 2),
    ("nonsense", 2),
    ("", 2),
]


RUNNING = [line for line, _ in LINES if "loud" in line and not line.startswith("verify") and "nonsense" not in line and "--to" not in line]
"""Those by which the user's code runs."""


@pytest.mark.parametrize(("line", "code"), LINES, ids=[line for line, _ in LINES])
def test_standard_output_is_one_document(line, code, folder, capfd):
    try:
        found = main([*line.split(), "--format", "json"])
    except SystemExit as end:
        found = end.code
    told, error = capfd.readouterr()
    document = json.loads(told)
    assert found == code and ("error" in document) == (code != 0)
    assert ("imported" in error) == (line in RUNNING)


def test_a_file_that_ends_the_process_is_an_error(folder, capsys):
    assert main(["export", "ends.py:f"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("E208") and "SystemExit(0)" in error and 'ends.py", line 8' in error and "__main__" in error


def test_results_that_no_plain_array_holds_are_left_out_of_a_file(folder, capsys):
    assert main(["run", "p.np2", "--output", "found"]) == 0
    assert "out_1 is not a plain array" in capsys.readouterr().err
    with np.load("found.npz") as found:
        assert sorted(found.files) == ["out_0", "out_2_a"] and (found["out_0"] == np.sin(np.ones(3))).all()
    before = (folder / "found.npz").read_bytes()
    assert main(["run", "p.np2", "--output", "found.npz"]) == 0
    assert (folder / "found.npz").read_bytes() == before


def test_a_file_of_one_array_is_told_how_to_be_given(folder, capsys):
    assert main(["export", "loud.py:f", "--inputs", "one.npy"]) == 2
    assert "--input x=one.npy" in capsys.readouterr().err
    (folder / "other.npz").write_text("no archive")
    assert main(["export", "loud.py:f", "--inputs", "other.npz"]) == 2
    assert "pickle" not in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_no_fault_of_the_program(folder, capsys, monkeypatch):
    def refused(self, mode):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refused)
    assert main(["export", "loud.py:f"]) == 2
    assert capsys.readouterr().err.startswith("npexport: [Errno 13] Permission denied:")
