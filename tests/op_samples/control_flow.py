"""Calls of the operators of `ir/ops/control_flow.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Graph, GraphModule
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _iteration(*values: np.ndarray[Any, Any], name: str) -> GraphModule:
    """A sample: a sub-graph that gives what it takes."""
    graph = Graph()
    nodes = [graph.placeholder("x", {"val": TensorMeta(value.shape, value.dtype)}) for value in values]
    graph.output(tuple(nodes))
    return GraphModule(graph, name)


def _conds() -> Iterator[Call]:
    yield call(True, _iteration(arr(2, 3), name="true_graph_0"), _iteration(arr(2, 3), name="false_graph_0"), (arr(2, 3),))


def _whiles() -> Iterator[Call]:
    going = Graph()
    going.placeholder("x", {"val": TensorMeta((2,), np.dtype("f8"))})
    going.output((False,))
    yield call(GraphModule(going, "while_loop_cond_graph_0"), _iteration(arr(2), name="while_loop_body_graph_0"), (arr(2),), ())


def _choices() -> Iterator[Call]:
    yield call(True, arr(2, 3), arr(2, 3))


def _rooms() -> Iterator[Call]:
    yield call(arr(2, 3), 2)
    yield call(arr(2, 3), 3)
    yield call(arr(0), 1)


def _attempts() -> Iterator[Call]:
    graph = Graph()
    graph.placeholder("x", {"val": TensorMeta((2,), np.dtype("f8"))})
    graph.output(())
    yield call(GraphModule(graph, "try_graph_0"), ("numpy.linalg.LinAlgError",), (arr(2),))


def _scans() -> Iterator[Call]:
    yield call(_iteration(arr(2), arr(3), name="scan_combine_graph_0"), (arr(2),), (arr(4, 3),), (), 0, False, ((3,),))


def _maps() -> Iterator[Call]:
    yield call(_iteration(arr(3), name="map_body_graph_0"), (arr(4, 3),), (), ((3,),))


SAMPLES: dict[Op, Samples] = {
    ops.control.cond: _conds,
    ops.control.while_loop: _whiles,
    ops.control.scan: _scans,
    ops.control.map: _maps,
    ops.control.raised: _attempts,
    ops.control.message: _attempts,
    ops.control.chosen: _choices,
    ops.control.with_room: _rooms,
}
