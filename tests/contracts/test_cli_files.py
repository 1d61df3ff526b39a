"""The commands that work on saved programs, and the forms that `export --to` writes."""

import json
import runpy
import subprocess
import sys

import numpy as np
import pytest

from npexport import Dim, export, load, package_np2, save
from npexport.cli import main
from npexport.ir import cost

X = np.arange(6.0).reshape(2, 3)


def wave(x, scale=2.0):
    return np.sin(x) * scale


@pytest.fixture
def files(tmp_path):
    """The paths of two programs that differ, and of a module with the function of the first."""
    first, second, source = (str(tmp_path / name) for name in ("first.np2", "second.np2", "model_of_files.py"))
    save(export(wave, (X,), dynamic_shapes={"x": {0: Dim("n", max=8)}}), first, extra_files={"note": "hi"})
    save(export(lambda x: np.cos(x) * 2.0, (X,)), second)
    (tmp_path / "model_of_files.py").write_text(
        "import numpy as np\n\ndef wave(x, scale=2.0):\n    return np.sin(x) * scale\n\n"
        "def other(x, scale=2.0):\n    return np.sin(x) + scale\n\ndef example_inputs():\n    return (np.ones((2, 3)),)\n"
    )
    return first, second, source


@pytest.mark.parametrize(("suffix", "check"), [
    (".np2", lambda path: load(path)),
    (".py", lambda path: runpy.run_path(path)["forward"](np.ones((2, 3)))),
    (".html", lambda path: open(path).read().index("<!doctype html>")),
    (".dot", lambda path: open(path).read().index("digraph")),
])  # fmt: skip
def test_export_writes_the_form_that_the_name_says(files, tmp_path, suffix, check, capsys):
    path = str(tmp_path / f"out{suffix}")
    assert main(["export", f"{files[2]}:wave", "-q", "--to", path]) == 0
    check(path)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("option", "suffix", "text"), [
    ("--to", ".onnx", "writes no .onnx files"),
    ("-o", ".onnx", "writes no .onnx files"),
    ("--to", ".xyz", "writes no .xyz files"),
    ("--to", ".np2.gz", "writes no .gz files"),
    ("--to", "", "writes no files without an ending"),
])  # fmt: skip
def test_forms_that_this_version_lacks_say_so(files, tmp_path, option, suffix, text, capsys):
    assert main(["export", f"{files[2]}:wave", option, str(tmp_path / f"out{suffix}")]) == 2
    said = capsys.readouterr().err
    assert text in said and "Name a file that ends in .np2, .py, .html, .dot." in said
    assert not (tmp_path / f"out{suffix}").exists()


@pytest.mark.parametrize("name", ["out.xyz", "out"])
@pytest.mark.parametrize("option", ["-o", "--output"])
def test_an_output_of_any_other_name_is_an_archive(files, tmp_path, option, name):
    assert main(["export", f"{files[2]}:wave", "-q", option, str(tmp_path / name)]) == 0
    assert np.array_equal(load(tmp_path / name).module()(np.ones((2, 3))), np.sin(np.ones((2, 3))) * 2)


