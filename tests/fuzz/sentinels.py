"""Hold random programs whose variables are one of several values as data decide to eager execution: ``python -m tests.fuzz.sentinels
[count] [seed]``. Compared as in `tests.fuzz.branches`."""

from __future__ import annotations

import random

from npexport import ExportError, export
from tests.fuzz.branch_programs import compiled, inputs
from tests.fuzz.command import compared, main, reporting
from tests.fuzz.sentinel_programs import Writer
from tests.support.outcomes import outcome

RUNS = 16


def difference(seed: int) -> tuple[str, str]:
    """(what became of the program: a code, ``raised``, ``same`` or ``differs``; the report where it is not eager's)."""
    source = Writer(seed).program()
    f, rng = compiled(source), random.Random(seed)
    example = inputs(rng, 0)
    try:
        exported = export(f, example)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    except Exception as error:
        raised = any(len(outcome(f, inputs(rng, 0))) == 2 for _ in range(RUNS))
        return "raised", "" if raised else f"{source}\nexport raises {type(error).__name__}: {error}"
    return compared(source, outcome, f, exported, (example, *(inputs(rng, 0) for _ in range(RUNS))))


run = reporting(difference)


if __name__ == "__main__":
    main(run)
