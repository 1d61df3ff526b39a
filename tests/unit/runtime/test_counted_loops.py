"""Loops over a counter run as a ``for`` over a range: as many iterations as eagerly, whatever the
bounds, the step and the sizes are, and what is counted stands where it does eagerly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir import ops
from npexport.runtime.counted_loops import counted

HEADS = [
    "for i in range(n):",
    "for i in range(1, n):",
    "for i in range(n - 1, -1, -1):",
    "for i in range(n, -n, -3):",
    "for i in range(2 - n, n, 2):",
    "for i in range(n // 2, 2 * n, 5):",
    "i = -1\n    while i < n:\n        i += 1",
    "i = n\n    while i > 1:\n        i -= 2",
]


def of(head: str) -> Any:
    scope: dict[str, Any] = {"np": np}
    body = "s = s * 0.5 + i\n        a[i % n] += s\n        k += 3"
    exec(f"def program(x):\n    n, i, k, s, a = len(x), 7, 0, x[0], x.copy()\n    {head}\n        {body}\n    return a, s, i, k", scope)
    return scope["program"]


@pytest.mark.parametrize("head", HEADS)
def test_as_many_iterations_as_eagerly(head: str) -> None:
    program = of(head)
    exported = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim("n", min=1)},))
    loops = [node for node in exported.graph.nodes if node.target is ops.control.while_loop]
    assert [counted(*node.args[:2], len(node.args[2])) is not None for node in loops] == [True]
    for size in (1, 2, 3, 4, 9, 16):
        given = np.cos(np.arange(size))
        assert repr(exported.module()(given)) == repr(program(given)), size


def test_what_data_decide_is_not_counted() -> None:
    def program(x: Any) -> Any:
        i = 0
        while i < x[i]:
            i += 1
        return i

    exported = export(program, (np.array([2.0, 3.0, 0.0]),))
    (loop,) = [node for node in exported.graph.nodes if node.target is ops.control.while_loop]
    assert counted(*loop.args[:2], len(loop.args[2])) is None
    assert exported.module()(np.array([2.0, 0.0, 0.0])) == 1


def test_an_iteration_that_raises_raises_in_the_iteration_that_does() -> None:
    def program(x: Any, k: Any) -> Any:
        y = np.zeros(len(x))
        for i in range(len(x)):
            y[i] = x[k[i]]
        return y

    run = export(program, (np.arange(4.0), np.arange(4)), dynamic_shapes=({0: Dim("n", min=1)},) * 2).module()
    for size in 1, 3:
        for function in run, program:
            with pytest.raises(IndexError, match=f"index {size} is out of bounds for axis 0 with size {size}"):
                function(np.ones(size), np.full(size, size))
        assert run(np.ones(size), np.zeros(size, int)).tolist() == [1.0] * size
