"""Views that NumPy refuses for some sizes which only the data know, in handlers: after the join nothing makes them anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, InputMismatch, export
from tests.support.outcomes import outcome

VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "squeeze": lambda q, h: np.squeeze(q, 0),
    "broadcast_to": lambda q, h: np.broadcast_to(q, (3,)),
    "broadcast_to two": lambda q, h: np.broadcast_to(q, (2,)),
    "a view of a view": lambda q, h: np.squeeze(q[:, None], 0),
    "computed with": lambda q, h: np.squeeze(q, 0) + 0,
    "stretched and computed with": lambda q, h: np.broadcast_to(q, h.shape) * 2,
}
OTHERS: dict[str, Callable[[Any, Any], Any]] = {
    "new": lambda q, h: np.zeros(2),
    "a scalar": lambda q, h: np.float64(-1),
    "an input": lambda q, h: h,
    "a view": lambda q, h: h[:2],
    "of the same memory": lambda q, h: q[:1],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("other", OTHERS)
def test_its_exception_reaches_the_handler(view: str, other: str) -> None:
    def program(s: Any, h: Any) -> Any:
        q = np.unique(s)
        try:
            return VIEWS[view](q, h)
        except ValueError:
            return OTHERS[other](q, h)

    for example in ([3.0, 1, 2], [1.0, 1, 2], [1.0, 1, 1]):
        try:
            run = export(program, (np.array(example), np.arange(3.0))).module()
        except ExportError as refusal:
            assert refusal.code[1] != "9"
            continue
        for values in ([3.0, 1, 2], [1.0, 1, 2], [1.0, 1, 1]):
            args = np.array(values), np.arange(3.0)
            try:
                found = outcome(run, args)
            except InputMismatch:
                continue
            assert found == outcome(program, args), (example, values)
