"""``rows=`` of records: an operator that keeps rows apart gives of parts of them parts of what it gives of all."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport.ir import ops
from npexport.ir.graph import Graph, GraphModule, Node
from npexport.ir.independence import Proof, _Found, _states_of
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.rows import NUMBER, Coupled, Rows, standing
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import ExportError
from tests.op_samples import samples_of
from tests.support.shards import shard

STATED = [op for op in ops.REGISTRY if op.rows is not None and op.namespace in ("np", "nn") and "creation" not in op.traits]


class Place:
    """Where an array stands among the arguments of a call."""

    def __init__(self, array: np.ndarray, axis: int | None) -> None:
        self.array, self.axis = array, axis


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif type(value) in (tuple, list):
        for item in value:
            yield from arrays_of(item)
    elif type(value) is dict:
        for item in value.values():
            yield from arrays_of(item)


def mapped(value: Any, fn: Any) -> Any:
    if isinstance(value, np.ndarray):
        return fn(value)
    if type(value) in (tuple, list):
        return type(value)(mapped(item, fn) for item in value)
    if type(value) is dict:
        return {key: mapped(item, fn) for key, item in value.items()}
    return value


def choices(args: Any, kwargs: Any) -> Iterator[list[int | None]]:
    """For the arrays of a call, the axis along which the rows of each stand: axes of one size."""
    arrays = list(arrays_of((args, kwargs)))[:3]
    axes = [[None, *range(array.ndim)] for array in arrays]
    for chosen in itertools.product(*axes):
        sizes = {array.shape[axis] for array, axis in zip(arrays, chosen) if axis is not None}
        if len(sizes) == 1 and min(sizes) >= 2:
            yield list(chosen)


def graph_of(op: Op, args: Any, kwargs: Any, chosen: list[int | None]) -> tuple[Graph, ShapeEnv, list[np.ndarray]]:
    """The call as a graph whose inputs are its arrays, with one dynamic size."""
    env = ShapeEnv()
    graph = Graph()
    arrays: list[np.ndarray] = []
    sizes = {array.shape[axis] for array, axis in zip(arrays_of((args, kwargs)), chosen) if axis is not None}
    size = env.create_symbol("n", sizes.pop())

    def placeholder(array: np.ndarray) -> Node:
        axis = chosen[len(arrays)] if len(arrays) < len(chosen) else None
        shape = tuple(size if i == axis else one for i, one in enumerate(array.shape))
        arrays.append(array)
        return graph.placeholder(f"x{len(arrays)}", {"val": TensorMeta(shape, array.dtype)})

    args, kwargs = mapped((args, kwargs), placeholder)
    node = graph.call_function(op, args, kwargs)
    graph.output((node,))
    return graph, env, arrays


def part(array: np.ndarray, rows: Rows | None, begin: int, end: int) -> np.ndarray:
    return array if rows is None else array[(slice(None),) * rows.axis + (slice(begin * rows.each.const, end * rows.each.const),)]


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, (tuple, list)) and type(value) is not Rows else [value]


def require_parts(graph: Graph, arrays: list[np.ndarray], inputs: list[Any], outputs: list[Any], exact: bool) -> None:
    count = next(array.shape[rows.axis] for array, rows in zip(arrays, inputs) if rows is not None)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        whole = flat(graph.run(*arrays))
        for cut in range(1, count):
            first = flat(graph.run(*(part(array, rows, 0, cut) for array, rows in zip(arrays, inputs))))
            second = flat(graph.run(*(part(array, rows, cut, count) for array, rows in zip(arrays, inputs))))
            for expected, one, other, rows in zip(whole, first, second, flat(outputs), strict=True):
                assert rows is not NUMBER
                joined = one if rows is None else np.concatenate([one, other], rows.axis)
                require_same(expected, joined, exact)


def require_same(expected: Any, actual: Any, exact: bool) -> None:
    expected, actual = np.asarray(expected), np.asarray(actual)
    assert (expected.shape, expected.dtype) == (actual.shape, actual.dtype)
    if exact or expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(actual, expected)
    else:
        tolerance = 64 * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * np.max(np.abs(expected), initial=1.0))


def proved(graph: Graph, env: ShapeEnv) -> tuple[list[Any], list[Any], bool] | None:
    """The states of inputs and outputs, and whether parts are exact; ``None`` where nothing is proved."""
    if env.guards:  # the size is no longer any size
        return None
    proof = Proof("n", "s0")
    try:
        inputs = [standing(node.meta["val"], "s0") for node in graph.placeholders]
        outputs = _states_of(graph, inputs, proof)
    except (Coupled, _Found):
        return None
    return inputs, outputs, not proof.rounded


@pytest.mark.parametrize("op", shard(STATED, 2), ids=str)
def test_rows_of_parts_are_parts_of_the_rows(op: Op) -> None:
    found = tried = 0
    for args, kwargs in samples_of(op)[:40]:
        if any(isinstance(leaf, GraphModule) for leaf in args):
            continue
        for chosen in choices(args, kwargs):
            tried += 1
            try:
                graph, env, arrays = graph_of(op, args, kwargs, chosen)
            except (ExportError, ValueError, TypeError, IndexError):  # these axes cannot have one size together
                continue
            proof = proved(graph, env)
            if proof is not None:
                found += 1
                require_parts(graph, arrays, *proof)
    assert found or not tried or str(op) == "ops.np.broadcast_to"  # whose samples name sizes
