"""Hold random programs over lists of entries to eager execution, at other sizes and data too:
``python -m tests.fuzz.entries [count] [seed]``."""

from __future__ import annotations

from collections import Counter

import numpy as np

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.entry_programs import Writer
from tests.support.functions import function_of

CALLS = 8


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    f = function_of(source, {"np": np})
    dynamic = ({0: Dim("n", min=1)},) if seed % 2 else None
    calls = [(rng.integers(-1, 3, int(rng.integers(1, 9)) if dynamic and number else 5),) for number in range(CALLS)]
    return exported_and_tallied(source, f, calls, dynamic)


if __name__ == "__main__":
    main(run)
