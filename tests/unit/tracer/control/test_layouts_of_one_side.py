"""Arrays that only one side of a branch on data leaves lie in memory as they do eagerly, and are summed so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def beside_another(p: Any, i: Any) -> Any:
    if i.sum() > 0:
        found = p / 3
    else:
        found = i
    return found


def beside_nothing(p: Any, i: Any) -> Any:
    return p.T / 3 if i.sum() > 0 else None


def beside_a_number(p: Any, i: Any) -> Any:
    if i.sum() > 0:
        found = (p / 3).T
    else:
        found = 5.0
    return found


def returned_early(p: Any, i: Any) -> Any:
    if i.sum() > 0:
        return p.T.copy("F"), 1
    return i


def computed_with(p: Any, i: Any) -> Any:
    found = p / 3 if i.sum() > 0 else i
    return found + 1, np.sum(found)


def in_a_tuple(p: Any, i: Any) -> Any:
    found = (p / 3, 2) if i.sum() > 0 else (i,)
    return found[0]


def of_written_memory(p: Any, i: Any) -> Any:
    p[:-1] = p[1:]
    found = p.T if i.sum() > 0 else i
    return found > 1


def arguments(size: int, sign: int) -> tuple[Any, Any]:
    return np.random.default_rng(size).standard_normal((7, 2, size)).transpose(2, 0, 1), sign * np.ones(3)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("example", [1, -1])
@pytest.mark.parametrize(
    "function", [beside_another, beside_nothing, beside_a_number, returned_early, computed_with, in_a_tuple, of_written_memory]
)
def test_orders_are_those_of_eager_execution(function: Any, example: int, dynamic: bool) -> None:
    sizes = ({0: Dim.AUTO}, None) if dynamic else None
    run = export(function, arguments(5, example), dynamic_shapes=sizes).module()
    for size in (5, 2, 9) if dynamic else (5,):
        for sign in (1, -1):
            assert outcome(run, arguments(size, sign), memory=True) == outcome(function, arguments(size, sign), memory=True)
