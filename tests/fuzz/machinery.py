"""Hold random programs with the machinery of Python's library (``machinery_programs``) to eager execution:
``python -m tests.fuzz.machinery [count] [seed]``."""

from __future__ import annotations

from tests.fuzz.command import main, reporting
from tests.fuzz.grown import difference
from tests.fuzz.machinery_programs import Writer, library

run = reporting(lambda seed: difference(Writer(seed), seed, library()))


if __name__ == "__main__":
    main(run)
