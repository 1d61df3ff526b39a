"""Hold random programs of arrays that share memory as data decide to eager execution: ``python -m tests.fuzz.aliases [count] [seed]``.
Compared as in `tests.fuzz.branches`."""

from __future__ import annotations

from tests.fuzz.alias_programs import Writer
from tests.fuzz.branches import difference_of
from tests.fuzz.command import main, reporting

run = reporting(lambda seed: difference_of(Writer(seed).program(), seed))


if __name__ == "__main__":
    main(run)
