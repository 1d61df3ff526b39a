"""`np.put` into arrays that may have no place for what is put."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.outcomes import outcome


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_there_is_no_place_in_an_empty_array(mode: str, count: int) -> None:
    def program(x: Any, places: Any) -> Any:
        try:
            np.put(x, places, 5, mode=mode)
        except IndexError as error:
            return str(error)
        return x

    places = np.arange(count)
    for example in (3, 0):
        run = export(program, (np.ones(example), places), dynamic_shapes=({0: Dim.AUTO}, None)).module()
        for size in (0, 1, 4):
            arguments = np.ones(size), places
            try:
                assert outcome(run, arguments) == outcome(program, arguments)
            except InputMismatch:
                assert count and (size == 0) is (example > 0)
