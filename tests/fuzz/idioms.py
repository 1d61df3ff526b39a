"""Hold random programs as users write them to eager execution, with dynamic sizes, in several forms.

``python -m tests.fuzz.idioms [count] [seed]`` runs many; compared is what ``functions`` compares. Seeds go through the forms of an
exported program in turn: as it is, with threads, saved and loaded, as plain Python.
"""

from __future__ import annotations

from collections import Counter

from tests.fuzz import functions
from tests.fuzz.command import main
from tests.fuzz.idiom_programs import Writer


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    return functions.run(seed, Writer, seed % len(functions.FORMS))


if __name__ == "__main__":
    main(run)
