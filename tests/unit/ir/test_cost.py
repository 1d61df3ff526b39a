"""What a program is said to cost: products by their own formulas, per line, per module, at most."""

import json
import re

import numpy as np
import pytest

from npexport import Dim, draft_export, explain, export, load, nn, passes, save, scan
from npexport.ir import cost

X, Y = np.ones((2, 3, 4)), np.ones((2, 4, 5))
IMAGE = np.ones((2, 4, 8, 8), np.float32)

CALLS = {
    "matmul": (lambda: np.matmul, (X, Y), 2 * 2 * 3 * 4 * 5, 2 * 3 * 5 * 8),
    "dot": (lambda: np.dot, (X[0], Y[0]), 2 * 3 * 4 * 5, 3 * 5 * 8),
    "inner": (lambda: np.inner, (X[0], X[1]), 2 * 3 * 3 * 4, 3 * 3 * 8),
    "vdot": (lambda: np.vdot, (X[0, 0], X[1, 1]), 2 * 4, 8),
    "vecdot": (lambda: lambda x: np.vecdot(x, x, axis=1), (X,), 2 * 2 * 3 * 4, 2 * 4 * 8),
    "tensordot": (lambda: lambda x, y: np.tensordot(x, y, ([0, 2], [0, 1])), (X, Y), 2 * 3 * 5 * 2 * 4, 3 * 5 * 8),
    "tensordot_last": (lambda: lambda x, y: np.tensordot(x, y, 1), (X, Y[0]), 2 * 2 * 3 * 5 * 4, 2 * 3 * 5 * 8),
    "einsum": (lambda: lambda x, y: np.einsum("bij,bjk->bik", x, y), (X, Y), 2 * 2 * 3 * 4 * 5, 2 * 3 * 5 * 8),
    "linear": (lambda: nn.Linear(4, 6), (X.astype(np.float32),), 2 * 2 * 3 * 4 * 6, 2 * 3 * 6 * 4),
    "convolution": (lambda: nn.Conv2d(4, 6, 3, groups=2, bias=False), (IMAGE,), 2 * 2 * 6 * 36 * 2 * 9, 2 * 6 * 36 * 4),
    "transposed": (lambda: nn.ConvTranspose2d(4, 6, 2, bias=False), (IMAGE,), 2 * 2 * 4 * 64 * 6 * 4, 2 * 6 * 81 * 4),
    "attention": (lambda: lambda q: nn.functional.scaled_dot_product_attention(q, q, q), (X,), 2 * 2 * (2 * 3 * 3 * 4), 2 * 3 * 4 * 8),
    "element_wise": (lambda: np.sin, (X,), 24, 24 * 8),
    "reduction": (lambda: lambda x: x.sum(1), (X,), 24, 8 * 8),
    "view": (lambda: lambda x: x[:, ::2], (X,), 0, 0),
    "sorted": (lambda: np.sort, (X,), 0, 24 * 8),
    "several": (lambda: lambda x: np.linalg.slogdet(x[:, :3, :3])[1], (X,), 0, 2 * 2 * 8),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    make, args, flops, size = CALLS[name]
    total = cost.by_module(export(make(), args).graph)[""]
    assert (total.flops.const, total.bytes.const) == (flops, size)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        hidden = self.first(x)
        return self.last(hidden) * 2


@pytest.fixture
def graph():
    return export(Net(), (np.ones((3, 4), np.float32),), dynamic_shapes=({0: Dim("n")},)).graph


def test_sizes_are_expressions(graph):
    modules = {name: (row.calls, str(row.flops), str(row.bytes)) for name, row in cost.by_module(graph).items()}
    assert modules == {
        "": (4, "106*s0", "80*s0"),
        "first": (2, "72*s0", "64*s0"),
        "first.0": (1, "64*s0", "32*s0"),
        "first.1": (1, "8*s0", "32*s0"),
        "last": (1, "32*s0", "8*s0"),
    }
    lines = {source: str(row.flops) for (_, _, source), row in cost.by_line(graph).items()}
    assert lines == {"hidden = self.first(x)": "72*s0", "return self.last(hidden) * 2": "34*s0"}


def test_the_peak_counts_what_lives_at_once(graph):
    most = cost.peak(graph)
    assert (str(most.bytes), most.node.name) == ("64*s0", "relu")
    kept = export(lambda x: (np.sin(x), np.cos(x)[:2], np.exp(x).sum()), (np.ones(10),)).graph
    assert cost.peak(kept).bytes.const == 3 * 80 + 8
    assert cost.peak(export(lambda x: x, (X,)).graph).node is None


def test_of_a_loop_one_iteration_is_counted():
    graph = export(lambda x: scan(lambda c, row: (c + row, c * 2), np.zeros(4), x[0]), (X,)).graph
    assert cost.by_module(graph)[""].flops.const == 4 + 4


def test_reports_show_it():
    shapes = ({0: Dim("n")},)
    example = (np.ones((3, 4), np.float32),)
    for text in (export(Net(), example, dynamic_shapes=shapes).to_html(), explain(Net(), example, dynamic_shapes=shapes).to_html()):
        shown = re.sub(r"<[^>]+>", " ", text)
        assert "FLOPs" in shown and "106*s0" in shown and "first.0" in shown
        assert "Peak memory of new arrays: 64*s0 bytes, 192 at the sizes of the example, at relu" in shown


def test_the_report_of_an_export_holds_it_as_data():
    program = export(Net(), (np.ones((3, 4), np.float32),), dynamic_shapes=({0: Dim("n")},))
    found = program.report.as_dict()["cost"]
    assert json.loads(json.dumps(found)) == found
    lines = [(row["source"], row["calls"], row["flops"], row["bytes"]) for row in found["lines"]]
    assert lines == [("hidden = self.first(x)", 2, "72*s0", "64*s0"), ("return self.last(hidden) * 2", 2, "34*s0", "16*s0")]
    assert {row["file"] for row in found["lines"]} == {__file__}
    assert {"path": "first.0", "calls": 1, "flops": "64*s0", "bytes": "32*s0"} in found["modules"]
    line = found["lines"][0]["line"]
    assert found["peak"] == {"bytes": "64*s0", "node": "relu", "file": __file__, "line": line}


def test_so_does_that_of_a_program_that_is_loaded_decomposed_or_changed(tmp_path):
    program = export(Net(), (np.ones((3, 4), np.float32),), dynamic_shapes=({0: Dim("n")},))
    save(program, tmp_path / "program.np2")
    loaded = load(tmp_path / "program.np2")
    found = loaded.report.as_dict()
    assert json.loads(json.dumps(found)) == found and found["cost"]["modules"] == program.report.as_dict()["cost"]["modules"]
    assert (found["seconds"], found["reads"], found["emitted"]) == (None, [], []) and str(loaded.report) == "Nothing to report."
    decomposed = program.run_decompositions()
    assert decomposed.report.as_dict()["cost"] == cost.as_dict(decomposed.graph) != cost.as_dict(program.graph)
    assert decomposed.report.seconds == program.report.seconds
    assert passes.share(program).report.as_dict()["cost"] == program.report.as_dict()["cost"]


@pytest.mark.parametrize("run", [export, draft_export], ids=["export", "draft"])
def test_costs_of_known_sizes_are_numbers(run):
    found = run(lambda x: np.sin(x) @ x, (np.ones((3, 3)),)).report.as_dict()["cost"]
    assert found["modules"] == [{"path": "", "calls": 2, "flops": 9 + 54, "bytes": 2 * 72}]
    assert found["peak"]["bytes"] == 2 * 72
    nothing = run(lambda x: x, (np.ones(3),)).report.as_dict()["cost"]
    assert nothing == {"lines": [], "modules": [], "peak": {"bytes": 0, "node": None, "file": None, "line": None}}


def test_the_text_has_a_row_for_each_line_and_module(graph):
    head, *rows, last = cost.as_text(graph).splitlines()
    assert head.split() == ["calls", "FLOPs", "bytes"]
    assert len(rows) == 2 + 5 and any(row.split() == ["4", "106*s0", "80*s0", "the", "program"] for row in rows)
    assert any(row.split()[:3] == ["2", "72*s0", "64*s0"] and row.endswith("hidden = self.first(x)") for row in rows)
    assert last == "Peak memory of new arrays: 64*s0 bytes at relu"
