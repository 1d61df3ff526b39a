"""The examples run as a reader would run them, and the trained network is what its training script makes."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import npexport
from tests.support.paths import EXAMPLES


@pytest.fixture
def training(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import train_digits

    return train_digits


def test_digits():
    done = subprocess.run([sys.executable, str(EXAMPLES / "digits.py")], capture_output=True, text=True, check=True)
    *_, eager, exported = done.stdout.splitlines()
    assert eager.startswith("eager accuracy: 0.9") and exported == eager.replace("eager", "exported")
    assert float(eager.split()[-1]) > 0.95
    for line in (
        'images: "f32[s0, 1, 8, 8]"',
        "ops.nn.conv2d(images, p_conv1_weight, p_conv1_bias",
        "Range constraints: {s0: VR[0, int_oo]}",
    ):
        assert line in done.stdout, done.stdout


# what an example prints, and the libraries that it needs
OTHERS = {
    "heat.py": ("nodes for 20 steps", []),
    "signal_chain.py": ("def forward(self", ["scipy"]),
    "sklearn_pipeline.py": ("def forward(self", ["sklearn"]),
    "text_generator.py": ("nodes, state: position", []),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_examples(name):
    """They compare the program with eager execution themselves."""
    printed, libraries = OTHERS[name]
    for library in libraries:
        pytest.importorskip(library, reason="an example of the use of this library")
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == {"digits.py", "train_digits.py", *OTHERS}


def cell_values(path):
    """What the code cells of a notebook give, run one after the other as a kernel runs them."""
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "a notebook is kept without outputs"
            tree = ast.parse("".join(cell["source"]), f"cell {number}")
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, f"cell {number}", "exec"), scope)
            yield None if last is None else eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), scope)


def test_notebook(capsys):
    program, means, refused, size, network, calls = cell_values(EXAMPLES / "first_steps.ipynb")
    html = program._repr_html_()
    assert "<b>ExportedProgram</b>: " in html and "ops.np.mean(x, 0" in html and "VR[2, 10000]" in html
    assert len(html) < size and "<script" not in html, "a cell shows a program short"
    assert (means.tolist(), refused, calls) == ([0.0] * 3, None, 3)
    assert "x.shape[0]" in capsys.readouterr().out
    assert "ops.nn.linear" in network._repr_html_()


def test_notebook_in_a_kernel():
    """… as Jupyter runs it: every cell gives what it shows, a program its HTML, and none an error."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "first_steps.ipynb", as_version=4)
    paths = os.pathsep.join([str(Path(npexport.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}})
    client.execute(env={**os.environ, "PYTHONPATH": paths})
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert shown and not [output for output in shown if output.output_type == "error"]
    assert [output for output in shown if "<b>ExportedProgram</b>" in output.get("data", {}).get("text/html", "")]


def test_every_notebook_is_run():
    assert [path.name for path in EXAMPLES.glob("*.ipynb")] == ["first_steps.ipynb"]


def test_the_weights_file_is_small():
    assert (EXAMPLES / "digits.npz").stat().st_size < 150_000


def test_gradients_by_hand_are_differences(training):
    rng = np.random.default_rng(0)
    network = training.DigitsNet(rng).double()
    images, labels = rng.random((3, 1, 8, 8)), np.array([1, 0, 7])
    _, grads = training.gradients(network, images, labels)
    for name, value in network.named_parameters():
        place = tuple(rng.integers(size) for size in value.shape)
        losses = []
        for step in (1e-6, -2e-6):
            value[place] += step
            losses.append(training.gradients(network, images, labels)[0])
        value[place] += 1e-6
        assert grads[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-6, rel=1e-4, abs=1e-8), name


def test_training_learns_and_is_deterministic(training):
    import digits

    _, images, labels = digits.load_trained()
    network, again = [training.train(images[:300], labels[:300], epochs=20) for _ in range(2)]
    assert (network(images[300:]).argmax(axis=1) == labels[300:]).mean() > 0.8
    for value, other in zip(network.parameters(), again.parameters()):
        np.testing.assert_array_equal(value, other)
