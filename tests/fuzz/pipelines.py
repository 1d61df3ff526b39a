"""Hold random classes with state that process images and signals to eager execution: ``python -m tests.fuzz.pipelines [count] [seed]``."""

from __future__ import annotations

from tests.fuzz.command import main, reporting
from tests.fuzz.grown import difference
from tests.fuzz.pipeline_programs import Writer

run = reporting(lambda seed: difference(Writer(seed), seed))


if __name__ == "__main__":
    main(run)
