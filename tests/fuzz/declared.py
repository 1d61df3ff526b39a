"""Hold random programs that call operators of users to eager execution: ``python -m tests.fuzz.declared [count] [seed]``."""

from __future__ import annotations

from tests.fuzz.command import main, reporting
from tests.fuzz.declared_programs import FUNCTIONS, Writer
from tests.fuzz.grown import difference

run = reporting(lambda seed: difference(Writer(seed), seed, FUNCTIONS))


if __name__ == "__main__":
    main(run)
