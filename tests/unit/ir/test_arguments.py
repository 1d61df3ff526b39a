"""The traversal of arguments, and the users that nodes keep."""

from collections import namedtuple

import numpy as np
import pytest

import npexport
from npexport.ir import ops
from npexport.ir.arguments import is_default, key_of, keys_of, leaves_of, map_leaves
from npexport.ir.graph import Graph
from npexport.ir.passes import common_subexpressions, dead_code, fold_constants
from npexport.nn import Linear

Pair = namedtuple("Pair", "a b")
NESTED = [
    (), [], {}, 1, (1, [2, (3,)]), {"a": [1], "b": {"c": (2,)}}, [slice(1, (2, [3]), None)], (Pair(1, 2), [Pair(3, 4)]), ({"k": slice(0)},),
]  # fmt: skip


@pytest.mark.parametrize("arg", NESTED, ids=repr)
def test_leaves_are_those_that_are_mapped(arg):
    seen = []
    assert map_leaves(arg, lambda leaf: seen.append(leaf) or leaf) == arg
    assert seen == leaves_of(arg)
    assert all(type(leaf) not in (tuple, list, dict, slice) for leaf in seen)
    assert map_leaves(map_leaves(arg, lambda leaf: (leaf,)), repr) == map_leaves(arg, lambda leaf: (repr(leaf),))


def test_keys_of_dicts():
    assert keys_of(({"a": [{"b": 1}], 3: ()}, {"c": 2})) == ["a", 3, "b", "c"]


def test_keys_tell_apart_what_differs():
    values = [1, 1.0, True, 0.0, -0.0, "1", b"1", None, ..., np.float32(1), np.float64(1), 1 + 0j, float("nan"), np.float64("nan")]
    values += [wrap(value) for value in values for wrap in (lambda v: (v,), lambda v: [v], lambda v: {"k": v}, lambda v: slice(v))]
    assert len({key_of(value) for value in values}) == len(values)
    assert key_of(float("nan")) == key_of(float("nan"))


@pytest.mark.parametrize("default", [0.0, 1, True, None, "a", (1, 0.0), ()], ids=repr)
def test_defaults_are_the_very_value(default):
    others = [0.0, -0.0, 0, False, 1, 1.0, True, None, "a", (1, 0.0), (1, -0.0), (True, 0.0), [1, 0.0], ()]
    assert [value for value in others if is_default(default, value)] == [default]
    assert [type(value) for value in others if is_default(default, value)] == [type(default)]


def users_of(graph):
    found = {node: {} for node in graph}
    for node in graph:
        for operand in node.all_input_nodes:
            found[operand][node] = None
    return found


def check(graph):
    assert {node: set(node.users) for node in graph} == {node: set(users) for node, users in users_of(graph).items()}


def writes(x):
    x[0] = 1.0
    x[:] = 2.0
    x[1] = x[2] + 1
    np.sin(x)
    return x.sum(), np.cos(x), np.cos(x)


def branches(x, y):
    z = np.concatenate([x, y, x])
    return z[z > 0], np.linalg.inv(np.outer(x, y)[:2, :2] + np.eye(2))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (writes, (np.arange(5.0),)),
        (branches, (np.arange(3.0), np.ones(3))),
        (Linear(3, 4), (np.ones((2, 3)),)),
        (lambda x: x + np.arange(3.0) * 2.0, (np.ones(3),)),
    ],
)
def test_users_are_true_after_every_pass(function, args, tmp_path):
    program = npexport.export(function, args)
    check(program.graph)
    for change in (common_subexpressions, fold_constants, dead_code):
        change(program)
        check(program.graph)
    npexport.save(program, tmp_path / "program.npe")
    check(npexport.load(tmp_path / "program.npe").graph)


def test_users_follow_arguments():
    graph = Graph()
    a, b = graph.placeholder("a", {}), graph.placeholder("b", {})
    node = graph.record(ops.np.add, (a, [b, {"k": slice(a, None)}]), {}, {})
    assert list(a.users) == list(b.users) == [node]
    node.args = (b, b)
    assert list(a.users) == [] and list(b.users) == [node]
    node.kwargs = {"where": a}
    assert list(a.users) == [node]
    graph.keep([a, b])
    assert not a.users and not b.users and list(graph) == [a, b]
    graph.keep([a, b, node])
    assert list(a.users) == [node]
