"""``h = c = np.zeros(n)`` before a loop whose number of iterations is not known: if none is made, both
are still one array, whether or not anybody else holds it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def both(xs: Any) -> Any:
    h = c = np.zeros(3)
    for x in xs:
        c = c * 0.5 + x
        h = np.tanh(c)
    return h, c, c is h


def written_later(xs: Any) -> Any:
    h = np.zeros(3)
    c = h
    for x in xs:
        c = c * 0.5 + x
        h = np.tanh(c)
    h[0] = 5
    return c


def one_changed_in_place(xs: Any) -> Any:
    h = c = np.zeros(4)[1:]
    for x in xs:
        c = c * 0.5 + x
        h = h - c
    found = [h, c]
    found[0] += 1
    return found


def written_in_the_loop(xs: Any) -> Any:
    h = c = np.zeros(3)
    for x in xs:
        h += x
    return c, h


def cells_of_a_network(xs: Any) -> Any:
    weights = {gate: np.full((6, 3), scale) for gate, scale in zip("ifog", (0.1, 0.2, 0.3, 0.4), strict=True)}
    h = c = np.zeros(3)
    for x in xs:
        gates = {gate: np.tanh(np.concatenate([x, h]) @ weight) for gate, weight in weights.items()}
        c = gates["f"] * c + gates["i"] * gates["g"]
        h = gates["o"] * np.tanh(c)
    return h, c


@pytest.mark.parametrize("f", [both, written_later, one_changed_in_place, written_in_the_loop, cells_of_a_network])
def test_results_are_those_of_eager_execution_at_any_size(f: Any) -> None:
    run = export(f, (np.ones((5, 3)),), dynamic_shapes=({0: Dim.DYNAMIC},)).module()
    for size in (5, 2, 0, 1):
        given = (np.linspace(-1, 1, size * 3).reshape(size, 3),)
        assert outcome(run, given) == outcome(f, given)
