"""Graphs in Graphviz' language."""

import re

import numpy as np

from npexport import cond, export, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

    def forward(self, x, name='a "quoted"\\n'):
        return self.layers(x) * 2, name


def parts(text):
    """The labels by identifier, and the edges."""
    return dict(re.findall(r'^\s*(n\d+) \[.*label="(.*)"\];$', text, re.M)), re.findall(r"^\s*(n\d+) -> (n\d+);$", text, re.M)


def test_every_node_is_a_box_and_every_operand_an_edge():
    program = export(Net(), (np.ones((2, 4), np.float32),))
    text = program.to_dot()
    labels, edges = parts(text)
    assert len(labels) == len(program.graph)
    assert len(edges) == sum(len(node.all_input_nodes) for node in program.graph)
    assert {start for edge in edges for start in edge} <= labels.keys()
    assert text.count("{") == text.count("}")
    assert re.findall(r'label="(layers[^"]*)";', text) == ["layers", "layers.0", "layers.1"]
    assert any(label == r"linear = ops.nn.linear\nf32[2, 3]" for label in labels.values())


def test_sub_graphs_are_clusters():
    program = export(lambda x: cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,)), (np.ones(3),))
    text = program.to_dot()
    labels, _ = parts(text)
    assert len(labels) == sum(len(graph) for graph in program.graph.all_graphs())
    assert 'label="true_graph_0";' in text
    assert 'label="false_graph_0";' in text


def test_texts_of_programs_are_quoted():
    program = export(lambda x: x + 1, (np.ones(2),))
    program.graph.nodes[1].name = 'x"];evil['
    assert r"x\"];evil[" in program.to_dot()
