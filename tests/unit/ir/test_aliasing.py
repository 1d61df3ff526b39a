"""Which values of a graph an output is a view of, for certain or as the data say."""

import numpy as np
import pytest

from npexport.ir import aliasing
from tests.support.program_builder import Builder

X = np.zeros((4, 3))


@pytest.fixture
def nodes():
    """Of a program that writes to one of two inputs: views of both, and one of these as the data say."""
    builder = Builder()
    x, y = builder.input("x", X), builder.input("y", X)
    written = builder.call("np.add", x, 1.0)
    view, other = builder.call("np.transpose", written), builder.call("np.transpose", y)
    chosen = builder.call("control.chosen", builder.call("np.any", x), view, other)
    row, copy = builder.call("np.getitem", chosen, 0), builder.call("np.copy", view)
    return {"x": x, "y": y, "written": written, "view": view, "other": other, "chosen": chosen, "row": row, "copy": copy}


def names_of(found, nodes):
    return [name for node in found for name in nodes if nodes[name] is node]


WAYS = {
    "row": (["written"], ["other"], ["view", "chosen", "row"]),
    "chosen": (["written"], ["other"], ["view", "chosen"]),
    "view": (["written"], [], ["view"]),
    "written": (["written"], [], []),
    "other": ([], ["other"], []),
    "copy": ([], ["copy"], []),
    "x": ([], ["x"], []),
}


@pytest.mark.parametrize("name", WAYS)
def test_what_an_output_is_made_of(nodes, name):
    written, ends, way = WAYS[name]
    final = {nodes["written"]}
    assert names_of(aliasing.leads_to(nodes[name], final), nodes) == written
    assert names_of(aliasing.ends_of(nodes[name], final), nodes) == ends
    assert names_of(aliasing.way_to(nodes[name], final), nodes) == way


def test_which_values_lead_to_a_written_one(nodes):
    found = aliasing.leading_to(list(nodes.values()), {nodes["written"]})
    assert sorted(names_of(found, nodes)) == ["chosen", "row", "view", "written"]
    assert aliasing.leading_to(list(nodes.values()), set()) == set()
