"""Hold random classes whose calls replace arrays to eager execution, call after call:
``python -m tests.fuzz.replaced [count] [seed]``.
"""

from __future__ import annotations

from tests.fuzz.command import main
from tests.fuzz.growing import held
from tests.fuzz.replaced_programs import Writer


def run(seed: int) -> str:
    """The outcome of one class. Raises ``AssertionError`` with the source."""
    return held(Writer(seed).source(), seed)


if __name__ == "__main__":
    main(run)
