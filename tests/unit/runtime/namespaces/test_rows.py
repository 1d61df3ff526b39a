"""What operators are in the words of the array-API standard, held to NumPy by their samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, map_nodes
from npexport.ir.op import REGISTRY, registered
from npexport.runtime.namespaces.running import Running, _function
from npexport.runtime.namespaces.space import Lacks, Space
from tests.op_samples import samples_of

MOST = 8
"""How many samples of an operator are computed: some have hundreds."""

IN_ANY_ORDER = {"np.unique_values"}

SAMPLED = sorted(f"np.{op.name}" for op in REGISTRY if op.namespace == "np" and op.lowering is not None)


def operands(value: Any, made: dict[Node, Any]) -> Any:
    """The arguments as they stand in a graph, arrays as placeholders."""
    if isinstance(value, np.ndarray):
        node = Node(f"x{len(made)}", "placeholder", f"x{len(made)}", (), {}, {"val": TensorMeta(value.shape, value.dtype)})
        made[node] = value
        return node
    if isinstance(value, (tuple, list)):
        return type(value)(operands(item, made) for item in value)
    return value


def computed(space: Space, op: Any, args: Any, kwargs: Any, expected: Any) -> Any:
    made: dict[Node, Any] = {}
    args = operands(args, made)
    kwargs = {key: operands(value, made) for key, value in kwargs.items()}
    metas = [TensorMeta(np.shape(array), array.dtype) for array in arrays_of(expected)]
    meta = tuple(metas) if isinstance(expected, tuple) else metas[0]
    node = Node("result", "call_function", op, args, kwargs, {"val": meta})
    function = _function(space, node)
    values = {each: space.constant(array) for each, array in made.items()}
    running = Running.__new__(Running)
    running.space = space
    found = function(*map_nodes(args, values.__getitem__), **map_nodes(kwargs, values.__getitem__))
    return [space.fitted(part, meta.dtype) for part, meta in zip(arrays_of(running._fitted(node, found)), metas, strict=True)]


def arrays_of(result: Any) -> Any:
    """The arrays of a result that is one array, or a tuple of them."""
    return result if isinstance(result, tuple) else (result,)


def held_to_numpy(space: Space, name: str) -> int:
    """How many samples the namespace computes, each as NumPy does; the others are refused before they run."""
    op = registered(name)
    count = 0
    samples = samples_of(op)
    for args, kwargs in samples[:: len(samples) // MOST + 1]:
        args, kwargs = op.bind(args, kwargs)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = op.kernel(*args, **kwargs)
            except (ValueError, TypeError, IndexError):
                continue
            try:
                found = computed(space, op, args, kwargs, expected)
            except Lacks:
                continue
        for part, wanted in zip(found, arrays_of(expected), strict=True):
            tolerance = 1e-5 if wanted.dtype.name in ("float16", "float32", "complex64") else 1e-12
            part = np.asarray(part)
            part, wanted = (np.sort(part), np.sort(wanted)) if name in IN_ANY_ORDER else (part, wanted)
            np.testing.assert_allclose(part, wanted, tolerance, 1e-12, err_msg=name, strict=True)
        count += 1
    return count


def test_samples_over_numpy():
    space = Space(np)
    assert [name for name in SAMPLED if not held_to_numpy(space, name)] == []


def test_samples_over_the_strict_namespace():
    space = Space(pytest.importorskip("array_api_strict"))
    assert [name for name in SAMPLED if not held_to_numpy(space, name)] == ["np.einsum"]


@pytest.mark.parametrize("name", ["unique_values", "unique_all", "unique_counts", "unique_inverse"])
@pytest.mark.parametrize(
    "x", [[3, 1, 3, 2, 1], [[2, 0], [0, 2]], [], 4, [1.5, np.nan, -0.0, np.nan, 0.5, 1.5], [True, False, True]], ids=str
)
def test_distinct_elements_are_those_of_numpy(name, x):
    strict = pytest.importorskip("array_api_strict")
    x, function = np.asarray(x), getattr(np, name)
    shapes = ({axis: Dim.AUTO for axis in range(x.ndim)} or None,)
    found = export(lambda x: function(x), (x,), dynamic_shapes=shapes).module(namespace=strict)(strict.asarray(x))
    for ours, eager in zip(arrays_of(found), arrays_of(function(x)), strict=True):
        ours = np.asarray(ours)
        assert ours.dtype == eager.dtype
        np.testing.assert_array_equal(*([np.sort(ours), np.sort(eager)] if f"np.{name}" in IN_ANY_ORDER else [ours, eager]))


@pytest.mark.parametrize("exponent", [np.array([1, -1, 2]), np.array([1.0, -1.0, 2.0]), 2, -1], ids=str)
def test_what_a_mask_leaves_out_raises_nothing(exponent):
    strict = pytest.importorskip("array_api_strict")

    def masked(x, y):
        return np.power(x, y, out=np.zeros(3, np.result_type(x, y)), where=np.asarray(y) >= 0)

    x = np.array([2, 3, 4])
    run = export(masked, (x, exponent)).module(namespace=strict)
    given = strict.asarray(exponent) if isinstance(exponent, np.ndarray) else exponent
    np.testing.assert_array_equal(np.asarray(run(strict.asarray(x), given)), masked(x, exponent))


def test_what_is_computed_where_it_is_written():
    strict = pytest.importorskip("array_api_strict")

    def written(x):
        z = x.reshape(2, 3) * 1.0
        np.exp(z.T, out=z.T)
        z[:, ::2] **= 1.5
        np.tanh(z[0], out=z[1])
        w = z * (1 + 2j)
        w[0] *= 0.5 - 1j
        return z, w

    x = np.arange(6.0) / 6
    for ours, eager in zip(export(written, (x,)).module(namespace=strict)(strict.asarray(x)), written(x), strict=True):
        np.testing.assert_allclose(np.asarray(ours), eager, rtol=1e-14)
