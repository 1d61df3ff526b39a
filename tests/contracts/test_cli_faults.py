"""What goes wrong on the command line is one message, with the user's line where there is one, and never a traceback."""

from __future__ import annotations

import os

import numpy as np
import pytest

from npexport import export, save
from npexport.cli import main

FILES = {
    "good.py": "import numpy as np\n\ndef double(x, n=2):\n    return x * n\n\ndef anything(**kw):\n    return kw['x'] * 2\n\nnumber = 3\n",
    "syntax.py": "def f(x):\n    return x +* 2\n",
    "raising.py": "table = {}\nvalue = table['missing']\n",
    "imports.py": "import a_module_that_nobody_has\n",
    "wanting.py": "class Net:\n    def __init__(self, width):\n        self.width = width\n    def __call__(self, x):\n        return x\n",
    "failing.py": "class Net:\n    def __init__(self):\n        raise OSError('no weights')\n",
    "maker.py": "def f(x):\n    return x\n\ndef example_inputs():\n    return 1 / 0,\n",
    "dividing.py": "def f(x, n):\n    return 1 // n\n",
}

# arguments, exit code, what the message says, the line of the user's that it shows
FAULTS = {
    "syntax error": (["export", "syntax.py:f"], 1, ["not valid Python", "Correct the line"], "return x +* 2"),
    "exception in the file": (["export", "raising.py:f"], 1, ["KeyError: 'missing'"], "value = table['missing']"),
    "missing import of the file": (["export", "imports.py:f"], 1, ["a_module_that_nobody_has"], "import a_module_that_nobody_has"),
    "exception in a constructor": (["export", "failing.py:Net"], 1, ["OSError: no weights"], "raise OSError('no weights')"),
    "exception in example_inputs": (["export", "maker.py:f"], 1, ["ZeroDivisionError"], "return 1 / 0,"),
    "exception in the program": (["export", "dividing.py:f", "--input", "x=f32[2]", "--input", "n=0"], 1, ["ZeroDiv"], "return 1 // n"),
    "no target": (["export", "good.py"], 2, ["neither file.py:name", "model.py:function"], None),
    "no file": (["export", "absent.py:f"], 2, ["there is no file", "relative to"], None),
    "no module": (["export", "absent_package.module:f"], 2, ["there is no module"], None),
    "no name": (["export", "good.py:tripel"], 2, ["has no 'tripel'", "double"], None),
    "not callable": (["export", "good.py:number"], 2, ["an int, which cannot be called"], None),
    "arguments wanted": (["export", "wanting.py:Net"], 2, ["width", "model = Net(...)"], None),
    "no inputs": (["export", "good.py:double"], 2, ["no example inputs", "--input 'x=f32[8,64]'"], None),
    "inputs missing": (["fix", "good.py:double", "--input", "n=2"], 1, ["E201", "Pass an example of `x`"], None),
    "unknown input": (["export", "good.py:double", "--input", "y=f32[2]"], 2, ["no parameter 'y'", "x, n"], None),
    "misspelt input": (["export", "good.py:double", "--input", "x=f32[2]", "--input", "nn=2"], 2, ["Did you mean n?"], None),
    "input twice": (["export", "good.py:double", "--input", "x=f32[2]", "--input", "x=f32[3]"], 2, ["x is given twice"], None),
    "no value": (["export", "good.py:double", "--input", "x"], 2, ["not NAME=VALUE"], None),
    "no literal": (["export", "good.py:double", "--input", "x=f32[2"], 2, ["neither a Python literal nor an array"], None),
    "too large": (["export", "good.py:double", "--input", "x=f64[1000000000000000]"], 2, ["does not fit into memory"], None),
    "no folder": (["export", "good.py:double", "--input", "x=f32[2]", "-o", "absent/p.np2"], 2, ["there is no folder 'absent'"], None),
    "a folder": (["export", "good.py:double", "--input", "x=f32[2]", "-o", "."], 2, [". is a folder"], None),
    "inputs absent": (["export", "good.py:double", "--inputs", "absent.npz"], 2, ["absent.npz"], None),
    "inputs damaged": (["export", "good.py:double", "--inputs", "good.py"], 2, ["not an .npz file", "np.savez"], None),
    "no such archive": (["show", "absent.np2"], 2, ["absent.np2"], None),
    "a foreign archive": (["show", "good.py"], 1, ["E5"], None),
    "run: unknown input": (["run", "program.np2", "--input", "y=f32[2]"], 2, ["no parameter 'y'"], None),
    "run: another shape": (["run", "program.np2", "--input", "x=f64[2]"], 1, ["E401"], None),
    "run: no folder": (["run", "program.np2", "-o", "absent/out.npz"], 2, ["there is no folder"], None),
    "no such code": (["explain", "E999"], 2, ["no error code E999"], None),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    save(export(lambda x: x + 1, (np.ones(3),)), folder / "program.np2")
    return folder


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_message(fault, folder, monkeypatch, capsys):
    arguments, code, texts, line = FAULTS[fault]
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    assert main(arguments) == code
    printed, message = capsys.readouterr()
    assert printed == "", "nothing is computed or printed before the fault is found"
    assert "Traceback" not in message and "See npexport --help" not in message
    assert "npexport/tracer" not in message and "importlib" not in message, message
    for text in texts:
        assert text in message, message
    if line is not None:
        assert f"    {line}\n" in message, message
    assert [name for name in sorted(os.listdir(folder)) if name != "__pycache__"] == [name for name in before if name != "__pycache__"]


def test_inputs_by_keyword_alone(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["export", "good.py:anything", "--input", "x=f32[2]"]) == 0
    assert "ops.np.multiply(x, 2)" in capsys.readouterr().out
