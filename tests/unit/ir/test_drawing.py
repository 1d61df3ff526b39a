"""The boxes of a drawing: each node stands in one, and what is folded has no circle."""

import json

import numpy as np
import pytest

from npexport import Dim, cond, export, nn
from npexport.ir.drawing import drawing


def leaves(items):
    for item in items:
        yield from leaves(item[2]) if isinstance(item, list) else (item,)


def levels(items):
    yield items
    for item in items:
        if isinstance(item, list):
            yield from levels(item[2])


def drawn(program, hidden=()):
    return json.loads(drawing(program.graph, hidden, {}))


def titles(content, items):
    return [item[0] if isinstance(item, list) else content["nodes"][item][1] for item in items]


def scale(x, by):
    y = x * by
    z = np.sin(y)
    return z + y


def looped(x):
    for number in range(3):
        x = scale(x, number)
    return scale(x, 7) + scale(x, 8)


FIRST = looped.__code__.co_firstlineno


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
        self.last = nn.Linear(3, 2)

    def forward(self, x):
        return self.last(self.inner(x) * 2)


def branchy(x):
    return cond(x.sum() > 0, lambda x: np.sin(x) + 1, lambda x: -x, (x,))


def many(*arrays):
    total = scale(arrays[0], arrays[1])
    for array in arrays[2:]:
        total = np.cos(array) + total + arrays[0]
    return total


def long(x):
    for _ in range(2000):
        x = np.sin(x)
    return x


PROGRAMS = {
    "functions": lambda: export(looped, (np.ones(3),)),
    "modules": lambda: export(Net(), (np.ones((2, 4), np.float32),), dynamic_shapes=({0: Dim("n")},)),
    "branches": lambda: export(branchy, (np.ones(3),)),
    "inputs": lambda: export(many, tuple(np.ones(3) for _ in range(40))),
    "long": lambda: export(long, (np.ones(3),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_node_stands_in_one_place_and_edges_lead_forward(name):
    program = PROGRAMS[name]()
    content = drawn(program)
    order = list(leaves(content["boxes"]))
    assert sorted(order) == list(range(len(content["nodes"])))
    place = {number: index for index, number in enumerate(order)}
    assert content["edges"] and all(place[start] < place[end] for start, end in content["edges"])
    assert all(len(items) > 1 for items in levels(content["boxes"])) and max(map(len, levels(content["boxes"]))) <= 60


def test_calls_from_a_loop_are_boxes_of_their_own():
    content = drawn(PROGRAMS["functions"]())
    assert titles(content, content["boxes"]) == ["x", *["scale"] * 5, "add", "output"]
    assert {box[1] for box in content["boxes"] if isinstance(box, list)} == {f"line {FIRST + 2}", f"line {FIRST + 3}"}


def test_modules_are_boxes_and_give_single_nodes_their_names():
    content = drawn(PROGRAMS["modules"](), {"p_inner_0_weight", "p_inner_0_bias", "p_last_weight", "p_last_bias"})
    assert titles(content, content["boxes"]) == ["x", "inner", "multiply", "last: linear", "output"]
    assert titles(content, content["boxes"][1][2]) == ["inner.0: linear", "inner.1: relu"]


def test_calls_may_be_nested_deeper_than_python_draws():
    program = export(lambda x: x * 2 + 1, (np.ones(3),))
    for node in program.graph.nodes:
        if "stack_trace" in node.meta:
            node.meta["stack_trace"] *= 3000
    assert json.loads(drawing(program.graph, (), {}))["nodes"]


def test_sides_of_branches_are_boxes():
    content = drawn(PROGRAMS["branches"]())
    box = next(item for item in content["boxes"] if isinstance(item, list))
    assert titles(content, box[2]) == ["cond", "true_graph_0", "false_graph_0"]
    entries = [item[2][0] for item in box[2][1:]]
    assert all([box[2][0], entry] in content["edges"] for entry in entries)


def test_many_inputs_stand_where_they_are_used():
    content = drawn(PROGRAMS["inputs"]())
    (inside,) = [item[2] for items in levels(content["boxes"]) for item in items if isinstance(item, list) and item[0] == "scale"]
    assert "arrays_1" in titles(content, inside) and "arrays_0" not in titles(content, inside)


def test_what_is_hidden_is_not_drawn():
    content = drawn(export(lambda x1, x2: np.add(x1, x2), (np.ones(3), np.ones(3))), {"x2"})
    assert titles(content, content["boxes"]) == ["x1", "add", "output"]
    assert content["edges"] == [[0, 2], [2, 3]]


def test_nothing_closes_the_script():
    def f(x):
        return x, "</script><!--"

    graph = export(f, (np.ones(2),)).graph
    text = drawing(graph, (), dict.fromkeys(graph.nodes, "</script>"))
    assert not set("<>&") & set(text)
    assert json.loads(text)["boxes"] == [0, 1]
