"""State that is replaced by a view of an input of a dynamic size, which is written to afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def row(self, x):
    self.a = x[0]
    x += 1
    return self.a.sum()


def stretched(self, x):
    self.a = np.broadcast_to(x[0], x.shape)
    x += x[:, ::-1]
    return self.a.sum(), self.a[1] * 2


def column(self, x):
    self.a = x[:, 1]
    x[0] = x.max()
    return self.a / x[:, 0]


@pytest.mark.parametrize("dims", [None, ({0: Dim.AUTO, 1: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", [row, stretched, column])
def test_the_view_shows_what_is_written(program: Callable[..., Any], dims: Any) -> None:
    class Program:
        def __init__(self) -> None:
            self.a = np.ones(3)

        __call__ = program

    example = np.arange(9.0).reshape(3, 3)
    run, eager = export(Program(), (example,), dynamic_shapes=dims).module(), Program()
    for shape in ((3, 3),) * 2 if dims is None else ((3, 3), (5, 2), (2, 7)):
        given = (np.arange(1.0, 1 + np.prod(shape)).reshape(shape),)
        assert outcome(run, given) == outcome(eager, given)
