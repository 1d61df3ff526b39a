"""Hold random programs that go over generators to eager execution; those of even seeds are exported with a dynamic size:
``python -m tests.fuzz.yielding [count] [seed]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport import Dim, ExportError, export
from tests.fuzz.branch_programs import compiled
from tests.fuzz.command import compared, main, reporting
from tests.fuzz.yielding_programs import inputs, program
from tests.support.outcomes import outcome

RUNS = 14


def difference(seed: int) -> tuple[str, str]:
    """(what became of the program: a code, ``raised``, ``same`` or ``differs``; the report where it is not eager's)."""
    source = program(seed)
    f, rng = compiled(source), np.random.default_rng(seed)
    sizes = [2 + number % 6 if seed % 2 == 0 else 4 for number in range(RUNS)]
    shapes: Any = {"x": {0: Dim("n", min=2, max=12)}, "w": None} if seed % 2 == 0 else None
    example = inputs(rng, 4)
    try:
        exported = export(f, example, dynamic_shapes=shapes)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    except Exception as error:
        raised = any(len(outcome(f, inputs(rng, size))) == 2 for size in sizes)
        return "raised", "" if raised else f"{source}\nexport raises {type(error).__name__}: {error}"
    return compared(source, outcome, f, exported, (example, *[inputs(rng, size) for size in sizes]))


run = reporting(difference)


if __name__ == "__main__":
    main(run)
