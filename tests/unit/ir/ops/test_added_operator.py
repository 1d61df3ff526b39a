"""An operator is added in one place: its record. Nothing else of npexport names one that is registered when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir import ops
from npexport.ir.facts import View
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op, OpRegistry
from npexport.ir.ops import bounds
from npexport.ir.ops.rules import Array, like, meta_of, record, value
from npexport.ir.raising import NOTHING
from tests.support.forms import reloaded


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> OpRegistry:
    """The registry, which forgets after the test what the test registers."""
    for namespace in list(ops.REGISTRY._providers):  # modules are imported once: what they register now stays
        ops.REGISTRY.get(f"{namespace}.nothing")
    for table in ("_by_name", "_by_model", "_by_method", "_versions"):
        monkeypatch.setattr(ops.REGISTRY, table, dict(getattr(ops.REGISTRY, table)))
    return ops.REGISTRY


def smooth(x: Any) -> Any:
    """A function of some library."""
    return (x + np.roll(x, 1, 0)) / 2


def evens(x: Any) -> Any:
    """Every second element, a view."""
    return x[::2]


def halves(x: Any) -> Any:
    """Integers, halved."""
    return x // 2


@pytest.fixture
def smoothed(registry: OpRegistry) -> Op:
    @record(smooth, namespace="lab", traits="c_order", raises=NOTHING)
    def smooth_(x: Array) -> TensorMeta:
        """The mean of neighbours."""
        return like(meta_of(x), meta_of(x).shape)

    return smooth_


@pytest.fixture
def even(registry: OpRegistry) -> Op:
    @record(
        evens,
        namespace="lab",
        traits="view",
        raises=NOTHING,
        view=View(strides=lambda step, shape, strides, truth: (strides[0] * 2, *strides[1:])),
    )
    def even(x: Array) -> TensorMeta:
        """Every second element."""
        shape = meta_of(x).shape
        return like(meta_of(x), (-(-shape[0] // 2), *shape[1:]))

    return even


@pytest.fixture
def halved(registry: OpRegistry) -> Op:
    @record(
        halves,
        namespace="lab",
        raises=NOTHING,
        bounds=lambda node, depth: (0, bounds.extent(node.args[0])[1] // 2),
        evaluate=lambda n: n // 2,
    )
    def add(x: Array) -> TensorMeta:
        """Named like one of NumPy's."""
        return value(meta_of(x).shape, np.dtype(np.int64))

    return add


def test_a_model_is_recorded_with_dynamic_sizes_in_place_saved_and_loaded(smoothed: Op) -> None:
    def f(x: Any) -> Any:
        x[1:] = smooth(x)[1:]
        return smooth(x).sum()

    program = export(f, (np.arange(6.0),), dynamic_shapes=({0: Dim("n", min=2)},))
    assert [node.target for node in program.graph if node.target is smoothed]
    for run in (program.module(), reloaded(program).module()):
        x, expected = np.arange(9.0), np.arange(9.0)
        assert run(x) == f(expected)
        assert x.tolist() == expected.tolist()


def test_a_view_is_written_through(even: Op) -> None:
    def f(x: Any) -> Any:
        y = even(x)
        y += 10
        return x * 2

    program = export(f, (np.arange(6.0),))
    for run in (program.module(), reloaded(program).module()):
        x, expected = np.arange(6.0), np.arange(6.0)
        assert run(x).tolist() == f(expected).tolist()
        assert x.tolist() == expected.tolist()


def test_numbers_of_sizes_go_through_it(halved: Op) -> None:
    program = export(lambda x: np.zeros(int(halved(np.prod(x.shape)))) + 1, (np.ones(6),), dynamic_shapes=({0: Dim("n")},))
    assert program.module()(np.ones(11)).shape == (5,)
