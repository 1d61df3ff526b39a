"""Hold random programs over iterators of NumPy and of Python to eager execution, at other sizes and data too:
``python -m tests.fuzz.iterators [count] [seed]``."""

from __future__ import annotations

import collections
import copy
import itertools
import operator
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.iterator_programs import Writer
from tests.support.functions import function_of

SIZES = ((3, 3), (2, 2), (1, 1), (3, 3), (4, 4))
MODULES = {"np": np, "itertools": itertools, "collections": collections, "copy": copy, "operator": operator}


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    f = function_of(source, dict(MODULES))
    kind: Any = [np.float64, np.int64, np.float32][seed % 3]
    calls = [(rng.integers(-3, 4, (n, m)).astype(kind), rng.integers(-3, 4, m).astype(kind)) for n, m in SIZES]
    dynamic = ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO}) if seed % 2 else None
    return exported_and_tallied(source, f, calls, dynamic)


if __name__ == "__main__":
    main(run)
