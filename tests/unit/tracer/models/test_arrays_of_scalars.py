"""Operators of NumPy's scalars that make arrays: what is written to them shows in their views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome

MADE = """
(1.0, 2.0) + np.float64(1.5)
(1.0, 2.0) ** np.float64(1.5)
np.float64(1.5) ** [1.0, 2.0]
pow((1.0, 2.0), np.float64(1.5))
(1.0, 2.0) / np.float32(3)
(1.0, 2.0) < np.float64(1.5)
divmod((1.0, 2.0), np.float64(1.5))[0]
np.float64(2)[None]
np.float64(2)[...]
np.float64(2).reshape(1, 1)
""".strip().split("\n")


@pytest.mark.parametrize("expression", MADE)
def test_a_view_shares_the_memory_of_what_an_operator_of_scalars_makes(expression: str) -> None:
    made = eval(f"lambda: {expression}", {"np": np})

    def program(x: Any) -> Any:
        array = made()
        view = array.reshape(-1, 1)
        view[0] = x[0]
        array.T[...] += array.dtype.type(1)
        return array, view, np.shares_memory(array, view)

    module = export(program, (np.ones(2),)).module()
    for x in (np.ones(2), np.zeros(2)):
        assert outcome(module, (x,)) == outcome(program, (x,))
