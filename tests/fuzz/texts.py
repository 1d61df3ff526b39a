"""Hold random programs over arrays of texts to eager execution, at other sizes and data too:
``python -m tests.fuzz.texts [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.text_programs import Writer
from tests.support.functions import function_of

_DTYPES = ("U3", "U3", "U4", "S3", np.dtypes.StringDType(), "U3")
_WORDS = ("a", "b", "ab", "", "Ba", "1", "a b", "42")
_SIZES = (3, 2, 1, 3, 5)


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    dtype: Any = _DTYPES[seed % len(_DTYPES)]
    calls = [
        (
            np.array(rng.choice(_WORDS, n).tolist(), dtype),
            np.array(rng.choice(_WORDS[:4], n).tolist(), dtype),
            rng.integers(-1, 3, n),
            rng.integers(-4, 6, n) / 2,
        )
        for n in _SIZES
    ]
    dynamic = ({0: Dim.AUTO},) * 4 if seed % 4 < 2 else None
    return exported_and_tallied(source, function_of(source, {"np": np}), calls, dynamic)


if __name__ == "__main__":
    main(run)
