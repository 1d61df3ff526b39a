"""Sizes that only data decide, and that a later call requires to be those of an input: where they are made they keep their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.forms import reloaded

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "lexsort": lambda q, h: np.lexsort((q, h)),
    "stack": lambda q, h: np.stack([q, h]),
    "of what is made of it": lambda q, h: (np.lexsort((q, np.sort(q), h)), q[1:]),
    "sum": lambda q, h: q + h,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dynamic", [True, False])
def test_outputs_are_declared_as_what_they_give(name: str, dynamic: bool) -> None:
    def program(s: Any, h: Any) -> Any:
        found = np.unique(s)
        return found, PROGRAMS[name](found, h)

    args = np.array([3.0, 1, 2]), np.arange(3.0)
    exported = export(program, args, dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}) if dynamic else None)
    for each in (exported, reloaded(exported)):
        run = each.module()
        np.testing.assert_equal(run(*args), program(*args))
        if name != "sum":
            with pytest.raises(InputMismatch):
                run(np.array([1.0, 1, 2]), np.arange(3.0))
