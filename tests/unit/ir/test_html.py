"""The report of a program: well-formed, without network, with all text escaped."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from npexport import Dim, cond, explain, export, nn

VOID = {"meta", "br", "link"}


class Reader(HTMLParser):
    """Holds every opened element to be closed, and collects attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.text, self.scripts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.text).append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

    def forward(self, x, mode="<script>alert(1)</script>"):
        y = self.layers(x)  # <b>not bold</b>
        return y.sum() * 2, mode


PROGRAMS = [
    lambda: export(Net(), (np.ones((2, 4), np.float32),), {"mode": "<script>alert(1)</script>"}),
    lambda: export(Net(), (np.ones((2, 4), np.float32),), dynamic_shapes=({0: Dim("n", max=9)},)),
    lambda: export(lambda x: cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,)), (np.ones(3),)),
    lambda: export(lambda: 3),
]


@pytest.mark.parametrize("make", PROGRAMS)
def test_the_report_is_one_file_that_needs_nothing(make, tmp_path):
    program = make()
    text = program.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == text
    reader = read(text)
    assert not [row for row in reader.attributes if row[1] in ("src", "href", "onclick") or str(row[2]).startswith("http")]
    assert text.count("<script") == 2
    drawn = json.loads(reader.scripts[0])
    assert len(drawn["nodes"]) == sum(len(graph.nodes) for graph in program.graph.all_graphs())
    assert "://" not in text
    read(program._repr_html_())
    assert "<script" not in program._repr_html_()


def test_lines_and_nodes_have_one_mark():
    program = export(Net(), (np.ones((2, 4), np.float32),))
    marks = [value for _, name, value in read(program.to_html()).attributes if name == "data-line"]
    lines = {mark for mark in marks if mark.endswith(tuple("0123456789"))}
    assert len(lines) == 2
    assert all(marks.count(mark) >= 2 for mark in lines), "the line itself and its nodes"
    calls = sum(node.op == "call_function" for node in program.graph.nodes)
    assert len(marks) == len(lines) + 2 * calls, "each call stands in the graph and in the box of its module"


def test_the_report_says_what_there_is():
    program = export(Net(), (np.ones((2, 4), np.float32),), dynamic_shapes=({0: Dim("n", max=9)},))
    text = " ".join(read(program.to_html()).text)
    for part in ("layers.0.weight", "PARAMETER", "VR[0, 9]", "ops.nn.linear", "Sequential, 2 calls", "f32[s0, 4]"):
        assert part in text
    assert re.search(r"y = self\.layers\(x\)\s+# <b>not bold</b>", text)


def test_modules_are_boxes_in_one_another():
    program = export(Net(), (np.ones((2, 4), np.float32),))
    text = program.to_html()
    heads = re.findall(r"<details class=\"module\"( open)?><summary>(.*?) <span class=\"number\">(.*?)</span>", text)
    assert heads == [
        (" open", "the program", "Net, 4 calls"), ("", "layers", "Sequential, 2 calls"), ("", "layers.0", "Linear, 1 call"),
        ("", "layers.1", "ReLU, 1 call"),
    ]  # fmt: skip
    assert "Modules" not in read(export(np.sin, (np.ones(2),)).to_html()).text


def refused(x):
    table = {float(x.max()): x}
    return open("<b>"), table


def test_explanations_show_each_problem_with_its_line():
    found = explain(refused, (np.ones(3),))
    reader = read(found.to_html())
    for part in ("2 problems", "E104", "E105", "    table = {float(x.max()): x}", '    return open("<b>"), table', "Problems"):
        assert part in reader.text or any(part in text for text in reader.text)
    assert not any("\\n" in text for text in reader.text) and any("^^^" in text for text in reader.text)
    assert "The program can be exported" in read(explain(np.sin, (np.ones(3),)).to_html()).text


def test_messages_of_several_lines_keep_them():
    """A violation names the line of each promise, and ends in code to copy."""
    text = explain(lambda x, y: x[1:] + y, (np.ones(4), np.ones(3)), dynamic_shapes=({0: Dim("a")}, {0: Dim("b")})).to_html()
    assert "<p>Constraints violated (a, b)!</p>" in text and "<div>Suggested fixes:</div><div>  a = b + 1</div>" in text
    assert "\\n" not in text[text.index("<main") : text.index("</main>")]


def test_refused_lines_stand_beside_the_graph_under_the_names_of_their_functions():
    text = explain(refused, (np.ones(3),)).to_html()
    source = re.search(r'<div class="code source">(.*?</div>)</div>', text)[1]
    assert re.findall(r'<div class="file">(.*?)</div>', source) == [f"{__file__}, refused"]
    lines = re.findall(r'<div tabindex="0"( class="refused" title="refused")? data-line=".*?</span>(.*?)</div>', source)
    assert lines == [
        (' class="refused" title="refused"', code) for code in ("table = {float(x.max()): x}", "return open(&quot;&lt;b&gt;&quot;), table")
    ]
    assert 'class="refused"' not in export(np.sin, (np.ones(2),)).to_html()


def test_long_tables_are_folded():
    text = export(nn.Sequential(*[nn.Linear(4, 4) for _ in range(40)]), (np.ones((2, 4), np.float32),)).to_html()
    assert re.findall(r"<h2>(\S+)[^<]*</h2><details><summary>(.*?)</summary><table>", text) == [
        ("Inputs", "82 rows"),
        ("Arrays", "80 rows"),
    ]
    assert "<details><summary>" not in export(Net(), (np.ones((2, 4), np.float32),)).to_html()


def test_costs_name_the_file_without_its_folders():
    text = " ".join(read(export(Net(), (np.ones((2, 4), np.float32),)).to_html()).text)
    assert re.search(r"(?<!/)test_html\.py:\d+: y = self\.layers", text)


def test_notebooks_show_it_short():
    def long(x):
        for _ in range(40):
            x = np.sin(x)
        return x

    text = export(long, (np.ones(3),))._repr_html_()
    assert text.count("ops.np.sin") == 12
    assert "and 28 more" in text


def test_notebooks_show_what_is_passed_before_many_parameters():
    model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(300)])
    text = export(model, (np.ones((2, 4), np.float32),))._repr_html_()
    assert len(text) < 10_000 and "USER_INPUT" in text and "USER_OUTPUT" in text and "… and 578 more" in text


def test_the_title_counts_the_nodes_of_branches_too():
    page = export(lambda x: x + 1 if x.sum() > 0 else x * 2 - 1, (np.ones(3),)).to_html()
    (found,) = set(re.findall(r"Exported program of (\d+) nodes, (\d+) with those of its branches and loops", page))
    assert int(found[0]) < int(found[1])
    assert "Exported program of 3 nodes<" in export(lambda x: x + 1, (np.ones(3),)).to_html()
