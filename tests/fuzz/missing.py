"""Hold random classes with attributes and keys that only some calls set to eager execution, call after call:
``python -m tests.fuzz.missing [count] [seed]``; the ways are those of ``growing``.
"""

from __future__ import annotations

from tests.fuzz.command import main
from tests.fuzz.growing import held
from tests.fuzz.missing_programs import Writer


def run(seed: int) -> str:
    """Export and compare one class, as ``growing`` does."""
    return held(Writer(seed).source(), seed)


if __name__ == "__main__":
    main(run)
