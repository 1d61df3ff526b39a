"""``out=`` in memory of an operand, where NumPy reads what it has written, or keeps what a mask leaves out in another dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome

_MASK = np.array([[True, False], [False, False]])
SAME: dict[str, Callable[[Any, Any], Any]] = {
    "the operand itself": lambda k, o: np.logical_and(k, o, out=k, where=_MASK),
    "no mask": lambda k, o: np.logical_and(k.T, o, out=k),
    "one dtype": lambda k, o: np.add(o.T, o, out=o, where=_MASK),
    "elsewhere": lambda k, o: np.logical_and(k.T.copy(), o, out=k, where=_MASK),
    "products elsewhere": lambda k, o: np.vecdot(np.stack([o, o]), o, out=np.zeros((2, 2))),
}
REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "turned": lambda k, o: np.logical_and(k.T, o, out=k, where=_MASK),
    "reversed": lambda k, o: np.equal(k[:, ::-1], k, out=k, where=_MASK),
    "the mask": lambda k, o: np.logical_and(o, o, out=k, where=k.view("?")),
    "products": lambda k, o: np.vecdot(np.stack([o, o]), o, out=o),
}


@pytest.mark.parametrize("name", SAME)
def test_what_numpy_keeps(name: str) -> None:
    args = np.array([[1, 5], [0, -128]], "i1"), np.array([[1.0, 0.5], [2, 3]])
    assert outcome(export(SAME[name], args).module(), args) == outcome(SAME[name], args)


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_loses_is_refused(name: str) -> None:
    with pytest.raises(ExportError) as caught:
        export(REFUSED[name], (np.array([[1, 5], [0, -128]], "i1"), np.array([[1.0, 0.5], [2, 3]])))
    assert caught.value.code == "E120"


@pytest.mark.parametrize("terms", ["i->i", "...->...", "i->"])
@pytest.mark.parametrize("optimize", [True, False])
def test_sums_of_products_are_added_to_zeros(terms: str, optimize: bool) -> None:
    """Which makes zeros positive, but not where NumPy returns a view."""

    def program(x: Any) -> Any:
        room = np.ones(np.shape(np.einsum(terms, x)))
        return np.einsum(terms, x, out=room, optimize=optimize), np.einsum(terms, x), np.einsum(terms, x, out=room[...])

    args = (np.array([-0.0, 1, -0.0, np.nan]),)
    assert outcome(export(program, args).module(), args) == outcome(program, args)
