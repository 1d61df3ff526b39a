"""Hold random programs of arrays that lists hold to eager execution: ``python -m tests.fuzz.held [count] [seed]``.
Compared as in `tests.fuzz.branches`."""

from __future__ import annotations

from tests.fuzz.branches import difference_of
from tests.fuzz.command import main, reporting
from tests.fuzz.held_programs import Writer

run = reporting(lambda seed: difference_of(Writer(seed).program(), seed))


if __name__ == "__main__":
    main(run)
