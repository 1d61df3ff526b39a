"""Hold random programs of loops over rows to eager execution: ``python -m tests.fuzz.rows [count] [seed]``.
Compared as in `tests.fuzz.branches`."""

from __future__ import annotations

import numpy as np

from npexport import export
from tests.fuzz.command import compared, exported_or_why, main, reporting
from tests.fuzz.row_programs import Writer
from tests.support.functions import function_of
from tests.support.outcomes import outcome

CALLS = 12


def difference(seed: int) -> tuple[str, str]:
    """(what became of the program of a seed; the report where it is not eager's)."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    f = function_of(source, {"np": np})
    calls = [tuple(rng.choice([-1, 1], (2, 1, 1)) * rng.standard_normal((2, 4, 3)) + rng.choice([-1, 0, 1])) for _ in range(CALLS)]
    exported = exported_or_why(source, lambda: export(f, tuple(each.copy() for each in calls[0])))
    return (exported, "") if type(exported) is str else compared(source, outcome, f, exported, calls)


run = reporting(difference)


if __name__ == "__main__":
    main(run)
