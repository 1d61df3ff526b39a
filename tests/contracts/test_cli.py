"""The command line, in this process and (once) as ``python -m npexport``."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import npexport
from npexport import export, load, package_np2, save
from npexport.cli import main
from npexport.symshapes.errors import UserError
from npexport.targets import find_target, parse_value

SOURCE = """
import numpy as np
from npexport import Dim, nn


def double(x, n=2):
    return x * n


def keyed(x):
    seen = hash(float(x.sum()))

    print(x)
    return -x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", np.full(3, 2.0))

    def forward(self, x):
        return x * self.k


net = Net()
value = 3


class Holder:
    inner = net


def example_inputs():
    return (np.ones(3),)
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model_for_cli.py"
    path.write_text(SOURCE)
    return str(path)


def test_export_prints_and_saves(model, tmp_path, capsys):
    out = tmp_path / "double.np2"
    assert main(["export", f"{model}:double", "-o", str(out)]) == 0
    assert "ops.np.multiply(x, 2)" in capsys.readouterr().out
    assert (load(out).module()(np.arange(3.0)) == [0, 2, 4]).all()


def test_export_quietly_with_inputs(model, tmp_path, capsys):
    out = tmp_path / "double.np2"
    assert main(["export", f"{model}:double", "--input", "x=f32[2,4]", "--input", "n=5", "-q", "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert load(out).module()(np.ones((2, 4), np.float32), 5).dtype == np.float32


def test_arrays_of_random_numbers(model, tmp_path, capsys):
    with open(model, "a") as file:
        file.write("\n\ndef kinds(x, n, b, c):\n    return x, n, b, c\n")
    out, results = tmp_path / "kinds.np2", tmp_path / "results.npz"
    given = ["--input", "x=f32[50]", "--input", "n=i8[50]", "--input", "b=b8[50]", "--input", "c=c16[50]"]
    assert main(["export", f"{model}:kinds", *given, "-q", "-o", str(out)]) == 0
    found = []
    for seed in ("1", "1", "2"):
        assert main(["run", str(out), *given, "--seed", seed, "-o", str(results), "--compare", f"{model}:kinds"]) == 0
        assert "gives the same" in capsys.readouterr().out
        with np.load(results) as data:
            found.append([data[name] for name in data.files])
    for first, again, other in zip(*found, strict=True):
        np.testing.assert_array_equal(first, again, strict=True)
        assert (first != other).any() and len(np.unique(first)) > 1
    assert set(np.unique(found[0][1])) <= set(range(10))
    for wrong in (["--seed", "-1", *given], ["--seed", "-1"], ["--seed", "1", "--input", "x=3"]):
        assert main(["run", str(out), *wrong]) == 2
    assert main(["run", str(out), "--seed", "1", "-o", str(results)]) == 0  # the arrays of the example are filled
    with np.load(results) as data:
        np.testing.assert_array_equal(data[data.files[0]], found[0][0], strict=True)


def test_inputs_from_a_file(model, tmp_path, capsys):
    np.savez(tmp_path / "data.npz", x=np.ones((5, 3)))
    assert main(["export", f"{model}:net", "--inputs", str(tmp_path / "data.npz")]) == 0
    assert '"f64[5, 3]"' in capsys.readouterr().out
    np.savez(tmp_path / "positional.npz", np.ones((6, 3)))
    assert main(["export", f"{model}:Net", "--inputs", str(tmp_path / "positional.npz")]) == 0
    assert '"f64[6, 3]"' in capsys.readouterr().out


def test_dynamic_shapes_of_the_module(model, tmp_path, capsys):
    with open(model, "a") as file:
        file.write("\n\ndynamic_shapes = {'x': {0: Dim('batch')}}\n")
    assert main(["export", f"{model}:double"]) == 0
    assert '"f64[s0]"' in capsys.readouterr().out


def test_dynamic_sizes_of_inputs(model, tmp_path, capsys):
    out = tmp_path / "double.np2"
    assert main(["export", f"{model}:double", "--input", "x=f32[ batch = 2, 4 ]", "-o", str(out)]) == 0
    assert '"f32[s0, 4]"' in capsys.readouterr().out
    assert load(out).module()(np.ones((7, 4), np.float32)).shape == (7, 4)
    with open(model, "a") as file:
        file.write("\n\ndef paired(x, y):\n    return x.reshape(-1, 4).sum(1) + y\n")
    assert main(["fix", f"{model}:paired", "--input", "x=f64[n=8]", "--input", "y=f64[m=2]"]) == 0
    assert capsys.readouterr().out == "m = Dim('m')\ndynamic_shapes = {'x': {0: 4*m}, 'y': {0: m}}\n"


def test_fix(model, capsys):
    with open(model, "a") as file:
        file.write("\n\ndef fold(x):\n    return x.reshape(-1, 3)\n\n\ndynamic_shapes = {'x': {0: Dim('n')}}\n")
    assert main(["export", f"{model}:fold"]) == 1
    assert "Suggested fixes" in capsys.readouterr().err
    assert main(["fix", f"{model}:fold"]) == 0
    code = capsys.readouterr().out
    space = {"Dim": npexport.Dim}
    exec(code, space)
    exported = export(lambda x: x.reshape(-1, 3), (np.ones(3),), dynamic_shapes=space["dynamic_shapes"])
    assert exported.module()(np.ones(9)).shape == (3, 3)


def test_show_and_run(tmp_path, capsys):
    program = export(lambda x: {"a": x + 1, "b": [x * 2]}, (np.arange(3.0),))
    save(program, tmp_path / "p.np2")
    assert main(["show", str(tmp_path / "p.np2")]) == 0
    assert "ops.np.add(x, 1)" in capsys.readouterr().out
    assert main(["run", str(tmp_path / "p.np2"), "--input", "x=f64[3]", "-o", str(tmp_path / "out.npz")]) == 0
    with np.load(tmp_path / "out.npz") as data:
        assert (data["out_a"] == 1).all() and (data["out_b_0"] == 0).all()
    assert main(["run", str(tmp_path / "p.np2"), "--input", "x=f64[3]"]) == 0
    assert "out['a'] =" in capsys.readouterr().out
    assert main(["run", str(tmp_path / "p.np2"), "--input", "x=f64[4]"]) == 1
    assert "E401" in capsys.readouterr().err


def test_packages_are_shown_program_by_program(tmp_path, capsys):
    programs = {"a": export(np.sin, (np.ones(3),)), "b/c": export(np.cos, (np.ones(3),))}
    path = str(package_np2(tmp_path / "p.np2", exported_programs=programs))
    assert main(["show", path]) == 0
    text = capsys.readouterr().out
    assert text.index("a:\n") < text.index("ops.np.sin(x)") < text.index("b/c:\n") < text.index("ops.np.cos(x)")
    assert main(["show", path, "--guards", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"programs": {"a": {"guards": ""}, "b/c": {"guards": ""}}}
    assert main(["show", path, "--guards"]) == 0
    assert capsys.readouterr().out == "a:\nno guards\nb/c:\nno guards\n"


def test_explain_a_program(model, capsys):
    assert main(["explain", f"{model}:keyed"]) == 1
    text = capsys.readouterr().out
    assert "E104" in text and "E114" in text and "x.sum()" in text
    assert main(["explain", f"{model}:keyed", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [problem["code"] for problem in found["problems"]] == ["E104", "E114"]
    assert found["problems"][0]["location"]["line"] == 11
    assert main(["explain", f"{model}:double"]) == 0
    assert "can be exported" in capsys.readouterr().out


def test_outputs_of_like_names_are_all_saved(tmp_path):
    program = export(lambda x: {"a b": x, "a_b": x + 1, "a": {"b": x + 2}}, (np.zeros(2),))
    save(program, tmp_path / "p.np2")
    assert main(["run", str(tmp_path / "p.np2"), "-o", str(tmp_path / "out.npz")]) == 0
    with np.load(tmp_path / "out.npz") as data:
        assert {name: data[name][0] for name in data} == {"out_a_b": 0, "out_a_b_1": 1, "out_a_b_2": 2}


def test_a_reader_that_leaves_is_no_error():
    """As in ``npexport explain E103 | head -1``."""
    command = [
        sys.executable,
        "-c",
        "import sys, time; time.sleep(0.5); from npexport.cli import main; sys.exit(main(['explain', 'E103']))",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b"" and run.wait() == 0


@pytest.mark.parametrize("ending", ["np2", "py", "html", "dot"])
def test_a_reader_that_leaves_loses_no_file(ending, tmp_path):
    """As in ``npexport export model.py:f --to f.np2 | head -1``."""
    (tmp_path / "model.py").write_text("import numpy as np\n\ndef f(x):\n    return x + 1\n\nexample_inputs = (np.ones(3),)\n")
    code = "import sys, time; time.sleep(0.5); from npexport.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "export", str(tmp_path / "model.py:f"), "--to", str(tmp_path / f"f.{ending}")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b"" and run.wait() == 0
    assert (tmp_path / f"f.{ending}").stat().st_size > 0


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("explain", "{}:reads"), 1),
        (("explain", "{}:reads", "--format", "json"), 1),
        (("explain", "{}:f"), 0),
        (("run", "{}/f.np2", "--compare", "{}:other"), 1),
        (("run", "{}/f.np2", "--compare", "{}:other", "--format", "json"), 1),
        (("run", "{}/f.np2", "--compare", "{}:f"), 0),
        (("--help",), 0),
    ],
)
def test_a_reader_that_leaves_changes_no_exit_code(command, code, tmp_path):
    (tmp_path / "model.py").write_text(
        "import numpy as np\n\ndef f(x):\n    return x + 1\n\ndef other(x):\n    return x + 2\n\n"
        "def reads(x):\n    return np.load('a.npy')\n\nexample_inputs = (np.ones(3),)\n"
    )
    main(["export", f"{tmp_path / 'model.py'}:f", "--to", str(tmp_path / "f.np2"), "-q"])
    given = [part.replace("{}:", f"{tmp_path / 'model.py'}:").replace("{}", str(tmp_path)) for part in command]
    start = "import sys, time; time.sleep(0.5); from npexport.cli import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", start, *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        told = run.stderr.read()
        assert run.wait() == code and (not told or told.strip().endswith(b"gives another result")), told


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0 and capsys.readouterr().out == f"npexport {npexport.__version__}\n"


def test_explain_a_code(capsys):
    assert main(["explain", "E103"]) == 0
    assert "data-dependent-branch" in capsys.readouterr().out


def test_refusals_are_printed(model, capsys):
    assert main(["export", f"{model}:keyed"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("E104") and "Traceback" not in error


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["export", "no_such.py:f"], "no file"),
        (["export", "no.such.module:f"], "no module"),
        (["export", "{model}:missing"], "has no 'missing'"),
        (["export", "{model}:value"], "cannot be called"),
        (["export", "{model}"], "neither"),
        (["export", "{model}:double", "--input", "x"], "NAME=VALUE"),
        (["export", "{model}:double", "--input", "x=f99[2]"], "f99[2]"),
        (["export", "{model}:double", "--input", "x=f32[n]"], "f32[n]"),
        (["export", "{model}:double", "--input", "x=f32[=3]"], "f32[=3]"),
        (["export", "{model}:double", "--inputs", "missing.npz"], "missing.npz"),
        (["show", "missing.np2"], "missing.np2"),
        (["export", "math:sqrt"], "example inputs"),
        (["export", "npexport.nn:ReLU"], "--input 'input=f32[8,64]'"),
        (["explain", "E999"], "no error code E999"),
    ],
)
def test_wrong_command_lines(model, arguments, text, capsys):
    assert main([argument.format(model=model) for argument in arguments]) == 2
    assert text in capsys.readouterr().err


def test_an_unknown_option_shows_those_of_the_command(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["bench", "m.np2", "--target", "m.py:f"])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: npexport bench [-h]") and "npexport bench: error: unrecognized arguments: --target" in told


def test_targets(model):
    assert find_target("numpy:linalg.norm")[0] is np.linalg.norm
    assert type(find_target(f"{model}:Holder.inner")[0]).__name__ == "Net"


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("'a'", "a"), ("None", None), ("[1, 2]", [1, 2]), ("True", True), ("i64[]", np.zeros((), np.int64))]
)
def test_values(text, value):
    assert parse_value(text) == value


def test_values_from_files(tmp_path):
    np.save(path := str(tmp_path / "x.npy"), np.arange(3))
    assert np.array_equal(parse_value(path), np.arange(3)) and parse_value(repr(path)) == path
    np.savez(other := str(tmp_path / "y.npz"), np.arange(3))
    (tmp_path / "z.npy").write_bytes((tmp_path / "y.npz").read_bytes())
    np.save(tmp_path / "o.npy", np.array([{}], object), allow_pickle=True)
    for bad in ("z.npy", "o.npy"):
        with pytest.raises(UserError, match="is not an .npy file of a plain array"):
            parse_value(str(tmp_path / bad))
    with pytest.raises(UserError):
        parse_value(other)
    with pytest.raises(FileNotFoundError):
        parse_value(str(tmp_path / "none.npy"))


def test_bad_value():
    with pytest.raises(UserError):
        parse_value("__import__('os')")


def test_as_a_module(model):
    done = subprocess.run([sys.executable, "-m", "npexport", "export", f"{model}:double"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "ops.np.multiply" in done.stdout, done.stderr
