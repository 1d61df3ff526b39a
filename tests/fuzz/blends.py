"""Hold random programs of what other fuzzers keep apart to eager execution, with dynamic sizes.

``python -m tests.fuzz.blends [count] [seed]`` runs many; compared is what ``functions`` compares.
"""

from __future__ import annotations

from collections import Counter

from tests.fuzz import functions
from tests.fuzz.blend_programs import Writer
from tests.fuzz.command import main


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    return functions.run(seed, Writer)


if __name__ == "__main__":
    main(run)
