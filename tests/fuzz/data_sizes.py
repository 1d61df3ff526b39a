"""Hold random programs over arrays whose lengths only the data know to eager execution, with fixed and dynamic sizes:
``python -m tests.fuzz.data_sizes [count] [seed]``.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.data_size_programs import Writer
from tests.support.functions import function_of
from tests.support.outcomes import outcome, result_or_error


def arguments(size: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([size, seed])
    return np.round(rng.standard_normal(size) * 2, 1), rng.integers(0, 5, size)


CALLS = [
    *(arguments(8, seed) for seed in range(4)), (np.zeros(8), np.arange(8)), (-np.ones(8), np.zeros(8, int)),
    (np.arange(8.0), np.arange(8)[::-1].copy()), arguments(10, 4), arguments(14, 5),
]  # fmt: skip


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    source = Writer(seed).program()
    f = function_of(source, {"np": np})
    example = next((call for call in CALLS if not isinstance(result_or_error(f, *copy.deepcopy(call)), Exception)), None)
    if example is None:
        return Counter(["raises for all data"])
    found: Counter[str] = Counter()
    for sizes in (None, {"x": {0: Dim.AUTO}, "k": {0: Dim.AUTO}}):
        program = exported_or_why(source, lambda sizes=sizes: export(f, copy.deepcopy(example), dynamic_shapes=sizes))
        found += Counter([program]) if type(program) is str else tallied(source, outcome, f, program.module(), CALLS)
    return found


if __name__ == "__main__":
    main(run)
