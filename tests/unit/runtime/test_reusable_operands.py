"""Results go to operands that turn out to be memory of their own, and nobody can tell but by the memory that a call needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.blocks import described
from tests.support.memory import peak

LAYOUTS: dict[str, Any] = {
    "C": lambda x: x.copy(),
    "F": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
}


def _of_both(x: Any) -> Any:
    y = np.ascontiguousarray(x)
    return y * 2 + 1, y


def _of_what_lives_on(x: Any) -> Any:
    t = x * 3
    flat = t.ravel()
    u = flat * 2
    return u, t[0]


def _by_way_of_a_temporary(x: Any) -> Any:
    t = x * 3
    flat = np.ascontiguousarray(t).ravel()
    u = flat - 1
    return u, (x.T * 2).reshape(-1) + u


def _of_a_view_of_it(x: Any) -> Any:
    y = x.T.ravel()
    part = y[::2]
    z = y * 2
    return z, part + 1


def _in_a_loop(x: Any) -> Any:
    for _ in range(3):
        x = x[::-1] * 0.5 + x
    return x


def _written(x: Any) -> Any:
    y = np.asarray(x, order="F")
    y[0, 0] = 7.0
    return y * 2 - y


PROGRAMS: dict[str, Any] = {
    "x.T.ravel() * 2": lambda x: x.T.ravel() * 2,
    "x.ravel() * 2": lambda x: x.ravel() * 2,
    "x.T.reshape(-1) * 2": lambda x: x.T.reshape(-1) * 2,
    "ascontiguousarray(x) * 2 + 1": lambda x: np.ascontiguousarray(x) * 2 + 1,
    "ascontiguousarray(x.T) * 2 + 1": lambda x: np.ascontiguousarray(x.T) * 2 + 1,
    "asfortranarray(x) - x": lambda x: np.asfortranarray(x) - x,
    "x[::-1] * 2 + x": lambda x: x[::-1] * 2 + x,
    "x + x.T * 2": lambda x: x + x.T * 2,
    "with a row": lambda x: x[:, ::-1] * 2 + x[0] - x[:, :1],
    "of both": _of_both,
    "of what lives on": _of_what_lives_on,
    "by way of a temporary": _by_way_of_a_temporary,
    "of a view of it": _of_a_view_of_it,
    "in a loop": _in_a_loop,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("example", ["C", "F"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_arguments_are_those_of_the_graph(name: str, example: str, layout: str) -> None:
    """NumPy computes large temporaries in place whatever their layout, so that of eager results is not told."""
    function, x = PROGRAMS[name], np.random.default_rng(0).standard_normal((200, 200))
    program = export(function, (LAYOUTS[example](x),))
    given, wanted = LAYOUTS[layout](x), LAYOUTS[layout](x)
    found, expected, eager = program.module()(given), program.graph.run(wanted), function(wanted)
    found, eager = (value if isinstance(value, tuple) else (value,) for value in (found, eager))
    assert [described(value) for value in found] == [described(value) for value in expected]
    for one, other in zip(found, eager, strict=True):
        np.testing.assert_array_equal(one, other)
    assert given.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("layout", ["C", "F"])
def test_what_is_written_through_a_view_is_eager_executions(layout: str) -> None:
    given, wanted = (np.random.default_rng(0).standard_normal((200, 200)).copy(layout) for _ in range(2))
    run = export(_written, (given.copy(layout),)).module()
    assert described(run(given)) == described(_written(wanted))
    assert given.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["x.T.ravel() * 2", "ascontiguousarray(x.T) * 2 + 1", "x[::-1] * 2 + x"])
def test_no_more_memory_than_eager(name: str) -> None:
    function, x = PROGRAMS[name], np.ones((400, 300))
    run = export(function, (x,)).module()
    assert peak(run, x) <= peak(function, x) + 20_000
