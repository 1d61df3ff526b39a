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
    "x": {0: Dim("a", max=40)},  # rows of four
    "y": {0: b},
}  # of both
"""
AFTER = """# a model
import numpy as np
from npexport import Dim

b = Dim("b", max=10)  # the batch


def pool(x, y):
    return x.reshape(-1, 4).sum(axis=1) * y


example_inputs = (np.ones(12), np.ones(3))
dynamic_shapes = {
    "x": {0: 4*b},  # rows of four
    "y": {0: b},
}  # of both
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_write_puts_the_specification_into_the_file(newline, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_bytes(BEFORE.replace("\n", newline).encode())
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert file.read_bytes().decode() == AFTER.replace("\n", newline)
    printed = capsys.readouterr().out
    assert '-b = Dim("b")  # the batch\n+b = Dim("b", max=10)  # the batch' in printed and str(file) in printed
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
        "import npexport as e\nn = e.Dim('n', max=3)\ndynamic_shapes = (n,)\n",
    ),
    "no import needed": ("dynamic_shapes: tuple = 3; y = 'ä'\n", "dynamic_shapes = (4,)", "dynamic_shapes: tuple = (4,); y = 'ä'\n"),
    "a Dim that comes later": (
        "from npexport import Dim\ndynamic_shapes = None\nn = Dim('n')\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "from npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\nn = Dim('n')\n",
    ),
    "two on a line": (
        "from npexport import Dim\nn = Dim('n'); dynamic_shapes = (n,); y = 1\n", "n = Dim('n', max=3)\ndynamic_shapes = (2*n,)",
        "from npexport import Dim\nn = Dim('n', max=3); dynamic_shapes = (2*n,); y = 1\n",
    ),
    "tabs, parentheses, continued lines": (
        "from npexport import Dim\ndynamic_shapes = \\\n\t(\t{'größe':\t3},\n\t)\t# ¼ \u2028\n\x0cy = 2", "dynamic_shapes = (4,)",
        "from npexport import Dim\ndynamic_shapes = \\\n\t(\t4,\n\t)\t# ¼ \u2028\n\x0cy = 2",
    ),
    "several Dims at once": (
        "from npexport import Dim, dims\nrows, cols = dims('rows', \"cols\", min=2)  # all\ndynamic_shapes = (rows,)\n",
        "cols = Dim('cols', max=3)\ndynamic_shapes = (cols,)",
        "from npexport import Dim, dims\nrows, cols = Dim('rows', min=2), Dim('cols', max=3)  # all\ndynamic_shapes = (cols,)\n",
    ),
    "all of several Dims": (
        "import npexport as e\n[\n  a, b] = e.dims('a', 'b')\ndynamic_shapes = (a, b)\n",
        "a = Dim('a', min=1)\nb = Dim('b', max=3)\ndynamic_shapes = (a, b)",
        "import npexport as e\nfrom npexport import Dim\n[\n  a, b] = Dim('a', min=1), Dim('b', max=3)\ndynamic_shapes = (a, b)\n",
    ),
    "a pair of Dims": (
        "from npexport import Dim\na, three = Dim('a'), 3\ndynamic_shapes = (a,)\n", "a = Dim('a', min=1)\ndynamic_shapes = (a,)",
        "from npexport import Dim\na, three = Dim('a', min=1), 3\ndynamic_shapes = (a,)\n",
    ),
    "a name that is not ASCII": (
        "from npexport import Dim\ngröße = Dim(\n  'größe')\ndynamic_shapes = größe\n",
        "größe = Dim('größe', max=3)\ndynamic_shapes = (größe,)",
        "from npexport import Dim\ngröße = Dim(\n  'größe', max=3)\ndynamic_shapes = (größe,)\n",
    ),
    "comments within what changes": (
        "from npexport import Dim\na, b = (  # sizes\n  Dim('a'),  # rows\n  Dim('b'),\n)\n"
        "dynamic_shapes = [\n  # x\n  {0: a},  # rows\n  (1 +  # one\n  1,),\n]\n",
        "b = Dim('b', max=3)\ndynamic_shapes = [{0: 2*b, 1: b}, {1: b}]",
        "from npexport import Dim\na, b = (  # sizes\n  Dim('a'),  # rows\n  Dim('b', max=3),\n)\n# one\n"
        "dynamic_shapes = [\n  # x\n  {0: 2*b, 1: b},  # rows\n  {1: b},\n]\n",
    ),
    "an item in parentheses, and one more": (
        "from npexport import Dim\nn = Dim('n')\ndynamic_shapes = {'x': ((n)), 'y': None}\n",
        "n = Dim('n')\ndynamic_shapes = {'x': (n, 3), 'y': (n,), 'z': None}",
        "from npexport import Dim\nn = Dim('n')\ndynamic_shapes = {'x': (((n, 3))), 'y': (n,), 'z': None}\n",
    ),
    "lines that end as they did long ago": ("y = 1\rdynamic_shapes = 3\r", "n = Dim('n')\ndynamic_shapes = (n,)",
        "y = 1\rfrom npexport import Dim\rn = Dim('n')\rdynamic_shapes = (n,)\r"),
    "a byte order mark": (
        "\ufefffrom npexport import Dim\ndynamic_shapes = 3\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "\ufefffrom npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\n",
    ),
    "a Dim for types only": (
        "if TYPE_CHECKING:\n  from npexport import Dim\ndynamic_shapes = 3\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "if TYPE_CHECKING:\n  from npexport import Dim\nfrom npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\n",
    ),
    "a Dim that is imported later": (
        "dynamic_shapes = 3\nfrom npexport import Dim\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "from npexport import Dim\nn = Dim('n')\ndynamic_shapes = (n,)\nfrom npexport import Dim\n",
    ),
    "all names of npexport": (
        "from npexport import *\ndynamic_shapes = 3\n", "n = Dim('n')\ndynamic_shapes = (n,)",
        "from npexport import *\nn = Dim('n')\ndynamic_shapes = (n,)\n",
    ),
    "names of functions and classes": (
        "class A:\n  dynamic_shapes = 1\ndef f(dynamic_shapes):\n  dynamic_shapes.clear()\ndynamic_shapes = 3\nprint(dynamic_shapes)\n",
        "dynamic_shapes = (4,)",
        "class A:\n  dynamic_shapes = 1\ndef f(dynamic_shapes):\n  dynamic_shapes.clear()\ndynamic_shapes = (4,)\nprint(dynamic_shapes)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("source, code, wanted", WRITTEN.values(), ids=WRITTEN)
def test_files_of_many_forms(source, code, wanted):
    assert with_specification(source.encode(), code).decode() == wanted


REFUSED = {
    "twice": b"dynamic_shapes = 1\ndynamic_shapes = 2\n",
    "in a function": b"def f():\n    global dynamic_shapes\n    dynamic_shapes = 1\n",
    "an item that is set": b"dynamic_shapes = {}\ndynamic_shapes['x'] = 1\n",
    "a method that changes it": b"dynamic_shapes = {}\ndynamic_shapes.update(x=1)\n",
    "added to": b"dynamic_shapes = {}\ndynamic_shapes |= {}\n",
    "deleted": b"dynamic_shapes = {}\ndel dynamic_shapes\n",
    "a name of a walrus": b"dynamic_shapes = (n := 3)\n",
    "in a branch": b"if True:\n    dynamic_shapes = 1\n",
    "imported": b"from other import dynamic_shapes\n",
    "in a tuple": b"dynamic_shapes, n = 1, 2\n",
    "a pair of which one is not a Dim": b"n, m = 3, 4\ndynamic_shapes = None\n",
    "Dims of a list": b"n, m = dims(*names)\ndynamic_shapes = None\n",
    "Dims of two names": b"n = m = Dim('n')\ndynamic_shapes = None\n",
    "more names than Dims": b"n, *m = dims('n', 'm')\ndynamic_shapes = None\n",
    "a taken name": b"n = 3\ndynamic_shapes = None\n",
    "a function's name": b"def n(): pass\n",
    "another encoding": "# -*- coding: latin-1 -*-\nä = 1\n".encode("latin-1"),
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_files_that_do_not_say_plainly_what_to_change(source):
    with pytest.raises(UserError) as caught:
        with_specification(source, "n = Dim('n')\ndynamic_shapes = (n,)")
    assert caught.value.code == "E205"


@pytest.mark.parametrize("name", ["pool", "np", "len"])
def test_names_that_mean_something_else_keep_their_meaning(name, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + f"\n\ndynamic_shapes = {{'x': {{0: Dim('a')}}, 'y': {{0: Dim({name!r}, max=9)}}}}\n")
    assert main(["fix", f"{file}:pool"]) == 0
    code = f"dynamic_shapes = {{'x': {{0: 4 * Dim('{name}', max=9)}}, 'y': {{0: Dim('{name}', max=9)}}}}\n"
    assert capsys.readouterr().out == code
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert f"{{0: 4 * Dim({name!r}, max=9)}}" in file.read_text()
    capsys.readouterr()
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert "the file says so already" in capsys.readouterr().out
    assert main(["export", f"{file}:pool", "-q"]) == 0


@pytest.mark.parametrize(
    "spec",
    ["ShapesCollection()\nspec[example[0]] = {0: Dim('a')}\nspec[example[1]] = {0: Dim('b')}", "AdditionalInputs()\nspec.add(second)"],
)
def test_specifications_that_are_objects_are_said_by_name(spec, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(
        PROGRAM.replace("import Dim", "import AdditionalInputs, Dim, ShapesCollection").replace(
            "def example_inputs():\n    return", "example ="
        )
        + f"example_inputs, second = example, (np.ones(8), np.ones(2))\nspec = {spec}\ndynamic_shapes = spec\n"
    )
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert "dynamic_shapes = {'x': {0: " in file.read_text()
    assert main(["export", f"{file}:pool", "-q"]) == 0
    capsys.readouterr()
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert "the file says so already" in capsys.readouterr().out


def test_a_specification_that_holds_is_left_as_it_is_written(tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(
        "import numpy as np\nfrom npexport import Dim\n\nSPEC = {'x': {0: Dim('n')}}\ndynamic_shapes = SPEC\n"
        "example_inputs = (np.ones(3),)\n\ndef pool(x):\n    return x.sum()\n"
    )
    before = file.read_text()
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert file.read_text() == before and "the file says so already" in capsys.readouterr().out


LATER = {
    "an item of an item": ("dynamic_shapes['x'][0] = Dim('a')", "changes 'dynamic_shapes' after"),
    "a method of an item": ("dynamic_shapes['x'].update({0: Dim('a')})", "changes 'dynamic_shapes' after"),
    "another name": ("spec = dynamic_shapes\nspec['x'] = (Dim('a'),)", "changes 'dynamic_shapes' after"),
    "a function": ("def put():\n    dynamic_shapes['x'][0] = Dim('a')\nput()", "changes 'dynamic_shapes' after"),
    "the names of the module": ("globals()['dynamic_shapes'] = ({0: Dim('a')}, {0: Dim('b')})", "changes 'dynamic_shapes' after"),
    "a text that is checked": ("assert isinstance(dynamic_shapes['y'][0], Dim)", "raises AssertionError"),
    "a loop": ("for name in 'xy':\n    dynamic_shapes[name] = {0: Dim(name * 2)}", "one plain assignment"),
    "an import with another name": ("Dim, D = None, Dim\ndynamic_shapes['x'][0] = D('a')", "not npexport's"),
}


@pytest.mark.parametrize("later, why", LATER.values(), ids=LATER)
def test_a_file_that_does_not_say_it_then_is_left_alone_and_the_code_shown(later, why, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(f"{PROGRAM}\n\ndynamic_shapes = {{'x': {{}}, 'y': {{0: Dim('b')}}}}\n{later}\n")
    before = file.read_text()
    assert main(["fix", f"{file}:pool", "--write"]) == 2
    assert file.read_text() == before
    told = capsys.readouterr().err
    assert why in told and "\n  dynamic_shapes = " in told.partition("What it has to say:")[2]


def test_a_file_runs_again_in_silence_with_what_was_written(tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(f"{PROGRAM}\n\ndynamic_shapes = ({{0: Dim('a')}}, {{0: Dim('b')}})\nprint('made', __name__)\n")
    assert main(["fix", f"{file}:pool", "--write"]) == 0
    assert capsys.readouterr().out.count("made program") == 1
    assert main(["export", f"{file}:pool", "-q"]) == 0
