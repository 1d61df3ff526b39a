"""``npexport fix``: the specification that a program needs, as code that exports."""

import numpy as np
import pytest

from npexport import Dim, UserError, export
from npexport.cli import main
from npexport.rewriting import with_specification

PROGRAM = """
import numpy as np
from npexport import Dim


def pool(x, y):
    return x.reshape(-1, 4).sum(axis=1) * y


def example_inputs():
    return np.ones(12), np.ones(3)
"""


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("({0: Dim('a', max=40)}, {0: Dim('b')})", "b = Dim('b', max=10)\ndynamic_shapes = ({0: 4*b}, {0: b})"),
        ("{'x': {0: 4 * Dim('b')}, 'y': {0: Dim('b')}}", "b = Dim('b')\ndynamic_shapes = {'x': {0: 4*b}, 'y': {0: b}}"),
        (None, "dynamic_shapes = {'x': {0: Dim.AUTO}, 'y': {0: Dim.AUTO}}"),
    ],
)
def test_fix(spec, code, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + (f"\n\ndynamic_shapes = {spec}\n" if spec else ""))
    assert main(["fix", f"{file}:pool"]) == 0
    printed = capsys.readouterr().out
    assert "\n".join(line for line in printed.splitlines() if not line.startswith("#")) == code
    scope = {"Dim": Dim}
    exec(code, scope)

    def pool(x, y):
        return x.reshape(-1, 4).sum(axis=1) * y

    program = export(pool, (np.ones(12), np.ones(3)), dynamic_shapes=scope["dynamic_shapes"])
    np.testing.assert_array_equal(program.module()(np.ones(8), np.ones(2)), [4.0, 4.0])


BEFORE = """# a model
import numpy as np
from npexport import Dim

b = Dim("b")  # the batch


def pool(x, y):
    return x.reshape(-1, 4).sum(axis=1) * y


example_inputs = (np.ones(12), np.ones(3))
dynamic_shapes = {
    "x": {0: Dim("a", max=40)},
    "y": {0: b},
}  # of both
"""
AFTER = """# a model
import numpy as np
from npexport import Dim

b = Dim('b', max=10)  # the batch


def pool(x, y):
    return x.reshape(-1, 4).sum(axis=1) * y


example_inputs = (np.ones(12), np.ones(3))
dynamic_shapes = {'x': {0: 4*b}, 'y': {0: b}}  # of both
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_write_puts_the_specification_into_the_file(newline, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_bytes(BEFORE.replace("\n", newline).encode())
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert file.read_bytes().decode() == AFTER.replace("\n", newline)
    printed = capsys.readouterr().out
    assert "-b = Dim(\"b\")  # the batch\n+b = Dim('b', max=10)  # the batch" in printed and str(file) in printed
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert "the file says so already" in capsys.readouterr().out
    assert main(["export", f"{file}:pool", "-q"]) == 0


WRITTEN = {
    "a file without one": (
        "x = 1\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "x = 1\n\n\nfrom npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\n",
    ),
    "an empty file": ("", "dynamic_shapes = (3,)", "dynamic_shapes = (3,)\n"),
    "a Dim of a module": (
        "import npexport as e\nn = e.Dim('n')\ndynamic_shapes = (n,)\n", "n = Dim('n', max=3)\ndynamic_shapes = (n,)",
        "import npexport as e\nfrom npexport import Dim\nn = Dim('n', max=3)\ndynamic_shapes = (n,)\n",
    ),
    "no import needed": ("dynamic_shapes: tuple = 3; y = 'ä'\n", "dynamic_shapes = (4,)", "dynamic_shapes = (4,); y = 'ä'\n"),
    "a Dim that comes later": (
        "from npexport import Dim\ndynamic_shapes = None\nn = Dim('n')\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "from npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\nn = Dim('n')\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("source, code, wanted", WRITTEN.values(), ids=WRITTEN)
def test_files_of_many_forms(source, code, wanted):
    assert with_specification(source.encode(), code).decode() == wanted


REFUSED = {
    "twice": b"dynamic_shapes = 1\ndynamic_shapes = 2\n",
    "in a branch": b"if True:\n    dynamic_shapes = 1\n",
    "imported": b"from other import dynamic_shapes\n",
    "in a tuple": b"dynamic_shapes, n = 1, 2\n",
    "a taken name": b"n = 3\ndynamic_shapes = None\n",
    "a function's name": b"def n(): pass\n",
    "another encoding": "# -*- coding: latin-1 -*-\nä = 1\n".encode("latin-1"),
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_files_that_do_not_say_plainly_what_to_change(source):
    with pytest.raises(UserError) as caught:
        with_specification(source, "n = Dim('n')\ndynamic_shapes = (n,)")
    assert caught.value.code == "E205"


def test_names_of_python_are_not_taken():
    with pytest.raises(UserError, match="Python's own"):
        with_specification(b"", "len = Dim('len')\ndynamic_shapes = (len,)")
