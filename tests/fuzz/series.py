"""Hold random programs over NumPy's polynomials and series to eager execution, at other sizes and data too:
``python -m tests.fuzz.series [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.series_programs import Writer
from tests.support.functions import function_of

SIZES = ((3, 3), (2, 2), (1, 1), (3, 3), (4, 4))


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    f = function_of(source, {"np": np})
    kind: Any = [np.float64, np.float64, np.float32, np.int64, np.complex128][seed % 5]
    calls = [(rng.integers(-2, 4, n).astype(kind), rng.integers(-2, 4, m).astype(kind)) for n, m in SIZES]
    dynamic = ({0: Dim.AUTO}, {0: Dim.AUTO}) if seed % 2 else None
    return exported_and_tallied(source, f, calls, dynamic)


if __name__ == "__main__":
    main(run)
