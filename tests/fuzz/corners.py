"""Hold random programs over rooms of NumPy that others pass by (``corner_programs``) to eager execution, in several forms.

``python -m tests.fuzz.corners [count] [seed]`` runs many; compared is what ``functions`` compares. Seeds go through the forms of an
exported program in turn.
"""

from __future__ import annotations

from collections import Counter

from tests.fuzz import functions
from tests.fuzz.command import main
from tests.fuzz.corner_programs import Writer


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    return functions.run(seed, Writer, seed % len(functions.FORMS))


if __name__ == "__main__":
    main(run)
