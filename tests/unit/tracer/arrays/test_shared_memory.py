"""Whether arrays share memory, in every layout that a program accepts; copies onto read-only arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export
from tests.support.outcomes import outcome

X = np.arange(12.0).reshape(4, 3)
MADE: dict[str, Callable[[Any], Any]] = {
    "reshaped": lambda x: x.reshape(-1),
    "ravelled": lambda x: x.ravel(),
    "contiguous": lambda x: np.ascontiguousarray(x),
    "reshaped transposed": lambda x: x.T.reshape(-1),
    "in Fortran's order": lambda x: np.asarray(x, order="F"),
    "rows reshaped": lambda x: x[:2].reshape(-1),
}
ASKED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "of it and the array": lambda shares, y, x: shares(y, x),
    "of the array and it": lambda shares, y, x: shares(x, y),
    "of it and rows": lambda shares, y, x: shares(y, x[1:]),
    "of rows and it": lambda shares, y, x: shares(x[1:], y),
}
LAYOUTS = {"C": X, "F": np.asfortranarray(X), "every second row": np.zeros((8, 3))[::2], "reversed": X[::-1]}


@pytest.mark.parametrize("shares", [np.shares_memory, np.may_share_memory], ids=["shares", "may share"])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE)
def test_memory_is_shared_as_in_eager_execution(made: str, asked: str, shares: Any) -> None:
    def program(x: Any) -> Any:
        return ASKED[asked](shares, MADE[made](x), x)

    run = export(program, (X.copy(),)).module()
    assert run(X.copy()) == program(X.copy())
    for layout, x in LAYOUTS.items():
        try:
            found = run(x)
        except InputMismatch:
            continue
        assert found == program(x), layout


COPIES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda y: y[:2], lambda y: y[:2]),
    "other rows": (lambda y: y[:2], lambda y: y[2:]),
    "the same rows, reversed": (lambda y: y[:2], lambda y: y[:2][::-1]),
    "the same rows, transposed": (lambda y: y[:3].T, lambda y: y[:3]),
}


@pytest.mark.parametrize("name", COPIES)
def test_only_itself_is_copied_onto_a_read_only_array(name: str) -> None:
    target, source = COPIES[name]

    def program(x: Any) -> Any:
        y = x + 0
        read_only = target(y)
        read_only.flags.writeable = False
        try:
            np.copyto(read_only, source(y))
        except ValueError as error:
            return str(error), y
        return y

    run = export(program, (X,)).module()
    assert outcome(run, (X,)) == outcome(program, (X,))
    assert ("read-only" in outcome(program, (X,))[0]) is (name != "itself")
