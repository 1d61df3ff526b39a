"""Copies and pickles of programs: graphs of their own, of any length."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from npexport import Dim, diff, export, scan

HOW = {"deepcopy": copy.deepcopy, "pickle": lambda value: pickle.loads(pickle.dumps(value))}


def chain(x):
    for step in range(3000):
        x = x + step if step % 2 else x * 0.5
    return x


def scanned(xs):
    return scan(lambda c, x: (c + x, c), np.zeros(2), xs)


@pytest.mark.parametrize("how", HOW)
def test_long_graphs(how):
    program = export(chain, (np.ones(2),), unroll=True)
    again = HOW[how](program)
    assert len(again.graph) == 3002 and not diff(program, again)
    assert all(node.graph is again.graph for node in again.graph) and again.graph.nodes[1] is not program.graph.nodes[1]
    again.validate()
    np.testing.assert_array_equal(again.module()(np.ones(2)), program.module()(np.ones(2)))


@pytest.mark.parametrize("how", HOW)
def test_programs_that_have_run(how):
    program = export(scanned, (np.ones((4, 2)),), dynamic_shapes=({0: Dim("n", min=1)},))
    wanted = program.module()(np.ones((6, 2)))
    again = HOW[how](program)
    assert not diff(program, again)
    for one, other in zip(again.module()(np.ones((6, 2))), wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("how", HOW)
def test_a_node_is_copied_with_its_graph(how):
    graph = export(lambda x: np.sin(x) + 1, (np.ones(2),)).graph
    node = HOW[how](graph.nodes[1])
    assert node.name == "sin" and node.graph.nodes[1] is node and node.graph is not graph
    node, other = HOW[how]((graph.nodes[1], graph))
    assert other.nodes[1] is node
    with graph.inserting_after(graph.nodes[1]):
        assert HOW[how](graph).place[0].name == "sin"
