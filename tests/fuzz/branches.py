"""Hold random programs that branch on data to eager execution: ``python -m tests.fuzz.branches [count] [seed]``.

Compared are results with their types, what is left in the arguments, and which results share memory with arguments and each other.
"""

from __future__ import annotations

import random

from npexport import ExportError, export
from tests.fuzz.branch_programs import compiled, inputs, program
from tests.fuzz.command import compared, main, reporting
from tests.support.outcomes import outcome

RUNS = 16


def difference_of(source: str, seed: int, size: int = 0) -> tuple[str, str]:
    """(what became of the program: a code, ``raised``, ``same`` or ``differs``; the report where it is not eager's).

    ``size``: a number by which `inputs` draws sizes.
    """
    f, rng = compiled(source), random.Random(seed)
    example = inputs(rng, size)
    try:
        exported = export(f, example)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    except Exception as error:
        raised = any(len(outcome(f, inputs(rng, size))) == 2 for _ in range(RUNS))
        return "raised", "" if raised else f"{source}\nexport raises {type(error).__name__}: {error}"
    return compared(source, outcome, f, exported, (example, *(inputs(rng, size) for _ in range(RUNS))))


def difference(seed: int) -> tuple[str, str]:
    """`difference_of` the program of a seed."""
    return difference_of(program(seed), seed, seed)


run = reporting(difference)


if __name__ == "__main__":
    main(run)
