"""Hold random programs that raise by their data to eager execution: ``python -m tests.fuzz.checks [count] [seed]``."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from npexport import ExportError, export, load, save
from tests.fuzz.check_programs import compiled, inputs, program
from tests.fuzz.command import compared, main, reporting
from tests.support.outcomes import outcome

RUNS = 12


def difference(seed: int, folder: Any = None) -> tuple[str, str]:
    """(what became of the program: a code, ``raised``, ``same`` or ``differs``; the report where it is not eager's)."""
    source = program(seed)
    f, rng = compiled(source), random.Random(seed)
    example = np.array([1.5, 2.5, 0.5]), np.array([3, 1, 2]), np.array([1.0, 2.0, 3.0])
    eager = outcome(f, example)[0]
    try:
        exported = export(f, example)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    except Exception as error:
        raised = ":" in eager  # perhaps after a check that fails for the example
        return "raised", "" if raised else f"{source}\nexport raises {type(error).__name__}, eager gives {eager}"
    if folder is not None:
        try:
            save(exported, folder / "program.np2")
            exported = load(folder / "program.np2")
        except ExportError as error:
            return error.code, "" if error.code == "E242" else f"{source}\n{error}"
    return compared(source, outcome, f, exported, (example, *(inputs(rng) for _ in range(RUNS))))


run = reporting(difference)


if __name__ == "__main__":
    main(run)
