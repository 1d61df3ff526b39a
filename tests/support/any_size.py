"""Programs of two arrays of one size, written as the body of a function, exported for any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport import Dim, export
from tests.support.functions import function_of


def program_of(body: str) -> Any:
    """The function of ``x`` and ``y`` that has this body."""
    return function_of("def program(x, y):\n" + "\n".join("  " + line for line in body.split("\n")), {"np": np})


def arguments(size: int) -> tuple[Any, ...]:
    """Floats and small integers, so many of each."""
    return np.sin(np.arange(size) * 1.3 + 0.5), np.arange(size) * 7 % 5


def exported(body: str, least: int) -> Any:
    """The program, exported for all sizes from this one on."""
    n = Dim("n", min=least)
    return export(program_of(body), arguments(5), dynamic_shapes=({0: n}, {0: n}))
