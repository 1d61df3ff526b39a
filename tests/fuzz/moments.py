"""Hold random programs over dates and spans of time to eager execution, at other sizes and data too:
``python -m tests.fuzz.moments [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.moment_programs import Writer
from tests.support.functions import function_of

_UNITS = (("D", "D"), ("s", "h"), ("D", "W"), ("M", "M"), ("ns", "ms"), ("h", "D"))
_SIZES = (3, 2, 1, 3, 5)


def _arguments(rng: np.random.Generator, units: tuple[str, str], size: int, missing: bool) -> tuple[Any, ...]:
    t = np.datetime64("2000-01-01").astype(f"M8[{units[0]}]") + rng.integers(-40, 40, size)
    d = rng.integers(-6, 9, size).astype(f"m8[{units[1]}]")
    u = t + rng.integers(-1, 2, size)
    if missing:
        t[rng.integers(size)], d[rng.integers(size)] = "NaT", "NaT"
    return t, d, u, rng.integers(-2, 4, size), rng.integers(-4, 6, size) / 2


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    units = _UNITS[seed % len(_UNITS)]
    calls = [_arguments(rng, units, size, rng.random() < 0.3) for size in _SIZES]
    dynamic = ({0: Dim.AUTO},) * 5 if seed % 2 else None
    return exported_and_tallied(source, function_of(source, {"np": np}), calls, dynamic)


if __name__ == "__main__":
    main(run)
