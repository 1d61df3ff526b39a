"""In arrays, dates that are none equal ``None``: NumPy compares them as objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

EXPRESSIONS = """
t == None | t != None | None == t | None != t | t[:, None] == None | t.reshape(-1)[:0] == None
None in t | np.where(t == None, 0, 1) | t[0] == None | t[-1] != None | t[-1:].reshape(()) == None | t.min() == None
(t[t != None], t[~(t == None)])
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[ns]", "m8[h]", "M8[Y]"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_no_date_equals_none(expression: str, dtype: str) -> None:
    program: Any = eval(f"lambda t: ({expression})", {"np": np})
    dates = np.array([3, 4, 5], "i8").astype(dtype)
    dates[2] = "NaT"
    module = export(program, (dates,), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for given in (dates, dates[::-1], dates[:2], dates[2:]):
        assert outcome(module, (given,)) == outcome(program, (given,))


def test_known_dates_equal_none() -> None:
    def program(x: Any) -> Any:
        known = np.array(["2020-01-01", "NaT"], "M8[D]")
        return x, known == None, known != None, None in known  # noqa: E711  what the array says

    module = export(program, (np.ones(2),)).module()
    assert outcome(module, (np.ones(2),)) == outcome(program, (np.ones(2),))
