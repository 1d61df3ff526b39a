"""Hold random classes whose containers have several names to eager execution, call after call:
``python -m tests.fuzz.named [count] [seed]``.
"""

from __future__ import annotations

from tests.fuzz.command import main
from tests.fuzz.growing import held
from tests.fuzz.named_programs import Writer


def run(seed: int) -> str:
    """The outcome of one class. Raises ``AssertionError`` with the source."""
    return held(Writer(seed).source(), seed)


if __name__ == "__main__":
    main(run)
