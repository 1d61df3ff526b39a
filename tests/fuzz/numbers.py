"""Hold random programs over Python numbers that only the data know to eager execution: ``python -m tests.fuzz.numbers [count] [seed]``."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from npexport import ExportError, export, load, save
from tests.fuzz.command import compared, main, reporting
from tests.fuzz.number_programs import compiled, inputs, program
from tests.support.outcomes import shown
from tests.support.quiet import quiet

RUNS = 6


def outcome(f: Any, args: tuple[Any, ...]) -> Any:
    """What a call gives, as text that tells values and types apart; of an exception its type and text."""
    with quiet():
        try:
            return shown(f(*args))
        except MemoryError:
            raise
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def difference(seed: int, folder: Any = None) -> tuple[str, str]:
    """(what became of the program: ``refused``, a code, or ``same``; where it differs from eager execution the report)."""
    source = program(seed)
    f, rng = compiled(source), random.Random(seed)
    example = (
        np.array([1.5, 2.5, 0.5]),
        np.array([0.25, 3.0, 1.0]),
        np.ones(3, np.float32),
        np.array([3, 5, 7]),
        np.array([True, False, True]),
        np.array([1.5 + 0.5j, -2j, 0.25 + 0j]),
        np.array([1j, 2.0, 1 - 1j], np.complex64),
    )
    eager = outcome(f, example)
    try:
        program_of_f = export(f, example)
    except ExportError as error:
        return error.code, f"{source}\n{error}" if error.code in ("E901", "E902") else ""
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
        return "raised", "" if raised == eager else f"{source}\nexport raises {raised}, eager gives {eager}"
    if folder is not None:
        save(program_of_f, folder / "program.np2")
        program_of_f = load(folder / "program.np2")
    return compared(source, outcome, f, program_of_f, (example, *(inputs(rng) for _ in range(RUNS))))


run = reporting(difference)


if __name__ == "__main__":
    main(run)
