"""Hold random programs of arrays that share memory as data decide to eager execution: ``python -m tests.fuzz.aliases [count] [seed]``.
Compared as in `tests.fuzz.branches`."""

from __future__ import annotations

import random

from npexport import ExportError, export
from tests.fuzz.alias_programs import Writer
from tests.fuzz.branch_programs import compiled, inputs
from tests.fuzz.command import compared, main, reporting
from tests.support.outcomes import outcome

RUNS = 16


def difference(seed: int) -> tuple[str, str]:
    """(what became of the program: a code, ``same`` or ``differs``; the report where it is not eager's)."""
    source = Writer(seed).program()
    f, rng = compiled(source), random.Random(seed)
    example = inputs(rng, 0)
    try:
        exported = export(f, example)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    return compared(source, outcome, f, exported, (example, *(inputs(rng, 0) for _ in range(RUNS))))


run = reporting(difference)


if __name__ == "__main__":
    main(run)