def test_diff_says_what_differs_and_exits_with_1(files, capsys):
    first, second, _ = files
    assert main(["diff", first, first]) == 0
    assert capsys.readouterr().out == "the programs are equal\n"
    assert main(["diff", first, second]) == 1
    assert "ops.np.cos" in capsys.readouterr().out
    assert main(["diff", first, second, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["equal"], bool(found["graph"]), found["constants"]) == (False, True, [])


def test_verify_finds_damage(files, tmp_path, capsys):
    first = files[0]
    assert main(["verify", first]) == 0
    assert capsys.readouterr().out == f"{first}: sound (model)\n"
    data = bytearray((tmp_path / "first.np2").read_bytes())
    data[data.index(b"hi")] ^= 1
    (tmp_path / "first.np2").write_bytes(data)
    assert main(["verify", first]) == 1
    assert "LoadError" not in (told := capsys.readouterr().err)
    assert told.startswith("E501")
    assert main(["verify", str(tmp_path / "none.np2")]) == 2


def test_info_counts_what_a_package_holds(files, tmp_path, capsys):
    path = str(tmp_path / "package.np2")
    package_np2(path, exported_programs={"a": load(files[0]), "b": load(files[1])}, extra_files={"note": "x"})
    assert main(["info", path, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (list(found["programs"]), found["extra_files"]) == (["a", "b"], ["note"])
    row = found["programs"]["a"]
    assert (row["inputs"]["x"], row["ranges"], row["nodes"], row["parameters"]) == ("f64[s0, 3]", {"s0": "VR[0, 8]"}, 4, 0)
    assert main(["info", path]) == 0
    shown = capsys.readouterr().out
    assert "a:\n  inputs: x f64[s0, 3]" in shown and "\n  opset versions: control 1, nn 1, np 1," in shown


def test_one_program_of_a_package(files, tmp_path, capsys):
    """... is named with `--program`; `diff` takes the programs of the same name."""
    first, second, source = files
    path, other = (str(tmp_path / name) for name in ("package.np2", "other.np2"))
    package_np2(path, exported_programs={"a": load(first), "b": load(second)})
    package_np2(other, exported_programs={"a": load(first), "c": load(second)})
    assert main(["run", path]) == 2 and "Name one of them: --program a or b." in capsys.readouterr().err
    assert main(["run", path, "--program", "c"]) == 2 and "It holds: a, b." in capsys.readouterr().err
    assert main(["run", path, "--program", "a", "--compare", f"{source}:wave"]) == 0
    assert main(["bench", path, f"{source}:other", "--program", "a"]) == 1
    assert main(["show", path, "--program", "b", "--graph"]) == 0
    shown = capsys.readouterr().out
    assert "ops.np.cos" in shown and "ops.np.sin" not in shown
    assert main(["diff", path, first, "--program", "a"]) == main(["diff", path, path]) == 0
    capsys.readouterr()
    assert main(["diff", path, other]) == 1
    assert capsys.readouterr().out == f"a:\nthe programs are equal\nb: only in {path}\nc: only in {other}\n"
    assert main(["diff", path, other, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["equal"], found["programs"]["a"]["equal"], found["only"]) == (False, True, [["b"], ["c"]])


def test_info_names_options(tmp_path, capsys):
    save(export(lambda x, *, scale=1.0: x * scale, (np.ones(3),), {"scale": 2.0}), path := str(tmp_path / "p.np2"))
    assert main(["info", path]) == 0
    shown = capsys.readouterr().out
    assert "  inputs: x f64[3], scale 2.0\n" in shown and "  ranges: none\n" in shown


def test_programs_of_own_operators_are_read_with_what_declares_them(tmp_path):
    """... the process that saves them being another one than that which reads them."""
    (tmp_path / "declaring.py").write_text(
        "import numpy as np\nfrom npexport import custom_op\n\n\n@custom_op('declared::twice')\n"
        "def twice(x: np.ndarray) -> np.ndarray:\n    return x * 2\n\n\ntwice.register_fake(np.empty_like)\n\n\n"
        "def program(x):\n    return twice(x) + 1\ndef other(x):\n    return twice(x)\n"
    )

    def codes(*commands):
        script = f"from npexport.cli import main\nprint([main(words.split()) for words in {commands!r}])"
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)

    assert codes("export declaring.py:program --input x=f64[3] --to p.np2 -q").stdout == "[0]\n"
    found = codes(
        "verify p.np2",
        "verify p.np2 --import nowhere",
        "bench p.np2 declaring.py:program",
        "info p.np2 --import declaring",
        "bench p.np2 declaring.py:other",
    )
    assert found.stdout.endswith("[1, 2, 0, 0, 1]\n") and "out: declaring.py:other gives another result" in found.stderr
    assert found.stderr.count("another result") == 1 and "ratio" in found.stdout and "x f64[3]" in found.stdout
    assert "--import declaring does" in found.stderr and "there is no module 'nowhere'" in found.stderr


@pytest.mark.parametrize(
    ("options", "shown", "hidden"),
    [
        (["--graph"], "class GraphModule", "input_specs"),
        (["--signature"], "input_specs", "class GraphModule"),
        (["--guards"], "s0: VR[0, 8]", "class GraphModule"),
        (["--code"], "def __call__", "class GraphModule"),
        (["--cost"], "Peak memory of new arrays: ", "class GraphModule"),
        (["--graph", "--guards"], "s0: VR[0, 8]", "input_specs"),
        ([], "Graph signature:", "input_specs"),
    ],
)
def test_show_prints_the_parts_that_are_asked_for(files, options, shown, hidden, capsys):
    assert main(["show", files[0], *options]) == 0
    out = capsys.readouterr().out
    assert shown in out
    assert hidden not in out


def test_run_compares_with_the_original(files, capsys):
    first, _, source = files
    assert main(["run", first, "--compare", f"{source}:wave"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["run", first, "--compare", f"{source}:other"]) == 1
    assert "out: " in capsys.readouterr().err


def test_a_module_with_other_arrays_says_which(tmp_path, capsys):
    (tmp_path / "net.py").write_text(
        "import numpy as np\nfrom npexport import nn\n\nnet = nn.Linear(2, 2)\nexample_inputs = (np.ones((1, 2), np.float32),)\n"
    )
    target, saved = f"{tmp_path / 'net.py'}:net", str(tmp_path / "net.np2")
    assert main(["export", target, "-q", "--to", saved]) == 0
    assert main(["run", saved, "--compare", target]) == 1
    assert "holds other arrays than the program: weight, bias;" in capsys.readouterr().err


def test_costs_are_data_as_json(files, capsys):
    assert main(["show", files[0], "--cost", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["cost"]
    assert found == cost.as_dict(load(files[0]).graph)
    assert [row["path"] for row in found["modules"]] == [""]


def test_comparisons_are_data_as_json(files, capsys):
    first, _, source = files
    for target, differs in (("wave", []), ("other", ["out"])):
        assert main(["run", first, "--compare", f"{source}:{target}", "--format", "json"]) == bool(differs)
        found = json.loads(capsys.readouterr().out)
        assert found["differs"] == differs and found["outputs"]["out"]["type"].startswith("f64[")


WRONG = {
    "E501": (1, lambda files, folder: ["verify", str(damaged(folder))]),
    "E205": (2, lambda files, folder: ["export", f"{files[2]}:nothing"]),
    "E401": (1, lambda files, folder: ["run", files[0], "--input", "x=f64[2,9]"]),
    None: (2, lambda files, folder: ["show", str(folder / "none.np2")]),
}


def damaged(folder):
    (folder / "damaged.np2").write_bytes(b"no archive")
    return folder / "damaged.np2"


@pytest.mark.parametrize("code", WRONG)
def test_errors_are_data_as_json(code, files, tmp_path, capsys):
    status, command = WRONG[code]
    assert main([*command(files, tmp_path), "--format", "json"]) == status
    told = capsys.readouterr()
    found = json.loads(told.out)["error"]
    assert found["code"] == code and found["message"] and told.err
    assert found.keys() == {"code", "slug", "message", "hint", "location", "stack"}


def test_codes_are_data_as_json(capsys):
    assert main(["explain", "E103", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["code"], found["slug"]) == ("E103", "data-dependent-branch")
    assert found["hint"] and found["page"].startswith("# E103")


@pytest.mark.parametrize(("text", "code", "said"), [
    ("dynamic_shapes = {'x': {0: Dim('rows')}}", 0, "f64[s0, 3]"),
    ("def dynamic_shapes():\n    return {'x': {0: Dim('rows')}}", 0, "f64[s0, 3]"),
    ("def dynamic_shapes():\n    return None", 0, "f64[2, 3]"),
    ("def dynamic_shapes():\n    return 1 / 0", 1, "ZeroDivisionError"),
])  # fmt: skip
def test_shapes_are_a_value_or_a_function_as_inputs_are(tmp_path, capsys, text, code, said):
    (tmp_path / "shaped.py").write_text(
        f"import numpy as np\nfrom npexport import Dim\n\nexample_inputs = (np.ones((2, 3)),)\n\n{text}\n\ndef f(x):\n    return x * 2\n"
    )
    assert main(["export", f"{tmp_path / 'shaped.py'}:f"]) == code
    assert said in "".join(capsys.readouterr())


def test_of_a_name_that_is_not_there_those_that_can_be_called_are_told(files, capsys):
    assert main(["export", f"{files[2]}:wav"]) == 2
    assert "Hint: It has: example_inputs, other, wave." in capsys.readouterr().err


VALUES = """import numpy as np

def values(x):
    n = 1
    for row in x:
        n = n * (int(row[0]) + 2**40)
    texts = x.astype("U4").astype(np.dtypes.StringDType()) + " is what stands in this element"
    return n, x.tobytes(), texts, b"a\\0", "a\\0", np.longdouble(2), None

def others(x):
    n, data, texts, *rest = values(x)
    return n + 1, data[:-1] + b"!", texts + "!", *rest
"""


def test_values_that_are_no_plain_arrays_are_compared_and_shown(tmp_path, capsys):
    source, path, results = tmp_path / "model.py", str(tmp_path / "values.np2"), tmp_path / "out.npz"
    source.write_text(VALUES)
    assert main(["export", f"{source}:values", "--input", "x=f64[4,3]", "--to", path, "-q"]) == 0
    capsys.readouterr()
    assert main(["run", path, "--seed", "1", "--compare", f"{source}:values", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["differs"] == []
    assert [found["outputs"][f"out[{place}]"]["value"] for place in (3, 4, 5, 6)] == ["b'a\\x00'", "a\0", "2.0", None]
    assert main(["run", path, "--seed", "1", "--compare", f"{source}:others", "-o", str(results)]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert errors[:3] == [f"out[{place}]: {source}:others gives another result" for place in range(3)]
    assert errors[3:] == [f"out_{place} is not a plain array, and is left out" for place in (0, 2, 6)]
    with np.load(results) as file:
        assert file["out_3"].tolist() == [97, 0] and file["out_1"].dtype == np.uint8 and len(file["out_1"]) == 96


def test_random_generators_are_inputs(tmp_path, capsys):
    path = tmp_path / "noise.py"
    path.write_text("def noise(x, rng):\n    return x + rng.normal(size=x.shape)\n")
    saved = str(tmp_path / "noise.np2")
    given = ["--input", "x=f64[n=3]", "--input", "rng=np.random.default_rng(7)"]
    assert main(["export", f"{path}:noise", "-q", "--to", saved, *given]) == 0
    assert main(["run", saved, "--format", "json", "--input", "x=f64[5]", "--input", "rng=default_rng(7)"]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"]["out"]["value"] == np.random.default_rng(7).normal(size=5).tolist()
    assert main(["run", saved, "--input", "x=f64[5]", "--input", "rng=MT19937(7)"]) == 1
    assert main(["run", saved, "--input", "x=f64[5]", "--input", "rng=default_rng(__import__('os'))"]) == 2
