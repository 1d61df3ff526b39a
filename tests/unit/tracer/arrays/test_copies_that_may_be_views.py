"""Writes reveal whether NumPy copied an array or made a view of it: in every layout of the example, and in every one that is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, InputMismatch, export
from tests.support.outcomes import outcome

SHAPES = {"matrix": (4, 3), "vector": (6,), "one row": (1, 3)}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda x: x.copy(),
    "F": lambda x: x.copy("F"),
    "stretched rows": lambda x: np.repeat(x, 2, 0)[::2],
    "stretched columns": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "reversed": lambda x: x.copy()[::-1],
}
MADE: dict[str, Callable[[Any], Any]] = {
    "ravel": lambda x: x.ravel(),
    "ravel in F": lambda x: x.ravel("F"),
    "ravel in K": lambda x: x.ravel("K"),
    "reshape": lambda x: x.reshape(x.shape[::-1]),
    "contiguous": lambda x: np.ascontiguousarray(x),
    "in Fortran's order": lambda x: np.asfortranarray(x),
    "of the transposed": lambda x: x.T.ravel(),
    "of every second row": lambda x: x[::2].ravel(),
}


def write_to_result(x: Any, make: Callable[[Any], Any]) -> Any:
    y = make(x)
    y[0] = -5.0
    return x * 1, y * 1


def write_to_input(x: Any, make: Callable[[Any], Any]) -> Any:
    y = make(x)
    x[0] = -7.0
    return y * 1


def write_to_own(x: Any, make: Callable[[Any], Any]) -> Any:
    z = x + 0
    y = make(z)
    y[0] = -3.0
    return z, y


def called(program: Any, x: Any) -> Any:
    """The outcome of a call with this very array, whose layout a copy would not keep, and what it leaves there."""
    return outcome(lambda: program(x), ()), x.tolist()


@pytest.mark.parametrize("write", [write_to_result, write_to_input, write_to_own], ids=lambda write: write.__name__)
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", SHAPES)
def test_writes_go_where_they_go_in_eager_execution(name: str, made: str, write: Callable[[Any, Any], Any]) -> None:
    shape = SHAPES[name]
    data = np.arange(float(np.prod(shape))).reshape(shape)

    def program(x: Any) -> Any:
        return write(x, MADE[made])

    accepted = 0
    for example in LAYOUTS.values():
        try:
            run = export(program, (example(data),)).module()
        except ExportError as refusal:
            assert refusal.code == "E121", refusal  # noqa: PT017
            continue
        for layout in LAYOUTS.values():
            try:
                found = called(run, layout(data))
            except InputMismatch:
                continue
            assert found == called(program, layout(data))
            accepted += 1
    assert accepted
