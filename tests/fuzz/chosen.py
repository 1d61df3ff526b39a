"""Hold random programs in which data choose lists to eager execution, call after call:
``python -m tests.fuzz.chosen [count] [seed]``.
"""

from __future__ import annotations

from tests.fuzz.chosen_programs import Writer
from tests.fuzz.command import main
from tests.fuzz.growing import held


def run(seed: int) -> str:
    """The outcome of one class. Raises ``AssertionError`` with the source."""
    return held(Writer(seed).source(), seed)


if __name__ == "__main__":
    main(run)
