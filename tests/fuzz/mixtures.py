"""Hold random programs that mix numbers, sizes, truths and arrays of all kinds to eager execution:
``python -m tests.fuzz.mixtures [count] [seed]``."""

from __future__ import annotations

from tests.fuzz.command import main, reporting
from tests.fuzz.grown import difference
from tests.fuzz.mixture_programs import Writer

run = reporting(lambda seed: difference(Writer(seed), seed))


if __name__ == "__main__":
    main(run)
